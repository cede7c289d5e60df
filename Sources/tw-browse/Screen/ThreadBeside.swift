/// The thread of the tweet under the cursor, which stands below that tweet beside the list.
struct ThreadBeside {
  /// The entry whose thread it is.
  let entry: Int
  /// The tweet itself among the rows.
  let own: Int?
  let rows: [ThreadRow]

  /// The part that is shown in so many rows: the tweet above this one, this one, and what comes after.
  func window(_ room: Int) -> Range<Int> {
    if rows.count <= room { return 0..<rows.count }
    // A row says how many are left out.
    let shown = max(room - 1, 0)
    let place = rows.firstIndex { $0.key == own } ?? 0
    let first = max(min(place - 1, rows.count - shown), 0)
    return first..<first + shown
  }
}

/// How long the cursor has rested on a tweet: its thread is read then.
struct CursorRest {
  /// Milliseconds for which it rests before.
  private static let time = 150

  private(set) var key: Int?
  private var since = 0
  /// Whether that thread was asked for.
  var isAsked = true

  /// Notes where the cursor is.
  /// - Returns: whether the thread of the tweet is to be asked for now.
  mutating func note(_ key: Int?, _ now: Int) -> Bool {
    if key != self.key { (self.key, since, isAsked) = (key, now, key == nil) }
    return !isAsked && now - since >= Self.time
  }

  /// Milliseconds until it has rested; `nil` if nothing waits for that.
  func left(_ now: Int) -> Int? {
    let left = since + Self.time - now
    return isAsked || left <= 0 ? nil : left
  }

  /// The thread may have changed.
  mutating func outdate(_ now: Int) { if key != nil { (since, isAsked) = (now, false) } }
}
