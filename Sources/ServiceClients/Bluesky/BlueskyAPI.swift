package import Services
import TweetCore
package import TweetNet
package import TweetServices

/// Bluesky: its AppView, asked by itself or through the server of an account, and the live stream of Jetstream.
package struct BlueskyAPI: ServiceAPI {
  package init() {}

  package var service: any ServiceKind { BlueskyService() }
  package func signIn(at base: String) -> SignInService {
    SignInService(api: self, base: base, session: BlueskySession(), found: BlueskyOAuth())
  }
  package var findsServers: Bool { true }
  package func tokenCheck(_ access: ServiceAccess) -> HTTPRequest {
    BlueskyRequests(access).get("com.atproto.server.getSession", [])
  }
  package func refusal(_ answer: HTTPResponse) -> Refusal { Refusal(bluesky: answer) }
  package var isOpen: Bool { true }
  package func writing(_ access: ServiceAccess) -> (any WriteAPI)? { BlueskyWriting(requests: BlueskyRequests(access)) }
  package func reading(_ access: ServiceAccess, _ options: ReadOptions) -> any ReadAPI {
    BlueskyReading(requests: BlueskyRequests(access), streams: options.streamServers)
  }
}

private struct BlueskyReading: ReadAPI {
  let requests: BlueskyRequests
  /// Where the live stream is, if somebody says so.
  let streams: [String]

  func require(_ source: Source) throws(ToolError) {
    switch source {
    case .timeline: try requests.access.requireUser(for: "'\(source.feed)'")
    case .named("search", _): try requireAccount(for: "'\(source.feed)'")
    case .named("list", let name) where RecordAddress(name) == nil:
      try requests.access.requireUser(for: "'\(source.feed)'")
    default: break
    }
  }

  private func requireAccount(for what: String) throws(ToolError) {
    guard requests.access.isAnonymous else { return }
    throw .notAllowed(
      "\(what) needs an account of Bluesky, whose search is for those alone: run 'tw-auth login --service bluesky'; "
        + "a hashtag without --once, and 'live:WORDS', need none")
  }

  func pages(of source: Source) throws(ToolError) -> any PagedSource {
    if source.hashtag != nil { try requireAccount(for: "a search for '\(source.feed)'") }
    try require(source)
    guard let pages = BlueskyPages(requests, source) else { throw .usage("Bluesky has no pages of '\(source.feed)'") }
    return pages
  }

  func lists() throws(ToolError) -> (any ListFinder)? {
    try requests.access.requireUser(for: "'lists'")
    return BlueskyListFinder(requests, of: requests.reader)
  }

  func lookUps() -> any LookUpSource { BlueskyLookUp(requests: requests) }

  private var appView: String? { requests.access.isAnonymous ? requests.access.base : nil }

  func stream(_ sources: [Source]) -> LiveStream {
    .replayed(Jetstream(requests, sources, servers: JetstreamServers(streams, besides: appView)))
  }

  var searchLag: Int { 0 }
}
