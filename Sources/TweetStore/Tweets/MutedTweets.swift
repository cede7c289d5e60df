package import TweetCore

extension TweetQuery {
  /// Finds the tweets that a list mutes, as ``MuteList/mutes(_:)`` does.
  package init(mutedBy list: MuteList) {
    self.init()
    var any: [TweetQuery] = []
    func add(_ change: (inout TweetQuery) -> Void) {
      var query = TweetQuery()
      change(&query)
      any.append(query)
    }
    if !list.people.isEmpty {
      add { $0.authors = list.people }
      add { $0.retweetedAuthors = list.people }
    }
    for tag in list.tags { add { $0.tags = [tag] } }
    for phrase in list.phrases { add { $0.search = "\"\(phrase)\"" } }
    alternatives = [any]
    isMuted = true
  }

  /// Leaves out what a list mutes, and kinds of tweets.
  /// - Parameter muted: a query of ``init(mutedBy:)``; `nil` for no list.
  package mutating func hide(_ muted: TweetQuery?, _ kinds: [HiddenTweets.Kind]) {
    if let muted { excluded.append(muted) }
    for kind in kinds {
      var other = TweetQuery()
      other.kinds = [kind == .retweets ? .retweet : .reply]
      excluded.append(other)
    }
  }
}
