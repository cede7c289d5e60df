import TweetCore

/// Who has sent a request.
struct Caller {
  /// What requests are counted by.
  let id: String
  /// `nil` for a program that no user has signed in with, and for nobody in particular.
  let user: LocalAccount?
  let scopes: Set<Scope>
  /// Whether it is this service's own program. Any other has registered itself, and may do what everybody may.
  var isOwnProgram = false

  /// Whose its streams and their rules are: an account's, whatever its token is, or a program's. All who are not known
  /// are one.
  var owner: String { user.map { String($0.id) } ?? (isOwnProgram ? "app" : "anybody") }
}

extension Service {
  /// The sender of a request; where the endpoint is open to everybody, perhaps nobody in particular.
  func authenticate(_ request: ServerRequest, for endpoint: Endpoint) throws -> Caller {
    var request = request
    // What reads a stream in a browser can send no header.
    if request.path.starts(with: ["api", "v1", "streaming"]), request.headers["authorization"] == nil,
      let token = request.parameter("access_token")
    {
      request.headers["authorization"] = "Bearer \(token)"
    }
    if endpoint.access.isOpen, request.headers["authorization"] == nil {
      return Caller(id: "anybody at \(request.address)", user: nil, scopes: [])
    }
    do {
      return try authenticate(request)
    } catch Problem.unauthorized where APIVersion(of: request) == .bluesky {
      throw Problem.session(request.bearerToken)
    }
  }

  /// The sender of a request: by a bearer token, or by a signature of OAuth 1.0a.
  func authenticate(_ request: ServerRequest) throws -> Caller {
    if let signed = SignedRequest(request, authority: site.authority) { return try authenticate(signed) }
    guard let text = request.bearerToken else { throw Problem.unauthorized }
    if let user = try signInState.run.user(of: text).flatMap(store.account) {
      return Caller(id: "run \(user.id)", user: user, scopes: Set(Scope.allCases))
    }
    guard let token = try store.token(text, now: .now), token.kind == .access || token.kind == .app else {
      throw Problem.unauthorized
    }
    return try caller(token)
  }

  private func authenticate(_ signed: SignedRequest) throws -> Caller {
    guard let token = try store.token(signed["oauth_token"] ?? "", now: .now), token.kind == .signed,
      let secret = token.secret
    else { throw Problem.unauthorized }
    guard try verify(signed, tokenSecret: secret).key == token.client else { throw Problem.notSigned }
    return try caller(token)
  }

  private func caller(_ token: LocalStore.Token) throws -> Caller {
    let account = try token.account.flatMap(store.account)
    if token.account != nil, account == nil { throw Problem.unauthorized }
    // As on X: what a program does for a user is counted together, whatever token it has, and so is what it does
    // itself.
    return Caller(
      id: "\(token.client) \(account?.id ?? 0)", user: account, scopes: token.scopes,
      isOwnProgram: token.client == signInState.app.key)
  }

  /// Refuses a sender that may not use an endpoint.
  func requireAccess(_ caller: Caller, to endpoint: Endpoint) throws(Problem) {
    if caller.user == nil {
      guard endpoint.access.isOpen || caller.isOwnProgram && !endpoint.access.needsUser else { throw .userNeeded }
      return
    }
    let missing = endpoint.access.scopes.subtracting(caller.scopes)
    guard missing.isEmpty else { throw .scopeMissing(Scope.text(missing)) }
  }
}

extension ServerRequest {
  /// `nil` for a request without one.
  var bearerToken: String? {
    let words = (headers["authorization"] ?? "").split(separator: " ")
    return words.count == 2 && words[0].lowercased() == "bearer" ? String(words[1]) : nil
  }
}
