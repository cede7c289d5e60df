import SQLite
import TweetAccounts
import TweetCore

/// Passwords, the service's own program, and the tokens that sign-ins have made. What is secret is stored as a digest,
/// but for the secrets that OAuth 1.0a signs with.
extension LocalStore {
  // MARK: Passwords

  func passwordHash(of account: LocalAccount) throws(ToolError) -> PasswordHash? {
    let stored = try database.first("SELECT hash FROM passwords WHERE account_id = ?", .integer(account.id)) {
      (row) throws(ToolError) in row.text(0)
    }
    return (stored ?? nil).map(PasswordHash.init(stored:))
  }

  func setPassword(_ hash: PasswordHash, of account: LocalAccount) throws(ToolError) {
    try database.run("INSERT OR REPLACE INTO passwords VALUES (?, ?)", .integer(account.id), .text(hash.stored))
  }

  // MARK: The program

  /// The program that has a key and a secret, made when it is first asked for.
  func app() throws(ToolError) -> Client {
    let stored = try database.first("SELECT key, secret FROM apps") { (row) throws(ToolError) in
      (row.text(0) ?? "", row.text(1) ?? "")
    }
    if let (key, secret) = stored { return Client(key: key, secret: secret, name: "an app of this service") }
    let (key, secret) = (try Crypto.newToken(), try Crypto.newToken() + Crypto.newToken())
    try database.run("INSERT INTO apps VALUES (?, ?)", .text(key), .text(secret))
    return Client(key: key, secret: secret, name: "an app of this service")
  }

  // MARK: Tokens

  /// A token, without the token itself.
  struct Token: Sendable {
    enum Kind: String, Sendable {
      /// OAuth 2.0's.
      case access, refresh
      /// A program's own.
      case app
      /// OAuth 1.0a's.
      case signed
    }

    let kind: Kind
    /// The key of the program.
    let client: String
    /// The account's id; `nil` for a program's own.
    let account: Int?
    let scopes: Set<Scope>
    /// Tokens of one sign-in have one number and are revoked together.
    let grant: Int
    /// What requests are signed with beside the program's secret.
    var secret: String?
    /// `nil` for one that lives until it is revoked.
    var end: Timestamp?
    /// Whether a refresh token has been used.
    var isSpent = false
  }

  /// Most sign-ins of an account, and most tokens of a program. The oldest go.
  private static let maxGrants = 100

  /// Makes a token and stores its digest.
  /// - Parameter prefix: what stands before the secret, for a token that says something of itself.
  /// - Returns: the token, which is not kept anywhere. Those of OAuth 1.0a begin with the user's id, as X's do:
  ///   programs read it there.
  func newToken(_ token: Token, now: Timestamp, prefix: String = "") throws(ToolError) -> String {
    let owner = token.kind == .signed ? token.account.map { "\($0)-" } : nil
    let text = prefix + (owner ?? "") + (try Crypto.newToken())
    try database.run("DELETE FROM tokens WHERE expires_at <= ?", .integer(Int(now.milliseconds)))
    try database.run(
      """
      DELETE FROM tokens WHERE grant_id IN (
        SELECT DISTINCT grant_id FROM tokens WHERE client = ?1 AND account_id IS ?2 AND grant_id <> ?3
        ORDER BY grant_id DESC LIMIT -1 OFFSET ?4)
      """, .text(token.client), SQLValue(token.account), .integer(token.grant), .integer(Self.maxGrants - 1))
    try database.run(
      "INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)", .text(try Crypto.digest(text)),
      .text(token.kind.rawValue), .text(token.client), SQLValue(token.account), .text(Scope.text(token.scopes)),
      .integer(token.grant), SQLValue(token.secret), SQLValue(token.end.map { Int($0.milliseconds) }))
    return text
  }

  /// A token that has not expired; a refresh token also if it was used.
  func token(_ text: String, now: Timestamp) throws(ToolError) -> Token? {
    try database.first(
      """
      SELECT kind, client, account_id, scopes, grant_id, secret, expires_at, is_spent FROM tokens
      WHERE digest = ? AND (expires_at IS NULL OR expires_at > ?)
      """, .text(try Crypto.digest(text)), .integer(Int(now.milliseconds)), body: Self.token) ?? nil
  }

  /// Marks a refresh token as used.
  func spendToken(_ text: String) throws(ToolError) {
    try database.run("UPDATE tokens SET is_spent = 1 WHERE digest = ?", .text(try Crypto.digest(text)))
  }

  /// Marks a refresh token as used, and lets it be used again until a time: its answer may be lost.
  func spendToken(_ text: String, until end: Timestamp) throws(ToolError) {
    try database.run(
      "UPDATE tokens SET is_spent = 1, expires_at = min(expires_at, ?) WHERE digest = ? AND is_spent = 0",
      .integer(Int(end.milliseconds)), .text(try Crypto.digest(text)))
  }

  /// Removes all tokens of a sign-in.
  func revokeGrant(_ grant: Int) throws(ToolError) {
    try database.run("DELETE FROM tokens WHERE grant_id = ?", .integer(grant))
  }

  private static func token(_ row: Row) throws(ToolError) -> Token? {
    guard let kind = Token.Kind(rawValue: row.text(0) ?? "") else { return nil }
    return Token(
      kind: kind, client: row.text(1) ?? "", account: row.optionalInteger(2),
      scopes: Scope.parse(row.text(3) ?? "") ?? [],
      grant: row.integer(4), secret: row.text(5),
      end: row.optionalInteger(6).map { Timestamp(milliseconds: Int64($0)) }, isSpent: row.integer(7) != 0)
  }
}
