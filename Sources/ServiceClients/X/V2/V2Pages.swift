package import Services
package import TweetCore
package import TweetNet
package import TweetServices

/// The posts of a SOURCE in the X API v2, page by page.
package struct V2Pages: PagedSource {
  private enum Kind {
    case searchRecent(String)
    case searchAll(String)
    /// The conversation that a post is in, before it is known which post began that.
    case conversation(String)
    case user(String)
    case home
    case mentions
    case list(String)
    /// One that is found by its name.
    case listNamed(String)
    case bookmarks
    case likes
    case followers
    case following
  }

  package let feed: String
  private let requests: XRequests
  private let archive: Bool
  private var kind: Kind
  package var person: PersonLookUp?
  /// The account whose posts the endpoint has, once it is known.
  private var accountID: String?
  /// Finds a list by its name.
  private var finder: XListFinder?

  /// - Parameter archive: search all posts there ever were, not those of the last seven days.
  /// - Returns: `nil` for a source that has no pages.
  package init?(_ requests: XRequests, _ source: Source, archive: Bool = false) {
    func search(_ query: String) -> Kind { archive ? .searchAll(query) : .searchRecent(query) }
    switch source {
    case .hashtag(let tag): kind = search("#\(tag)")
    case .named("search", let query): kind = search(query)
    case .named("conversation", let id): kind = .conversation(id)
    case .named("user", let name): kind = .user(name)
    case .named("list", let name): kind = source.listName == nil ? .list(name) : .listNamed(name)
    case .home: kind = .home
    case .mentions: kind = .mentions
    case .bookmarks: kind = .bookmarks
    case .likes: kind = .likes
    case .followers: kind = .followers
    case .following: kind = .following
    default: return nil
    }
    self.requests = requests
    self.archive = archive
    feed = source.feed
    if Self.isOfAccount(source) { accountID = requests.userID }
    if case .user(let name) = kind { person = PersonLookUp(name, feed: feed) }
    if case .listNamed = kind { finder = XListFinder(requests) }
  }

  /// Whether a source has what is the signed-in account's own.
  package static func isOfAccount(_ source: Source) -> Bool {
    [.home, .mentions, .bookmarks, .likes, .followers, .following].contains(source)
  }

  /// Whether its pages are in the order of ids. Others have first what was bookmarked, liked or followed last.
  private var isOrdered: Bool {
    switch kind {
    case .bookmarks, .likes, .followers, .following: false
    default: true
    }
  }

  /// Of ids that do not tell the order of a page, only the page's token leads on.
  package var needsTokens: Bool { !isOrdered }

  package func postID(_ text: String) -> PostID { isOrdered ? PostID(text) : .text(text, order: nil) }

  package var endpoint: String {
    switch kind {
    case .searchRecent: "tweets/search/recent"
    case .searchAll: "tweets/search/all"
    case .conversation: archive ? "tweets/search/all" : "tweets/search/recent"
    case .user: "users/:id/tweets"
    case .home: "users/:id/timelines/reverse_chronological"
    case .mentions: "users/:id/mentions"
    case .list, .listNamed: "lists/:id/tweets"
    case .bookmarks: "users/:id/bookmarks"
    case .likes: "users/:id/liked_tweets"
    case .followers: "users/:id/followers"
    case .following: "users/:id/following"
    }
  }

  package var lookUpEndpoint: String {
    if let finder { return finder.endpoint }
    if case .conversation = kind { return "tweets" }
    if case .id = person?.question { return "users/:id" }
    return if case .user = kind { "users/by/username/:username" } else { "users/me" }
  }

  package var lookUp: HTTPRequest? {
    if let finder { return finder.request }
    if let person {
      return switch person.question {
      case .name(let name): requests.user(named: name)
      case .id(let id): requests.user(id: id)
      case nil: nil
      }
    }
    guard accountID == nil else { return nil }
    return switch kind {
    case .conversation(let id): requests.conversation(ofPost: id)
    case .home, .mentions, .bookmarks, .likes, .followers, .following: requests.me()
    case .user, .searchRecent, .searchAll, .list, .listNamed: nil
    }
  }

  package func reads(refusedLookUp answer: HTTPResponse) -> Bool { person?.reads(answer.status) ?? false }

  package var lookUpBilled: (kind: BilledKind, count: Int) {
    if case .conversation = kind { return (.posts, 1) }
    return finder?.billed ?? (.users, 1)
  }

  package mutating func readLookUp(_ answer: HTTPResponse) throws(ToolError) -> [String] {
    if case .listNamed(let name) = kind { return try readLists(answer, name) }
    if case .conversation(let id) = kind { return try readConversation(answer, id) }
    let user = try? JSONDocument(answer.body)["data"]
    let id = user?["id"]?.nonEmptyString
    if person != nil {
      try person?.read(id.map { ($0, user?["username"]?.nonEmptyString) }, problem: ServiceProblem(answer).text)
      accountID = person?.person?.id
      return id.map { [$0] } ?? []
    }
    guard let id else {
      throw .refused("the service does not say whose token this is: \(ServiceProblem(answer).text)")
    }
    accountID = id
    return [id]
  }

  /// A post that is gone may have begun a conversation that is still there.
  private mutating func readConversation(_ answer: HTTPResponse, _ id: String) throws(ToolError) -> [String] {
    guard let document = try? JSONDocument(answer.body), document.isObject else {
      throw .refused("the service does not say which conversation it is: \(ServiceProblem(answer).text)")
    }
    let post = document.read { $0.list("data").first?["conversation_id"]?.nonEmptyString }
    let query = "conversation_id:\(post ?? id)"
    kind = archive ? .searchAll(query) : .searchRecent(query)
    return post == nil ? [] : [id]
  }

  /// The own lists come first, so that those that the account follows are read only where none of its own has the name.
  private mutating func readLists(_ answer: HTTPResponse, _ name: String) throws(ToolError) -> [String] {
    guard var finder else { return [] }
    let ids = try finder.read(answer)
    self.finder = finder
    guard finder.hasAllOfOneKind else { return ids }
    if let list = try finder.lists.named(name) {
      (kind, self.finder) = (.list(list.id), nil)
    } else if finder.request == nil {
      throw finder.lists.noList(name)
    }
    return ids
  }

  /// The owner of an application pays less for the own posts and mentions (docs.x.com, "Owned Reads").
  package var billed: BilledKind {
    switch kind {
    case .user, .mentions: requests.ownsApp && accountID == requests.userID ? .owned : .posts
    case .searchRecent, .searchAll, .conversation, .home, .list, .listNamed, .bookmarks, .likes: .posts
    case .followers, .following: .users
    }
  }

  package var pageSizes: ClosedRange<Int> {
    switch kind {
    case .searchRecent, .conversation: 10...100
    case .searchAll: 10...500
    case .user, .mentions, .likes: 5...100
    case .home, .list, .listNamed, .bookmarks, .followers, .following: 1...100
    }
  }

  package var takesTimes: Bool {
    switch kind {
    case .list, .listNamed: false
    default: isOrdered
    }
  }

  package var pace: Int {
    if case .searchAll = kind { 1_000 } else { 0 }
  }

  package func page(_ range: PageRange) -> HTTPRequest {
    let id = accountID ?? ""
    return switch kind {
    case .searchRecent(let query): requests.searchRecent(query, range)
    case .conversation(let id): requests.searchRecent("conversation_id:\(id)", range)
    case .searchAll(let query): requests.searchAll(query, range)
    case .user: requests.userPosts(id: id, range)
    case .home: requests.home(id: id, range)
    case .mentions: requests.mentions(id: id, range)
    case .list(let list), .listNamed(let list): requests.listPosts(id: list, range)
    case .bookmarks: requests.bookmarks(id: id, range)
    case .likes: requests.likes(id: id, range)
    case .followers: requests.users("followers", id: id, range)
    case .following: requests.users("following", id: id, range)
    }
  }

  package func read(_ answer: HTTPResponse, _ range: PageRange, known: Set<PostID>, limit: Int?) -> FeedPage? {
    FeedPage(v2: answer, range, known: known, limit: limit, isOrdered: isOrdered)
  }

  package func refusal(_ answer: HTTPResponse) -> Refusal { Refusal(answer) }

  /// Recent search goes back seven days; two minutes less, for the time until the service looks at its clock.
  private static let recent: Int64 = 7 * 86_400_000 - 120_000

  package var reach: Int64? {
    switch kind {
    // tw-local has all posts, whatever their age.
    case .searchRecent, .conversation: requests.isLocal ? nil : Self.recent
    default: nil
    }
  }

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
    return switch kind {
    case .home, .mentions, .bookmarks, .likes, .followers, .following, .listNamed:
      .notAllowed("'\(feed)' needs a user's token, not an app's: \(text)")
    case .searchAll: .notAllowed("full-archive search is open to some accounts only: \(text)")
    case .searchRecent, .conversation, .user, .list: error
    }
  }

  package func firstID(at time: Timestamp) -> PostID? { isOrdered ? .first(at: time) : nil }
  package func lastID(before time: Timestamp) -> PostID? { isOrdered ? .last(before: time) : nil }
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
