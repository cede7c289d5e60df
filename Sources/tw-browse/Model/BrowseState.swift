import TweetCLI

/// What is shown, said and under way: a value, which ``BrowseModel`` changes and a front shows.
struct BrowseState {
  /// What the middle of the screen shows.
  enum Place: Equatable { case list, reader, help }

  var feeds: [FeedTab]
  var current = 0
  /// The act that can be taken back now.
  var undo: Act?
  /// The tweets whose warnings are opened.
  var opened: Set<Int> = []
  /// Why what is shown may be old, until that has passed.
  var trouble: String?
  /// What is under way, by the tweet's name.
  var pending: [String: Act.Verb] = [:]
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

  // Of the whole screen.
  /// The keys in force.
  let keys: KeyMap
  var place = Place.list
  /// The first row of the reader or of the help that is in view.
  var firstRow = 0
  var prompt: LinePrompt?
  /// What was said last, until the next key.
  var message: String?

  init(feeds: [FeedTab], keys: KeyMap) { (self.feeds, self.keys) = (feeds, keys) }

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
