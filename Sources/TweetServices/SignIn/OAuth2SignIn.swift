package import TweetAccounts
package import TweetCore
package import TweetNet

/// A sign-in by OAuth 2.0 with PKCE: the page that asks the person, and the tokens for its answer.
package struct OAuth2SignIn: Sendable {
  private let authorizeURL: String
  private let endpoint: TokenEndpoint
  /// Who must answer; `nil` where the service does not say it.
  private let issuer: String?
  private let redirect: String
  private let scopes: [String]
  private let pkce: PKCE
  /// Comes back with the answer: only an answer to this sign-in has it.
  private let state: String

  /// - Parameters:
  ///   - redirect: as it is registered for the application.
  ///   - scopes: what is asked for.
  package init(
    _ oauth2: OAuth2Service, at service: SignInService, clientID: String, clientSecret: Secret?, redirect: String,
    scopes: [String], caFile: String?
  ) throws(ToolError) {
    (authorizeURL, issuer) = (oauth2.authorizeURL, nil)
    self.redirect = redirect
    self.scopes = scopes
    endpoint = service.endpoint(
      oauth2.tokenURL, clientID: clientID, clientSecret: clientSecret, caFile: caFile, reaching: .any)
    pkce = try PKCE()
    state = try Crypto.newToken()
  }

  /// At a server that was found, for tokens that are bound to a key.
  package init(
    at server: AuthorizationServer, of service: SignInService, key: ES256Key, clientID: String, redirect: String,
    scopes: [String], caFile: String?
  ) throws(ToolError) {
    authorizeURL = server.authorizeURL
    (self.redirect, self.scopes, issuer) = (redirect, scopes, server.issuer)
    endpoint = service.endpoint(
      server.tokenURL, clientID: clientID, clientSecret: nil, caFile: caFile, reaching: server.addresses
    ).bound(to: key)
    pkce = try PKCE()
    state = try Crypto.newToken()
  }

  private var wish: [(String, String)] {
    [
      ("redirect_uri", redirect), ("scope", scopes.joined(separator: " ")), ("state", state),
      ("code_challenge", pkce.challenge), ("code_challenge_method", "S256"),
    ]
  }

  /// The page to open in a browser.
  package var page: String {
    let query = PercentEncoding.form([("response_type", "code"), ("client_id", endpoint.clientID)] + wish)
    return "\(authorizeURL)?\(query)"
  }

  /// Tells the server beforehand what is asked for, so that the address of the page has only a reference to it.
  ///
  /// - Parameters:
  ///   - url: where it takes that.
  ///   - name: of the account.
  /// - Returns: the page to open in a browser. The reference lives for some minutes.
  package func pushedPage(_ url: String, name: String) throws(ToolError) -> String {
    let request = endpoint.at(url).request(
      [("response_type", "code")] + wish + [("login_hint", name)], secrets: [])
    let answer = try SignInRequest.send(request)
    guard answer.isSuccess, let document = try? JSONDocument(answer.body),
      let reference = document["request_uri"]?.nonEmptyString
    else {
      throw SignInRequest.refusal(
        answer, "the server does not take the wish to sign in: \(OAuthProblem(answer).text)\(Self.clock(answer))")
    }
    let query = PercentEncoding.form([("client_id", endpoint.clientID), ("request_uri", reference)])
    return "\(authorizeURL)?\(query)"
  }

  private static func clock(_ answer: HTTPResponse) -> String { ClockDifference(answer).map { "; \($0.text)" } ?? "" }

  /// What the person's answer says.
  package enum Answer: Sendable, Equatable {
    case code(Secret)
    /// The answer to another sign-in.
    case foreign
    /// No, or a fault; the text says which.
    case refused(String)
  }

  /// Reads the parameters that the browser came back with.
  package func read(_ parameters: [(name: String, value: String)]) -> Answer {
    func value(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
    guard value("state") == state else { return .foreign }
    if let issuer, value("iss") != issuer {
      return .refused("the answer is not from \(issuer), but from \(value("iss") ?? "nobody")")
    }
    if let error = value("error") {
      if error == "access_denied" { return .refused("you did not allow it (access_denied)") }
      return .refused([value("error_description"), "(\(error))"].compactMap { $0 }.joined(separator: " "))
    }
    guard let code = value("code"), !code.isEmpty else { return .refused("the answer has no code") }
    return .code(Secret(code))
  }

  /// Reads what a person pasted: the address that the browser ended at, or the code alone.
  package func read(pasted text: String) -> Answer {
    guard text.contains("=") else {
      if issuer != nil, !text.isEmpty { return .refused("paste the whole address, which says who answers") }
      return text.isEmpty ? .refused("nothing was pasted") : .code(Secret(PercentEncoding.decode(text)))
    }
    let query = text.split(separator: "?", maxSplits: 1).last ?? ""
    return read(PercentEncoding.pairs(query.prefix { $0 != "#" }))
  }

  /// Exchanges the code for tokens. X's codes live 30 seconds.
  package func exchange(_ code: Secret) throws(ToolError) -> TokenAnswer {
    let request = endpoint.request(
      [
        ("grant_type", "authorization_code"), ("code", code.exposed), ("redirect_uri", redirect),
        ("code_verifier", pkce.verifier.exposed),
      ], secrets: [code, pkce.verifier])
    let response = try SignInRequest.send(request)
    if let answer = TokenAnswer(response), issuer == nil || answer.isBound { return answer }
    let problem = OAuthProblem(response)
    let hint =
      response.status == 401 ? "; are the client id and its secret right?" : "; a code works once, for 30 seconds"
    throw SignInRequest.refusal(response, "the service gives no token for the code: \(problem.text)\(hint)")
  }

  /// Signs in with a name and a password, at a service whose page a program may answer.
  ///
  /// - Parameter creates: whether to make the account.
  package func answerPage(_ name: String, password: Secret, creates: Bool) throws(ToolError) -> TokenAnswer {
    var request = HTTPRequest(.post, page, reaching: endpoint.addresses)
    request.headers = [
      HTTPHeader("Content-Type", "application/x-www-form-urlencoded"), HTTPHeader("Accept", "application/json"),
    ]
    request.body = Array(
      PercentEncoding.form([
        ("username", name), ("password", password.exposed), ("action", creates ? "create" : "allow"),
      ]).utf8)
    request.secrets = [password]
    request.caFile = endpoint.caFile
    let response = try SignInRequest.send(request)
    guard response.status == 303, let location = response.headers["location"] else {
      throw SignInRequest.refusal(response, "not signed in: \(OAuthProblem(response).text)")
    }
    switch read(pasted: location) {
    case .code(let code): return try exchange(code)
    case .foreign: throw .refused("the service answers another sign-in than this one")
    case .refused(let text): throw .notAllowed("not signed in: \(text)")
    }
  }

  /// Ends a sign-in at the service: its tokens work no more.
  ///
  /// - Parameter endpoint: the one that revokes.
  package static func revoke(_ token: Secret, _ endpoint: TokenEndpoint) throws(ToolError) {
    let response = try SignInRequest.send(endpoint.request([("token", token.exposed)], secrets: [token]))
    guard response.isSuccess else { throw SignInRequest.refusal(response, OAuthProblem(response).text) }
  }
}

/// The requests of a sign-in: made once, by a person who waits.
package enum SignInRequest {
  package static func send(_ request: HTTPRequest) throws(ToolError) -> HTTPResponse {
    var request = request
    request.totalTimeout = request.totalTimeout ?? 30_000
    request.maxBody = 1 << 20
    do throws(TransferError) {
      return try TransferLoop.answer(to: request)
    } catch {
      if let cause = error.cause { throw cause }
      switch error.kind {
      case .tls: throw .refused("no trusted connection to the service: \(error.text)")
      case .privateAddress: throw .notAllowed("cannot reach the service: \(error.text)")
      case .badURL, .insecureCredential, .proxy: throw .configuration("cannot reach the service: \(error.text)")
      default: throw .tryLater("no connection to the service: \(error.text)")
      }
    }
  }

  /// The error for an answer that is not what was asked for.
  package static func refusal(_ response: HTTPResponse, _ text: String) -> ToolError {
    switch response.status {
    case 408, 425, 429, 500...599: .tryLater(text)
    case 404, 410: .refused("\(text); is that the service's address?")
    default: .notAllowed(text)
    }
  }
}
