package import TweetCore
package import TweetNet
package import TweetSources
package import TweetServices
import XNames

/// The posts of a SOURCE in the X API v2, page by page.
package struct V2Pages: PagedSource {
  private enum Kind {
    case searchRecent(String)
    case searchAll(String)
    case user(String)
    case home
    case mentions
    case list(String)
    case bookmarks
    case likes
    case followers
    case following
  }

  package let feed: String
  private let requests: XRequests
  private let kind: Kind
  /// The account whose posts the endpoint has, once it is known.
  private var accountID: String?

  /// - Parameter archive: search all posts there ever were, not those of the last seven days.
  /// - Returns: `nil` for a source that has no pages.
  package init?(_ requests: XRequests, _ source: Source, archive: Bool = false) {
    func search(_ query: String) -> Kind { archive ? .searchAll(query) : .searchRecent(query) }
    switch source {
    case .hashtag(let tag): kind = search("#\(tag)")
    case .named("search", let query): kind = search(query)
    case .named("conversation", let id): kind = search("conversation_id:\(id)")
    case .named("user", let name): kind = .user(name)
    case .named("list", let id): kind = .list(id)
    case .home: kind = .home
    case .mentions: kind = .mentions
    case .bookmarks: kind = .bookmarks
    case .likes: kind = .likes
    case .followers: kind = .followers
    case .following: kind = .following
    default: return nil
    }
    self.requests = requests
    feed = source.feed
    if Self.isOfAccount(source) { accountID = requests.userID }
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
    case .user: "users/:id/tweets"
    case .home: "users/:id/timelines/reverse_chronological"
    case .mentions: "users/:id/mentions"
    case .list: "lists/:id/tweets"
    case .bookmarks: "users/:id/bookmarks"
    case .likes: "users/:id/liked_tweets"
    case .followers: "users/:id/followers"
    case .following: "users/:id/following"
    }
  }

  package var lookUpEndpoint: String {
    if case .user = kind { "users/by/username/:username" } else { "users/me" }
  }

  package var lookUp: HTTPRequest? {
    guard accountID == nil else { return nil }
    return switch kind {
    case .user(let name): requests.user(named: name)
    case .home, .mentions, .bookmarks, .likes, .followers, .following: requests.me()
    case .searchRecent, .searchAll, .list: nil
    }
  }

  package mutating func readLookUp(_ answer: HTTPResponse) throws(ToolError) -> String? {
    guard let document = try? JSONDocument(answer.body), let id = document["data"]?["id"]?.nonEmptyString else {
      let problem = ServiceProblem(answer)
      if case .user(let name) = kind { throw .refused("no user '\(name)': \(problem.text)") }
      throw .refused("the service does not say whose token this is: \(problem.text)")
    }
    accountID = id
    return id
  }

  /// The owner of an application pays less for the own posts and mentions (docs.x.com, "Owned Reads").
  package var billed: BilledKind {
    switch kind {
    case .user, .mentions: requests.ownsApp && accountID == requests.userID ? .owned : .posts
    case .searchRecent, .searchAll, .home, .list, .bookmarks, .likes: .posts
    case .followers, .following: .users
    }
  }

  package var pageSizes: ClosedRange<Int> {
    switch kind {
    case .searchRecent: 10...100
    case .searchAll: 10...500
    case .user, .mentions, .likes: 5...100
    case .home, .list, .bookmarks, .followers, .following: 1...100
    }
  }

  package var takesTimes: Bool {
    if case .list = kind { false } else { isOrdered }
  }

  package var pace: Int {
    if case .searchAll = kind { 1_000 } else { 0 }
  }

  package func page(_ range: PageRange) -> HTTPRequest {
    let id = accountID ?? ""
    return switch kind {
    case .searchRecent(let query): requests.searchRecent(query, range)
    case .searchAll(let query): requests.searchAll(query, range)
    case .user: requests.userPosts(id: id, range)
    case .home: requests.home(id: id, range)
    case .mentions: requests.mentions(id: id, range)
    case .list(let list): requests.listPosts(id: list, range)
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
  private static let reach: Int64 = 7 * 86_400_000 - 120_000

  package func remedy(_ answer: HTTPResponse, _ range: PageRange) -> PageRemedy? {
    guard answer.status == 400 else { return nil }
    func complains(of name: String) -> Bool { ServiceProblem.names(name, in: answer) }
    if range.token != nil, complains(of: "next_token") || complains(of: "pagination_token") { return .withoutToken }
    let oldest = Timestamp(milliseconds: Timestamp.shown.milliseconds - Self.reach)
    if range.sinceID != nil, complains(of: "since_id") { return .begin(oldest) }
    if let since = range.since, since < oldest, complains(of: "start_time") { return .begin(oldest) }
    // Posts before it are older than seven days as well.
    if range.untilID != nil, complains(of: "until_id") { return .begin(oldest) }
    return nil
  }

  package func explain(_ error: ToolError) -> ToolError {
    guard case .notAllowed(let text) = error else { return error }
    return switch kind {
    case .home, .mentions, .bookmarks, .likes, .followers, .following:
      .notAllowed("'\(feed)' needs a user's token, not an app's: \(text)")
    case .searchAll: .notAllowed("full-archive search is open to some accounts only: \(text)")
    case .searchRecent, .user, .list: error
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
