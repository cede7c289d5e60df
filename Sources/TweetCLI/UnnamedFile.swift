import Libc
package import TweetCore

/// A temporary file without a name. It holds what another program reads, or has written. The kernel
/// removes it at the end of the process, also after a crash.
package struct UnnamedFile: ~Copyable {
  /// Open for reading and writing.
  package let descriptor: Int32

  /// - Throws: ``ToolError/cannotCreate(_:)``.
  package init() throws(ToolError) {
    let directory = Paths.stateDirectory
    try Paths.createDirectory(directory)
    descriptor = try NamelessFile.open(in: directory, prefix: Self.prefix)
  }

  /// One that holds these bytes, for a program to read from the beginning.
  /// - Throws: ``ToolError/cannotCreate(_:)``, or the error of writing.
  package static func holding(_ bytes: [UInt8]) throws(ToolError) -> UnnamedFile {
    let file = try UnnamedFile()
    let failure = writeAll(bytes, to: file.descriptor)
    if failure != 0 { throw writeError(failure, to: "a file") }
    file.rewind()
    return file
  }

  deinit { close(descriptor) }

  /// What the name begins with that it has for a moment.
  private static let prefix = "held."

  /// Removes files of processes that were killed in that moment. A file of one that lives loses its name a little
  /// early.
  package static func removeAbandoned() {
    NamelessFile.removeAbandoned(in: Paths.stateDirectory, prefix: prefix)
  }

  /// Whether nothing was written.
  package var isEmpty: Bool { lseek(descriptor, 0, SEEK_END) <= 0 }

  /// Sets the position to the beginning or, in a file longer than `bytes`, to that many bytes before the end.
  package func rewind(toLast bytes: Int? = nil) {
    let size = lseek(descriptor, 0, SEEK_END)
    lseek(descriptor, max(0, size - off_t(bytes ?? .max)), SEEK_SET)
  }
}

/// A folder in `$TMPDIR` that only this user can read. Whoever made it removes it.
package struct TemporaryFolder {
  /// Without a slash at its end.
  package let path: String

  /// - Parameter name: what its name begins with, such as `tw-local`.
  /// - Throws: ``ToolError/cannotCreate(_:)``.
  package init(_ name: String) throws(ToolError) {
    let parent = Paths.temporary
    var template = Array("\(parent)/\(name).XXXXXX".utf8CString)
    // mkdtemp(3) makes it with mode 0700.
    guard mkdtemp(&template) != nil else {
      throw .cannotCreate("cannot make a folder in '\(parent)'", errno)
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes the folder and everything in it.
  package func remove() {
    if let error = Self.remove(path) { Diagnostics.warn("cannot remove '\(path)': \(describe(errno: error))") }
  }

  /// Removes a file or folder; links are not followed. Returns the first `errno`, `nil` on success.
  private static func remove(_ path: String) -> Int32? {
    guard let status = stat(of: path, followsLink: false) else { return errno }
    guard status.isFolder else { return unlink(path) == 0 ? nil : errno }
    guard let names = Directory.names(in: path) else { return errno }
    var error: Int32?
    for name in names { error = remove(path + "/" + name) ?? error }
    return rmdir(path) == 0 ? error : error ?? errno
  }
}
