import TweetCore
import TweetDisplay

/// The list of keys.
extension Painter {
  func help(_ screen: ScreenState, _ layout: Layout, _ records: inout RecordCache) -> [[UInt8]] {
    let key = screen.list.selected
    let lines = HelpRows.lines(screen, key.flatMap { records.entry($0) })
    return lines.dropFirst(screen.firstRow).prefix(layout.bodyRows).map { line in
      var row = ByteBuffer(capacity: 128)
      look.append("  " + line, most: layout.columns - 1, sequence: "", to: &row)
      return row.array
    }
  }
}
