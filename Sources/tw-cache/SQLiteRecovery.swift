import TweetCore
import TweetStore

/// sqlite3(1)'s `.recover`, if that program is installed. It also reads pages that no table refers to any more.
enum SQLiteRecovery {
  /// Makes the database `recovered` from what it finds in `damaged`. False if the program is missing or fails.
  static func run(from damaged: String, into recovered: String) -> Bool {
    // Its messages about the damage are dropped: the caller reports what was saved.
    let script = #"""
      command -v sqlite3 >/dev/null && sqlite3 -readonly "$0" .recover 2>/dev/null | sqlite3 "$1" 2>/dev/null
      """#
    // A name that begins with a hyphen would be taken for an option.
    let paths = [damaged, recovered].map { $0.hasPrefix("/") ? $0 : "./" + $0 }
    guard var shell = ChildProcess(["sh", "-c", script] + paths) else { return false }
    _ = shell.wait()
    return TweetStore.exists(recovered)
  }
}
