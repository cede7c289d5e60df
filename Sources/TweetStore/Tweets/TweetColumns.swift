import TweetCore

/// The members of a tweet for which the store has columns or tables, found in one pass over the record.
struct TweetColumns {
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
  var url: JSONValue?
  var extra: JSONValue?
  var retrievedAt: JSONValue?
  var attachments: JSONValue?
  var withheld: JSONValue?
  /// What the account that read it last did with it, and what others did.
  var viewer: JSONValue?
  var viewers: JSONValue?
  /// The ids of all its versions, first to last, on services where each edit gets a new id.
  var editHistory: JSONValue?
  /// What a list has added; see ``Retweeters``.
  var retweetedBy: JSONValue?

  init(_ tweet: JSONValue) {
    for (key, value) in tweet.members {
      // By length first: at most two comparisons for each member.
      switch key.rawString.count {
      case 2 where key.equals("id"): id = id ?? value
      case 3 where key.equals("url"): url = url ?? value
      case 4 where key.equals("text"): text = text ?? value
      case 4 where key.equals("lang"): lang = lang ?? value
      case 5 where key.equals("feeds"): feeds = feeds ?? value
      case 5 where key.equals("extra"): extra = extra ?? value
      case 6 where key.equals("author"): author = author ?? value
      case 6 where key.equals("viewer"): viewer = viewer ?? value
      case 7 where key.equals("viewers"): viewers = viewers ?? value
      case 7 where key.equals("service"): service = service ?? value
      case 8 where key.equals("entities"): entities = entities ?? value
      case 8 where key.equals("withheld"): withheld = withheld ?? value
      case 10 where key.equals("created_at"): createdAt = createdAt ?? value
      case 11 where key.equals("attachments"): attachments = attachments ?? value
      case 12 where key.equals("retrieved_at"): retrievedAt = retrievedAt ?? value
      case 12 where key.equals("retweeted_by"): retweetedBy = value
      case 14 where key.equals("public_metrics"): publicMetrics = publicMetrics ?? value
      case 15 where key.equals("conversation_id"): conversationID = conversationID ?? value
      case 22 where key.equals("edit_history_tweet_ids"): editHistory = editHistory ?? value
      case 17 where key.equals("referenced_tweets"): referencedTweets = referencedTweets ?? value
      default: break
      }
    }
  }
}

extension TweetColumns {
  /// The author's id; `nil` if the record names no author. X's v2 names one only on request.
  var authorID: JSONValue? { author?["id"].flatMap { $0.isText ? $0 : nil } }

  /// The first key to try for the tweet.
  func preferredKey(service: JSONValue, id: JSONValue, _ seen: Sighting) -> Int {
    TweetKey.preferred(
      service: service.rawString, id: id.rawString, created: createdAt?.time,
      seen: seen.time ?? Timestamp(parsing: seen.now) ?? Timestamp(milliseconds: 0))
  }

  /// The address by which all servers know the post.
  var address: String? {
    CanonicalAddress.of(service: service, id: id, url: url, extra: extra, references: referencedTweets)
  }

  /// The values of the columns that lists filter by.
  var flags: TweetFlags {
    TweetFlags(
      lang: lang?.rawText,
      media: MediaKind.column(attachments), viewer: ViewerMark.column(viewer, viewers),
      // A link to the tweet's own picture does not count.
      hasLinks: entities?["urls"]?.elements.contains { $0["media_key"] == nil } == true,
      address: address,
      isWithheld: withheld.map(Self.isWithheldEverywhere) ?? false)
  }

  /// X's codes for "in all countries" and "after a complaint about copyright" (docs.x.com, "withheld content").
  private static func isWithheldEverywhere(_ withheld: JSONValue) -> Bool {
    withheld["country_codes"]?.elements.contains { $0.equals("XX") || $0.equals("XY") } == true
  }
}

extension JSONValue {
  /// The time in a string; `nil` if the value is not a string or holds no time.
  var time: Timestamp? { isString ? Timestamp(ascii: rawString) : nil }

  /// Whether it is a string and not empty.
  var isText: Bool { isString && !rawString.isEmpty }
}
