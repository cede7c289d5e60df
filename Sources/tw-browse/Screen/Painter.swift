import TweetCLI
import TweetCore
import TweetDisplay

/// Makes the rows of a screen. A class: for each use of a noncopyable value as deep as this, the compiler (6.3) takes a
/// minute.
final class Painter {
  let look: ScreenStyle
  var entry: ListEntry
  /// For tweets on one row.
  var tweetLine: ListEntry
  let notices: NotificationPainter
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
  init(_ look: ScreenStyle, foldKey: String) {
    self.look = look
    entry = ListEntry(look.style, locale: look.locale, times: .relative, blocks: look.entryBlocks, foldKey: foldKey)
    tweetLine = ListEntry(look.style, locale: look.locale, times: .relative, blocks: .none, foldKey: foldKey)
    notices = NotificationPainter(look)
    block = TweetBlock(
      look.style, locale: look.locale, times: .clock, blocks: look.blocks,
      photos: look.pictures, foldsWarnings: true, foldKey: foldKey)
    printer = RowPrinter(look.style, nil)
  }

  /// The rows of the screen, and the cell of the cursor while a person types.
  /// - Parameter head: the rows above the lists, as many as the layout has for them.
  func paint(
    _ screen: ScreenState, _ layout: Layout, _ records: inout RecordCache, _ status: FeedStatus,
    head: [[UInt8]]
  ) -> (rows: [[UInt8]], cursor: (row: Int, column: Int)?) {
    (pictures, withoutAvatars, lacksPictures, linked) = ([], [], false, nil)
    var lines = above(screen, layout)
    switch screen.place {
    case .list: lines += head + lists(screen, layout, &records)
    case .reader: lines += reader(screen, layout, &records)
    case .help: lines += help(screen, layout, &records)
    }
    while lines.count < layout.rows - 2 { lines.append([]) }
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
