import TweetCore

/// The members of a tweet that the store has columns or tables for, found in one pass over the record.
struct TweetFields {
  var id: JSONValue?
  var service: JSONValue?
  var text: JSONValue?
  var lang: JSONValue?
  var author: JSONValue?
  var createdAt: JSONValue?
  var conversationID: JSONValue?
  var publicMetrics: JSONValue?
  var entities: JSONValue?
  var referencedTweets: JSONValue?
  var feeds: JSONValue?
  var retrievedAt: JSONValue?

  init(_ tweet: JSONValue) {
    for (key, value) in tweet.members {
      // Sorted by length first: two comparisons a member at the most.
      switch key.rawString.count {
      case 2 where key.equals("id"): id = id ?? value
      case 4 where key.equals("text"): text = text ?? value
      case 4 where key.equals("lang"): lang = lang ?? value
      case 5 where key.equals("feeds"): feeds = feeds ?? value
      case 6 where key.equals("author"): author = author ?? value
      case 7 where key.equals("service"): service = service ?? value
      case 8 where key.equals("entities"): entities = entities ?? value
      case 10 where key.equals("created_at"): createdAt = createdAt ?? value
      case 12 where key.equals("retrieved_at"): retrievedAt = retrievedAt ?? value
      case 14 where key.equals("public_metrics"): publicMetrics = publicMetrics ?? value
      case 15 where key.equals("conversation_id"): conversationID = conversationID ?? value
      case 17 where key.equals("referenced_tweets"): referencedTweets = referencedTweets ?? value
      default: break
      }
    }
  }
}

extension JSONValue {
  /// The time a string holds.
  var time: Timestamp? { isString ? Timestamp(ascii: rawString) : nil }

  /// Whether it is a string with something in it.
  var isText: Bool { isString && !rawString.isEmpty }
}
