import BlueskyNames
import TweetCore
import TweetNet
import TweetServices
import TweetSources

/// The posts of a SOURCE in Bluesky's AppView, page by page. Each item becomes a line as the AppView has it.
struct BlueskyPages: PagedSource {
  private enum Kind {
    case author(String)
    /// A feed that somebody's program makes, in whatever order.
    case feed(RecordAddress)
    case list(RecordAddress)
    case thread(RecordAddress)
  }

  /// The posts of earlier rounds, where their place tells nothing of their age.
  private final class SeenPosts: @unchecked Sendable {
    // Used by the one thread of a TransferLoop.
    private var keys = RecentKeys(capacity: 1 << 16)

    func insert(_ id: PostID) -> Bool { keys.insert(Int(bitPattern: UInt(id.key))) }
    func contains(_ id: PostID) -> Bool { keys.contains(Int(bitPattern: UInt(id.key))) }
  }

  let feed: String
  private let requests: BlueskyRequests
  private let kind: Kind
  private let seen = SeenPosts()
  /// The DID of the account whose record it is, once it is known.
  private var did: String?

  /// - Returns: `nil` for a source that has no pages.
  init?(_ requests: BlueskyRequests, _ source: Source) {
    self.requests = requests
    feed = source.feed
    guard case .named(let name, let text) = source else { return nil }
    if name == "user" {
      kind = .author(text)
      return
    }
    guard let address = RecordAddress(text) else { return nil }
    switch name {
    case "feed": kind = .feed(address)
    case "list": kind = .list(address)
    case "conversation": kind = .thread(address)
    default: return nil
    }
    did = address.authority.hasPrefix("did:") ? address.authority : nil
  }

  var endpoint: String {
    switch kind {
    case .author: "app.bsky.feed.getAuthorFeed"
    case .feed: "app.bsky.feed.getFeed"
    case .list: "app.bsky.feed.getListFeed"
    case .thread: "app.bsky.feed.getPostThread"
    }
  }

  private var address: RecordAddress? {
    switch kind {
    case .author: nil
    case .feed(let address), .list(let address), .thread(let address): address
    }
  }

  var lookUpEndpoint: String { "com.atproto.identity.resolveHandle" }
  var lookUp: HTTPRequest? { did == nil ? address.map { requests.resolve($0.authority) } : nil }

  mutating func readLookUp(_ answer: HTTPResponse) throws(ToolError) -> [String] {
    guard let document = try? JSONDocument(answer.body), let did = document["did"]?.nonEmptyString else {
      throw .refused("no account '\(address?.authority ?? "")'")
    }
    self.did = did
    return [did]
  }

  /// How deep a thread is asked for, which comes in one answer: as deep as there is.
  private static let depth = "1000"

  var pageSizes: ClosedRange<Int> { if case .thread = kind { 1...1_000_000 } else { 1...100 } }
  var takesTimes: Bool { false }
  var pace: Int { 0 }
  var needsTokens: Bool { true }

  func page(_ range: PageRange) -> HTTPRequest {
    let uri = RecordAddress(authority: did ?? "", collection: address?.collection ?? "", key: address?.key ?? "").text
    var parameters: [(String, String)] =
      switch kind {
      case .author(let name): [("actor", name)]
      case .feed: [("feed", uri)]
      case .list: [("list", uri)]
      case .thread: [("uri", uri), ("depth", Self.depth), ("parentHeight", Self.depth)]
      }
    if case .thread = kind { return requests.get(endpoint, parameters) }
    parameters.append(("limit", String(range.size)))
    if let token = range.token { parameters.append(("cursor", token)) }
    return requests.get(endpoint, parameters)
  }

  // MARK: Answers

  private struct Item {
    let id: PostID
    let json: [UInt8]
    let isShown: Bool
  }

  func read(_ answer: HTTPResponse, _ range: PageRange, known: Set<PostID>, limit: Int?) -> FeedPage? {
    guard !answer.truncated, let document = try? JSONDocument(answer.body) else { return nil }
    guard let items = document.read({ Self.items($0) }) else { return nil }
    let new = items.filter { $0.isShown && !known.contains($0.id) && isNew($0.id, range) }
    let shown = new.prefix(limit ?? .max)
    if !isOrdered { for item in shown { _ = seen.insert(item.id) } }
    var token = document["cursor"]?.nonEmptyString
    // What is new in a feed without an order is looked for on its first page.
    if case .feed = kind, range.sinceID != nil, range.token == nil { token = nil }
    return FeedPage(
      lines: shown.map { FeedPage.Line(bytes: $0.json, posts: 1) }, count: shown.count, kept: new.count,
      sentIDs: items.map(\.id), newestID: new.first?.id,
      oldestID: isOrdered ? items.last { Self.hasOrder($0.id) }?.id : nil, nextToken: token)
  }

