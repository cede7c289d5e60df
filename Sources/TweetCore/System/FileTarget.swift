import Libc

/// Where a file may be written. Whoever renames a new file to a path, or empties the file there, asks first: a rename
/// would take away whatever has the name, also a device, and a database that is emptied or replaced beside its log is
/// lost.
package enum FileTarget {
  /// As many links as Linux follows.
  private static let mostLinks = 40
  /// The files that belong to a database, by what their names have after its name.
  private static let companions = ["-wal", "-shm", "-journal", ".lock"]

  /// The path of the file that a new one may replace: where a symbolic link leads, else the path itself. Nothing need
  /// be there.
  /// - Throws: `ToolError.cannotCreate` if what is there is no regular file, or belongs to a database.
  package static func resolve(_ path: String) throws(ToolError) -> String {
    if let status = stat(of: path), !status.isFile {
      throw .cannotCreate("cannot write '\(path)': it is \(kind(of: status)), not a file")
    }
    // Not realpath(3) alone: a link may lead to a file that is not there yet.
    var (target, links) = (Paths.real(path) ?? path, 0)
    while let next = Paths.linkTarget(of: target) {
      links += 1
      if links > mostLinks { throw .cannotCreate("cannot write '\(path)': \(describe(errno: ELOOP))") }
      target = next.hasPrefix("/") ? next : Paths.split(target).folder + next
    }
    if let database = database(ofCompanion: target) {
      throw .cannotCreate("cannot write '\(path)': it belongs to the database '\(database)'")
    }
    return target
  }

  /// Whether an open file has the first bytes of a database (sqlite.org/fileformat2.html, "The Database Header").
  package static func isDatabase(_ descriptor: Int32) -> Bool {
    var head = [UInt8](repeating: 0, count: magic.count)
    return pread(descriptor, &head, head.count, 0) == head.count && head == magic
  }

  /// The database to which the file of that name belongs beside it, as its log or its lock; `nil` if it is none of
  /// those.
  package static func database(ofCompanion path: String) -> String? {
    for suffix in companions where path.hasSuffix(suffix) {
      let database = String(path.dropLast(suffix.count))
      if let file = Descriptor(database, O_RDONLY | O_NONBLOCK), isDatabase(file.number) { return database }
    }
    return nil
  }

  private static let magic = Array("SQLite format 3\0".utf8)

  private static func kind(of status: stat) -> String {
    switch status.st_mode & S_IFMT {
    case S_IFDIR: "a directory"
    case S_IFIFO: "a pipe"
    case S_IFSOCK: "a socket"
    default: "a device"
    }
  }
}

/// What a file of data is opened for.
package enum FileAccess: Sendable {
  /// The file must exist. Nothing in it changes.
  case readOnly
  /// The file and its directory are created if they are missing.
  case readWrite
}
