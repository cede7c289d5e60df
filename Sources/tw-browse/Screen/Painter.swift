import TweetCLI
import TweetCore
import TweetDisplay

/// Makes the rows of a screen. A class: for each use of a noncopyable value as deep as this, the compiler (6.3) takes a
/// minute.
final class Painter {
  let look: ScreenStyle
  private let records: RecordCache
  var entry: ListEntry
  /// For tweets on one row.
  var tweetLine: ListEntry
  var notices: NotificationEntry
  var block: TweetBlock
  var rows = BlockRows()
  /// What stands below those of a tweet: its links.
  var links: [[UInt8]] = []
  let printer: RowPrinter
  /// How many rows the reader would take.
  var readerRows = 0
  /// The pictures of the rows that were painted last, by their cells on the screen.
  var pictures: [PlacedPicture] = []
  /// The entries in view whose authors' pictures nobody has fetched.
  var withoutAvatars: [Int] = []
  /// The tweet that is read, if it has links.
  var linked: Int?
  /// Whether the tweet that is read has pictures that nobody has fetched.
  var lacksPictures = false

  /// - Parameter foldKey: the key that opens warnings, as it is shown.
  init(_ look: ScreenStyle, _ records: RecordCache, foldKey: String) {
    (self.look, self.records) = (look, records)
    entry = ListEntry(look.style, locale: look.locale, times: .relative, blocks: look.entryBlocks, foldKey: foldKey)
    tweetLine = ListEntry(look.style, locale: look.locale, times: .relative, blocks: .none, foldKey: foldKey)
    notices = NotificationEntry(look.style, locale: look.locale, times: .relative, blocks: look.entryBlocks)
    block = TweetBlock(
      look.style, locale: look.locale, times: .clock, blocks: look.blocks,
      photos: look.pictures, foldsWarnings: true, foldKey: foldKey)
    printer = RowPrinter(look.style, nil)
  }

  /// The rows of the screen, and the cell of the cursor while a person types.
  /// - Parameter head: the rows above the lists, as many as the layout has for them.
  func paint(
    _ screen: BrowseState, _ layout: Layout, _ status: FeedStatus, head: [[UInt8]]
  ) -> (rows: [[UInt8]], cursor: (row: Int, column: Int)?) {
    (pictures, withoutAvatars, lacksPictures, linked) = ([], [], false, nil)
    var lines = above(screen, layout)
    switch screen.place {
    case .list: lines += head + lists(screen, layout)
    case .reader: lines += reader(screen, layout)
    case .help: lines += help(screen, layout)
    }
    while lines.count < layout.rows - 2 { lines.append([]) }
    lines.append(statusRow(screen, layout, status))
    let (last, cursor) = lastRow(screen, layout)
    lines.append(last)
    lines = Array(lines.suffix(max(layout.rows, 1)).prefix(layout.rows))
    if !lines.isEmpty { lines[0] += account(screen, layout) }
    return (lines, cursor)
  }

  /// At the end of the first row, as whom the other tools work.
  private func account(_ screen: BrowseState, _ layout: Layout) -> [UInt8] {
    guard let account = screen.account else { return [] }
    let width = WrappedText.width(of: account) + 2
    guard width < layout.columns / 2 else { return [] }
    let place = Array("\u{1B}[0m\u{1B}[\(layout.columns - width)G".utf8)
    return place + look.row(" \(account) ", most: width, sequence: "\u{1B}[1m")
  }

  // MARK: Above and below

  /// The titles of the feeds, and a rule with how much is new above it; for each list of its own where several are
  /// shown.
  func above(_ screen: BrowseState, _ layout: Layout) -> [[UInt8]] {
    let shown = layout.shown(screen)
    guard shown.count > 1, screen.place == .list else {
      return [tabs(screen, layout), rule(screen.list, screen, layout.columns)]
    }
    let width = layout.listColumns(shown.count)
    var titles = ByteBuffer(capacity: 256)
    var rules = ByteBuffer(capacity: 256)
    for (number, index) in shown.enumerated() {
      let feed = screen.feeds[index]
      let position = "\u{1B}[\(number * (width + Layout.gap) + 1)G"
      titles.append(position)
      look.append(
        " \(index + 1) \(feed.path) ", most: width, sequence: index == screen.current ? "\u{1B}[7m" : "\u{1B}[2m",
        to: &titles)
      rules.append(position)
      rules.append(rule(feed.list, screen, width))
    }
    if screen.feeds.count > shown.count { append(hidden: screen, shown, layout, width, to: &titles) }
    return [titles.array, rules.array]
  }

