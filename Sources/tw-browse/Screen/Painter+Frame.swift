import TweetCore
import TweetDisplay

/// What stands above and below the list or the tweet.
extension Painter {
  /// ` 1 #swift  2 home (3)      jack`
  func tabs(_ screen: ScreenState, _ layout: Layout) -> [UInt8] {
    var line = ByteBuffer(capacity: 256)
    var room = layout.columns - 1
    for (index, feed) in screen.feeds.enumerated() where room > 4 {
      let isShown = index == screen.current
      let waiting = feed.lists[0].waiting.count
      let name = isShown ? feed.path : feed.title
      let title = " \(index + 1) \(name)\(waiting > 0 && !isShown ? " (\(waiting))" : "") "
      let start = line.count
      look.append(title, most: room, sequence: isShown ? "\u{1B}[7m" : "\u{1B}[2m", to: &line)
      room -= line.withBytes { DisplayWidth.of(ByteView(rebasing: $0[start...])) }
    }
    return line.array
  }

  /// A rule, with how much is new above it.
  func rule(_ screen: ScreenState, _ layout: Layout) -> [UInt8] {
    var line = ByteBuffer(capacity: 256)
    let count = screen.list.waiting.count
    let sign = look.style.glyphs.rule
    var text = ByteBuffer(capacity: 64)
    text.append(" ")
    text.append(sign)
    if count > 0, screen.place != .help {
      text.append(" ")
      look.locale.append(.new, count: count, to: &text)
      text.append(" (\(Action.first.keys[0].name)) ")
      text.append(sign)
    }
    look.append(
      text.string, most: layout.columns - 1, sequence: count > 0 ? "\u{1B}[1m" : "\u{1B}[2m", to: &line)
    return line.array
  }

  func statusRow(_ screen: ScreenState, _ layout: Layout, _ status: FeedStatus) -> [UInt8] {
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

  func lastRow(_ screen: ScreenState, _ layout: Layout) -> ([UInt8], cursor: (row: Int, column: Int)?) {
    var line = ByteBuffer(capacity: 256)
    guard let prompt = screen.prompt else {
      look.appendDim(" " + hints(screen), most: layout.columns - 1, to: &line)
      return (line.array, nil)
    }
    let before = prompt.label + prompt.text.prefix(prompt.cursor)
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
    let undo = screen.undo.map { "\(Action.undo.keys[0].name) \($0.undoing)   " } ?? ""
    return undo + actions.map { "\($0.keys[0].name) \($1)" }.joined(separator: "  ")
  }
}
