import SQLite
package import TweetCore

extension TweetStore {
  /// Why the clock is not believed, by the newest post of the store, whose time its service gave, and by when the file
  /// was written last; `nil` if it is believed. A clock that is ahead writes the file too, so the post counts however
  /// new the file is.
  package func clockDoubt(at now: Timestamp = .shown) throws(ToolError) -> String? {
    let newest = try database.first(
      "SELECT created_at FROM tweets WHERE created_at IS NOT NULL AND key < ? ORDER BY key DESC LIMIT 1",
      .integer(TweetKey.smallest(at: ClockTrust.latest(at: now)))
    ) { $0.time(0) }
    if let newest, let doubt = ClockTrust.doubt(("the newest post", newest), at: now) { return doubt }
    let written = ["", "-wal"].compactMap { ClockTrust.believed(Paths.lastChange(of: path + $0), at: now) }.max()
    return written.flatMap { ClockTrust.doubt(("the last change of '\(path)'", $0), at: now) }
  }
}
