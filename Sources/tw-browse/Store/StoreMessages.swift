import TweetStore

/// What the screen asks of the store.
enum StoreRequest: Sendable {
  /// The first tweets of a list, and those up to where the reader was.
  case open(list: Int, ListSource, Place?)
  /// The next of them, up to a number, before a key.
  case more(list: Int, before: Int, count: Int)
  /// The nearest tweet of a list, from a key on, that a query finds too.
  case seek(Seek)
  /// The thread of a tweet, `service:id`, to show beside an entry of a list.
  case beside(entry: Int, String)
  /// A list that is no longer shown.
  case close(list: Int)
  /// The records of tweets.
  case records([Int])
  /// The profile of somebody.
  case profile(service: String, id: String)
  /// What has changed since.
  case look
  /// The saved queries and the labels.
  case names
  /// To open the store anew: another file has its name.
  case reopen
}

/// A search within a list.
struct Seek: Sendable {
  let list: Int
  let condition: TweetQuery
  /// The tweet from which it goes on, which is not found itself.
  let key: Int
  /// Whether it goes to newer tweets.
  let isUp: Bool
  /// The last key of the list that is known.
  let knownEnd: Int
}

/// What the store answers.
enum StoreAnswer: Sendable {
  /// The next keys of a list, in its order; `isWhole` if these were the last.
  case keys(list: Int, [Int], isWhole: Bool)
  /// A thread as a tree, and the key of the tweet whose thread it is.
  case thread(list: Int, [ThreadRow], named: Int?)
  /// The thread that was asked for beside an entry, and the key of its tweet; no rows if the tweet is not stored.
  case beside(entry: Int, [ThreadRow], own: Int?)
  /// The keys up to where the reader was have come.
  case placed(list: Int, Place)
  /// What a search in a list has found; the keys up to it have come before.
  case sought(list: Int, Int?)
  /// Tweets that came into a list later.
  case found(list: Int, [Int])
  /// Tweets of which there is another version now.
  case changed([Int])
  /// All lists may have changed.
  case outdated
  /// A tweet that was deleted, as `service:id`.
  case deleted(String)
  /// Stored records, by their keys. One that is not there any more has no bytes.
  case records([ReadRecord])
  /// A stored `user` record; `nil` if there is none.
  case profile(service: String, id: String, [UInt8]?)
  /// Why a list could not be read.
  case failed(list: Int?, String)
  /// What is saved under names.
  case names(queries: [SavedQuery], labels: [String])
  /// There is no store, or none any more.
  case missing
  /// Another store is read from now on; its lists follow.
  case replaced
}

/// A query that a person saved.
struct SavedQuery: Sendable {
  let name: String
  let text: String
}

/// A record as it is stored.
struct ReadRecord: Sendable {
  let key: Int
  /// No bytes for one that is not there any more.
  var bytes: [UInt8]
  var isUnread: Bool
}

/// Which tweets a list has.
enum ListSource: Sendable {
  /// Those that a query finds, the newest first.
  case query(TweetQuery)
  /// What others did that accounts were told of, the newest first.
  case notifications(NotificationChoice)
  /// A tweet with what it answers and its answers, the oldest first; named `service:id`.
  case thread(String)
  /// Those of these keys, the newest first.
  case keys([Int])
}
