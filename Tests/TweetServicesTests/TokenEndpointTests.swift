import ServiceClients
import TestSupport
import Testing
import TweetAccounts
import TweetCore
import TweetNet

@testable import TweetServices

/// The servers that give out tokens: which addresses they may have, and who gets what.
@Suite(.onOwnThread) struct TokenEndpointTests {
  private func server(at base: String) -> AuthorizationServer {
    AuthorizationServer(
      issuer: base, pushURL: base + "/par", authorizeURL: base + "/authorize", tokenURL: base + "/token",
      revokeURL: base + "/revoke", base: "https://pds.example", user: ServiceUser(id: "did:plc:a", name: "a.example"),
      addresses: .publicOnly())
  }

  /// A server that was found, and whose name leads to a private address by now, is not asked: neither for a page, nor
  /// for tokens, nor to renew or revoke them.
  @Test func aPrivateAddressIsNotAsked() throws {
    let inside = try LoopbackServer { _ in .answer(200, "{}") }
    let service = XAPI.local.signIn(at: "https://pds.example")
    let signIn = try OAuth2SignIn(
      at: server(at: inside.base), of: service, key: try ES256Key(), clientID: "tw", redirect: "http://127.0.0.1/",
      scopes: ["atproto"], caFile: nil)
    let endpoint = service.endpoint(
      inside.base + "/token", clientID: "tw", clientSecret: nil, caFile: nil, reaching: .publicOnly())
    let attempts: [() throws -> Void] = [
      { _ = try signIn.pushedPage(inside.base + "/par", name: "a.example") },
      { _ = try signIn.exchange(Secret("code")) }, { _ = try SignInRequest.send(endpoint.refresh(Secret("r"))) },
      { try OAuth2SignIn.revoke(Secret("t"), endpoint) },
    ]
    for attempt in attempts {
      let error = #expect(throws: ToolError.self) { try attempt() }
      #expect(error?.status == .notAllowed && error?.message?.contains("is not a public address") == true)
    }
    #expect(inside.requests.isEmpty)
  }

  /// Requests for tokens are for the endpoint alone.
  @Test func theCredentialIsOfTheEndpoint() throws {
    let service = XAPI.x.signIn(at: "https://api.x.com")
    for secret in [nil, Secret("s")] {
      let endpoint = service.endpoint(
        "https://api.x.com/2/oauth2/token", clientID: "c", clientSecret: secret, caFile: nil, reaching: .any)
      #expect(endpoint.request([], secrets: []).credential?.origin == "https://api.x.com")
      let bound = endpoint.bound(to: try ES256Key()).at("https://evil.example/token")
      #expect(bound.request([], secrets: []).credential?.origin != "https://evil.example" || secret != nil)
    }
  }
}
