import TweetCore

/// Bluesky's AppView: feeds, threads, search and notifications.
extension Endpoint {
  static let blueskyFeeds = [
    Endpoint("GET", path: "/xrpc/app.bsky.feed.getTimeline", limit: 3000, access: .user()) { service, call in
      let authors = try service.homeAuthors(call.account)
      return try service.feed(call) { authors.contains($0.authorID) }
    },
    Endpoint("GET", path: "/xrpc/app.bsky.feed.getAuthorFeed", limit: 3000, access: .open) { service, call in
      let account = try service.actor(call)
      let filter = call.request.parameter("filter") ?? "posts_with_replies"
      return try service.feed(call, author: account.id) { post in
        switch filter {
        case "posts_no_replies": post.replyTo == nil
        case "posts_and_author_threads": post.replyTo == nil || post.replyToAuthor == account.id
        case "posts_with_media", "posts_with_video": post.hasMedia
        default: true
        }
      }
    },
    Endpoint("GET", path: "/xrpc/app.bsky.feed.getPosts", limit: 3000, access: .open) { service, call in
      let uris = call.request.values("uris")
      guard (1...25).contains(uris.count) else { throw Problem.invalidRequest("uris must have 1 to 25 elements") }
      let posts = try uris.compactMap(service.post(at:)).filter { $0.retweetOf == nil }
      return ServerResponse(json: ["posts": .array(try posts.map(service.bluesky(call).post))])
    },
    Endpoint("GET", path: "/xrpc/app.bsky.feed.getPostThread", limit: 3000, access: .open) { try $0.postThread($1) },
    // As at Bluesky, who searches must be signed in.
    Endpoint("GET", path: "/xrpc/app.bsky.feed.searchPosts", limit: 3000, access: .user()) { try $0.blueskySearch($1) },
    Endpoint("GET", path: "/xrpc/app.bsky.feed.getActorLikes", limit: 3000, access: .user(.likeRead)) { service, call in
      let account = try service.actor(call)
      guard try account.id == call.account.id else {
        throw Problem.bluesky(status: 400, error: "InvalidRequest", message: "Profile not found")
      }
      return try service.marked(.likes, "feed", call) { try service.bluesky(call).item($0) }
    },
    Endpoint("GET", path: "/xrpc/app.bsky.bookmark.getBookmarks", limit: 3000, access: .user(.bookmarkRead)) {
      service, call in
      let view = service.bluesky(call)
      return try service.marked(.bookmarks, "bookmarks", call) { post in
        [
          "subject": try view.reference(view.uri(of: post)), "item": try view.post(post),
          "createdAt": .string(post.createdAt.rfc3339),
        ]
      }
    },
    Endpoint("POST", path: "/xrpc/app.bsky.bookmark.createBookmark", limit: 3000, access: .user(.bookmarkWrite)) {
      try $0.bookmark(true, $1)
    },
    Endpoint("POST", path: "/xrpc/app.bsky.bookmark.deleteBookmark", limit: 3000, access: .user(.bookmarkWrite)) {
      try $0.bookmark(false, $1)
    },
    Endpoint("GET", path: "/xrpc/app.bsky.notification.listNotifications", limit: 3000, access: .user()) {
      try $0.listNotifications($1)
    },
  ]

  static let blueskyPeople = [
    Endpoint("GET", path: "/xrpc/app.bsky.actor.getProfile", limit: 3000, access: .open) { service, call in
      ServerResponse(json: try service.bluesky(call).profile(service.actor(call), isDetailed: true))
    },
    Endpoint("GET", path: "/xrpc/app.bsky.actor.getProfiles", limit: 3000, access: .open) { service, call in
      let names = call.request.values("actors")
      guard (1...25).contains(names.count) else { throw Problem.invalidRequest("actors must have 1 to 25 elements") }
      let accounts = try names.compactMap(service.account(bluesky:))
      let view = service.bluesky(call)
      return ServerResponse(json: ["profiles": .array(try accounts.map { try view.profile($0, isDetailed: true) })])
    },
    Endpoint("GET", path: "/xrpc/app.bsky.graph.getFollowers", limit: 3000, access: .open) {
      try $0.people(.followers, "followers", $1)
    },
    Endpoint("GET", path: "/xrpc/app.bsky.graph.getFollows", limit: 3000, access: .open) {
      try $0.people(.following, "follows", $1)
    },
  ]
}

extension Service {
  func bluesky(_ call: Call) -> BlueskyView { BlueskyView(reader: reader, viewer: call.viewer) }

  /// The account that a request is about.
  func actor(_ call: Call) throws -> LocalAccount {
    guard let account = try account(bluesky: call.request.parameter("actor") ?? "") else {
      throw Problem.invalidRequest("Profile not found")
    }
    return account
  }

