import TweetCore
import TweetDisplay

/// The tweet under the cursor, alone or beside the list.
extension Painter {
  /// The rows of the tweet under the cursor, as wide as they may be.
  private mutating func tweetLines(
    _ screen: ScreenState, columns: Int, _ records: inout RecordCache
  ) -> [[UInt8]] {
    guard let key = screen.list.selected, let record = records.entry(key) else { return [] }
    rows.removeAll()
    record.document?.read { tweet in
      block.append(
        TweetFields(tweet), as: .detail, now: .shown, width: min(columns, Layout.widestText), to: &rows)
    }
    return (0..<rows.count).map { row in
      var line = ByteBuffer(capacity: 256)
      printer.print(row: row, of: rows, to: &line)
      return line.array
    }
  }

  mutating func pane(_ screen: ScreenState, _ layout: Layout, _ records: inout RecordCache) -> [[UInt8]] {
    Array(tweetLines(screen, columns: layout.paneColumns, &records).prefix(layout.bodyRows))
  }

  mutating func reader(_ screen: ScreenState, _ layout: Layout, _ records: inout RecordCache) -> [[UInt8]] {
    let lines = tweetLines(screen, columns: layout.columns - 2, &records)
    readerRows = lines.count
    return lines.dropFirst(screen.firstRow).prefix(layout.bodyRows).map { Array(" ".utf8) + $0 }
  }

  /// The rows of a list, a rule, and those of a pane.
  func beside(_ left: [[UInt8]], _ right: [[UInt8]], _ layout: Layout) -> [[UInt8]] {
    (0..<layout.bodyRows).map { row in
      var line = ByteBuffer(capacity: 512)
      if row < left.count { line.append(left[row]) }
      line.append("\u{1B}[0m\u{1B}[\(layout.listColumns + 1)G")
      look.append(look.style.glyphs.border.description, most: 1, sequence: "\u{1B}[2m", to: &line)
      line.append(" ")
      if row < right.count { line.append(right[row]) }
      return line.array
    }
  }
}
