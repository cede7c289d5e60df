import TweetAccounts
import TweetCore

/// What the service remembers while people sign in. Nothing of it is stored: it lives for seconds or minutes, and the token
/// of the run as long as that.
struct SignInState: Sendable {
  let run: RunToken
  /// How long an access token of OAuth 2.0 lives, in milliseconds; on X two hours.
  let tokenLife: Int64
  /// The program whose key and secret this service has made.
  let app: Client
  var tries = SignInTries()
  var codes = Expiring<AuthorizationCode>(life: 30_000)
  var requestTokens = Expiring<RequestToken>(life: 15 * 60_000)
  var nonces = Nonces()

  init(run: RunToken, tokenLife: Int64, app: Client) {
    self.run = run
    self.tokenLife = tokenLife
    self.app = app
  }

  func client(_ key: String) -> Client? { [Client.kit, app].first { $0.key == key } }
}

/// The token that this run of tw-local gives to its command, which can do whatever its account can. It ends with the run.
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

  mutating func insert(_ value: Value, key: String, now: Timestamp) {
    values = values.filter { $0.value.end > now }
    if values.count >= capacity, let oldest = values.min(by: { $0.value.end < $1.value.end }) {
      values[oldest.key] = nil
    }
    values[key] = (value, Timestamp(milliseconds: now.milliseconds + life))
  }

  /// Changes a value that is still there; its time does not begin anew.
  mutating func update(_ key: String, _ value: Value) { values[key]?.value = value }

  mutating func remove(_ key: String) { values[key] = nil }
}
