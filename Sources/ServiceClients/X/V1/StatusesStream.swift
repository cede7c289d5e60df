package import Services
package import TweetCore
package import TweetNet
package import TweetServices

/// X API v1.1's streams: `statuses/filter.json` with the hashtags to track, or `statuses/sample.json`.
package struct StatusesStream: StreamAPI {
  private let requests: XRequests
  private let isDelimited: Bool
  /// Feeds by hashtag, small; none for the sample.
  private var feedsByTag: [String: String] = [:]
  package private(set) var feeds: [String]

  /// - Parameters:
  ///   - hashtags: without `#`; `nil` for the sample.
  ///   - isDelimited: whether lengths come before the messages.
  package init(_ requests: XRequests, hashtags: [String]?, isDelimited: Bool = true) {
    self.requests = requests
    self.isDelimited = isDelimited
    feeds = ["sample"]
    if let hashtags { setHashtags(hashtags) }
  }

  package var framing: StreamFraming { isDelimited ? .lengths : .carriageReturns }
  /// A line end every 30 s.
  package var keepAliveInterval: Int { 30_000 }
  package var deliveryTime: Int { 7_000 }

  package func connection() -> HTTPRequest {
    feedsByTag.isEmpty
      ? requests.statusesSample(isDelimited: isDelimited)
      : requests.statusesFilter(track: feeds, isDelimited: isDelimited)
  }

  package func refusal(_ response: HTTPResponse) -> Refusal {
    var refusal = Refusal(response)
    // The endpoints are gone: X answers 403, others 404 or 410.
    if [403, 404, 410].contains(response.status) { refusal.meaning = .noStream }
    return refusal
  }

  package func rateWindow(_ response: HTTPResponse) -> RateWindow? { RateWindow(response) }

  /// A new connection is needed, because what a connection tracks is fixed.
  package mutating func replaceHashtags(with hashtags: [String]) -> Bool? {
    setHashtags(hashtags)
    return true
  }

  private mutating func setHashtags(_ hashtags: [String]) {
    feeds = hashtags.map { "#\($0)" }
    feedsByTag = Dictionary(hashtags.map { ($0.lowercased(), "#\($0)") }) { first, _ in first }
  }

  // MARK: Messages

  package func meaning(of message: JSONValue) -> StreamMessage {
    // `id_str` is exact; a service whose numbers are doubles may leave `id` out.
    if message["user"] != nil, let id = message["id_str"]?.looseInteger ?? message["id"]?.looseInteger {
      return .post(id: .number(id), feed: feed(ofPost: message))
    }
    if let disconnect = message["disconnect"] { return .closing(Self.refusal(disconnect)) }
    if message["errors"] != nil, let problem = ServiceProblem(message: message) { return .closing(Refusal(problem)) }
    return .other(feed: feeds.first ?? "", Self.notice(message))
  }

  private func feed(ofPost post: JSONValue) -> String {
    let fallback = feeds.first ?? ""
    if feeds.count < 2 { return fallback }
    return feed(ofHashtagsIn: post) ?? post["retweeted_status"].flatMap(feed(ofHashtagsIn:))
      ?? post["quoted_status"].flatMap(feed(ofHashtagsIn:)) ?? fallback
  }

  /// The feed of the first hashtag that is one of ours; those of a long post are in its extension.
  private func feed(ofHashtagsIn post: JSONValue) -> String? {
    for entities in [post["extended_tweet"]?["entities"], post["entities"]] {
      guard let entities else { continue }
      for hashtag in entities.list("hashtags") {
        if let tag = hashtag["text"]?.string, let feed = feedsByTag[tag.lowercased()] { return feed }
      }
    }
    return nil
  }

  private static let duplicateStream = 2
  private static let tokenRevoked = 6
  private static let adminLogout = 7

  /// `{"disconnect":{"code":4,"stream_name":"…","reason":"…"}}` ("Streaming message types").
  private static func refusal(_ disconnect: JSONValue) -> Refusal {
    let code = disconnect["code"]?.integer ?? 0
    let reason = disconnect["reason"]?.nonEmptyString ?? "disconnect \(code)"
    switch code {
    case duplicateStream:
      let text = "another program opened the account's stream: \(reason)"
      return Refusal(.connectionHeld, text, error: .tryLater(text))
    case tokenRevoked, adminLogout:
      let text = "the service does not accept the token any more: \(reason); \(ServiceAccess.signInAdvice())"
      return Refusal(.final, reason, error: .notAllowed(text))
    default: return Refusal(.trouble, reason, error: .tryLater("the service closed the stream: \(reason)"))
    }
  }

  /// What a person should know about a message that is not a post.
  private static func notice(_ message: JSONValue) -> Notice? {
    if let warning = message["warning"], let text = warning["message"]?.nonEmptyString {
      return Notice(.warning, "slow-reader", text).with("percent", warning["percent_full"]?.rawText)
    }
    if let missed = message["limit"]?["track"]?.integer {
      return Notice(
        .warning, "limit", "\(missed) posts since connecting were too many for the stream and are missing"
      )
      .with("count", json: String(missed))
    }
    return nil
  }

  // MARK: Backfill

  package func pages(of feed: String) -> (any PagedSource)? {
    feedsByTag.isEmpty ? nil : V1Pages(requests, .hashtag(String(feed.dropFirst())))
  }

  package func lastID(before time: Timestamp) -> PostID? { .last(before: time) }
}
