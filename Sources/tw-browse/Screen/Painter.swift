import BrowseKeys
import TweetCore
import TweetDisplay

/// Makes the rows of a screen. A class: for each use of a noncopyable value as deep as this, the compiler (6.3) takes a minute.
final class Painter {
  /// A reader's lines are no longer than this, however wide the terminal is.
  private static let widestText = 100

  private let look: ScreenStyle
  private var entry: ListEntry
  private let notices: NotificationPainter
  private var block: TweetBlock
  private var rows = BlockRows()
  private let printer: RowPrinter
  /// How many rows the reader would take.
  private(set) var readerRows = 0

  init(_ look: ScreenStyle) {
    self.look = look
    entry = ListEntry(look.style, locale: look.locale, times: .relative, hasInitials: look.hasInitials)
    notices = NotificationPainter(look)
    block = TweetBlock(
      look.style, locale: look.locale, times: .clock, blocks: look.hasInitials ? .initials : .none, photos: nil)
    printer = RowPrinter(look.style, nil)
  }

  /// The rows of the screen, and the cell of the cursor while a person types.
  func paint(
    _ screen: ScreenState, _ layout: Layout, _ records: inout RecordCache, _ status: FeedStatus
  ) -> (rows: [[UInt8]], cursor: (row: Int, column: Int)?) {
    var lines = [tabs(screen, layout), rule(screen, layout)]
    switch screen.place {
    case .list: lines += list(screen, layout, &records)
    case .reader: lines += reader(screen, layout, &records)
    case .help: lines += help(screen, layout, &records)
    }
    while lines.count < layout.rows - 2 { lines.append([]) }
    lines.append(statusRow(screen, layout, status))
    let (last, cursor) = lastRow(screen, layout)
    lines.append(last)
    return (Array(lines.suffix(max(layout.rows, 1)).prefix(layout.rows)), cursor)
  }

  // MARK: Above

  /// ` 1 #swift  2 home (3)      jack`
  private func tabs(_ screen: ScreenState, _ layout: Layout) -> [UInt8] {
    var line = ByteBuffer(capacity: 256)
    var room = layout.columns - 1
    for index in screen.feeds.indices where room > 4 {
      let isShown = index == screen.current
      let title = screen.tabTitle(index)
      let start = line.count
      look.append(title, most: room, sequence: isShown ? "\u{1B}[7m" : "\u{1B}[2m", to: &line)
      room -= line.withBytes { DisplayWidth.of(ByteView(rebasing: $0[start...])) }
    }
    return line.array
  }

  /// A rule, with how much is new above it.
  private func rule(_ screen: ScreenState, _ layout: Layout) -> [UInt8] {
    var line = ByteBuffer(capacity: 256)
    let count = screen.list.waiting.count
    let sign = look.style.glyphs.rule
    var text = ByteBuffer(capacity: 64)
    text.append(" ")
    text.append(sign)
    if count > 0, screen.place != .help {
      text.append(" ")
      look.locale.append(.new, count: count, to: &text)
      text.append(" (\(screen.keys.name(of: .first))) ")
      text.append(sign)
    }
    look.append(
      text.string, most: layout.columns - 1, sequence: count > 0 ? "\u{1B}[1m" : "\u{1B}[2m", to: &line)
    return line.array
  }

  // MARK: The list

