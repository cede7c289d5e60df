import TweetAccounts
import TweetCore

/// What the service remembers while people sign in. Nothing of it is stored: it lives for seconds or minutes, and the
/// token of the run as long as that.
struct SignInState: Sendable {
  let run: RunToken
  /// How long an access token of OAuth 2.0 lives, in milliseconds; on X two hours.
  let tokenLife: Int64
  /// The program whose key and secret this service has made.
  let app: Client
  var tries = SignInTries()
  private var codes = Expiring<AuthorizationCode>(life: 30_000)
  private var requestTokens = Expiring<RequestToken>(life: 15 * 60_000)
  private var nonces = Nonces()

  init(run: RunToken, tokenLife: Int64, app: Client) {
    self.run = run
    self.tokenLife = tokenLife
    self.app = app
  }

  func client(_ key: String) -> Client? { [Client.kit, app].first { $0.key == key } }

  // MARK: OAuth 2.0

  /// How long a code lives that a person may copy: ten minutes, as Mastodon's do.
  private static let registeredLife: Int64 = 600_000

  /// Makes the code that a program exchanges for what a user has allowed it.
  mutating func newCode(for code: AuthorizationCode, now: Timestamp) throws(ToolError) -> String {
    let text = try Crypto.newToken()
    codes.insert(
      code, key: try Crypto.digest(text), now: now, life: code.request.client.isRegistered ? Self.registeredLife : nil)
    return text
  }

  /// What a code stands for. A code is for one try only.
  mutating func takeCode(_ text: String, now: Timestamp) throws(ToolError) -> AuthorizationCode? {
    let key = try Crypto.digest(text)
    defer { codes.remove(key) }
    return codes[key, now]
  }

  // MARK: OAuth 1.0a

  /// Wrong verifiers after which a request token is gone: a PIN has only seven digits.
  private static let mostWrongVerifiers = 5

  /// Checks the signature of a request.
  /// - Parameter tokenSecret: that of the request's token; empty where it has none.
  /// - Returns: the program that has signed it.
  mutating func verify(_ signed: SignedRequest, tokenSecret: String, now: Timestamp) throws -> Client {
    guard let client = signed["oauth_consumer_key"].flatMap(client), let secret = client.secret,
      let timestamp = signed.timestamp
    else { throw Problem.notSigned }
    let now = now.milliseconds / 1000
    guard timestamp > now - Nonces.reach, timestamp < now + Nonces.reach else {
      throw Problem.v1(status: 401, code: 135, message: "Timestamp out of bounds.")
    }
    guard try signed.isSigned(secret: secret, tokenSecret: tokenSecret) else { throw Problem.notSigned }
    let name = "\(client.key) \(signed["oauth_token"] ?? "") \(timestamp) \(signed.nonce)"
    guard nonces.insert(try Crypto.digest(name), timestamp: timestamp, now: now) else { throw Problem.notSigned }
    return client
  }

  /// Makes a token that a user is to allow.
  /// - Returns: the token and its secret.
  mutating func newRequestToken(
    for client: Client, callback: String?, now: Timestamp
  ) throws(ToolError) -> (text: String, secret: String) {
    let (text, secret) = (try Crypto.newToken(), try Crypto.newToken())
    requestTokens.insert(
      RequestToken(client: client, secret: secret, callback: callback), key: try Crypto.digest(text), now: now)
    return (text, secret)
  }

  func requestToken(_ text: String, now: Timestamp) throws(ToolError) -> RequestToken? {
    requestTokens[try Crypto.digest(text), now]
  }

  mutating func removeRequestToken(_ text: String) throws(ToolError) {
    requestTokens.remove(try Crypto.digest(text))
  }

  /// Notes that a user has allowed a request token, if it is still there.
  /// - Returns: the verifier. One that a person types has seven digits.
  mutating func approve(_ text: String, by account: LocalAccount, now: Timestamp) throws(ToolError) -> String {
    let key = try Crypto.digest(text)
    var token = requestTokens[key, now]
    let verifier = token?.callback == nil ? String(Int.random(in: 1_000_000...9_999_999)) : try Crypto.newToken()
    token?.approval = RequestToken.Approval(account: account, verifier: verifier)
    if let token { requestTokens.update(key, token) }
    return verifier
  }

  /// Exchanges a request token, once, for the account of the user who has allowed it.
  /// - Returns: `nil` for the wrong program or verifier; after some of them the token is gone.
  mutating func exchange(
    _ text: String, verifier: String, by client: Client, now: Timestamp
  ) throws(ToolError) -> LocalAccount? {
    let key = try Crypto.digest(text)
    guard var token = requestTokens[key, now] else { return nil }
    guard client.key == token.client.key, let approval = token.approval,
      Crypto.areEqual(verifier.utf8, approval.verifier.utf8)
    else {
      token.wrongVerifiers += 1
      requestTokens.update(key, token)
      if token.wrongVerifiers >= Self.mostWrongVerifiers { requestTokens.remove(key) }
      return nil
    }
    requestTokens.remove(key)
    return approval.account
  }
}

/// The token that this run of tw-local gives to its command, which can do whatever its account can. It ends with the
/// run.
struct RunToken: Sendable {
  private let digest: String
  private let account: Int

  /// - Parameter account: the id of the account that the token stands for.
  init(_ token: String, account: Int) throws(ToolError) {
    digest = try Crypto.digest(token)
    self.account = account
  }

  /// The id of the account, if a text is the token.
  func user(of text: String) throws(ToolError) -> Int? {
    Crypto.areEqual(try Crypto.digest(text).utf8, digest.utf8) ? account : nil
  }
}

/// Values that are kept for a time, by the digest of the secret that names them.
struct Expiring<Value: Sendable>: Sendable {
  /// Most values at a time. Where there are more, the oldest goes.
  private let capacity = 1000
  /// In milliseconds.
  let life: Int64
  private var values: [String: (value: Value, end: Timestamp)] = [:]

  init(life: Int64) { self.life = life }

  subscript(key: String, now: Timestamp) -> Value? {
    guard let found = values[key], found.end > now else { return nil }
    return found.value
  }

  /// - Parameter own: how long this value is kept, if not as long as the others.
  mutating func insert(_ value: Value, key: String, now: Timestamp, life own: Int64? = nil) {
    values = values.filter { $0.value.end > now }
    if values.count >= capacity, let oldest = values.min(by: { $0.value.end < $1.value.end }) {
      values[oldest.key] = nil
    }
    values[key] = (value, Timestamp(milliseconds: now.milliseconds + (own ?? life)))
  }

  /// Changes a value that is still there; its time does not begin anew.
  mutating func update(_ key: String, _ value: Value) { values[key]?.value = value }

  mutating func remove(_ key: String) { values[key] = nil }
}
