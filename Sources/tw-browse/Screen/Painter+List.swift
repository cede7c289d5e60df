import TweetCore
import TweetDisplay

/// The rows of a list.
extension Painter {
  mutating func list(_ screen: ScreenState, _ layout: Layout, _ records: inout RecordCache) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    let list = screen.list
    let now = Timestamp.shown
    for (offset, key) in list.inView(layout.tweets).enumerated() {
      let isSelected = list.top + offset == list.cursor
      lines += entryLines(key, isSelected: isSelected, screen, layout, now, &records)
    }
    if let notice = notice(of: list, screen) ?? (screen.feeds[screen.current].older == .asked ? "loading older …" : nil)
    {
      lines.append(dimRow("  " + notice, layout.listColumns))
    }
    lines = Array(lines.prefix(layout.bodyRows))
    return layout.hasPane ? beside(lines, pane(screen, layout, &records), layout) : lines
  }

  private mutating func entryLines(
    _ key: Int, isSelected: Bool, _ screen: ScreenState, _ layout: Layout, _ now: Timestamp,
    _ records: inout RecordCache
  ) -> [[UInt8]] {
    let record = records.entry(key)
    rows.removeAll()
    record?.document?.read { entry.append(TweetFields($0), now: now, width: layout.listColumns - 2, to: &rows) }
    return (0..<ListEntry.rows).map { row in
      var line = ByteBuffer(capacity: 256)
      appendMargin(row, isSelected, record, screen, to: &line)
      if row < rows.count {
        printer.print(row: row, of: rows, to: &line)
      } else if row == 0 {
        look.appendDim(record == nil ? "…" : "no longer stored", most: layout.listColumns - 2, to: &line)
      }
      return line.array
    }
  }

  /// What stands left of a tweet: the cursor; else whether it is unread, and what is under way.
  private func appendMargin(
    _ row: Int, _ isSelected: Bool, _ record: RecordCache.Entry?, _ screen: ScreenState, to line: inout ByteBuffer
  ) {
    if isSelected {
      look.append(look.style.glyphs.cursor.description, most: 1, sequence: "\u{1B}[1m", to: &line)
    } else if row == 0, record?.isUnread == true {
      look.append(look.style.glyphs.unread.description, most: 1, sequence: "\u{1B}[1m", to: &line)
    } else if row == 1, let record, screen.pending[record.name] != nil {
      look.append(look.style.glyphs.ellipsis.description, most: 1, sequence: "\u{1B}[1m", to: &line)
    } else {
      line.append(" ")
    }
  }

  /// What a list says of itself below its tweets.
  private func notice(of list: TweetList, _ screen: ScreenState) -> String? {
    switch list.state {
    case .failed(let message): message
    case .loading where screen.hasNoStore: "no store yet: tweets come with the first refresh"
    case .loading: "loading …"
    case .whole where list.keys.isEmpty: "no tweet is stored here; R asks the sources, & or / looks for others"
    case .partial, .whole: nil
    }
  }
}
