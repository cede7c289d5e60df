import TweetDisplay

/// How the rows and columns of the terminal are used.
struct Layout {
  /// From this width on, the tweet under the cursor is shown beside the list.
  private static let widestAlone = 99
  /// From this width on, several feeds are shown beside each other.
  private static let leastWithColumns = 200
  private static let mostColumns = 3
  private static let listShare = (least: 48, most: 80)
  /// A tweet's lines are no longer than this, however wide the terminal is.
  static let widestText = 100

  let rows: Int
  let columns: Int
  /// The rows of a profile above the lists.
  var headRows = 0

  init(_ size: (rows: Int, columns: Int)) { (rows, columns) = size }

  /// The rows between the two above and those below.
  var bodyRows: Int { max(rows - 4, 1) }
  /// The rows of the lists, or of the tweet that is read.
  var body: Range<Int> { Self.above + headRows..<max(Self.above + bodyRows, Self.above + headRows + 1) }
  /// How many tweets a list shows.
  var tweets: Int { max((bodyRows - headRows) / ListEntry.rows, 1) }
  var hasPane: Bool { columns > Self.widestAlone }

  /// The feeds that are shown beside each other. They change only when the reader goes to one that is not among them.
  func shown(_ screen: BrowseState) -> Range<Int> {
    guard columns >= Self.leastWithColumns else { return screen.current..<screen.current + 1 }
    let count = min(screen.feeds.count, Self.mostColumns)
    let first = min(screen.current / Self.mostColumns * Self.mostColumns, screen.feeds.count - count)
    return first..<first + count
  }

  /// The columns of each of so many lists.
  func listColumns(_ count: Int) -> Int {
    guard hasPane else { return columns }
    let room = count > 1 ? (columns - Self.widestText) / count - Self.gap : columns * 9 / 20
    return min(max(room, Self.listShare.least), Self.listShare.most)
  }

  /// The rows above the lists.
  static let above = 2

  /// The columns of a rule between two lists, and of the space after it.
  static let gap = 2
}
