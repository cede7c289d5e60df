import TweetCore

/// Mastodon's streams: server-sent events.
extension Endpoint {
  static let mastodonStreams = [
    Endpoint("GET", path: "/api/v1/streaming/health", limit: 300, access: .open) { _, _ in
      ServerResponse(status: 200, type: "text/plain; charset=utf-8", body: Array("OK".utf8))
    },
    stream("public") { _, _ in .publicPosts },
    stream("public/local") { _, _ in .publicPosts },
    stream("hashtag") { _, call in
      guard let tag = call.request.parameter("tag"), !tag.isEmpty else {
        throw Problem.mastodon(status: 400, message: "Missing tag name parameter")
      }
      return .hashtag(tag)
    },
    stream("hashtag/local") { _, call in .hashtag(call.request.parameter("tag") ?? "") },
    stream("user") { _, call in .home(try call.account) },
    stream("user/notification") { _, call in .notifications(try call.account) },
    stream("list") { service, call in
      .list(try service.ownList(call.request.parameter("list"), call))
    },
  ]

  /// As at Mastodon since version 4.2, a stream needs an account.
  private static func stream(
    _ path: String, _ timeline: @escaping @Sendable (isolated Service, Call) throws -> MastodonSubscription.Timeline
  ) -> Endpoint {
    Endpoint("GET", path: "/api/v1/streaming/\(path)", limit: 300, access: .user()) { service, call in
      let subscription = MastodonSubscription(timeline: try timeline(service, call))
      let queue = try service.streams.open(
        .mastodon(subscription), call.endpoint.name, of: call.caller.owner, keepAliveEvery: .seconds(15),
        keepAlive: StreamChunk(Array(":thump\n".utf8)))
      // Servers begin so, and clients see that they are connected.
      queue.append(StreamChunk(Array(":)\n".utf8)))
      return ServerResponse(
        status: 200, headers: [("content-type", "text/event-stream"), ("x-accel-buffering", "no")], body: .stream(queue)
      )
    }
  }
}

/// Which posts a stream of Mastodon's API gets.
struct MastodonSubscription: Sendable {
  enum Timeline: Sendable {
    case publicPosts
    case hashtag(String)
    /// The posts of those whom an account follows, and what it is told of.
    case home(LocalAccount)
    case notifications(LocalAccount)
    case list(Int)
  }

  let timeline: Timeline

  /// Whether a post is in the public timeline: no boost, and no answer to somebody else.
  static func isPublic(_ post: Post) -> Bool {
    post.retweetOf == nil && (post.replyTo == nil || post.replyToAuthor == post.authorID)
  }

  static func event(_ name: String, _ payload: [UInt8]) -> StreamChunk {
    StreamChunk(Array("event: \(name)\ndata: ".utf8) + payload + Array("\n\n".utf8))
  }
}

extension Service {
  /// Whether a stream gets a post, and the account whose stream it is if that may be told of it.
  func audience(_ subscription: MastodonSubscription, _ post: Post) throws -> (isShown: Bool, told: LocalAccount?) {
    switch subscription.timeline {
    case .publicPosts: (MastodonSubscription.isPublic(post), nil)
    case .hashtag(let tag): (post.retweetOf == nil && post.has(tag: tag), nil)
    case .home(let account): (try homeAuthors(account).contains(post.authorID), account)
    case .notifications(let account): (false, account)
    case .list(let id): (try store.members(of: id).contains(post.authorID), nil)
    }
  }

  /// Sends a new post to the streams of Mastodon's API that want it. Its bytes are made once.
  func sendToMastodon(_ post: Post) throws {
    var update: StreamChunk?
    let view = MastodonView(reader: reader)
    for (subscription, queue) in streams.mastodon {
      let (isShown, told) = try audience(subscription, post)
      if isShown {
        let chunk = try update ?? MastodonSubscription.event("update", view.status(post).bytes)
        update = chunk
        queue.append(chunk)
      }
      if let told, let notice = try notice(post, of: told) {
        queue.append(MastodonSubscription.event("notification", try view.notification(notice, of: post).bytes))
      }
    }
  }
}
