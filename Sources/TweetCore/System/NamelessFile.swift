import Libc

/// Files without a name, which go away with the process, also after a crash.
package enum NamelessFile {
  /// Opens a new one for reading and writing.
  /// - Parameters:
  ///   - folder: a directory on the disk that has the room.
  ///   - prefix: how the name begins that it has for a moment, where the file system knows no files without one.
  /// - Returns: a descriptor that the caller closes, and no child inherits.
  /// - Throws: ``ToolError/cannotCreate(_:)``.
  package static func open(in folder: String, prefix: String) throws(ToolError) -> Int32 {
    #if os(Linux)
      // O_TMPFILE (open(2)), which Swift does not import.
      let made = Libc.open(folder, 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
      if made >= 0 { return made }
    #endif
    var template = Array("\(folder)/\(prefix)XXXXXX".utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else { throw .cannotCreate("cannot create a file in '\(folder)'", errno) }
    unlink(template)
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    return file
  }

  /// Removes files of processes that were killed in that moment. A file of one that lives loses its name a little
  /// early.
  package static func removeAbandoned(in folder: String, prefix: String) {
    let length = prefix.utf8.count + 6
    for name in Directory.names(in: folder) ?? [] where name.hasPrefix(prefix) && name.utf8.count == length {
      unlink("\(folder)/\(name)")
    }
  }
}
