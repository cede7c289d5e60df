package import Services
import TweetCore
package import TweetNet
package import TweetServices

/// X's API, versions 2 and 1.1, and that of tw-local, which has the same at an address of its own.
package struct XAPI: ServiceAPI {
  package let service: any ServiceKind
  private let isLocal: Bool

  package static let x = XAPI(service: XService(), isLocal: false)
  package static let local = XAPI(service: LocalService(), isLocal: true)

  package func signIn(at base: String) -> SignInService {
    // X's pages for people are on another host than its API.
    let isX = base == "https://api.x.com" || base == "https://api.twitter.com"
    return SignInService(
      api: self, base: base,
      oauth2: OAuth2Service(
        authorizeURL: (isX ? "https://x.com" : base) + "/i/oauth2/authorize", tokenURL: base + "/2/oauth2/token",
        revokeURL: base + "/2/oauth2/revoke",
        scopes: [
          "tweet.read", "tweet.write", "users.read", "follows.read", "follows.write", "like.read", "like.write",
          "bookmark.read", "bookmark.write", "list.read", "media.write", "offline.access",
        ], client: isLocal ? .known("tw") : .ofPerson, takesPasswords: isLocal),
      oauth1: OAuth1Service(
        requestTokenURL: base + "/oauth/request_token", authorizeURL: base + "/oauth/authorize",
        accessTokenURL: base + "/oauth/access_token"),
      application: ApplicationService(
        tokenURL: base + "/oauth2/token", invalidateURL: base + "/oauth2/invalidate_token"),
      portal: isLocal ? nil : "https://developer.x.com")
  }

  package func tokenCheck(_ access: ServiceAccess) -> HTTPRequest { XRequests(access).listRules(token: nil) }

  package func refusal(_ answer: HTTPResponse) -> Refusal { Refusal(answer) }

  package var readOptions: Set<String> { ["--api", "--archive", "--keep-rules", "--undelimited"] }

  package func reading(_ access: ServiceAccess, _ options: ReadOptions) -> any ReadAPI {
    XReading(access: access, requests: XRequests(access), options: options, isLocal: isLocal)
  }

  package func writing(_ access: ServiceAccess) -> (any WriteAPI)? { V2Writing(access) }
}

/// X's API for an account, in one of its versions.
private struct XReading: ReadAPI {
  let access: ServiceAccess
  let requests: XRequests
  let options: ReadOptions
  let isLocal: Bool

  func require(_ source: Source) throws(ToolError) {
    let what = "'\(source.feed)'"
    // Version 1.1 knows no scopes.
    if options.version == .v2 { try access.requireScopes(XRequests.scopes(for: source), for: what) }
    if V2Pages.isOfAccount(source) || source.listName != nil { try access.requireUser(for: what) }
  }

  func pages(of source: Source) throws(ToolError) -> any PagedSource {
    let pages: (any PagedSource)?
    switch options.version {
    case .v2: pages = V2Pages(requests, source, archive: options.searchesArchive)
    case .v1:
      if options.searchesArchive { throw .usage("--archive needs --api 2") }
      pages = V1Pages(requests, source)
    }
    guard let pages else {
      throw .usage("version \(options.version.rawValue) of the API has no '\(source.feed)'")
    }
    return pages
  }

  /// The streams of version 2 take "OAuth 2.0 App-Only" and nothing else (docs.x.com, "Authentication mapping").
  var givesStreamsToApplicationsAlone: Bool { !isLocal && options.version == .v2 }

  func lookUps() -> any LookUpSource { XLookUp(requests, options.version) }

  func lists() throws(ToolError) -> (any ListFinder)? {
    try access.require(XRequests.scopes(for: .named("list", "")), for: "a list")
    return XListFinder(requests)
  }

  func stream(_ sources: [Source]) -> LiveStream {
    let hashtags = sources == [.sample] ? nil : sources.compactMap(\.hashtag)
    if options.version == .v1 {
      return .connected(StatusesStream(requests, hashtags: hashtags, isDelimited: options.isDelimited))
    }
    guard let hashtags else { return .connected(SampleStream(requests)) }
    return .connected(FilteredStream(requests, hashtags: hashtags, keepsRules: options.keepsRules))
  }

  var searchLag: Int { isLocal ? 0 : 30_000 }
}
