package import Services
import TweetCore
package import TweetNet
package import TweetServices

/// Mastodon's API, at one of the servers that have it.
package struct MastodonAPI: ServiceAPI {
  private let server: MastodonService
  package var service: any ServiceKind { server }

  /// All servers; ``named(_:)`` gives one of them.
  package static let any = MastodonAPI(server: .any)

  private init(server: MastodonService) { self.server = server }

  package func named(_ name: String) -> (any ServiceAPI)? {
    MastodonService(named: name).map { MastodonAPI(server: $0) }
  }

  package var isOpen: Bool { true }

  package func signIn(at base: String) -> SignInService {
    SignInService(api: self, base: base, oauth2: MastodonSignIn(base: base).oauth2)
  }

  package func tokenCheck(_ access: ServiceAccess) -> HTTPRequest { MastodonRequests(access).ownAccount }
  package func refusal(_ answer: HTTPResponse) -> Refusal {
    Refusal(answer, ServiceAccess(anonymous: self, base: server.usualBase ?? "", caFile: nil))
  }
  package func reading(_ access: ServiceAccess, _ options: ReadOptions) -> any ReadAPI {
    MastodonReading(requests: MastodonRequests(access))
  }
  package func writing(_ access: ServiceAccess) -> (any WriteAPI)? { MastodonWriting(MastodonRequests(access)) }
}

private struct MastodonReading: ReadAPI {
  let requests: MastodonRequests
  private var access: ServiceAccess { requests.access }

  /// What is shown without an account; a server may show less.
  func require(_ source: Source) throws(ToolError) {
    switch source {
    case .named("conversation", let address) where address.contains("://"):
      try access.requireUser(for: "a post of another server")
    case .hashtag, .timeline("public"), .timeline("local"), .named("user", _), .named("conversation", _), .ids, .post:
      break
    default: try access.requireUser(for: "'\(source.feed)'")
    }
  }

  func pages(of source: Source) throws(ToolError) -> any PagedSource { try MastodonPages(requests, source) }
  func lookUps() -> any LookUpSource { MastodonLookUp(requests: requests) }

  func lists() throws(ToolError) -> (any ListFinder)? {
    try access.requireUser(for: "a list")
    return MastodonListFinder(requests)
  }

  func stream(_ sources: [Source]) -> LiveStream {
    .connected(MastodonStream(requests, sources.first ?? .timeline("public")))
  }

  func missingStream(of source: Source) -> String? {
    access.isAnonymous ? "a live stream of service '\(access.service)' needs an account" : nil
  }

  var pollsWithoutStream: Bool { true }
  var fillsGaps: Bool { true }
  var joinsHashtags: Bool { false }
  var searchLag: Int { 5_000 }
}