  private func list(_ screen: ScreenState, _ layout: Layout, _ records: inout RecordCache) -> [[UInt8]] {
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

  private func entryLines(
    _ key: Int, isSelected: Bool, _ screen: ScreenState, _ layout: Layout, _ now: Timestamp,
    _ records: inout RecordCache
  ) -> [[UInt8]] {
    let record = records.entry(key)
    rows.removeAll()
    let width = layout.listColumns - 2
    if let notification = record?.notification {
      notices.append(notification, now: now, width: width, to: &rows)
    } else {
      record?.document?.read { entry.append(TweetFields($0), now: now, width: width, to: &rows) }
    }
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

  // MARK: A tweet

  /// The rows of the tweet under the cursor, as wide as they may be.
  private func tweetLines(
    _ screen: ScreenState, columns: Int, _ records: inout RecordCache
  ) -> [[UInt8]] {
    guard let key = screen.list.selected, let record = records.entry(key) else { return [] }
    rows.removeAll()
    record.document?.read { tweet in
      block.append(
        TweetFields(tweet), as: .detail, now: .shown, width: min(columns, Self.widestText), to: &rows)
    }
    let lines = (0..<rows.count).map { row in
      var line = ByteBuffer(capacity: 256)
      printer.print(row: row, of: rows, to: &line)
      return line.array
    }
    guard let document = record.document else { return lines }
    return lines + LinkRows(look).lines(document, columns: min(columns, Self.widestText))
  }

  private func pane(_ screen: ScreenState, _ layout: Layout, _ records: inout RecordCache) -> [[UInt8]] {
    Array(tweetLines(screen, columns: layout.paneColumns, &records).prefix(layout.bodyRows))
  }

  private func reader(_ screen: ScreenState, _ layout: Layout, _ records: inout RecordCache) -> [[UInt8]] {
    let lines = tweetLines(screen, columns: layout.columns - 2, &records)
    readerRows = lines.count
    return lines.dropFirst(screen.firstRow).prefix(layout.bodyRows).map { Array(" ".utf8) + $0 }
  }

  /// The rows of a list, a rule, and those of a pane.
  private func beside(_ left: [[UInt8]], _ right: [[UInt8]], _ layout: Layout) -> [[UInt8]] {
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

  // MARK: Help

  private func help(
    _ screen: ScreenState, _ layout: Layout, _ records: inout RecordCache
  ) -> [[UInt8]] {
    let key = screen.list.selected
    let lines = HelpRows.lines(screen, key.flatMap { records.entry($0) })
    return lines.dropFirst(screen.firstRow).prefix(layout.bodyRows).map { line in
      var row = ByteBuffer(capacity: 128)
      look.append("  " + line, most: layout.columns - 1, sequence: "", to: &row)
      return row.array
    }
  }

  // MARK: Below

  private func statusRow(_ screen: ScreenState, _ layout: Layout, _ status: FeedStatus) -> [UInt8] {
    var line = ByteBuffer(capacity: 256)
    if let message = screen.message {
      look.append(" " + message, most: layout.columns - 1, sequence: "\u{1B}[1m", to: &line)
    } else if !status.isEmpty {
      var text = ByteBuffer(capacity: 128)
      status.append(now: .shown, most: layout.columns - 2, to: &text)
      look.append(" " + text.string, most: layout.columns - 1, sequence: "\u{1B}[2m", to: &line)
    }
    return line.array
  }

  private func lastRow(_ screen: ScreenState, _ layout: Layout) -> ([UInt8], cursor: (row: Int, column: Int)?) {
    var line = ByteBuffer(capacity: 256)
    guard let prompt = screen.prompt else {
      look.appendDim(" " + hints(screen), most: layout.columns - 1, to: &line)
      return (line.array, nil)
    }
    let before = prompt.label + prompt.before
    let width = before.withBytes { DisplayWidth.of($0) }
    // A long text is shown from where the cursor is in view.
    let room = layout.columns - 2
    let text = prompt.label + prompt.text
    let shown = width <= room ? text : String(text.dropFirst(before.count - max(room - 8, 1)))
    look.append(shown, most: room + 1, sequence: "", to: &line)
    return (line.array, (layout.rows - 1, min(width, max(room - 8, 1))))
  }

  private func hints(_ screen: ScreenState) -> String {
    let actions: [(Action, String)] =
      switch screen.place {
      case .list:
        [
          (.down, "move"), (.open, "read"), (.thread, "thread"), (.reply, "reply"), (.like, "like"), (.link, "link"),
          (.search, "find"), (.command, "command"), (.help, "keys"), (.quit, "leave"),
        ]
      case .reader: [(.down, "next"), (.pageDown, "page"), (.thread, "thread"), (.link, "link"), (.back, "back")]
      case .help: [(.back, "back")]
      }
    let undo = screen.undo.map { "\(screen.keys.name(of: .undo)) \($0.undoing)   " } ?? ""
    return undo + actions.map { "\(screen.keys.name(of: $0)) \($1)" }.joined(separator: "  ")
  }

  private func dimRow(_ text: String, _ columns: Int) -> [UInt8] {
    var line = ByteBuffer(capacity: 128)
    look.appendDim(text, most: columns - 1, to: &line)
    return line.array
  }
}