  /// Whether posts come by their age.
  private var isOrdered: Bool {
    switch kind {
    case .author, .list: true
    case .feed, .thread: false
    }
  }

  private static func hasOrder(_ id: PostID) -> Bool { if case .text(_, _?) = id { true } else { false } }

  private func isNew(_ id: PostID, _ range: PageRange) -> Bool {
    guard isOrdered else { return !seen.contains(id) }
    if let since = range.sinceID, id == since || id.isOlder(than: since) { return false }
    if let until = range.untilID, id == until || until.isOlder(than: id) { return false }
    return true
  }

  /// - Returns: `nil` for something else than a page or a thread.
  private static func items(_ root: JSONValue) -> [Item]? {
    if let list = root["feed"], list.isArray { return list.elements.compactMap { item($0) } }
    guard let thread = root["thread"], thread.isObject else { return nil }
    var parents: [JSONValue] = []
    var parent = thread["parent"]
    while let next = parent {
      parents.append(next)
      parent = next["parent"]
    }
    var items = parents.reversed().compactMap { post($0) }
    // A stack of our own, because a hostile thread may be very deep.
    var due = [thread]
    while let view = due.popLast() {
      if let item = post(view) { items.append(item) }
      due += view.list("replies").reversed()
    }
    return items
  }

  /// An item of a feed. A repost has an id of its own; a pinned post comes a second time at its own place.
  private static func item(_ item: JSONValue) -> Item? {
    guard let post = item["post"], let uri = post["uri"]?.nonEmptyString else { return nil }
    let reason = item["reason"]
    if reason?["$type"]?.string?.hasSuffix("#reasonPin") == true { return nil }
    let id =
      reason == nil
      ? BlueskyService.postID(uri) : reason?["uri"]?.nonEmptyString.map { BlueskyService.postID($0) }
    return Item(
      id: id ?? .text(uri + " again", order: nil), json: line(item),
      isShown: !BlueskyLabels.hide(post) && reason?["by"].map { BlueskyLabels.hide($0) } != true)
  }

  /// A post of a thread; `nil` for one that is blocked or gone.
  private static func post(_ view: JSONValue) -> Item? {
    guard let post = view["post"], let uri = post["uri"]?.nonEmptyString else { return nil }
    return Item(id: BlueskyService.postID(uri), json: line(post), isShown: !BlueskyLabels.hide(post))
  }

  /// A newline cannot be inside a string of JSON.
  static func line(_ value: JSONValue) -> [UInt8] {
    value.raw.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
  }

  func refusal(_ answer: HTTPResponse) -> Refusal { Refusal(bluesky: answer) }
  func remedy(_ answer: HTTPResponse, _ range: PageRange) -> PageRemedy? {
    range.token != nil && answer.status == 400 ? .withoutToken : nil
  }
  func explain(_ error: ToolError) -> ToolError { error }
  func postID(_ text: String) -> PostID { BlueskyService.postID(text) }
  func firstID(at time: Timestamp) -> PostID? { isOrdered ? BlueskyService.postID(TimeKey.first(at: time)) : nil }
  func lastID(before time: Timestamp) -> PostID? {
    isOrdered
      ? BlueskyService.postID(TimeKey.first(at: Timestamp(milliseconds: time.milliseconds - 1))) : nil
  }
}

/// Labels that a client without an account has to obey (docs.bsky.app, "Labels and moderation").
enum BlueskyLabels {
  /// Whether a post, or an account, is not to be shown to somebody without an account: it or its author says so, or a moderator.
  static func hide(_ view: JSONValue) -> Bool { has(view["labels"]) || has(view["author"]?["labels"]) }

  private static func has(_ labels: JSONValue?) -> Bool {
    guard let labels, labels.isArray else { return false }
    return labels.elements.contains { label in
      label["neg"]?.bool != true
        && (label["val"]?.equals("!hide") == true || label["val"]?.equals("!no-unauthenticated") == true)
    }
  }
}
