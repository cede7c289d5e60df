import TweetCore
import TweetDisplay

/// The tweet under the cursor, alone or beside the lists.
extension Painter {
  /// What is said of a tweet that was deleted while it was read.
  private static let deleted = "[deleted]"

  /// The rows of the tweet under the cursor, as wide as they may be.
  private func layOut(_ screen: ScreenState, columns: Int, _ records: inout RecordCache) {
    rows.removeAll()
    links = []
    guard let key = screen.list.selected, let record = records.entry(key) else { return }
    block.foldsWarnings = !screen.opened.contains(key)
    record.document?.read { tweet in
      block.append(
        TweetFields(tweet), as: .detail, now: .shown, width: min(columns, Layout.widestText), to: &rows)
    }
    lacksPictures = look.pictures?.takeIncomplete() == true
    if screen.list.gone.contains(key) { links = [[], dimRow(Self.deleted, columns)] }
    if let document = record.document {
      let found = LinkRows(look).lines(document, columns: min(columns, Layout.widestText))
      links += found
      if !found.isEmpty { linked = key }
    }
  }

  /// Those rows that are in view.
  /// - Parameter column: the first one on the screen, for the pictures.
  private func lines(from first: Int, _ layout: Layout, column: Int) -> [[UInt8]] {
    let body = layout.body
    pictures += rows.reserved.map { $0.moved(byRows: body.lowerBound - first, columns: column) }
      .filter { $0.row + $0.place.area.rows > body.lowerBound && $0.row < body.upperBound }
    return (first..<max(first, min(first + body.count, rows.count + links.count))).map { row in
      if row >= rows.count { return links[row - rows.count] }
      var line = ByteBuffer(capacity: 256)
      printer.print(row: row, of: rows, to: &line)
      return line.array
    }
  }

  func pane(
    _ screen: ScreenState, _ layout: Layout, column: Int, _ records: inout RecordCache
  ) -> [[UInt8]] {
    layOut(screen, columns: layout.columns - column, &records)
    let lines = lines(from: 0, layout, column: column)
    return lines + thread(screen, room: layout.body.count - lines.count, columns: layout.columns - column, &records)
  }

  func reader(_ screen: ScreenState, _ layout: Layout, _ records: inout RecordCache) -> [[UInt8]] {
    layOut(screen, columns: layout.columns - 2, &records)
    readerRows = rows.count + links.count
    return lines(from: screen.firstRow, layout, column: 1).map { Array(" ".utf8) + $0 }
  }
}
