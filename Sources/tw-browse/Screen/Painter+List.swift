import TweetCore
import TweetDisplay

/// The rows of lists.
extension Painter {
  /// The lists that are shown, beside each other, and the tweet under the cursor beside them where there is room.
  func lists(_ screen: ScreenState, _ layout: Layout, _ records: inout RecordCache) -> [[UInt8]] {
    let shown = layout.shown(screen)
    let width = layout.listColumns(shown.count)
    var columns = shown.enumerated().map { number, feed in
      list(of: feed, screen, layout, column: number * (width + Layout.gap), width: width, &records)
    }
    if !layout.hasPane { return columns[0] }
    columns.append(pane(screen, layout, column: shown.count * (width + Layout.gap), &records))
    return beside(columns, width: width, rows: layout.body.count)
  }

  private func list(
    of feed: Int, _ screen: ScreenState, _ layout: Layout, column: Int, width: Int, _ records: inout RecordCache
  ) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    let list = screen.feeds[feed].list
    let now = Timestamp.shown
    for (offset, key) in list.inView(layout.tweets).enumerated() {
      let cursor = list.top + offset == list.cursor ? (feed == screen.current ? Cursor.here : .resting) : .none
      let row = layout.body.lowerBound + lines.count
      lines += entryLines(key, of: list, cursor, screen, width: width, now, &records)
      if look.pictures?.takeIncomplete() == true { withoutAvatars.append(key) }
      let left = column + 1 + (list.branches[key].map { 2 * $0.rails.count } ?? 0)
      pictures += rows.reserved.map { $0.moved(byRows: row, columns: left) }
    }
    if let notice = notice(of: feed, screen) { lines.append(dimRow("  " + notice, width)) }
    return Array(lines.prefix(layout.body.count))
  }

  /// Whether the cursor of a list stands at a tweet, and whether keys move it.
  private enum Cursor { case none, resting, here }

  private func entryLines(
    _ key: Int, of list: TweetList, _ cursor: Cursor, _ screen: ScreenState, width: Int, _ now: Timestamp,
    _ records: inout RecordCache
  ) -> [[UInt8]] {
    let record = records.entry(key)
    let branch = list.branches[key]
    let indent = branch.map { 2 * $0.rails.count } ?? 0
    let isGone = list.gone.contains(key)
    rows.removeAll()
    if let notification = record?.notification {
      notices.append(notification, now: now, width: width - 2, to: &rows)
    } else {
      record?.document?.read {
        entry.append(
          TweetFields($0), now: now, width: width - 2 - indent, isOpen: screen.opened.contains(key),
          remark: isGone ? "deleted" : branch?.isOrphan == true ? "its tweet above is not stored" : nil, to: &rows)
      }
    }
    return (0..<ListEntry.rows).map { row in
      var line = ByteBuffer(capacity: 256)
      appendMargin(row, cursor, record, screen, to: &line)
      if let branch { append(branch, row, to: &line) }
      if row < rows.count {
        printer.print(row: row, of: rows, to: &line)
      } else if row == 0 {
        look.appendDim(record == nil ? "…" : "no longer stored", most: width - 2 - indent, to: &line)
      }
      return line.array
    }
  }

  /// What stands left of a tweet: the cursor; else whether it is unread, and what is under way.
  private func appendMargin(
    _ row: Int, _ cursor: Cursor, _ record: RecordCache.Entry?, _ screen: ScreenState, to line: inout ByteBuffer
  ) {
    let glyphs = look.style.glyphs
    if cursor == .here {
      look.append(glyphs.cursor.description, most: 1, sequence: "\u{1B}[1m", to: &line)
    } else if row == 0, record?.isUnread == true {
      look.append(glyphs.unread.description, most: 1, sequence: "\u{1B}[1m", to: &line)
    } else if row == 1, let record, screen.pending[record.name] != nil {
      look.append(String(glyphs.ellipsis.description.prefix(1)), most: 1, sequence: "\u{1B}[1m", to: &line)
    } else if cursor == .resting {
      look.append(glyphs.border.description, most: 1, sequence: "\u{1B}[2m", to: &line)
    } else {
      line.append(" ")
    }
  }

  /// The lines of a thread that pass a tweet, and the one that ends at it.
  func append(_ branch: ThreadRow.Branch, _ row: Int, to line: inout ByteBuffer) {
    let glyphs = look.style.glyphs
    var text = ByteBuffer(capacity: 64)
    for (depth, goesOn) in branch.rails.enumerated() {
      let isOwn = depth == branch.rails.count - 1 && row == 0
      switch branch.place {
      case .among where isOwn: text.append(glyphs.branch)
      case .last where isOwn: text.append(glyphs.lastBranch)
      default: if goesOn { text.append(glyphs.border) } else { text.append(" ") }
      }
      text.append(" ")
    }
    if text.count > 0 { look.appendDim(text.string, most: 2 * branch.rails.count, to: &line) }
  }

  /// What a list says of itself below its tweets.
  private func notice(of feed: Int, _ screen: ScreenState) -> String? {
    let list = screen.feeds[feed].list
    let loading = "\(look.style.glyphs.loading) "
    switch list.state {
    case .failed(let message): return message
    case .loading where screen.hasNoStore: return "no store yet: tweets come with the first refresh"
    case .loading: return loading + "loading …"
    case .whole where list.keys.isEmpty: return "no tweet is stored here; R asks the sources, & or / looks for others"
    case .partial, .whole: return screen.feeds[feed].older == .asked ? loading + "loading older …" : nil
    }
  }

  /// Rows of columns beside each other, a rule after each but the last.
  private func beside(_ columns: [[[UInt8]]], width: Int, rows: Int) -> [[UInt8]] {
    (0..<rows).map { row in
      var line = ByteBuffer(capacity: 512)
      for (number, lines) in columns.enumerated() {
        if number > 0 {
          line.append("\u{1B}[0m\u{1B}[\(number * (width + Layout.gap) - 1)G")
          look.append(look.style.glyphs.border.description, most: 1, sequence: "\u{1B}[2m", to: &line)
          line.append(" ")
        }
        if row < lines.count { line.append(lines[row]) }
      }
      return line.array
    }
  }
}
