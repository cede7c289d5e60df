package import Services
package import TweetCore
package import TweetNet
package import TweetServices

/// An endpoint of X API v2 that has pages.
enum V2Endpoint: String {
  case searchRecent = "tweets/search/recent"
  /// All posts there ever were. Only some accounts may, and once a second.
  case searchAll = "tweets/search/all"
  case user = "users/:id/tweets"
  case home = "users/:id/timelines/reverse_chronological"
  case mentions = "users/:id/mentions"
  case list = "lists/:id/tweets"
  case bookmarks = "users/:id/bookmarks"
  case likes = "users/:id/liked_tweets"
  case followers = "users/:id/followers"
  case following = "users/:id/following"
  case ownedLists = "users/:id/owned_lists"
  case followedLists = "users/:id/followed_lists"

  /// How many a page can be asked for.
  var sizes: ClosedRange<Int> {
    switch self {
    case .searchRecent: 10...100
    case .searchAll: 10...500
    case .user, .mentions, .likes: 5...100
    case .home, .list, .bookmarks, .followers, .following, .ownedLists, .followedLists: 1...100
    }
  }

  /// Whether ids and times can be the bounds of its pages.
  var takesBounds: Bool {
    switch self {
    case .searchRecent, .searchAll, .user, .home, .mentions: true
    case .list, .bookmarks, .likes, .followers, .following, .ownedLists, .followedLists: false
    }
  }

  /// Whether its pages are in the order of ids. Others have first what was bookmarked, liked or followed last.
  var isOrdered: Bool { takesBounds || self == .list }

  /// What is asked for of each post, account or list.
  var fields: [(String, String)] {
    switch self {
    case .followers, .following: XRequests.fields.filter { $0.0 == "user.fields" }
    case .ownedLists, .followedLists: [("list.fields", "member_count,owner_id")]
    default: XRequests.fields
    }
  }
}

