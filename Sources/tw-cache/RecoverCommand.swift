import TweetCore
import TweetStore

/// sqlite3(1)'s `.recover`, where it is installed: it reads pages that no table leads to any more.
enum RecoverCommand {
  /// Makes the database `recovered` from what it finds in `damaged`; false where the program is missing or gives up.
  static func run(from damaged: String, into recovered: String) -> Bool {
    // What it says of the damage helps nobody: what was saved is told afterwards.
    let script = #"""
      command -v sqlite3 >/dev/null && sqlite3 -readonly "$0" .recover 2>/dev/null | sqlite3 "$1" 2>/dev/null
      """#
    // Names that begin with a hyphen would be options.
    let paths = [damaged, recovered].map { $0.hasPrefix("/") ? $0 : "./" + $0 }
    guard var shell = ChildProcess(["sh", "-c", script] + paths) else { return false }
    _ = shell.wait()
    return TweetStore.exists(recovered)
  }
}
