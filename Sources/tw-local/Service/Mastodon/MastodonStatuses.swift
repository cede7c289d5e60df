import TweetCore
import TwitterText

/// Reading, writing and marking posts by Mastodon's API, and what they show.
extension Endpoint {
  private static let media = Access(scopes: [.mediaWrite], needsUser: true)

  static let mastodonStatuses = [
    Endpoint("GET", path: "/api/v1/statuses", limit: 300, access: .open) { service, call in
      let posts = try call.request.values("id[]").prefix(40).compactMap {
        try TimedID.id(mastodon: $0).flatMap(service.store.post)
      }
      return ServerResponse(json: .array(try posts.map(service.mastodon(call).status)))
    },
    Endpoint("GET", path: "/api/v1/statuses/*", limit: 300, access: .open) { service, call in
      ServerResponse(json: try service.mastodon(call).status(service.pathPost(call)))
    },
    Endpoint("GET", path: "/api/v1/statuses/*/context", limit: 300, access: .open) { service, call in
      let (ancestors, descendants) = try service.context(of: service.pathPost(call))
      let view = service.mastodon(call)
      return ServerResponse(
        json: [
          "ancestors": .array(try ancestors.map(view.status)), "descendants": .array(try descendants.map(view.status)),
        ])
    },
    Endpoint("POST", path: "/api/v1/statuses", limit: 300, access: .user(.tweetWrite)) { try $0.postStatus($1) },
    Endpoint("DELETE", path: "/api/v1/statuses/*", limit: 30, access: .user(.tweetWrite)) { service, call in
      guard let post = try service.ownPost(service.pathPost(call).id, of: call.account) else { throw Problem.noRecord }
      let view = service.mastodon(call)
      guard case .object(let members) = try view.status(post) else { throw Problem.noRecord }
      try service.delete(post)
      // The text as it was written, so that it can be written anew.
      return ServerResponse(json: .object(members + [("text", .string(post.text))]))
    },
    mark("reblog", .tweetWrite) { service, post, account in
      try service.store.retweet(of: post.id, by: account.id)
        ?? service.publish(Draft(author: account.id, retweetOf: post.id))
    },
    mark("unreblog", .tweetWrite) { service, post, account in
      if let retweet = try service.store.retweet(of: post.id, by: account.id) { try service.delete(retweet) }
      return post
    },
    mark("favourite", .likeWrite) { service, post, account in
      try service.setLike(true, of: post, by: account)
      return post
    },
    mark("unfavourite", .likeWrite) { service, post, account in
      try service.setLike(false, of: post, by: account)
      return post
    },
    mark("bookmark", .bookmarkWrite) { service, post, account in
      try service.setBookmark(true, of: post.id, by: account)
      return post
    },
    mark("unbookmark", .bookmarkWrite) { service, post, account in
      try service.setBookmark(false, of: post.id, by: account)
      return post
    },
    Endpoint("POST", path: "/api/v2/media", limit: 30, access: media) { try $0.postMedia($1) },
    Endpoint("POST", path: "/api/v1/media", limit: 30, access: media) { try $0.postMedia($1) },
    Endpoint("GET", "PUT", path: "/api/v1/media/*", limit: 300, access: media) { service, call in
      let media = try service.upload(Int(call.pathValues[0]), of: call.account)
      if call.request.method == "PUT" {
        try service.describe(media, as: call.request.parameter("description") ?? "")
      }
      return try service.mastodonAnswer(media.id, call)
    },
  ]

  /// A request that marks a post, or undoes that.
  /// - Parameter change: gives the post that the answer shows, as it is after the change.
  private static func mark(
    _ name: String, _ scope: Scope,
    _ change: @escaping @Sendable (isolated Service, Post, LocalAccount) throws -> Post
  ) -> Endpoint {
    Endpoint("POST", path: "/api/v1/statuses/*/\(name)", limit: 300, access: .user(scope)) { service, call in
      let post = try service.originalPost(service.pathPost(call).id)
      let shown = try change(service, post, call.account)
      return ServerResponse(json: try service.mastodon(call).status(service.store.post(shown.id) ?? shown))
    }
  }
}

extension Service {
  fileprivate func pathPost(_ call: Call) throws -> Post {
    guard let post = try TimedID.id(mastodon: call.pathValues[0]).flatMap(store.post) else { throw Problem.noRecord }
    return post
  }

  /// Longest key, in bytes.
  private static let longestKey = 256

