package import Services
import TweetCore
package import TweetNet
package import TweetServices

/// The X API v2 requests the kit makes (X's OpenAPI description 2.166 names the parameters so; 2.167 renamed some for
/// everything but streams, while its documentation and its own tools still use the old names).
package struct XRequests: Sendable {
  private let access: ServiceAccess

  package init(_ access: ServiceAccess) { self.access = access }

  /// The id of the user who asks, if it was learned at the sign-in.
  package var userID: String? { access.userID }

  /// Whether that user owns the application that asks.
  var ownsApp: Bool { access.ownsApp }
  /// What a post that is read costs today; `nil` if it costs nothing.
  var postPrice: Money? {
    access.api.service.prices?.price(of: .posts, on: Ledger.day(of: .shown))
  }
  /// Whether the service is tw-local.
  var isLocal: Bool { access.service == "local" }

  /// All that records are made of. Metrics and fields that only the owner may ask for are left out, because X refuses a
  /// request with them.
  static let fields: [(String, String)] = [
    (
      "tweet.fields",
      "created_at,author_id,conversation_id,in_reply_to_user_id,referenced_tweets,entities,attachments,lang,"
        + "public_metrics,source,possibly_sensitive,note_tweet,withheld,geo"
    ),
    (
      "expansions",
      "author_id,in_reply_to_user_id,referenced_tweets.id,referenced_tweets.id.author_id,attachments.media_keys,"
        + "referenced_tweets.id.attachments.media_keys,attachments.poll_ids,geo.place_id,entities.mentions.username"
    ),
    (
      "user.fields",
      "created_at,name,username,profile_image_url,protected,verified,verified_type,url,entities,description,location,"
        + "public_metrics"
    ),
    ("media.fields", "media_key,type,url,preview_image_url,alt_text,width,height,duration_ms,variants"),
    ("poll.fields", "id,options,voting_status,end_datetime,duration_minutes"),
    ("place.fields", "id,name,full_name,country,country_code,place_type,geo"),
  ]

  /// The scopes of OAuth 2.0 that reading a source needs (the `security` of the endpoints in X's OpenAPI description).
  package static func scopes(for source: Source) -> [String] {
    let more: [String] =
      switch source {
      case .named("list", _): ["list.read"]
      case .bookmarks: ["bookmark.read"]
      case .likes: ["like.read"]
      case .followers, .following: ["follows.read"]
      default: []
      }
    return ["tweet.read", "users.read"] + more
  }

  // MARK: Filtered stream

  /// Adds rules. Rules belong to the whole app, so each carries a tag that says whose it is.
  package func addRules(_ rules: [(value: String, tag: String)]) -> HTTPRequest {
    let list = rules.map { "{\"value\":\(json($0.value)),\"tag\":\(json($0.tag))}" }.joined(separator: ",")
    return post("/2/tweets/search/stream/rules", "{\"add\":[\(list)]}")
  }

  /// Lists all rules of the app, a page at a time.
  package func listRules(token: String?) -> HTTPRequest {
    get(
      "/2/tweets/search/stream/rules",
      [("max_results", "1000")] + [token.map { ("pagination_token", $0) }].compactMap { $0 })
  }

  package func deleteRules(ids: [String]) -> HTTPRequest {
    post("/2/tweets/search/stream/rules", "{\"delete\":{\"ids\":[\(ids.map(json).joined(separator: ","))]}}")
  }

  /// The stream itself: endless, with a keep-alive at least every 20 s.
  package func filteredStream() -> HTTPRequest { endless(get("/2/tweets/search/stream", Self.fields)) }

  /// About one post in a hundred of all.
  package func sampleStream() -> HTTPRequest { endless(get("/2/tweets/sample/stream", Self.fields)) }

  func endless(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    request.streaming = true
    request.totalTimeout = nil
    return request
  }

  // MARK: Pages

  /// A page of what an endpoint has; its size is made one that the endpoint takes.
  ///
  /// - Parameters:
  ///   - id: of the account or the list.
  ///   - query: what is searched for.
  func page(_ endpoint: V2Endpoint, of id: String = "", query: String? = nil, _ range: PageRange) -> HTTPRequest {
    let sizes = endpoint.sizes
    var bounds: [(String, String?)] = [
      ("query", query), ("max_results", String(min(sizes.upperBound, max(sizes.lowerBound, range.size)))),
    ]
    if endpoint.takesBounds {
      bounds += [
        ("since_id", range.sinceID?.description), ("until_id", range.untilID?.description),
        ("start_time", range.since.flatMap(Self.start)), ("end_time", range.until.flatMap(Self.end)),
      ]
    }
    bounds.append((query == nil ? "pagination_token" : "next_token", range.token))
    let path = "/2/" + endpoint.rawValue.replacing(":id", with: PercentEncoding.encode(id))
    return get(path, bounds.compactMap { name, value in value.map { (name, $0) } } + endpoint.fields)
  }

  /// The X API refuses times that are less than ten seconds in the past.
  private static let delay: Int64 = 11_000

  private static func start(_ time: Timestamp) -> String {
    wholeSecond(Timestamp(milliseconds: min(time.milliseconds, Timestamp.shown.milliseconds - delay)))
  }

  /// `nil` for a time that is not in the past: pages end at the present anyway.
  private static func end(_ time: Timestamp) -> String? {
    time.milliseconds > Timestamp.shown.milliseconds - delay ? nil : wholeSecond(time)
  }

  /// The API's times have no fractions.
  private static func wholeSecond(_ time: Timestamp) -> String { time.rfc3339.prefix(19) + "Z" }

  // MARK: Look-ups

  /// Looks an account up by its name.
  package func user(named name: String) -> HTTPRequest {
    get("/2/users/by/username/\(PercentEncoding.encode(name))", [])
  }

  /// Looks an account up by its id.
  func user(id: String) -> HTTPRequest { get("/2/users/\(PercentEncoding.encode(id))", []) }

  /// Looks up which conversation a post is in, and nothing else that might be billed.
  package func conversation(ofPost id: String) -> HTTPRequest {
    get("/2/tweets", [("ids", id), ("tweet.fields", "conversation_id")])
  }

  /// The account that asks.
  package func me() -> HTTPRequest { get("/2/users/me", []) }

  /// Looks posts up, at most a hundred.
  package func posts(ids: [String]) -> HTTPRequest {
    get("/2/tweets", [("ids", ids.joined(separator: ","))] + Self.fields)
  }

  // MARK: Parts

  /// A JSON string.
  func json(_ text: String) -> String {
    var buffer = ByteBuffer(capacity: text.utf8.count + 2)
    buffer.appendJSONString(text)
    return buffer.string
  }

  func get(_ path: String, _ query: [(String, String)]) -> HTTPRequest {
    let text = PercentEncoding.form(query)
    return access.request(.get, text.isEmpty ? path : "\(path)?\(text)")
  }

  func post(_ path: String, _ body: String) -> HTTPRequest {
    post(path, body, type: "application/json")
  }

  func postEmpty(_ path: String) -> HTTPRequest {
    var request = access.request(.post, path)
    request.body = []
    return request
  }

  func delete(_ path: String) -> HTTPRequest { access.request(.delete, path) }

  func post(_ path: String, form: String) -> HTTPRequest {
    post(path, form, type: "application/x-www-form-urlencoded")
  }

  private func post(_ path: String, _ body: String, type: String) -> HTTPRequest {
    var request = access.request(.post, path)
    request.body = Array(body.utf8)
    request.headers = [HTTPHeader("Content-Type", type)]
    return request
  }
}

/// The X API v1.1 requests the kit makes; X itself has ended them, other services still speak them.
extension XRequests {
  /// Posts with one of the phrases, at most 400 of them.
  package func statusesFilter(track: [String], isDelimited: Bool) -> HTTPRequest {
    let options = [("track", track.joined(separator: ","))] + Self.options(isDelimited)
    return endless(post("/1.1/statuses/filter.json", form: PercentEncoding.form(options)))
  }

  /// About one post in a hundred of all.
  package func statusesSample(isDelimited: Bool) -> HTTPRequest {
    endless(get("/1.1/statuses/sample.json", Self.options(isDelimited)))
  }

  private static func options(_ isDelimited: Bool) -> [(String, String)] {
    [("stall_warnings", "true")] + (isDelimited ? [("delimited", "length")] : [])
  }

  /// Reads posts, with their whole text.
  func v1(_ path: String, _ query: [(String, String)]) -> HTTPRequest {
    get("/1.1/\(path).json", query + [("tweet_mode", "extended")])
  }
}
