import Libc
package import TweetCore

/// The tokens of an account of OAuth 2.0 or of a password, which change every few hours:
/// `$XDG_STATE_HOME/tw/tokens/SERVICE:NAME`.
///
/// A refresh token works once, so tools renew under the lock of a file beside this one, and read this one again when
/// they have the lock.
package struct TokenFile: Sendable {
  package struct Tokens: Sendable, Equatable {
    package var access: Secret
    /// `nil` when the service gave none: then a person must sign in again when the token has expired.
    package var refresh: Secret?
    /// `nil` when it does not expire.
    package var expiresAt: Timestamp?
    /// When a renewal was begun whose answer is not here: the refresh token may be spent. `nil` if none was.
    package var renewalBegunAt: Timestamp?
    /// `nil` for tokens that work alone.
    package var binding: Binding?

    package init(access: Secret, refresh: Secret?, expiresAt: Timestamp?, renewalBegunAt: Timestamp? = nil) {
      self.access = access
      self.refresh = refresh
      self.expiresAt = expiresAt
      self.renewalBegunAt = renewalBegunAt
    }

    /// When a person must sign in again, however often tools renew the token; `nil` if that is not known.
    package var signInEndsAt: Timestamp? { binding?.endsAt }
  }

  /// What tokens are bound to (RFC 9449). It stays as it is when they are renewed.
  package struct Binding: Sendable, Equatable {
    /// What proves with each request that the tokens are its sender's.
    package let key: ES256Key
    /// The service's id of the user whose tokens they are: each answer with new ones must name it.
    package let user: String
    /// When the service ends the sign-in at the latest; `nil` if that is not known.
    package var endsAt: Timestamp?

    package init(key: ES256Key, user: String, endsAt: Timestamp?) {
      (self.key, self.user, self.endsAt) = (key, user, endsAt)
    }
  }

  package let path: String

  package init(_ account: ServiceAccount.Name) {
    // Names of other services may have slashes in them.
    let name = "\(PercentEncoding.encode(account.service)):\(PercentEncoding.encode(account.name))"
    path = "\(Paths.stateDirectory)/tokens/\(name)"
  }

  /// - Returns: `nil` when there is no file.
  /// - Throws: `ToolError.configuration` for a file that others may read, or that is no such file.
  package func read() throws(ToolError) -> Tokens? {
    guard let bytes = try PrivateFile.read(path) else { return nil }
    guard let document = try? JSONDocument(bytes), let access = document["access_token"]?.nonEmptyString else {
      throw .configuration("'\(path)' has no token in it: remove it, and run 'tw-auth login' again")
    }
    var tokens = Tokens(
      access: Secret(access), refresh: document["refresh_token"]?.nonEmptyString.map { Secret($0) },
      expiresAt: document["expires_at"]?.string.flatMap { Timestamp(parsing: $0) },
      renewalBegunAt: document["renewal_begun_at"]?.string.flatMap { Timestamp(parsing: $0) })
    tokens.binding = try binding(document)
    return tokens
  }

  private func binding(_ document: JSONDocument) throws(ToolError) -> Binding? {
    guard let stored = document["key"]?.nonEmptyString else { return nil }
    guard let key = ES256Key(stored: Secret(stored)), let user = document["user"]?.nonEmptyString else {
      throw .configuration("the key in '\(path)' cannot be used: run 'tw-auth login' again")
    }
    return Binding(
      key: key, user: user, endsAt: document["sign_in_ends_at"]?.string.flatMap { Timestamp(parsing: $0) })
  }

  /// Takes the room that new tokens will need. The caller holds the lock.
  package func reserve() throws(ToolError) -> ReservedFile { try ReservedFile(replacing: path, room: Self.room) }

  /// Bytes. The tokens of all services have less than a quarter of that.
  private static let room = 32 << 10

  /// Replaces the tokens. When it returns they are on disk. The caller holds the lock.
  ///
  /// - Parameter reserved: the room for them, if it was taken.
  package func write(_ tokens: Tokens, in reserved: ReservedFile? = nil) throws(ToolError) {
    var buffer = ByteBuffer()
    buffer.object {
      $0.member("access_token", tokens.access.exposed)
      $0.member("refresh_token", tokens.refresh?.exposed)
      $0.member("expires_at", tokens.expiresAt)
      $0.member("renewal_begun_at", tokens.renewalBegunAt)
      $0.member("key", tokens.binding?.key.stored.exposed)
      $0.member("user", tokens.binding?.user)
      $0.member("sign_in_ends_at", tokens.binding?.endsAt)
    }
    buffer.append("\n")
    guard let reserved else { return try PrivateFile.replace(path, with: buffer) }
    try reserved.commit(buffer.array)
    try Paths.syncDirectory(of: Paths.real(path) ?? path)
  }

  /// Holds the lock of the tokens while `body` runs; waits for a tool that holds it.
  package func lock<Result>(_ body: () throws(ToolError) -> Result) throws(ToolError) -> Result {
    try FileLock.hold(path + ".lock") { (_) throws(ToolError) in try body() }
  }

  /// Forgets the tokens; does nothing when there are none. The lock's file stays: another tool may wait for it.
  package func remove() throws(ToolError) { try PrivateFile.remove(path) }
}
