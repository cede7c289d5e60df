import TweetCore
import TwitterText

/// Mastodon's timelines, in pages that ids bound.
extension Endpoint {
  static let mastodonTimelines = [
    Endpoint("GET", path: "/api/v1/timelines/home", limit: 300, access: .user()) { service, call in
      let authors = try service.homeAuthors(call.account)
      return try service.statuses(call) { authors.contains($0.authorID) }
    },
    Endpoint("GET", path: "/api/v1/timelines/public", limit: 300, access: .open) { service, call in
      let isEmpty = call.request.parameter("remote") == "true"
      return try service.statuses(call) { !isEmpty && MastodonSubscription.isPublic($0) }
    },
    Endpoint("GET", path: "/api/v1/timelines/tag/*", limit: 300, access: .open) { service, call in
      let isEmpty = call.request.parameter("remote") == "true"
      let tags = [call.pathValues[0]] + call.request.values("any[]")
      let all = call.request.values("all[]")
      let none = call.request.values("none[]")
      return try service.statuses(call) { post in
        guard !isEmpty, post.retweetOf == nil else { return false }
        return tags.contains { post.has(tag: $0) } && all.allSatisfy { post.has(tag: $0) }
          && !none.contains { post.has(tag: $0) }
      }
    },
    Endpoint("GET", path: "/api/v1/timelines/list/*", limit: 300, access: .user(.listRead)) { service, call in
      let authors = try service.store.members(of: service.ownList(call.pathValues[0], call))
      return try service.statuses(call) { authors.contains($0.authorID) }
    },
    Endpoint("GET", path: "/api/v1/lists", limit: 300, access: .user(.listRead)) { service, call in
      let lists = try service.store.lists(of: call.account.id)
      return ServerResponse(
        json: .array(
          lists.map {
            ["id": .id($0.id), "title": .string($0.name), "replies_policy": "list", "exclusive": false]
          }))
    },
    Endpoint("GET", path: "/api/v1/notifications", limit: 300, access: .user()) { try $0.notifications($1) },
    Endpoint("GET", path: "/api/v2/search", limit: 300, access: .user()) { try $0.mastodonSearch($1) },
  ]
}

extension Post {
  /// Whether its text has a hashtag.
  func has(tag: String) -> Bool {
    TextPart.find(in: text, .hashtags).contains { $0.value.lowercased() == tag.lowercased() }
  }
}

extension Service {
  /// The number of a list that the caller has made.
  func ownList(_ text: String?, _ call: Call) throws -> Int {
    let id = text.flatMap { Int($0) }
    guard let id, try store.lists(of: call.account.id).contains(where: { $0.id == id }) else { throw Problem.noRecord }
    return id
  }

  func mastodon(_ call: Call) -> MastodonView { MastodonView(reader: reader, viewer: call.viewer) }

  /// Posts of a page, and of one more where the request asks downwards: `min_id` asks for the page just above an id.
  private func mastodonPage(_ call: Call, where matches: (Post) throws -> Bool) throws -> [Post] {
    let request = call.request
    let count = try request.mastodonCount(default: 20, most: 40)
    func id(_ name: String) throws -> Int? {
      guard let text = request.parameter(name) else { return nil }
      guard let id = TimedID.id(mastodon: text) else { throw Problem.notValid("\(name) is not an id") }
      return id
    }
    var range = PostRange()
    range.before = try id("max_id") ?? .max
    range.after = try id("since_id") ?? 0
    guard let least = try id("min_id") else {
      return Array(try newestPosts(in: range, count: count, where: matches).prefix(count))
    }
    range.after = max(range.after, least)
    return try oldestPosts(in: range, count: count, where: matches).reversed()
  }

  func statuses(_ call: Call, where matches: (Post) throws -> Bool) throws -> ServerResponse {
    let posts = try mastodonPage(call, where: matches)
    return try page(posts.map(mastodon(call).status), ids: posts.map { TimedID.mastodon($0.id) }, call)
  }

  /// A page whose `Link` leads to the ones before and after it.
  func page(
    _ items: [JSON], ids: [String], _ call: Call, names: (older: String, newer: String) = ("max_id", "min_id")
  ) -> ServerResponse {
    var response = ServerResponse(json: .array(items))
    guard let first = ids.first, let last = ids.last else { return response }
    let kept = call.request.parameters.filter { !["max_id", "min_id", "since_id", "access_token"].contains($0.name) }
    func link(_ name: String, _ id: String) -> String {
      "\(site.base)\(call.request.rawPath)?\(PercentEncoding.form(kept.map { ($0.name, $0.value) } + [(name, id)]))"
    }
    response.headers.append(
      ("link", "<\(link(names.older, last))>; rel=\"next\", <\(link(names.newer, first))>; rel=\"prev\""))
    return response
  }

  fileprivate func notifications(_ call: Call) throws -> ServerResponse {
    let (account, view) = (try call.account, mastodon(call))
    let wanted = call.request.values("types[]")
    let unwanted = call.request.values("exclude_types[]")
    let posts = try mastodonPage(call) { post in
      guard let notice = try notice(post, of: account) else { return false }
      let type = MastodonView.type(of: notice)
      return (wanted.isEmpty || wanted.contains(type)) && !unwanted.contains(type)
    }
    let items = try posts.map { post in try view.notification(notice(post, of: account) ?? .mention, of: post) }
    return page(items, ids: posts.map { TimedID.mastodon($0.id) }, call)
  }

  /// Searches accounts and tags by their beginnings and posts by their words; an address finds its post.
  fileprivate func mastodonSearch(_ call: Call) throws -> ServerResponse {
    let text = call.request.parameter("q") ?? ""
    let kind = call.request.parameter("type")
    let count = try call.request.mastodonCount(default: 20, most: 40)
    let view = mastodon(call)
    var (accounts, posts, tags): ([LocalAccount], [Post], [String]) = ([], [], [])
    if !text.isEmpty {
      if kind != "statuses", kind != "hashtags", let account = try account(mastodon: text) {
        accounts = [account]
      }
      if text.contains("://") {
        // Posts of other servers are not here.
        let isOwn = text.hasPrefix(site.base + "/") || OwnLink.path(of: text) != nil
        if isOwn, kind != "accounts", kind != "hashtags",
          let id = text.split(separator: "/").last.flatMap({ TimedID.id(mastodon: $0) }), let post = try store.post(id)
        {
          posts = [post]
        }
      } else if kind == nil || kind == "statuses", let query = try? QueryParser.parse(text, as: .standard) {
        let found = try newestPosts(in: PostRange(), count: count) { post in
          try post.retweetOf == nil && query.matches(searchable(post, retweetsHaveWords: false))
        }
        posts = Array(found.prefix(count))
      }
      if kind == nil || kind == "hashtags", text.hasPrefix("#") { tags = [String(text.dropFirst()).lowercased()] }
    }
    return ServerResponse(
      json: [
        "accounts": .array(try accounts.map { try view.account($0) }), "statuses": .array(try posts.map(view.status)),
        "hashtags": .array(tags.map(view.tag)),
      ])
  }
}

extension ServerRequest {
  /// How many items a page has. As at Mastodon, a larger number is the largest, and what is not a number is the usual
  /// one.
  func mastodonCount(default usual: Int, most: Int) throws(Problem) -> Int {
    guard let count = parameter("limit").flatMap({ Int($0) }), count > 0 else { return usual }
    return min(count, most)
  }
}
