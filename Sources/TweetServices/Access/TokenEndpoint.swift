package import TweetAccounts
package import TweetCore
package import TweetNet

/// Where a service gives out tokens: of OAuth 2.0, with the application that asks for them, or of a session.
package struct TokenEndpoint: Sendable {
  package private(set) var url: String
  package let clientID: String
  /// `nil` for an application that cannot keep a secret; it then sends its id in the form (RFC 6749 §3.2.1).
  package let clientSecret: Secret?
  package let caFile: String?
  private let api: (any ServiceAPI)?
  /// `nil` for OAuth.
  let session: (any SessionService)?
  private let namesClientInForm: Bool
  /// For tokens that are bound to a key; `nil` for those that work alone.
  private var proof: ProofCredential?
  /// Which of its addresses may be asked.
  let addresses: AddressPolicy

  /// - Parameters:
  ///   - api: of the service; `nil` for one that this version does not know.
  ///   - namesClientInForm: whether id and secret go into the form in any case.
  package init(
    url: String, clientID: String, clientSecret: Secret?, caFile: String?, api: (any ServiceAPI)?,
    reaching addresses: AddressPolicy, namesClientInForm: Bool = false
  ) {
    (self.url, self.addresses) = (url, addresses)
    self.namesClientInForm = namesClientInForm
    self.api = api
    session = nil
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.caFile = caFile
  }

  /// - Parameter base: the address of the account's server.
  package init(_ session: any SessionService, at base: String, caFile: String?, reaching addresses: AddressPolicy) {
    (url, self.session, self.caFile, self.addresses) = (base, session, caFile, addresses)
    (api, clientID, clientSecret, namesClientInForm) = (nil, "", nil, false)
  }

  /// The same for tokens that are bound to a key.
  package func bound(to key: ES256Key) -> TokenEndpoint {
    var bound = self
    if proof?.key != key { bound.proof = ProofCredential(key, at: url) }
    return bound
  }

  /// The same at another address of its server.
  func at(_ url: String) -> TokenEndpoint {
    var other = self
    other.url = url
    return other
  }

  /// Asks for tokens, or to revoke one.
  ///
  /// - Parameters:
  ///   - form: the parameters, without the application's.
  ///   - secrets: those among their values.
  package func request(_ form: [(String, String)], secrets: [Secret]) -> HTTPRequest {
    var request = HTTPRequest(.post, url, reaching: addresses)
    var form = form
    let own: (any Credential)? =
      namesClientInForm
      ? nil : clientSecret.map { FixedCredential(field: BasicField.value(key: clientID, secret: $0), at: url) }
    let credential: any Credential = own ?? proof ?? NoCredential(at: url)
    request.credential = api?.clientCredential(over: credential) ?? credential
    request.secrets = secrets + [clientSecret].compactMap { $0 }
    if own == nil {
      form.append(("client_id", clientID))
      if let clientSecret { form.append(("client_secret", clientSecret.exposed)) }
    }
    request.headers = [HTTPHeader("Content-Type", "application/x-www-form-urlencoded;charset=UTF-8")]
    request.body = Array(PercentEncoding.form(form).utf8)
    request.caFile = caFile
    request.totalTimeout = Self.timeout
    // A code and a refresh token work once.
    request.needsFreshConnection = true
    return request
  }

  package func refresh(_ token: Secret) -> HTTPRequest {
    guard let session else {
      return request([("grant_type", "refresh_token"), ("refresh_token", token.exposed)], secrets: [token])
    }
    var request = session.renewal(by: token, at: url)
    (request.caFile, request.totalTimeout, request.needsFreshConnection) = (caFile, Self.timeout, true)
    request.addresses = addresses
    return request
  }

  /// Reads the answer to a refresh; `nil` if it has no tokens, or others than those that were asked for.
  ///
  /// - Parameters:
  ///   - token: the refresh token that was spent.
  ///   - binding: of the tokens before; `nil` if they were bound to nothing.
  func tokens(in answer: HTTPResponse, spent token: Secret, _ binding: TokenFile.Binding?) -> TokenFile.Tokens? {
    if let session { return session.tokens(in: answer) }
    guard let found = TokenAnswer(answer, spent: token) else { return nil }
    guard var binding else { return found.tokens }
    guard found.isBound, found.user == nil || found.user == binding.user else { return nil }
    // A service that renews a sign-in after its end lets it last longer than it says.
    if let end = binding.endsAt, end < .now { binding.endsAt = nil }
    var tokens = found.tokens
    tokens.binding = binding
    return tokens
  }

  /// Whether an answer with status 400 or 401 says that the token does not work any more.
  func isRefused(_ answer: HTTPResponse) -> Bool { session?.isExpired(answer) ?? (answer.status == 401) }

  /// Milliseconds. Other tools that need the same token wait as long.
  private static let timeout = 20_000
}

/// What a token endpoint answers.
package struct TokenAnswer: Sendable {
  package let tokens: TokenFile.Tokens
  /// What the tokens allow; `nil` if the service does not say.
  package let scopes: [String]?
  /// The service's id of the user, where it says it (the AT Protocol's `sub`).
  package let user: String?
  /// Whether they are of use only with the key that asked for them (RFC 9449 §5).
  package let isBound: Bool

  /// - Returns: `nil` for an answer without a token.
  /// - Parameter refresh: the refresh token that was spent; it stays valid when the answer has no other (RFC 6749 §6).
  package init?(_ response: HTTPResponse, spent refresh: Secret? = nil) {
    guard response.isSuccess, let document = try? JSONDocument(response.body),
      let access = document["access_token"]?.nonEmptyString, Secret(access).isToken
    else { return nil }
    // An hour where the service gives a refresh token and no time: it is renewed in good time.
    let hasRefresh = document["refresh_token"]?.nonEmptyString != nil
    let seconds = document["expires_in"]?.looseInteger ?? (hasRefresh ? 3600 : nil)
    let now = Timestamp.now.milliseconds
    tokens = TokenFile.Tokens(
      access: Secret(access), refresh: document["refresh_token"]?.nonEmptyString.map { Secret($0) } ?? refresh,
      expiresAt: seconds.map { Timestamp(milliseconds: now + Int64(min($0, Self.longest)) * 1000) })
    scopes = document["scope"]?.nonEmptyString.map { $0.split(separator: " ").map(String.init) }
    user = document["sub"]?.nonEmptyString
    isBound = document["token_type"]?.string?.lowercased() == "dpop"
  }

  /// Ten years: a larger number is not a time.
  private static let longest = 315_360_000
}

extension Secret {
  /// Whether it can stand in a header field: visible ASCII.
  package var isToken: Bool { !exposed.isEmpty && exposed.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
