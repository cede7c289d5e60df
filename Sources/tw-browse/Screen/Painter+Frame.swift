import TweetCLI
import TweetCore
import TweetDisplay

/// What stands above and below the list or the tweet.
extension Painter {
  /// The titles of the feeds, and a rule with how much is new above it; for each list of its own where several are
  /// shown.
  func above(_ screen: ScreenState, _ layout: Layout) -> [[UInt8]] {
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
    hidden screen: ScreenState, _ shown: Range<Int>, _ layout: Layout, _ width: Int, to line: inout ByteBuffer
  ) {
    let column = shown.count * (width + Layout.gap)
    let others = screen.feeds.indices.filter { !shown.contains($0) }
      .map { "\($0 + 1) \(screen.feeds[$0].title)\(screen.feeds[$0].waiting)" }
    line.append("\u{1B}[\(column + 1)G")
    look.appendDim(others.joined(separator: "  "), most: layout.columns - column - 1, to: &line)
  }

  /// ` 1 #swift  2 home (3)      jack`
  private func tabs(_ screen: ScreenState, _ layout: Layout) -> [UInt8] {
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
  private func rule(_ list: TweetList, _ screen: ScreenState, _ columns: Int) -> [UInt8] {
    var line = ByteBuffer(capacity: 256)
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
    look.append(
      text.string, most: columns - 1, sequence: count > 0 ? "\u{1B}[1m" : "\u{1B}[2m", to: &line)
    return line.array
  }

  func statusRow(_ screen: ScreenState, _ layout: Layout, _ status: FeedStatus) -> [UInt8] {
    var line = ByteBuffer(capacity: 256)
    if let message = screen.message {
      look.append(" " + message, most: layout.columns - 1, sequence: "\u{1B}[1m", to: &line)
    } else {
      var text = ByteBuffer(capacity: 128)
      if !status.isEmpty { status.append(now: .shown, most: layout.columns - 2, to: &text) }
      if let trouble = screen.trouble {
        if !status.isEmpty { text.append(" \(look.style.glyphs.separator) ") }
        text.append(trouble)
      }
      if text.count > 0 { look.append(" " + text.string, most: layout.columns - 1, sequence: "\u{1B}[2m", to: &line) }
    }
    return line.array
  }

  func lastRow(_ screen: ScreenState, _ layout: Layout) -> ([UInt8], cursor: (row: Int, column: Int)?) {
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
}
