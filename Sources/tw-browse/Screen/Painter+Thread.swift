import TweetCLI
import TweetCore
import TweetDisplay

/// The thread of a tweet, below it.
extension Painter {
  /// Its rows, as far as there is room; none for a tweet that nobody has answered and that answers none.
  func thread(
    _ screen: ScreenState, room: Int, columns: Int, _ records: inout RecordCache
  ) -> [[UInt8]] {
    guard let beside = screen.beside, beside.entry == screen.list.selected, beside.rows.count > 1 else { return [] }
    // A list that is a thread shows it already.
    if case .thread = screen.list.source { return [] }
    // The first row is empty. One tweet of many would say nothing.
    let window = beside.window(room - 1)
    guard window.count > 1 else { return [] }
    var lines: [[UInt8]] = [[]]
    for row in beside.rows[window] {
      lines.append(self.line(row, isOwn: row.key == beside.own, screen, columns: columns, &records))
    }
    let rest = beside.rows.count - window.count
    if rest > 0 {
      let sign = look.style.glyphs.ellipsis
      lines.append(dimRow("  \(sign) \(rest) more (\(screen.keys.name(of: .thread)))", columns))
    }
    return lines
  }

  private func line(
    _ row: ThreadRow, isOwn: Bool, _ screen: ScreenState, columns: Int, _ records: inout RecordCache
  ) -> [UInt8] {
    var text = ByteBuffer(capacity: 256)
    let glyphs = look.style.glyphs
    if isOwn {
      look.append(glyphs.cursor.description, most: 1, sequence: "\u{1B}[1m", to: &text)
    } else {
      text.append(" ")
    }
    append(row.branch, 0, to: &text)
    rows.removeAll()
    let width = min(columns, Layout.widestText) - 2 - 2 * row.branch.rails.count
    let isOpen = screen.opened.contains(row.key)
    records.entry(row.key)?.document?.read {
      tweetLine.append(line: TweetFields($0), width: width, isOpen: isOpen, to: &rows)
    }
    if rows.count > 0 {
      printer.print(row: 0, of: rows, to: &text)
    } else {
      look.appendDim("…", most: width, to: &text)
    }
    return text.array
  }
}
