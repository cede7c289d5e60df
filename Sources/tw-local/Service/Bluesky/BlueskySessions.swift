import TweetAccounts
import TweetCore

/// Sessions, names, and the documents of DIDs: this service is a server of accounts, its AppView, and the directory at
/// once.
extension Endpoint {
  static let blueskySessions = [
    Endpoint("GET", path: "/xrpc/com.atproto.server.getSession", limit: 3000, access: .user()) { service, call in
      ServerResponse(json: .object(service.session(try call.account)))
    },
    Endpoint("GET", path: "/xrpc/com.atproto.server.describeServer", limit: 3000, access: .open) { _, _ in
      ServerResponse(json: ["did": "did:web:localhost", "availableUserDomains": [".test"], "inviteCodeRequired": false])
    },
    Endpoint("GET", path: "/xrpc/com.atproto.identity.resolveHandle", limit: 3000, access: .open) { service, call in
      let handle = call.request.parameter("handle") ?? ""
      guard let account = try BlueskyName.username(handle: handle).flatMap(service.store.account) else {
        throw Problem.invalidRequest("Unable to resolve handle")
      }
      return ServerResponse(json: ["did": .string(BlueskyName.did(account.id))])
    },
  ]

  /// The last table, since its path is that of whatever has one part.
  static let blueskyDirectory = [
    Endpoint("GET", path: "/*", limit: 3000, access: .open) { service, call in
      guard call.pathValues[0].hasPrefix("did:") else { throw Problem.noSuchPage }
      guard let account = try BlueskyName.account(did: call.pathValues[0]).flatMap(service.store.account) else {
        return ServerResponse(status: 404, json: ["message": .string("DID not registered: \(call.pathValues[0])")])
      }
      return ServerResponse(json: service.document(of: account))
    }
  ]
}

extension Service {
  /// What session tokens are kept under.
  private static let sessionClient = "bluesky"
  /// How long a refresh token lives, and how long one may be used again, in milliseconds, as at Bluesky's servers.
  private static let refreshLife: Int64 = 90 * 86_400_000
  private static let refreshGrace: Int64 = 2 * 3_600_000

  fileprivate func document(of account: LocalAccount) -> JSON {
    let did = BlueskyName.did(account.id)
    let server: JSON.Members = [
      ("id", "#atproto_pds"), ("type", "AtprotoPersonalDataServer"),
      ("serviceEndpoint", .string(site.base)),
    ]
    return [
      "@context": ["https://www.w3.org/ns/did/v1"], "id": .string(did),
      "alsoKnownAs": [.string("at://" + BlueskyName.handle(account.username))], "verificationMethod": [],
      "service": [.object(server)],
    ]
  }

  fileprivate func session(_ account: LocalAccount) -> JSON.Members {
    [
      ("did", .string(BlueskyName.did(account.id))), ("handle", .string(BlueskyName.handle(account.username))),
      ("active", true), ("didDoc", document(of: account)),
    ]
  }

  /// The account of a handle or a DID.
  func account(bluesky name: String) throws -> LocalAccount? {
    if name.hasPrefix("did:") { return try BlueskyName.account(did: name).flatMap(store.account) }
    return try BlueskyName.username(handle: name).flatMap(store.account)
  }

  // MARK: Beginning, renewing and ending

  /// Answers what begins, renews or ends a session; `nil` for any other request.
  nonisolated func answerSession(_ request: ServerRequest) async -> ServerResponse? {
    let names = ["createSession", "refreshSession", "deleteSession"].map { "com.atproto.server." + $0 }
    guard request.path.count == 2, request.path[0] == "xrpc", let index = names.firstIndex(of: request.path[1]) else {
      return nil
    }
    do {
      guard request.method == "POST" else { throw Problem.wrongMethod }
      return switch index {
      case 0: try await createSession(request)
      case 1: try await refreshSession(request)
      default: try await deleteSession(request)
      }
    } catch {
      return Self.refusal(error, in: .bluesky)
    }
  }

  /// An app password is the password of the account here.
  private nonisolated func createSession(_ request: ServerRequest) async throws -> ServerResponse {
    let document = try? JSONDocument(request.body)
    guard let name = document?["identifier"]?.string, let password = document?["password"]?.string else {
      throw Problem.invalidRequest("Input must have the properties \"identifier\" and \"password\"")
    }
    let known = try await account(bluesky: name)
    do throws(SignInFault) {
      let username = known?.username ?? BlueskyName.username(handle: name) ?? name
      return try await newSession(signIn(username, password, from: request.address))
    } catch {
      if case .wrongPassword = error {
        throw Problem.bluesky(status: 401, error: "AuthenticationRequired", message: "Invalid identifier or password")
      }
      throw Problem.bluesky(
        status: error.status, error: error.status == 429 ? "RateLimitExceeded" : "InternalServerError",
        message: error.message)
    }
  }

  private func newSession(_ account: LocalAccount) throws(SignInFault) -> ServerResponse {
    try reading { () throws(ToolError) in
      try store.write { () throws(ToolError) in try newTokens(account, grant: store.newID(at: .now)) }
    }
  }

  private func newTokens(_ account: LocalAccount, grant: Int) throws(ToolError) -> ServerResponse {
    let now = Timestamp.now
    var members = session(account)
    for (name, kind, life, scope) in [
      ("accessJwt", LocalStore.Token.Kind.access, signInState.tokenLife, "com.atproto.appPass"),
      ("refreshJwt", .refresh, Self.refreshLife, "com.atproto.refresh"),
    ] {
      let end = Timestamp(milliseconds: now.milliseconds + life)
      let claims: JSON = [
        "scope": .string(scope), "sub": .string(BlueskyName.did(account.id)), "aud": "did:web:localhost",
        "iat": .number(Int(now.milliseconds / 1000)), "exp": .number(Int(end.milliseconds / 1000)),
      ]
      // In the form of a JWT, since clients read when it ends. What proves it is the random part, where others have a
      // signature.
      let head: JSON = ["typ": "at+jwt", "alg": "HS256"]
      let token = LocalStore.Token(
        kind: kind, client: Self.sessionClient, account: account.id, scopes: Set(Scope.allCases), grant: grant, end: end
      )
      let prefix = "\(Crypto.base64URL(head.bytes)).\(Crypto.base64URL(claims.bytes))."
      members.append((name, .string(try store.newToken(token, now: now, prefix: prefix))))
    }
    return ServerResponse(json: .object(members))
  }

  /// The refresh token of a request, and its account.
  private func refreshToken(_ request: ServerRequest) throws -> (text: String, token: LocalStore.Token, LocalAccount) {
    guard let text = request.bearerToken else { throw Problem.session(nil) }
    guard let token = try store.token(text, now: .now), token.kind == .refresh, token.client == Self.sessionClient,
      let account = try token.account.flatMap(store.account)
    else { throw Problem.session(text) }
    return (text, token, account)
  }

  private func refreshSession(_ request: ServerRequest) throws -> ServerResponse {
    let (text, token, account) = try refreshToken(request)
    return try store.write { () throws(ToolError) in
      try store.spendToken(text, until: Timestamp(milliseconds: Timestamp.now.milliseconds + Self.refreshGrace))
      return try newTokens(account, grant: token.grant)
    }
  }

  private func deleteSession(_ request: ServerRequest) throws -> ServerResponse {
    let (_, token, _) = try refreshToken(request)
    try store.write { () throws(ToolError) in try store.revokeGrant(token.grant) }
    return ServerResponse(status: 200)
  }
}
