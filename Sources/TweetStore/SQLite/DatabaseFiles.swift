import Libc
import TweetCore

/// The files of a database: the file itself, and its log with the log's index beside it.
enum DatabaseFiles {
  private static let suffixes = ["", "-wal", "-shm"]

  /// Renames the files that are there. The file itself comes first: a log without its file is nobody's.
  static func move(_ old: String, to new: String) throws(ToolError) {
    for suffix in suffixes where Database.exists(old + suffix) {
      if rename(old + suffix, new + suffix) != 0 {
        throw .cannotCreate("cannot rename '\(old + suffix)' to '\(new + suffix)': \(describe(errno: errno))")
      }
    }
  }

  /// Removes the files that are there, with a rollback journal and the file of our lock.
  static func remove(_ path: String) {
    for suffix in suffixes + ["-journal", ".lock"] { unlink(path + suffix) }
  }

  /// The path itself, or with the first number behind it that makes it unused.
  static func unusedPath(_ path: String) -> String {
    var (unused, number) = (path, 1)
    while Database.exists(unused) {
      number += 1
      unused = "\(path)-\(number)"
    }
    return unused
  }
}