/// The posts of a SOURCE in the X API v2, page by page.
package struct V2Pages: PagedSource {
  /// What must be known before the first page.
  private enum Need {
    /// The account that asks.
    case me
    /// Which conversation a post is in.
    case conversation(String)
    /// The id of a list.
    case list(String)
  }

  package let feed: String
  private let requests: XRequests
  private let kind: V2Endpoint
  private var need: Need?
  package var person: PersonLookUp?
  /// Finds a list by its name.
  private var finder: XListFinder?
  /// The account or the list whose posts the endpoint has, once it is known.
  private var id: String?
  /// What is searched for.
  private var query: String?

  /// - Parameter archive: search all posts there ever were, not those of the last seven days.
  /// - Returns: `nil` for a source that has no pages.
  package init?(_ requests: XRequests, _ source: Source, archive: Bool = false) {
    let search = archive ? V2Endpoint.searchAll : .searchRecent
    switch source {
    case .hashtag(let tag): (kind, query) = (search, "#\(tag)")
    case .named("search", let words): (kind, query) = (search, words)
    case .named("conversation", let id): (kind, need) = (search, .conversation(id))
    case .named("user", let name): (kind, person) = (.user, PersonLookUp(name, feed: source.feed))
    case .named("list", let name) where source.listName != nil:
      (kind, need, finder) = (.list, .list(name), XListFinder(requests))
    case .named("list", let id): (kind, self.id) = (.list, id)
    default:
      guard let own = Self.ofAccount(source) else { return nil }
      (kind, id) = (own, requests.userID)
      if id == nil { need = .me }
    }
    self.requests = requests
    feed = source.feed
  }

  /// The endpoint of a source that has what is the signed-in account's own; `nil` for others.
  private static func ofAccount(_ source: Source) -> V2Endpoint? {
    switch source {
    case .home: .home
    case .mentions: .mentions
    case .bookmarks: .bookmarks
    case .likes: .likes
    case .followers: .followers
    case .following: .following
    default: nil
    }
  }

  package static func isOfAccount(_ source: Source) -> Bool { ofAccount(source) != nil }

  /// Of ids that do not tell the order of a page, only the page's token leads on.
  package var needsTokens: Bool { !kind.isOrdered }

  package func postID(_ text: String) -> PostID { kind.isOrdered ? PostID(text) : .text(text, order: nil) }

  package var endpoint: String { kind.rawValue }

  package var lookUpEndpoint: String {
    if let finder { return finder.endpoint }
    if case .conversation = need { return "tweets" }
    if case .id = person?.question { return "users/:id" }
    return person == nil ? "users/me" : "users/by/username/:username"
  }

  package var lookUp: HTTPRequest? {
    switch (need, person?.question) {
    case (.me, _): requests.me()
    case (.conversation(let id), _): requests.conversation(ofPost: id)
    case (.list, _): finder?.request
    case (nil, .name(let name)): requests.user(named: name)
    case (nil, .id(let id)): requests.user(id: id)
    case (nil, nil): nil
    }
  }

  package func reads(refusedLookUp answer: HTTPResponse) -> Bool { person?.reads(answer.status) ?? false }

  package var lookUpBilled: (kind: BilledKind, count: Int) {
    if case .conversation = need { return (.posts, 1) }
    return finder?.billed ?? (.users, 1)
  }

  package mutating func readLookUp(_ answer: HTTPResponse) throws(ToolError) -> [String] {
    if case .list(let name) = need { return try readLists(answer, name) }
    if case .conversation(let id) = need { return try readConversation(answer, id) }
    let user = try? JSONDocument(answer.body)["data"]
    let found = user?["id"]?.nonEmptyString
    if person != nil {
      try person?.read(found.map { ($0, user?["username"]?.nonEmptyString) }, problem: ServiceProblem(answer).text)
      id = person?.person?.id
      return found.map { [$0] } ?? []
    }
    guard let found else {
      throw .refused("the service does not say whose token this is: \(ServiceProblem(answer).text)")
    }
    (id, need) = (found, nil)
    return [found]
  }

  /// A post that is gone may have begun a conversation that is still there.
  private mutating func readConversation(_ answer: HTTPResponse, _ id: String) throws(ToolError) -> [String] {
    guard let document = try? JSONDocument(answer.body), document.isObject else {
      throw .refused("the service does not say which conversation it is: \(ServiceProblem(answer).text)")
    }
    let post = document.read { $0.list("data").first?["conversation_id"]?.nonEmptyString }
    (query, need) = ("conversation_id:\(post ?? id)", nil)
    return post == nil ? [] : [id]
  }

  /// The own lists come first, so that those that the account follows are read only where none of its own has the name.
  private mutating func readLists(_ answer: HTTPResponse, _ name: String) throws(ToolError) -> [String] {
    guard var finder else { return [] }
    let ids = try finder.read(answer)
    self.finder = finder
    guard finder.hasAllOfOneKind else { return ids }
    if let list = try finder.lists.named(name) {
      (id, need, self.finder) = (list.id, nil, nil)
    } else if finder.request == nil {
      throw finder.lists.noList(name)
    }
    return ids
  }

  /// The owner of an application pays less for the own posts and mentions (docs.x.com, "Owned Reads").
  package var billed: BilledKind {
    switch kind {
    case .user, .mentions: requests.ownsApp && id == requests.userID ? .owned : .posts
    case .followers, .following: .users
    default: .posts
    }
  }

  package var pageSizes: ClosedRange<Int> { kind.sizes }
  package var takesTimes: Bool { kind.takesBounds }
  package var pace: Int { kind == .searchAll ? 1_000 : 0 }

  package func page(_ range: PageRange) -> HTTPRequest { requests.page(kind, of: id ?? "", query: query, range) }

  package func read(_ answer: HTTPResponse, _ range: PageRange, known: Set<PostID>, limit: Int?) -> FeedPage? {
    FeedPage(v2: answer, range, known: known, limit: limit, isOrdered: kind.isOrdered)
  }

  /// X takes no ids beside a time.
  package func gapRange(_ range: PageRange) -> PageRange? {
    var range = range
    if range.sinceID == nil {
      let oldest = Timestamp(milliseconds: Timestamp.now.milliseconds - Self.gapReach)
      (range.untilID, range.since) = (nil, range.since.map { max($0, oldest) } ?? oldest)
    } else {
      range.since = nil
    }
    return range
  }

  package func readGap(_ answer: HTTPResponse) -> GapPage? { GapPage(v2: answer) }

  package func refusal(_ answer: HTTPResponse) -> Refusal { Refusal(answer) }

  /// Recent search goes back seven days; two minutes less, for the time until the service looks at its clock.
  private static let recent: Int64 = 7 * 86_400_000 - 120_000

  /// A minute less, for a gap.
  private static let gapReach: Int64 = 7 * 86_400_000 - 60_000

  /// tw-local has all posts, whatever their age.
  package var reach: Int64? { kind == .searchRecent && !requests.isLocal ? Self.recent : nil }

  package func remedy(_ answer: HTTPResponse, _ range: PageRange) -> PageRemedy? {
    guard answer.status == 400 else { return nil }
    func complains(of name: String) -> Bool { ServiceProblem.names(name, in: answer) }
    if range.token != nil, complains(of: "next_token") || complains(of: "pagination_token") { return .withoutToken }
    let oldest = Timestamp(milliseconds: Timestamp.shown.milliseconds - Self.recent)
    if range.sinceID != nil, complains(of: "since_id") { return .begin(oldest) }
    if let since = range.since, since < oldest, complains(of: "start_time") { return .begin(oldest) }
    // Posts before it are older than seven days as well.
    if range.untilID != nil, complains(of: "until_id") { return .begin(oldest) }
    return nil
  }

  package func explain(_ error: ToolError) -> ToolError {
    guard case .notAllowed(let text) = error else { return error }
    switch (kind, need) {
    case (_, .conversation): return error
    case (.searchAll, _): return .notAllowed("full-archive search is open to some accounts only: \(text)")
    case (.searchRecent, _), (.user, _), (.list, nil): return error
    default: return .notAllowed("'\(feed)' needs a user's token, not an app's: \(text)")
    }
  }

  package func firstID(at time: Timestamp) -> PostID? { kind.isOrdered ? .first(at: time) : nil }
  package func lastID(before time: Timestamp) -> PostID? { kind.isOrdered ? .last(before: time) : nil }
}

extension ServiceProblem {
  /// Whether an answer's errors are about a parameter: X names it as a member of `parameters`, or in the message.
  fileprivate static func names(_ parameter: String, in answer: HTTPResponse) -> Bool {
    guard let document = try? JSONDocument(answer.body) else { return false }
    return document.list("errors").contains { error in
      error["parameters"]?.member(named: parameter) != nil
        || error["message"]?.string?.contains("'\(parameter)'") == true
    }
  }
}
