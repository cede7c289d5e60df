import TweetCore

/// A member that a flattened tweet may have, by what twarc-csv knows: one key that it does not know makes it leave out
/// a hundred tweets.
struct TwarcShape {
  private(set) var name: [UInt8] = []
  /// None for a member that is not an object.
  private(set) var members: [TwarcShape] = []
  private(set) var isList = false

  /// The members of a tweet, and what they may have in turn.
  static let tweet: TwarcShape = {
    var tweet = TwarcShape()
    for entry in TwarcColumnTable.entries where !entry.hasPrefix("referenced_tweets.") {
      tweet.insert(entry.split(separator: ".")[...])
    }
    // twarc-csv makes these itself.
    tweet.members.removeAll {
      let name = String(decoding: $0.name, as: UTF8.self)
      return name == "__twarc" || ["_username", "retweeted_user_id", "quoted_user_id"].contains { name.hasSuffix($0) }
    }
    return tweet
  }()

  /// The members of `__twarc`.
  static let source: TwarcShape = {
    var source = TwarcShape()
    for name in ["url", "version", "retrieved_at"] { source.insert([name[...]]) }
    return source
  }()

  private mutating func insert(_ path: ArraySlice<Substring>) {
    guard let first = path.first else { return }
    let isList = first.hasSuffix("[]")
    let name = Array(first.dropLast(isList ? 2 : 0).utf8)
    let index = members.firstIndex { $0.name == name } ?? members.count
    if index == members.count { members.append(TwarcShape(name: name, isList: isList)) }
    members[index].insert(path.dropFirst())
  }

  /// The member of that name, if a tweet may have it.
  func member(_ key: JSONValue) -> TwarcShape? { members.first { key.isSpelled($0.name) } }

  /// The member of that name.
  subscript(name: String) -> TwarcShape? { members.first { $0.name.elementsEqual(name.utf8) } }
}
