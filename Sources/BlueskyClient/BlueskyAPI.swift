import BlueskyNames
import TweetCore
package import TweetNet
package import TweetServices
package import TweetSources

/// Bluesky, as readers without an account have it: its AppView, and the live stream of Jetstream.
package struct BlueskyAPI: ServiceAPI {
  package init() {}

  package var service: any ServiceKind { BlueskyService() }
  package func signIn(at base: String) -> SignInService { SignInService(api: self, base: base) }
  package func tokenCheck(_ access: ServiceAccess) -> HTTPRequest {
    BlueskyRequests(access).get("com.atproto.server.getSession", [])
  }
  package func refusal(_ answer: HTTPResponse) -> Refusal { Refusal(bluesky: answer) }
  package var isOpen: Bool { true }
  package func reading(_ access: ServiceAccess, _ options: ReadOptions) -> any ReadAPI {
    BlueskyReading(requests: BlueskyRequests(access), streams: options.streamServers)
  }
}

private struct BlueskyReading: ReadAPI {
  let requests: BlueskyRequests
  /// Where the live stream is, if somebody says so.
  let streams: [String]

  func require(_ source: Source) throws(ToolError) {
    if case .named("search", _) = source { throw Self.needsAccount("'\(source.feed)'") }
    if source == .timeline("notifications"), requests.access.isAnonymous {
      throw .notAllowed("'notifications' needs an account of Bluesky")
    }
  }

  private static func needsAccount(_ what: String) -> ToolError {
    .notAllowed(
      "\(what) needs an account of Bluesky, whose search is for those alone, and this version cannot sign in there; "
        + "a hashtag without --once, and 'live:WORDS', need none")
  }

  func pages(of source: Source) throws(ToolError) -> any PagedSource {
    if source.hashtag != nil { throw Self.needsAccount("a search for '\(source.feed)'") }
    try require(source)
    if source == .timeline("notifications") { return BlueskyNotifications(feed: source.feed, requests: requests) }
    guard let pages = BlueskyPages(requests, source) else { throw .usage("Bluesky has no pages of '\(source.feed)'") }
    return pages
  }

  func lookUps() -> any LookUpSource { BlueskyLookUp(requests: requests) }

  func stream(_ sources: [Source]) -> LiveStream {
    .replayed(Jetstream(requests, sources, servers: JetstreamServers(streams, besides: requests.access.base)))
  }

  var searchLag: Int { 0 }
}