  /// Posts once for each `Idempotency-Key` of an account, for as long as the post is there.
  fileprivate func postStatus(_ call: Call) throws -> ServerResponse {
    let account = try call.account
    var key: ItemKey?
    if let text = call.request.headers["idempotency-key"], !text.isEmpty {
      guard text.utf8.count <= Self.longestKey else { throw Problem.notValid("Idempotency-Key is too long") }
      key = ItemKey(account: account.id, space: ItemKey.idempotency, key: text)
    }
    let known = try key.flatMap { try store.item($0) }.flatMap(store.post)
    let post = try known ?? post(try statusDraft(call), key: key, isX: false)
    return ServerResponse(json: try mastodon(call).status(post))
  }

  private func statusDraft(_ call: Call) throws -> Draft {
    let request = call.request
    var draft = Draft(author: try call.account.id)
    draft.text = withoutOwnHost(request.parameter("status") ?? "")
    guard Self.statusLength(draft.text) <= Self.longestStatus else { throw Problem.post(.tooLong) }
    for (name, action) in [("in_reply_to_id", "reply to"), ("quoted_status_id", "quote")] {
      guard let text = request.parameter(name), !text.isEmpty else { continue }
      guard let post = try TimedID.id(mastodon: text).flatMap(store.post) else {
        throw Problem.post(.targetGone(action: action))
      }
      let shown = try reader.original(of: post) ?? post
      if name == "quoted_status_id" { draft.quoteOf = shown.id } else { draft.replyTo = shown.id }
    }
    // What would be shown to more people than it is meant for is not posted.
    guard ["public", "unlisted", ""].contains(request.parameter("visibility") ?? "") else {
      throw Problem.notValid("Visibility is not one that this service has: all its posts are public")
    }
    guard (request.parameter("spoiler_text") ?? "").isEmpty else {
      throw Problem.notValid("Spoiler text is nothing that this service has")
    }
    guard request.parameter("scheduled_at") == nil else {
      throw Problem.notValid("Scheduled at is nothing that this service has")
    }
    draft.language = request.parameter("language").flatMap { $0.isEmpty ? nil : Language.stored($0) }
    let media = request.values("media_ids[]").compactMap { Int($0) }
    guard media.count <= 4 else { throw Problem.notValid("Cannot attach more than 4 files") }
    draft.media = try readyMedia(media, of: call.account)
    draft.poll = try poll(request)
    guard draft.poll == nil || draft.media.isEmpty else { throw Problem.notValid("Cannot attach files to a poll") }
    draft.source = "Mastodon"
    return draft
  }

  /// A text in which those of this service have no host, as their names are elsewhere.
  private func withoutOwnHost(_ text: String) -> String {
    // A longer name that begins so is another host.
    text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      guard word.hasPrefix("@"), let range = word.firstRange(of: "@\(MastodonView.host)"),
        range.lowerBound != word.startIndex,
        range.upperBound == word.endIndex || ".,;:!?)\n".contains(word[range.upperBound])
      else { return String(word) }
      return String(word[..<range.lowerBound] + word[range.upperBound...])
    }.joined(separator: " ")
  }

  /// Characters as Mastodon counts them: 23 for a link.
  private static func statusLength(_ text: String) -> Int {
    TextPart.find(in: text, .urls).reduce(text.count) { $0 + 23 - $1.range.count }
  }

  private func poll(_ request: ServerRequest) throws(Problem) -> Draft.Poll? {
    let options = request.values("poll[options][]").map { String($0) }
    if options.isEmpty { return nil }
    guard Self.mastodonOptions.contains(options.count),
      options.allSatisfy({ !$0.isEmpty && $0.count <= Self.longestOption })
    else { throw .notValid("Poll must have 2 to 4 options of up to \(Self.longestOption) characters") }
    guard let seconds = request.parameter("poll[expires_in]").flatMap({ Int($0) }), Self.pollSeconds.contains(seconds)
    else {
      throw .notValid("Poll's duration is too short or too long")
    }
    return Draft.Poll(options: options, minutes: (seconds + 59) / 60)
  }

  fileprivate func postMedia(_ call: Call) throws -> ServerResponse {
    let account = try call.account
    let media = try uploadPicture(MultipartForm(call.request)?["file"] ?? [], for: account)
    if let text = call.request.parameter("description"), !text.isEmpty { try describe(media, as: text) }
    return try mastodonAnswer(media.id, call)
  }

  fileprivate func mastodonAnswer(_ id: Int, _ call: Call) throws -> ServerResponse {
    guard let media = try store.media(id) else { throw Problem.noRecord }
    return ServerResponse(json: mastodon(call).attachment(PostMedia(media)))
  }
}
