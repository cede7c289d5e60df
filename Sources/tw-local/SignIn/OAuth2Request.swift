import TweetAccounts
import TweetCore

/// A program's wish that a user signs in, by OAuth 2.0 with PKCE (RFC 6749 §4.1.1, RFC 7636 §4.3). All of it is
/// checked.
struct OAuth2Request: Sendable {
  let client: Client
  let redirect: String
  let state: String?
  let scopes: Set<Scope>
  /// `nil` for a program that proves itself with its secret alone, as Mastodon allows it.
  let challenge: PKCEChallenge?

  /// Why a wish cannot be granted.
  enum Fault: Error {
    /// Told to the person: nobody may be sent to an address that was not checked.
    case page(String)
    /// Told to the program, at its address.
    case redirect(String)
  }

  /// X's limit for `state`.
  private static let maxState = 500

  /// - Parameter client: the program that the request names, if it is known.
  init(_ request: ServerRequest, of client: Client?) throws(Fault) {
    guard let client else { throw .page("The program that sent you here is not known to this service.") }
    guard let redirect = request.parameter("redirect_uri"),
      client.isRegistered ? client.allows(redirect) : Client.isLoopback(redirect)
    else {
      throw .page("The program that sent you here wants the answer at an address that is not on this machine.")
    }
    self.client = client
    self.redirect = redirect
    self.state = request.parameter("state")
    func fault(_ error: String, _ description: String) -> Fault {
      .redirect(
        Self.address(
          redirect,
          [("error", error), ("error_description", description), ("state", request.parameter("state"))]))
    }
    guard request.parameter("response_type") == "code" else {
      throw fault("unsupported_response_type", "response_type must be code")
    }
    guard (self.state ?? "").utf8.count <= Self.maxState else {
      throw .page("The program that sent you here has sent a state that is too long.")
    }
    let scopeText = request.parameter("scope") ?? ""
    guard
      let scopes = client.isRegistered ? Scope.mastodon(scopeText.isEmpty ? "read" : scopeText) : Scope.parse(scopeText)
    else {
      throw fault("invalid_scope", "scope names no scope, or one that does not exist")
    }
    self.scopes = scopes
    if client.isRegistered, request.parameter("code_challenge") == nil {
      challenge = nil
      return
    }
    guard
      let challenge = PKCEChallenge(
        request.parameter("code_challenge") ?? "", method: request.parameter("code_challenge_method") ?? "plain")
    else { throw fault("invalid_request", "code_challenge must have 43 to 128 characters, its method S256 or plain") }
    self.challenge = challenge
  }

  /// Where the browser goes with the answer.
  func answer(_ parameters: [(name: String, value: String?)]) -> String {
    Self.address(redirect, parameters + [("state", state)])
  }

  /// An address with more parameters in its query; those without a value are left out.
  static func address(_ base: String, _ parameters: [(name: String, value: String?)]) -> String {
    let query = PercentEncoding.form(parameters.compactMap { name, value in value.map { (name, $0) } })
    return base + (base.contains("?") ? "&" : "?") + query
  }
}

/// What the program proves when it fetches the tokens: that it is the one that sent the user (RFC 7636).
struct PKCEChallenge: Sendable {
  private let text: String
  private let isHashed: Bool

  init?(_ text: String, method: String) {
    guard ["S256", "plain"].contains(method), Self.isWellFormed(text) else { return nil }
    self.text = text
    isHashed = method == "S256"
  }

  func isMet(by verifier: String) throws(ToolError) -> Bool {
    guard Self.isWellFormed(verifier) else { return false }
    let proof = isHashed ? try Crypto.digest(verifier) : verifier
    return Crypto.areEqual(proof.utf8, text.utf8)
  }

  /// RFC 7636 §4.1: 43 to 128 unreserved characters.
  private static func isWellFormed(_ text: String) -> Bool {
    (43...128).contains(text.utf8.count) && text.utf8.allSatisfy(PercentEncoding.isUnreserved)
  }
}

/// A code that a program exchanges for tokens, once.
struct AuthorizationCode: Sendable {
  let request: OAuth2Request
  let account: Int
}
