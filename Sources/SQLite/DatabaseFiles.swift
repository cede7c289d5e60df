import Libc
package import TweetCore

/// The files of a database: the file itself, and its log with the log's index beside it.
package enum DatabaseFiles {
  private static let suffixes = ["", "-wal", "-shm"]

  /// Renames the files that are there, and brings their new names to the disk. The file itself comes first: a log
  /// without its file is nobody's.
  package static func move(_ old: String, to new: String) throws(ToolError) {
    for suffix in suffixes where Database.exists(old + suffix) {
      if rename(old + suffix, new + suffix) != 0 { throw cannotRename(old + suffix, new + suffix) }
    }
    try Paths.syncDirectory(of: new)
  }

  /// Puts a complete database, which has no log, in the place of another one. The caller holds the write lock. At no
  /// moment is there no database at the path: a program that comes then would make an empty one.
  /// - Parameter name: a name that the other one gets, with a number if it is in use.
  /// - Returns: that name; `nil` if there was none.
  package static func exchange(_ path: String, for new: String, keeping name: String) throws(ToolError) -> String? {
    var old: String?
    if Database.exists(path) {
      let unused = unusedPath(name)
      // Some file systems, such as those of cards, have one name for a file.
      if link(path, unused) != 0, rename(path, unused) != 0 { throw cannotRename(path, unused) }
      old = unused
      // The log is the old one's.
      for suffix in suffixes.dropFirst() where Database.exists(path + suffix) {
        if rename(path + suffix, unused + suffix) != 0 { throw cannotRename(path + suffix, unused + suffix) }
      }
    }
    if rename(new, path) != 0 {
      let error = cannotRename(new, path)
      if let old { for suffix in suffixes.reversed() { rename(old + suffix, path + suffix) } }
      throw error
    }
    try Paths.syncDirectory(of: path)
    return old
  }

  private static func cannotRename(_ old: String, _ new: String) -> ToolError {
    .cannotCreate("cannot rename '\(old)' to '\(new)': \(describe(errno: errno))")
  }

  /// Removes the files that are there, with a rollback journal and the file of our lock.
  package static func remove(_ path: String) {
    for suffix in suffixes + ["-journal", ".lock"] { unlink(path + suffix) }
  }

  /// The path itself, or with the first number after it that makes it unused.
  package static func unusedPath(_ path: String) -> String {
    var (unused, number) = (path, 1)
    while Database.exists(unused) {
      number += 1
      unused = "\(path)-\(number)"
    }
    return unused
  }
}
