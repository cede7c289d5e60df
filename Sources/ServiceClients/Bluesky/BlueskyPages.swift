import Services
import TweetCore
import TweetNet
import TweetServices
import TweetShapes

/// The posts of a SOURCE in Bluesky's AppView, page by page. Each item becomes a line as the AppView has it.
struct BlueskyPages: PagedSource {
  private enum Kind {
    case author(String)
    /// A feed that somebody's program makes, in whatever order.
    case feed(RecordAddress)
    case list(RecordAddress)
    /// One of the account's own lists, whose address is not known yet.
    case listNamed(String, BlueskyListFinder)
    case thread(RecordAddress)
    /// Posts of the accounts that the reader follows.
    case home
    /// Replies to the reader, and quotes and mentions.
    case mentions
    /// All that the reader is told of others.
    case notifications
    /// What the reader has liked, in the order in which it did that.
    case likes
    /// What the reader has marked, in the same order.
    case bookmarks
    /// Accounts: those that follow the reader, or those that the reader follows.
    case followers
    case follows
    case search(BlueskySearch)
  }

  /// The posts of earlier rounds, where their place tells nothing of their age.
  private final class SeenPosts: @unchecked Sendable {
    // Used by the one thread of a TransferLoop.
    private var keys = RecentKeys(capacity: 1 << 16)

    func insert(_ id: PostID) -> Bool { keys.insert(id) }
    func contains(_ id: PostID) -> Bool { keys.contains(id) }
  }

  let feed: String
  private let requests: BlueskyRequests
  private var kind: Kind
  private let seen = SeenPosts()
  /// The DID of the account that reads; `nil` where only the server knows whose token it is.
  private var reader: String?
  /// Of a name that is not a DID.
  var person: PersonLookUp?
  /// The DID of the account whose record it is, once it is known.
  private var did: String?