  /// Right of the titles: the feeds that are not shown.
  private func append(
    hidden screen: BrowseState, _ shown: Range<Int>, _ layout: Layout, _ width: Int, to line: inout ByteBuffer
  ) {
    let column = shown.count * (width + Layout.gap)
    let others = screen.feeds.indices.filter { !shown.contains($0) }
      .map { "\($0 + 1) \(screen.feeds[$0].title)\(screen.feeds[$0].waiting)" }
    line.append("\u{1B}[\(column + 1)G")
    look.appendDim(others.joined(separator: "  "), most: layout.columns - column - 1, to: &line)
  }

  /// ` 1 #swift  2 home (3)      jack`
  private func tabs(_ screen: BrowseState, _ layout: Layout) -> [UInt8] {
    var line = ByteBuffer(capacity: 256)
    var room = layout.columns - 1
    for index in screen.firstTab(columns: room)..<screen.feeds.count where room > 4 {
      let isShown = index == screen.current
      let title = screen.tabTitle(index)
      let start = line.count
      look.append(title, most: room, sequence: isShown ? "\u{1B}[7m" : "\u{1B}[2m", to: &line)
      room -= line.withBytes { DisplayWidth.of(ByteView(rebasing: $0[start...])) }
    }
    return line.array
  }

  /// A rule, with how much is new above it.
  private func rule(_ list: TweetList, _ screen: BrowseState, _ columns: Int) -> [UInt8] {
    let count = list.waiting.count
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
    return look.row(text.string, most: columns - 1, sequence: count > 0 ? "\u{1B}[1m" : "\u{1B}[2m")
  }

  func statusRow(_ screen: BrowseState, _ layout: Layout, _ status: FeedStatus) -> [UInt8] {
    if let message = screen.message {
      return look.row(" " + message, most: layout.columns - 1, sequence: "\u{1B}[1m")
    }
    var text = ByteBuffer(capacity: 128)
    if !status.isEmpty { status.append(now: .shown, most: layout.columns - 2, to: &text) }
    if let trouble = screen.trouble {
      if !status.isEmpty { text.append(" \(look.style.glyphs.separator) ") }
      text.append(trouble)
    }
    return text.count > 0 ? look.dimRow(" " + text.string, most: layout.columns - 1) : []
  }

  func lastRow(_ screen: BrowseState, _ layout: Layout) -> ([UInt8], cursor: (row: Int, column: Int)?) {
    guard let prompt = screen.prompt else {
      return (look.dimRow(" " + hints(screen), most: layout.columns - 1), nil)
    }
    let before = prompt.label + prompt.before
    let width = before.withBytes { DisplayWidth.of($0) }
    // A long text is shown from where the cursor is in view.
    let room = layout.columns - 2
    let text = prompt.label + prompt.text
    let shown = width <= room ? text : String(text.dropFirst(before.count - max(room - 8, 1)))
    return (look.row(shown, most: room + 1), (layout.rows - 1, min(width, max(room - 8, 1))))
  }

  private func hints(_ screen: BrowseState) -> String {
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

  // MARK: Help

  func help(_ screen: BrowseState, _ layout: Layout) -> [[UInt8]] {
    let key = screen.list.selected
    let lines = HelpRows.lines(screen, key.flatMap { records.entry($0) })
    return lines.dropFirst(screen.firstRow).prefix(layout.bodyRows)
      .map { look.row("  " + $0, most: layout.columns - 1) }
  }

  // MARK: Lists

  /// The lists that are shown, beside each other, and the tweet under the cursor beside them where there is room.
  func lists(_ screen: BrowseState, _ layout: Layout) -> [[UInt8]] {
    let shown = layout.shown(screen)
    let width = layout.listColumns(shown.count)
    var columns = shown.enumerated().map { number, feed in
      list(of: feed, screen, layout, column: number * (width + Layout.gap), width: width)
    }
    if !layout.hasPane { return columns[0] }
    columns.append(pane(screen, layout, column: shown.count * (width + Layout.gap)))
    return beside(columns, width: width, rows: layout.body.count)
  }

  private func list(of feed: Int, _ screen: BrowseState, _ layout: Layout, column: Int, width: Int) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    let list = screen.feeds[feed].list
    let now = Timestamp.shown
    for (offset, key) in list.inView(layout.tweets).enumerated() {
      let cursor = list.top + offset == list.cursor ? (feed == screen.current ? Cursor.here : .resting) : .none
      let row = layout.body.lowerBound + lines.count
      lines += entryLines(key, of: list, cursor, screen, width: width, now)
      if look.pictures?.takeIncomplete() == true { withoutAvatars.append(key) }
      let left = column + 1 + (list.branches[key].map { 2 * $0.rails.count } ?? 0)
      pictures += rows.reserved.map { $0.moved(byRows: row, columns: left) }
    }
    if let notice = notice(of: feed, screen) { lines.append(look.dimRow("  " + notice, most: width - 1)) }
    return Array(lines.prefix(layout.body.count))
  }

