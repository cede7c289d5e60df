import TweetCore
import TweetDisplay

/// Makes the rows of a screen.
struct Painter: ~Copyable {
  let look: ScreenStyle
  var entry: ListEntry
  var block: TweetBlock
  var rows = BlockRows()
  let printer: RowPrinter
  /// How many rows the reader would take.
  var readerRows = 0

  init(_ look: ScreenStyle) {
    self.look = look
    entry = ListEntry(look.style, locale: look.locale, times: .relative, hasInitials: look.hasInitials)
    block = TweetBlock(
      look.style, locale: look.locale, times: .clock, blocks: look.hasInitials ? .initials : .none, photos: nil)
    printer = RowPrinter(look.style, nil)
  }

  /// The rows of the screen, and the cell of the cursor while a person types.
  mutating func paint(
    _ screen: ScreenState, _ layout: Layout, _ records: inout RecordCache, _ status: FeedStatus
  ) -> (rows: [[UInt8]], cursor: (row: Int, column: Int)?) {
    var lines = [tabs(screen, layout), rule(screen, layout)]
    switch screen.place {
    case .list: lines += list(screen, layout, &records)
    case .reader: lines += reader(screen, layout, &records)
    case .help: lines += help(screen, layout)
    }
    while lines.count < layout.rows - 2 - layout.taken { lines.append([]) }
    lines.append(statusRow(screen, layout, status))
    let (last, cursor) = lastRow(screen, layout)
    lines.append(last)
    return (Array(lines.suffix(max(layout.rows, 1)).prefix(layout.rows)), cursor)
  }

  /// A line of the screen itself, not of a tweet.
  func dimRow(_ text: String, _ columns: Int) -> [UInt8] {
    var line = ByteBuffer(capacity: 128)
    look.appendDim(text, most: columns - 1, to: &line)
    return line.array
  }
}
