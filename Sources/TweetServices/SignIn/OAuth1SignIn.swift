import TweetAccounts
package import TweetCore
import TweetNet

/// A sign-in by OAuth 1.0a: with a PIN that the person types, with a redirect, or with a password (xAuth).
package struct OAuth1SignIn: Sendable {
  private let service: OAuth1Service
  private let key: String
  private let secret: Secret
  private let caFile: String?

  package init(_ service: OAuth1Service, key: String, secret: Secret, caFile: String?) {
    (self.service, self.key, self.secret, self.caFile) = (service, key, secret, caFile)
  }

  /// A token that the person has not allowed yet.
  package struct Wish: Sendable {
    /// The page to open in a browser.
    package let page: String
    package let token: String
    fileprivate let secret: Secret

    /// Reads the parameters that the browser came back with.
    package func read(_ parameters: [(name: String, value: String)]) -> OAuth2SignIn.Answer {
      func value(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
      if value("denied") == token { return .refused("you did not allow it") }
      guard value("oauth_token") == token else { return .foreign }
      guard let verifier = value("oauth_verifier"), !verifier.isEmpty else {
        return .refused("the answer has no verifier")
      }
      return .code(Secret(verifier))
    }

    /// Reads what a person typed or pasted: the PIN, or the address that the browser ended at.
    package func read(pasted text: String) -> OAuth2SignIn.Answer {
      guard text.contains("=") else { return text.isEmpty ? .refused("nothing was typed") : .code(Secret(text)) }
      return read(PercentEncoding.pairs(text.split(separator: "?", maxSplits: 1).last ?? ""))
    }
  }

  /// What the service gave out.
  package struct Access: Sendable {
    package let token: Secret
    package let tokenSecret: Secret
    package let userID: String?
    package let name: String?

    package init(token: Secret, tokenSecret: Secret, userID: String?, name: String?) {
      (self.token, self.tokenSecret, self.userID, self.name) = (token, tokenSecret, userID, name)
    }
  }

  /// Asks for a token that the person can allow.
  ///
  /// - Parameter callback: where the browser goes then; `oob` for a PIN.
  package func begin(callback: String) throws(ToolError) -> Wish {
    let credential = SigningCredential(
      OAuth1Signature(consumerKey: key, consumerSecret: secret), at: service.requestTokenURL,
      adding: [("oauth_callback", callback)])
    let pairs = try ask(service.requestTokenURL, credential, "the service gives no token to sign in with")
    guard let token = pairs["oauth_token"], let secret = pairs["oauth_token_secret"] else {
      throw .refused("the service gives no token to sign in with")
    }
    let page = "\(service.authorizeURL)?oauth_token=\(PercentEncoding.encode(token))"
    return Wish(page: page, token: token, secret: Secret(secret))
  }

  /// Exchanges the verifier for the account's token.
  package func exchange(_ wish: Wish, _ verifier: Secret) throws(ToolError) -> Access {
    let signature = OAuth1Signature(
      consumerKey: key, consumerSecret: secret, token: wish.token, tokenSecret: wish.secret)
    let credential = SigningCredential(
      signature, at: service.accessTokenURL, adding: [("oauth_verifier", verifier.exposed)])
    return try access(ask(service.accessTokenURL, credential, "the service does not accept the PIN"))
  }

  /// Signs in with a name and a password. X allows this to few applications.
  package func signIn(_ name: String, password: Secret) throws(ToolError) -> Access {
    let form = [("x_auth_mode", "client_auth"), ("x_auth_username", name), ("x_auth_password", password.exposed)]
    let credential = SigningCredential(
      OAuth1Signature(consumerKey: key, consumerSecret: secret), at: service.accessTokenURL)
    return try access(ask(service.accessTokenURL, credential, "not signed in", form: form, secrets: [password]))
  }

  private func access(_ pairs: [String: String]) throws(ToolError) -> Access {
    guard let token = pairs["oauth_token"], let secret = pairs["oauth_token_secret"] else {
      throw .refused("the service gives no token")
    }
    return Access(
      token: Secret(token), tokenSecret: Secret(secret), userID: pairs["user_id"], name: pairs["screen_name"])
  }

  private func ask(
    _ url: String, _ credential: SigningCredential, _ fault: String, form: [(String, String)] = [],
    secrets: [Secret] = []
  ) throws(ToolError) -> [String: String] {
    var request = HTTPRequest(.post, url, reaching: .any)
    request.credential = credential
    request.secrets = secrets + [secret]
    request.headers = [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")]
    request.body = Array(PercentEncoding.form(form).utf8)
    request.caFile = caFile
    request.needsFreshConnection = true
    let response = try SignInRequest.send(request)
    guard response.isSuccess else {
      let clock = ClockDifference(response).map { "; \($0.text)" } ?? ""
      throw SignInRequest.refusal(response, "\(fault): \(OAuthProblem(response).text)\(clock)")
    }
    let pairs = PercentEncoding.pairs(String(decoding: response.body, as: UTF8.self))
    return Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
  }
}