  /// Whether the cursor of a list stands at a tweet, and whether keys move it.
  private enum Cursor { case none, resting, here }

  private func entryLines(
    _ key: Int, of list: TweetList, _ cursor: Cursor, _ screen: BrowseState, width: Int, _ now: Timestamp
  ) -> [[UInt8]] {
    let record = records.entry(key)
    let branch = list.branches[key]
    let indent = branch.map { 2 * $0.rails.count } ?? 0
    let isGone = list.gone.contains(key)
    rows.removeAll()
    if let notification = record?.notification {
      notification.read { notices.append(NotificationFields($0), now: now, width: width - 2, to: &rows) }
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
    _ row: Int, _ cursor: Cursor, _ record: RecordCache.Entry?, _ screen: BrowseState, to line: inout ByteBuffer
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
  private func notice(of feed: Int, _ screen: BrowseState) -> String? {
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

  // MARK: A thread below its tweet

  /// Its rows, as far as there is room; none for a tweet that nobody has answered and that answers none.
  func thread(_ screen: BrowseState, room: Int, columns: Int) -> [[UInt8]] {
    guard let beside = screen.beside, beside.entry == screen.list.selected, beside.rows.count > 1 else { return [] }
    // A list that is a thread shows it already.
    if case .thread = screen.list.source { return [] }
    // The first row is empty. One tweet of many would say nothing.
    let window = beside.window(room - 1)
    guard window.count > 1 else { return [] }
    var lines: [[UInt8]] = [[]]
    for row in beside.rows[window] {
      lines.append(self.line(row, isOwn: row.key == beside.own, screen, columns: columns))
    }
    let rest = beside.rows.count - window.count
    if rest > 0 {
      let sign = look.style.glyphs.ellipsis
      lines.append(look.dimRow("  \(sign) \(rest) more (\(screen.keys.name(of: .thread)))", most: columns - 1))
    }
    return lines
  }

  private func line(_ row: ThreadRow, isOwn: Bool, _ screen: BrowseState, columns: Int) -> [UInt8] {
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

  // MARK: The tweet under the cursor

  /// What is said of a tweet that was deleted while it was read.
  private static let deleted = "[deleted]"

  /// The rows of the tweet under the cursor, as wide as they may be.
  private func layOut(_ screen: BrowseState, columns: Int) {
    rows.removeAll()
    links = []
    guard let key = screen.list.selected, let record = records.entry(key) else { return }
    block.foldsWarnings = !screen.opened.contains(key)
    record.document?.read { tweet in
      block.append(TweetFields(tweet), as: .detail, now: .shown, width: min(columns, Layout.widestText), to: &rows)
    }
    lacksPictures = look.pictures?.takeIncomplete() == true
    if screen.list.gone.contains(key) { links = [[], look.dimRow(Self.deleted, most: columns - 1)] }
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

  func pane(_ screen: BrowseState, _ layout: Layout, column: Int) -> [[UInt8]] {
    layOut(screen, columns: layout.columns - column)
    let lines = lines(from: 0, layout, column: column)
    return lines + thread(screen, room: layout.body.count - lines.count, columns: layout.columns - column)
  }

  func reader(_ screen: BrowseState, _ layout: Layout) -> [[UInt8]] {
    layOut(screen, columns: layout.columns - 2)
    readerRows = rows.count + links.count
    return lines(from: screen.firstRow, layout, column: 1).map { Array(" ".utf8) + $0 }
  }
}