  /// How many a page has, and below which number.
  func page(_ call: Call, most: Int) throws(Problem) -> (count: Int, before: Int) {
    let (limit, cursor) = (call.request.parameter("limit"), call.request.parameter("cursor"))
    let count = limit.map { Int($0) ?? 0 } ?? 50
    guard (1...most).contains(count) else {
      throw .invalidRequest("limit must be an integer from 1 to \(most)")
    }
    guard let before = cursor.map({ Int($0) }) ?? .max else { throw .invalidRequest("Malformed cursor") }
    return (count, before)
  }

  func listAnswer(_ members: JSON.Members, after last: Int?) -> ServerResponse {
    ServerResponse(json: .object(members + (last.map { [("cursor", .id($0))] } ?? [])))
  }

  func feed(_ call: Call, author: Int? = nil, where matches: (Post) throws -> Bool) throws -> ServerResponse {
    let (posts, last) = try posts(call, author: author, where: matches)
    return listAnswer([("feed", .array(try posts.map(bluesky(call).item)))], after: last)
  }

  /// The posts of a page, and what leads to the next one.
  private func posts(
    _ call: Call, author: Int? = nil, where matches: (Post) throws -> Bool
  ) throws -> (posts: [Post], last: Int?) {
    let (count, before) = try page(call, most: 100)
    var range = PostRange()
    range.before = before
    let found = try newestPosts(in: range, count: count, author: author, where: matches)
    let shown = Array(found.prefix(count))
    return (shown, found.count > count ? shown.last?.id : nil)
  }

  /// Levels of a thread. The lexicon allows a thousand; each is inside the one before.
  private static let mostLevels = 100

  fileprivate func postThread(_ call: Call) throws -> ServerResponse {
    let request = call.request
    guard let post = try post(at: request.parameter("uri") ?? ""), post.retweetOf == nil else {
      throw Problem.bluesky(
        status: 400, error: "NotFound", message: "Post not found: \(request.parameter("uri") ?? "")")
    }
    func level(_ name: String, usual: Int) throws(Problem) -> Int {
      guard let text = request.parameter(name) else { return usual }
      guard let number = Int(text), (0...1000).contains(number) else {
        throw .invalidRequest("\(name) must be 0 to 1000")
      }
      return min(number, Self.mostLevels)
    }
    let thread = try bluesky(call).thread(
      post, among: store.conversation(post.conversationID), depth: level("depth", usual: 6),
      height: level("parentHeight", usual: 80))
    return ServerResponse(json: ["thread": thread])
  }

  fileprivate func blueskySearch(_ call: Call) throws -> ServerResponse {
    let text = call.request.parameter("q") ?? ""
    guard let query = try? QueryParser.parse(text, as: .standard) else {
      throw Problem.invalidRequest("q is not a query")
    }
    let (posts, last) = try posts(call) { post in
      try post.retweetOf == nil && query.matches(searchable(post, retweetsHaveWords: false))
    }
    return listAnswer([("posts", .array(try posts.map(bluesky(call).post)))], after: last)
  }

  /// What an account has marked, in the order in which it did that.
  fileprivate func marked(
    _ relation: Relation, _ name: String, _ call: Call, _ item: (Post) throws -> JSON
  ) throws -> ServerResponse {
    let (count, before) = try page(call, most: 100)
    let (ids, next) = try related(relation, to: call.account.id, before: before, count: count)
    let items = try ids.compactMap { try store.post($0).map(item) }
    return listAnswer([(name, .array(items))], after: next)
  }

  fileprivate func people(_ relation: Relation, _ name: String, _ call: Call) throws -> ServerResponse {
    let (account, view) = (try actor(call), bluesky(call))
    let (count, before) = try page(call, most: 100)
    let (ids, next) = try related(relation, to: account.id, before: before, count: count)
    let people = try ids.compactMap { try store.account($0).map { try view.profile($0) } }
    return listAnswer([("subject", try view.profile(account)), (name, .array(people))], after: next)
  }

  fileprivate func bookmark(_ isBookmarked: Bool, _ call: Call) throws -> ServerResponse {
    let account = try call.account
    let uri = (try? JSONDocument(call.request.body))?["uri"]?.string
    guard let post = try uri.flatMap(post(at:)) else { throw Problem.invalidRequest("There is no such post") }
    try setBookmark(isBookmarked, of: post.id, by: account)
    return ServerResponse(status: 200)
  }

  fileprivate func listNotifications(_ call: Call) throws -> ServerResponse {
    let (account, view) = (try call.account, bluesky(call))
    let reasons = call.request.values("reasons")
    func notification(_ post: Post) throws -> PostNotice? {
      guard let notice = try notice(post, of: account) else { return nil }
      return reasons.isEmpty || reasons.contains(BlueskyView.reason(of: notice)) ? notice : nil
    }
    let (posts, last) = try posts(call) { try notification($0) != nil }
    let items = try posts.map { try view.notification(notification($0) ?? .mention, of: $0) }
    return listAnswer([("notifications", .array(items))], after: last)
  }
}
