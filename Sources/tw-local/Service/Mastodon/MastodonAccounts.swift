import TweetCore

/// Accounts by Mastodon's API: who they are, their posts, and following them.
extension Endpoint {
  static let mastodonAccounts = [
    Endpoint("GET", path: "/api/v1/accounts/verify_credentials", limit: 300, access: .reading) { service, call in
      ServerResponse(json: try service.mastodon(call).account(try call.account, isOwn: true))
    },
    Endpoint("GET", path: "/api/v1/accounts/lookup", limit: 300, access: .open) { service, call in
      guard let account = try service.account(mastodon: call.request.parameter("acct") ?? "") else {
        throw Problem.noRecord
      }
      return ServerResponse(json: try service.mastodon(call).account(account))
    },
    Endpoint("GET", path: "/api/v1/accounts/search", limit: 300, access: .user()) { service, call in
      let found = try service.account(mastodon: call.request.parameter("q") ?? "")
      return ServerResponse(json: .array(try [found].compactMap { $0 }.map { try service.mastodon(call).account($0) }))
    },
    Endpoint("GET", path: "/api/v1/accounts/relationships", limit: 300, access: .user(.followsRead)) { service, call in
      let ids = call.request.values("id[]") + call.request.values("id")
      let accounts = try ids.prefix(40).compactMap { id in try TimedID.id(mastodon: id).flatMap(service.store.account) }
      return ServerResponse(json: .array(try accounts.map(service.mastodon(call).relationship)))
    },
    Endpoint("GET", path: "/api/v1/accounts/*", limit: 300, access: .open) { service, call in
      ServerResponse(json: try service.mastodon(call).account(service.pathAccount(call)))
    },
    Endpoint("GET", path: "/api/v1/accounts/*/statuses", limit: 300, access: .open) { service, call in
      let (account, request) = (try service.pathAccount(call), call.request)
      let leaves = { (name: String) in ["true", "1"].contains(request.parameter(name)) }
      return try service.statuses(call) { post in
        post.authorID == account.id && !(leaves("exclude_replies") && post.replyTo != nil)
          && !(leaves("exclude_reblogs") && post.retweetOf != nil) && !(leaves("only_media") && !post.hasMedia)
          && !leaves("pinned")
      }
    },
    Endpoint("GET", path: "/api/v1/accounts/*/followers", limit: 300, access: .open) {
      try $0.mastodonRelated(.followers, of: $0.pathAccount($1), most: 80, $1)
    },
    Endpoint("GET", path: "/api/v1/accounts/*/following", limit: 300, access: .open) {
      try $0.mastodonRelated(.following, of: $0.pathAccount($1), most: 80, $1)
    },
    Endpoint("POST", path: "/api/v1/accounts/*/follow", limit: 300, access: .user(.followsWrite)) {
      try $0.mastodonFollow(true, $1)
    },
    Endpoint("POST", path: "/api/v1/accounts/*/unfollow", limit: 300, access: .user(.followsWrite)) {
      try $0.mastodonFollow(false, $1)
    },
  ]

  /// What an account has marked.
  static let mastodonMarks = [
    Endpoint("GET", path: "/api/v1/bookmarks", limit: 300, access: .user(.bookmarkRead)) {
      try $0.mastodonRelated(.bookmarks, of: $1.account, most: 40, $1)
    },
    Endpoint("GET", path: "/api/v1/favourites", limit: 300, access: .user(.likeRead)) {
      try $0.mastodonRelated(.likes, of: $1.account, most: 40, $1)
    },
  ]
}

extension Service {
  /// The account of a name with or without the host.
  func account(mastodon name: String) throws -> LocalAccount? {
    let parts = name.drop { $0 == "@" }.split(separator: "@", omittingEmptySubsequences: false)
    guard let first = parts.first, parts.count == 1 || [MastodonView.host, site.authority].contains(String(parts[1]))
    else {
      return nil
    }
    return try store.account(named: String(first))
  }

  fileprivate func pathAccount(_ call: Call) throws -> LocalAccount {
    guard let account = try TimedID.id(mastodon: call.pathValues[0]).flatMap(store.account) else {
      throw Problem.noRecord
    }
    return account
  }

  fileprivate func mastodonFollow(_ isFollowing: Bool, _ call: Call) throws -> ServerResponse {
    let (followed, account) = (try pathAccount(call), try call.account)
    guard followed.id != account.id else { throw Problem.mastodon(status: 403, message: "This action is not allowed") }
    try store.write { () throws(ToolError) in try store.setFollow(isFollowing, of: followed.id, by: account.id) }
    return ServerResponse(json: try mastodon(call).relationship(with: followed))
  }

  /// Posts or accounts in the order in which they were marked; the numbers of that are in the `Link` alone.
  fileprivate func mastodonRelated(
    _ relation: Relation, of account: LocalAccount, most: Int, _ call: Call
  ) throws -> ServerResponse {
    let count = try call.request.mastodonCount(default: most / 2, most: most)
    let before = call.request.parameter("max_id").flatMap { Int($0) } ?? .max
    let found = try store.related(relation, to: account.id, before: before, limit: count)
    let view = mastodon(call)
    let items =
      switch relation {
      case .bookmarks, .likes: try found.compactMap { try store.post($0.id).map(view.status) }
      case .followers, .following: try found.compactMap { try store.account($0.id).map { try view.account($0) } }
      }
    return page(items, ids: found.map { String($0.number) }, call, names: ("max_id", "since_id"))
  }
}
