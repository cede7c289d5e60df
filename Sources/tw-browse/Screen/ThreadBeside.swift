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
