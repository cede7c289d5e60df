import TweetCore

/// A tweet, and the tweets that it refers to, as the columns of a table need them.
struct TableRow {
  private let tweet: JSONValue
  private let references: JSONValue?
  /// What it retweets.
  private let original: JSONValue?
  /// The element of a list that the row is for; `nil` for one of the tweet.
  var element: JSONValue?

  init(_ tweet: JSONValue) {
    self.tweet = tweet
    references = tweet["referenced_tweets"]
    original = Self.reference(Array("retweeted".utf8), in: references)
  }

  /// The last reference of this type, which twarc-csv takes.
  private static func reference(_ type: [UInt8], in references: JSONValue?) -> JSONValue? {
    guard let references else { return nil }
    var found: JSONValue?
    for reference in references.elements where reference["type"]?.rawString.elementsEqual(type) == true {
      found = reference
    }
    return found
  }

  /// The value that a column is made of: what the cell shows, or the list of entities whose names it shows.
  func value(of column: TableColumn) -> JSONValue? {
    switch column.source {
    case .value, .names, .addresses:
      guard column.isOriginals, let first = column.path.first else { return tweet.value(at: column.path) }
      return (original?.member(first) ?? tweet.member(first))?.value(at: column.path.dropFirst())
    case .element:
      let value = element?.value(at: column.path)
      return column.name == "url" ? element?["expanded_url"] ?? value : value
    case .reference(let type): return Self.reference(type, in: references)?.value(at: column.path)
    case .authorAddress:
      let author = tweet["author"]
      var last: JSONValue?
      if let urls = author?["entities"]?["url"]?["urls"] { for url in urls.elements { last = url } }
      return last?["expanded_url"] ?? last?["url"] ?? author?["url"]
    case .placeID:
      let geo = tweet["geo"]
      // A record has the place's id once; twarc twice, if the place is known.
      return geo?["id"] ?? (geo?["full_name"] != nil ? geo?["place_id"] : nil)
    case .retrievedAt: return tweet["__twarc"]?["retrieved_at"] ?? tweet["retrieved_at"]
    }
  }
}
