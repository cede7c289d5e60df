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
  var attachments: JSONValue?
  var withheld: JSONValue?
  /// Ids of all its versions, the first one first, where each edit has an id of its own.
  var editHistory: JSONValue?

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
      case 8 where key.equals("withheld"): withheld = withheld ?? value
      case 10 where key.equals("created_at"): createdAt = createdAt ?? value
      case 11 where key.equals("attachments"): attachments = attachments ?? value
      case 12 where key.equals("retrieved_at"): retrievedAt = retrievedAt ?? value
      case 14 where key.equals("public_metrics"): publicMetrics = publicMetrics ?? value
      case 15 where key.equals("conversation_id"): conversationID = conversationID ?? value
      case 22 where key.equals("edit_history_tweet_ids"): editHistory = editHistory ?? value
      case 17 where key.equals("referenced_tweets"): referencedTweets = referencedTweets ?? value
      default: break
      }
    }
  }
}

extension TweetFields {
  /// Why this is no tweet that could be stored; `nil` when it is one.
  var fault: String? {
    if text?.isString != true { return "no \"text\"" }
    return nil
  }

  /// The author's id; `nil` where the service named none, as v2 does when it is not asked to.
  var authorID: JSONValue? { author?["id"].flatMap { $0.isText ? $0 : nil } }

  /// What lists can ask for, beside the words.
  var marks: TweetMarks {
    TweetMarks(
      lang: lang?.rawText,
      hasMedia: attachments?["media"]?.isEmpty == false || attachments?["media_keys"]?.isEmpty == false,
      // Links that only show the tweet's own pictures are none.
      hasLinks: entities?["urls"]?.elements.contains { $0["media_key"] == nil } == true,
      isWithheld: withheld.map(Self.isWithheldEverywhere) ?? false)
  }

  /// X's codes for "in all countries" and "after a complaint about copyright" (docs.x.com, "withheld content").
  private static func isWithheldEverywhere(_ withheld: JSONValue) -> Bool {
    withheld["country_codes"]?.elements.contains { $0.equals("XX") || $0.equals("XY") } == true
  }
}

/// Columns of a tweet that have indexes, and so are written only when they change.
struct TweetMarks: Equatable {
  /// As it stands in the record.
  var lang: String?
  var hasMedia: Bool
  var hasLinks: Bool
  /// Nobody may be shown it.
  var isWithheld: Bool
}

extension JSONValue {
  /// The time a string holds.
  var time: Timestamp? { isString ? Timestamp(ascii: rawString) : nil }

  /// Whether it is a string with something in it.
  var isText: Bool { isString && !rawString.isEmpty }
}
