import TweetAccounts
import TweetCore
import TweetNet
import TweetServices

/// Sign-in by an app password: `com.atproto.server.createSession` and what follows it.
struct BlueskySession: SessionService {
  var passwordName: String { "app password" }

  func begin(_ name: String, password: Secret, at base: String, caFile: String?) throws(ToolError) -> OpenedSession {
    let identity = try BlueskyIdentities.find(named: name, at: base, caFile: caFile)
    var body = ByteBuffer()
    body.object { out in
      out.member("identifier", identity.did)
      out.member("password", password.exposed)
    }
    var request = Self.procedure("createSession", at: identity.server)
    request.headers = [HTTPHeader("Content-Type", "application/json")]
    (request.body, request.secrets, request.caFile) = (body.array, [password], caFile)
    request.addresses = identity.addresses
    let answer = try SignInRequest.send(request)
    guard let document = try? JSONDocument(answer.body), let tokens = tokens(in: answer) else {
      throw Self.refusal(answer)
    }
    guard document["did"]?.string == identity.did else {
      throw .notAllowed("the server answers for another account than \(identity.did)")
    }
    let handle = identity.handle ?? document["handle"]?.nonEmptyString ?? identity.did
    return OpenedSession(base: identity.server, user: ServiceUser(id: identity.did, name: handle), tokens: tokens)
  }

  private static func refusal(_ answer: HTTPResponse) -> ToolError {
    let refusal = Refusal(bluesky: answer)
    if answer.isSuccess { return .refused("the server's answer has no session") }
    if refusal.text.hasPrefix("AuthFactorTokenRequired") {
      return .notAllowed("that is the account's own password: make an app password, under Settings at bsky.app")
    }
    return answer.status == 401 ? .notAllowed("not signed in: \(refusal.text)") : refusal.error
  }

  func renewal(by token: Secret, at base: String) -> HTTPRequest {
    var request = Self.procedure("refreshSession", at: base)
    request.credential = FixedCredential(bearer: token, at: base)
    return request
  }

  func tokens(in answer: HTTPResponse) -> TokenFile.Tokens? {
    guard answer.isSuccess, let document = try? JSONDocument(answer.body),
      let access = document["accessJwt"]?.nonEmptyString.map({ Secret($0) }), access.isToken,
      let refresh = document["refreshJwt"]?.nonEmptyString.map({ Secret($0) }), refresh.isToken
    else { return nil }
    return TokenFile.Tokens(access: access, refresh: refresh, expiresAt: Self.end(of: access))
  }

  /// When a token expires, which it says itself; `nil` for one that does not. The service has the last word.
  private static func end(of token: Secret) -> Timestamp? {
    let parts = token.exposed.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let claims = Crypto.bytes(base64: String(parts[1])),
      let seconds = (try? JSONDocument(claims))?["exp"]?.integer, (1...253_402_300_799).contains(seconds)
    else { return nil }
    return Timestamp(milliseconds: Int64(seconds) * 1000)
  }

  /// Servers say it with status 400, others of the protocol with 401.
  func isExpired(_ answer: HTTPResponse) -> Bool {
    (try? JSONDocument(answer.body))?["error"]?.equals("ExpiredToken") == true || answer.status == 401
  }

  func end(by token: Secret, at base: String) -> HTTPRequest {
    var request = Self.procedure("deleteSession", at: base)
    request.credential = FixedCredential(bearer: token, at: base)
    return request
  }

  /// Whoever sends it says which addresses the server may have.
  private static func procedure(_ name: String, at base: String) -> HTTPRequest {
    var request = HTTPRequest(.post, "\(base)/xrpc/com.atproto.server.\(name)", reaching: .publicOnly())
    request.body = []
    // Servers refuse an input where they expect none, and libcurl would name a type of it.
    request.headers = [HTTPHeader("Content-Type", "")]
    return request
  }
}
