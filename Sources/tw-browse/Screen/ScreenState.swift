import TweetCLI
import TweetCore
import TweetDisplay
import TweetStore

/// What is on the screen, for ``Painter``.
struct ScreenState {
  /// What the middle of the screen shows.
  enum Place: Equatable { case list, reader, help }

  var feeds: [FeedTab]
  /// The keys in force.
  let keys: KeyMap
  var current = 0
  var place = Place.list
  /// The first row of the reader or of the help that is in view.
  var firstRow = 0
  var prompt: LinePrompt?
  /// What was said last, until the next key.
  var message: String?
  /// The act that can be taken back now.
  var undo: Act?
  /// The tweets whose warnings are opened.
  var opened: Set<Int> = []
  /// Why what is shown may be old, until that has passed.
  var trouble: String?
  /// What is under way, by the tweet's name.
  var pending: [String: String] = [:]
  /// What is written at the bottom of the screen.
  var composition: Composition?
  /// Posts that tw-post makes now.
  var outgoing: [Outgoing] = []
  /// The saved queries of the store.
  var queries: [SavedQuery] = []
  /// What Tab completes.
  var names = KnownNames()
  /// As whom the other tools work; `nil` if nobody is known to be signed in.
  var account: String?
  /// Whom the account follows, as far as it was changed from here: the records do not say it.
  var followed: [String: Bool] = [:]
  /// The thread of the tweet under the cursor, once it was read.
  var beside: ThreadBeside?
  /// The people whose posts lists have, by the lists' numbers.
  var heads: [Int: ProfileHead] = [:]
  /// Whether there is no store yet.
  var hasNoStore = false

  /// What stands in the first row for a feed: ` 2 home (3) `.
  func tabTitle(_ index: Int) -> String {
    let feed = feeds[index]
    return " \(index + 1) \(index == current ? feed.path : feed.title + feed.waiting) "
  }

  /// The first feed whose title stands in the first row: the title of the one that is shown must be in view.
  func firstTab(columns: Int) -> Int {
    var (first, width) = (current, WrappedText.width(of: tabTitle(current)))
    while first > 0 {
      width += WrappedText.width(of: tabTitle(first - 1))
      if width >= columns { break }
      first -= 1
    }
    return first
  }

  /// The list that is shown. It is changed where it is: a copy of one would copy a million keys.
  var list: TweetList {
    _read { yield feeds[current].list }
    _modify { yield &feeds[current].list }
  }
}

/// A tab: a list, and those from which the reader came to it.
struct FeedTab {
  /// How far back its source was asked.
  enum Older: Equatable {
    case mayCome, asked
    /// The source had nothing older, or could not be asked.
    case over
  }

  let title: String
  /// What brings its tweets; `nil` for a list that is only read.
  let source: String?
  private(set) var lists: [TweetList]
  var older = Older.mayCome

  init(_ list: TweetList, source: String?) { (title, self.source, lists) = (list.title, source, [list]) }

  /// The list that is shown.
  var list: TweetList {
    _read { yield lists[lists.count - 1] }
    _modify { yield &lists[lists.count - 1] }
  }

  /// Shows a list that the reader has come to from this one.
  mutating func push(_ list: TweetList) { lists.append(list) }

  /// Goes back to the list before.
  /// - Returns: the list that is left; `nil` if there is no other.
  mutating func pop() -> TweetList? { lists.count > 1 ? lists.removeLast() : nil }

  /// Changes each of its lists.
  mutating func eachList(_ body: (inout TweetList) -> Void) { for index in lists.indices { body(&lists[index]) } }

  /// How many tweets wait above its first list: ` (3)`; nothing for none.
  var waiting: String { lists[0].waiting.isEmpty ? "" : " (\(lists[0].waiting.count))" }

  /// The titles, from the first list to the one that is shown.
  var path: String { lists.map(\.title).joined(separator: " › ") }
}
