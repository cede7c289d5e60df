extension JSONValue {
  /// Of the record of a retweet, what it has of the retweeted tweet: its id, and mostly all of it. `nil` for another
  /// tweet.
  package var retweeted: JSONValue? { self["referenced_tweets"]?.firstRetweeted }

  /// The retweeted tweet among `referenced_tweets`.
  package var firstRetweeted: JSONValue? { elements.first { $0["type"]?.equals("retweeted") == true } }
}