  /// - Returns: `nil` for a source that has no pages.
  init?(_ requests: BlueskyRequests, _ source: Source) {
    self.requests = requests
    feed = source.feed
    reader = requests.reader
    let own: Kind? =
      switch source {
      case .timeline("home"): .home
      case .timeline("mentions"): .mentions
      case .timeline("notifications"): .notifications
      case .timeline("likes"): .likes
      case .timeline("followers"): .followers
      case .timeline("following"): .follows
      case .timeline("bookmarks"): .bookmarks
      case .hashtag(let tag): .search(BlueskySearch("#" + tag))
      case .named("search", let words): .search(BlueskySearch(words))
      case .named("user", let name): .author(name)
      default: nil
      }
    if let own {
      kind = own
      if case .author(let name) = own, !name.hasPrefix("did:") { person = PersonLookUp(name, feed: feed) }
      return
    }
    guard case .named(let name, let text) = source else { return nil }
    guard let address = RecordAddress(text) else {
      guard name == "list" else { return nil }
      kind = .listNamed(text, BlueskyListFinder(requests, of: reader))
      return
    }
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
    case .list, .listNamed: "app.bsky.feed.getListFeed"
    case .thread: "app.bsky.feed.getPostThread"
    case .home: "app.bsky.feed.getTimeline"
    case .mentions, .notifications: "app.bsky.notification.listNotifications"
    case .likes: "app.bsky.feed.getActorLikes"
    case .bookmarks: "app.bsky.bookmark.getBookmarks"
    case .followers: "app.bsky.graph.getFollowers"
    case .follows: "app.bsky.graph.getFollows"
    case .search(let search): search.endpoint
    }
  }

  private var address: RecordAddress? {
    switch kind {
    case .feed(let address), .list(let address), .thread(let address): address
    default: nil
    }
  }

  /// Whether the server has to say first whose token it is.
  private var needsReader: Bool {
    switch kind {
    case .likes, .followers, .follows: reader == nil
    default: false
    }
  }

  var lookUpEndpoint: String {
    if needsReader { return "com.atproto.server.getSession" }
    if case .listNamed = kind { return BlueskyListFinder.endpoint }
    if person != nil { return "app.bsky.actor.getProfile" }
    return "com.atproto.identity.resolveHandle"
  }
  var lookUp: HTTPRequest? {
    if needsReader { return requests.session }
    if case .listNamed(_, let finder) = kind { return finder.request }
    if let person {
      return switch person.question {
      case .name(let name), .id(let name): requests.get("app.bsky.actor.getProfile", [("actor", name)])
      case nil: nil
      }
    }
    return did == nil ? address.map { requests.resolve($0.authority) } : nil
  }

  func reads(refusedLookUp answer: HTTPResponse) -> Bool { person?.reads(answer.status) ?? false }

  mutating func readLookUp(_ answer: HTTPResponse) throws(ToolError) -> [String] {
    if person != nil {
      let profile = try? JSONDocument(answer.body)
      let found = profile?["did"]?.nonEmptyString
      try person?.read(found.map { ($0, profile?["handle"]?.nonEmptyString) }, problem: ServiceProblem(answer).text)
      return found.map { [$0] } ?? []
    }
    if case .listNamed(let name, var finder) = kind {
      _ = try finder.read(answer)
      kind = .listNamed(name, finder)
      if finder.request != nil { return [] }
      guard let list = try finder.lists.named(name) else { throw finder.lists.noList(name) }
      guard let address = RecordAddress(list.id) else { throw .refused("'\(list.id)' is not the address of a list") }
      (kind, did) = (.list(address), address.authority)
      return []
    }
    guard let document = try? JSONDocument(answer.body), let did = document["did"]?.nonEmptyString else {
      throw .refused("no account '\(address?.authority ?? "")'")
    }
    if needsReader { reader = did } else { self.did = did }
    return [did]
  }

  /// How deep a thread is asked for, which comes in one answer: as deep as there is.
  private static let depth = "1000"

  var pageSizes: ClosedRange<Int> { if case .thread = kind { 1...1_000_000 } else { 1...100 } }
  var needsTokens: Bool { true }

  func page(_ range: PageRange) -> HTTPRequest {
    let uri = RecordAddress(authority: did ?? "", collection: address?.collection ?? "", key: address?.key ?? "").text
    var parameters: [(String, String)] =
      switch kind {
      case .author(let name): [("actor", person?.person?.id ?? name)]
      case .feed: [("feed", uri)]
      case .list: [("list", uri)]
      case .thread: [("uri", uri), ("depth", Self.depth), ("parentHeight", Self.depth)]
      case .home, .bookmarks, .listNamed, .notifications: []
      case .mentions: ["mention", "reply", "quote"].map { ("reasons", $0) }
      case .likes, .followers, .follows: [("actor", reader ?? "")]
      case .search(let search): search.parameters(range)
      }
    if isThread || isSearch { return requests.get(endpoint, parameters) }
    parameters.append(("limit", String(range.size)))
    if let token = range.token { parameters.append(("cursor", token)) }
    return requests.get(endpoint, parameters)
  }

  // MARK: Answers

  private struct Item {
    let id: PostID
    let json: [UInt8]
    let isShown: Bool
    /// Whether it is not a post, but says that one is gone or blocked.
    var isMissing = false
    /// Where it stands among the others of a list, and how new it is.
    var place = BlueskyPlace()
  }

  func read(_ answer: HTTPResponse, _ range: PageRange, known: Set<PostID>, limit: Int?) -> FeedPage? {
    guard let document = answer.document else { return nil }
    let isAnonymous = requests.access.isAnonymous
    guard var items = document.read({ isOfNotifications ? Self.notifications($0) : Self.items($0, isAnonymous) })
    else { return nil }
    if case .search(let search) = kind, !search.isOld {
      for index in items.indices { items[index].place = items[index].place.inSearch }
    }
    let new = items.filter { $0.isShown && !known.contains($0.id) && isNew($0, range) }
    let shown = Self.first(limit, of: new)
    if !isOrdered || isSearch { for item in shown { _ = seen.insert(item.id) } }
    var token = document["cursor"]?.nonEmptyString
    if case .search(let search) = kind { token = search.token(after: document, range) }
    // What is new in a feed without an order is looked for on its first page.
    if !isOrdered, !isThread, range.sinceID != nil, range.token == nil { token = nil }
    return FeedPage(
      lines: shown.map { FeedPage.Line(bytes: $0.json, posts: $0.isMissing ? 0 : 1) },
      kept: new.count { !$0.isMissing },
      sentIDs: items.map(\.id), newestID: new.first.map { isOrdered ? $0.place.newest($0.id) : $0.id },
      oldestID: isOrdered ? items.lazy.reversed().compactMap { $0.place.oldest($0.id) }.first : nil, nextToken: token)
  }

  /// The items up to a number of posts.
  private static func first(_ limit: Int?, of items: [Item]) -> ArraySlice<Item> {
    guard let limit else { return items[...] }
    var posts = 0
    return items.prefix { item in
      if !item.isMissing { posts += 1 }
      return posts <= limit
    }
  }

  /// Whether posts come by their age.
  private var isOrdered: Bool {
    switch kind {
    case .author, .list, .listNamed, .home, .mentions, .notifications, .search: true
    case .feed, .thread, .likes, .bookmarks, .followers, .follows: false
    }
  }

  private var isThread: Bool { if case .thread = kind { true } else { false } }
  private var isSearch: Bool { if case .search = kind { true } else { false } }
  private var isOfNotifications: Bool { if case .notifications = kind { true } else { false } }
  var repeatsPosts: Bool { isSearch }

  private func isNew(_ item: Item, _ range: PageRange) -> Bool {
    if !isOrdered || isSearch, seen.contains(item.id) { return false }
    guard isOrdered else { return true }
    // A page ends at a place. What came late may be newer than that, and below it.
    var (above, below) = (range, range)
    (above.untilID, below.sinceID) = (nil, nil)
    return above.holds(item.place.rank(item.id)) && below.holds(item.place.oldest(item.id) ?? item.id)
  }

  /// - Returns: `nil` for something else than a page or a thread.
  private static func items(_ root: JSONValue, _ isAnonymous: Bool) -> [Item]? {
    if let list = root["feed"], list.isArray { return list.elements.compactMap { item($0, isAnonymous) } }
    let kinds: [(StaticString, (JSONValue, Bool) -> Item?)] = [
      ("posts", post), ("notifications", post), ("followers", profile), ("follows", profile),
    ]
    for (key, item) in kinds {
      if let list = root[key], list.isArray { return list.elements.compactMap { item($0, isAnonymous) } }
    }
    if let list = root["bookmarks"], list.isArray {
      return list.elements.compactMap { $0["item"] }.compactMap {
        $0["record"] == nil ? missing($0) : post($0, isAnonymous)
      }
    }
    guard let thread = root["thread"], thread.isObject else { return nil }
    var parents: [JSONValue] = []
    var parent = thread["parent"]
    while let next = parent {
      parents.append(next)
      parent = next["parent"]
    }
    var items = parents.reversed().compactMap { threadItem($0, isAnonymous) }
    // A stack of our own, because a hostile thread may be very deep.
    var due = [thread]
    while let view = due.popLast() {
      if let item = threadItem(view, isAnonymous) { items.append(item) }
      due += view.list("replies").reversed()
    }
    return items
  }

  /// The addresses of records do not tell when an account was told of them, so the time stands in the id: the time, a
  /// space, the address, and the reason, since one record may be told for two.
  private static func notifications(_ root: JSONValue) -> [Item]? {
    guard let list = root["notifications"], list.isArray else { return nil }
    return list.elements.compactMap { element in
      guard let uri = element["uri"]?.nonEmptyString, let reason = element["reason"]?.nonEmptyString,
        let time = element["indexedAt"]?.string.flatMap({ Timestamp(parsing: $0) })
      else { return nil }
      return Item(
        id: .text("\(time.rfc3339) \(uri)#\(reason)", order: time.rfc3339), json: element.line, isShown: true)
    }
  }

  /// An item of a feed. A repost has an id of its own; a pinned post comes a second time at its own place.
  private static func item(_ item: JSONValue, _ isAnonymous: Bool) -> Item? {
    guard let post = item["post"], let uri = post["uri"]?.nonEmptyString else { return nil }
    let reason = item["reason"]
    if reason?["$type"]?.string?.hasSuffix("#reasonPin") == true { return nil }
    let id =
      reason == nil
      ? BlueskyService.postID(uri) : reason?["uri"]?.nonEmptyString.map { BlueskyService.postID($0) }
    return Item(
      id: id ?? .text(uri + " again", order: nil), json: item.line,
      isShown: !BlueskyMarks.hide(post, isAnonymous)
        && reason?["by"].map { BlueskyMarks.hide($0, isAnonymous) } != true,
      place: reason.map { BlueskyPlace(repost: $0) } ?? BlueskyPlace(post))
  }

  private static func threadItem(_ view: JSONValue, _ isAnonymous: Bool) -> Item? {
    view["post"].map { post($0, isAnonymous) } ?? missing(view)
  }

  /// What stands in the place of a post that is gone or blocked.
  private static func missing(_ view: JSONValue) -> Item? {
    guard let uri = view["uri"]?.nonEmptyString, view["notFound"]?.bool == true || view["blocked"]?.bool == true else {
      return nil
    }
    return Item(id: BlueskyService.postID(uri), json: view.line, isShown: true, isMissing: true)
  }

  private static func post(_ post: JSONValue, _ isAnonymous: Bool) -> Item? {
    guard let uri = post["uri"]?.nonEmptyString else { return nil }
    return Item(
      id: BlueskyService.postID(uri), json: post.line, isShown: !BlueskyMarks.hide(post, isAnonymous),
      place: BlueskyPlace(post))
  }

  private static func profile(_ profile: JSONValue, _ isAnonymous: Bool) -> Item? {
    guard let did = profile["did"]?.nonEmptyString else { return nil }
    return Item(
      id: .text(did, order: nil), json: profile.line, isShown: !BlueskyMarks.hide(profile, isAnonymous))
  }

  func refusal(_ answer: HTTPResponse) -> Refusal { Refusal(bluesky: answer) }
  func remedy(_ answer: HTTPResponse, _ range: PageRange) -> PageRemedy? {
    if case .search(let search) = kind, search.isUnknown(answer) { return .otherEndpoint }
    return range.token != nil && answer.status == 400 ? .withoutToken : nil
  }

  mutating func useOtherEndpoint() {
    guard case .search(var search) = kind else { return }
    search.isOld = true
    kind = .search(search)
  }
  func postID(_ text: String) -> PostID {
    guard isOfNotifications else { return BlueskyService.postID(text) }
    return text.split(separator: " ", maxSplits: 1).first.map { .text(text, order: String($0)) } ?? PostID(text)
  }
  func firstID(at time: Timestamp) -> PostID? {
    if isOfNotifications { return .text(time.rfc3339, order: time.rfc3339) }
    return isOrdered ? BlueskyService.postID(TimeKey.first(at: time)) : nil
  }
  func lastID(before time: Timestamp) -> PostID? { firstID(at: Timestamp(milliseconds: time.milliseconds - 1)) }
}
