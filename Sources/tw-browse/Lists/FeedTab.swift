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
