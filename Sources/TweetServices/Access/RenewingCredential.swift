import Synchronization
package import TweetAccounts
package import TweetCore
package import TweetNet

/// The token of an OAuth 2.0 account, which is renewed before it expires, and once when the service refuses it.
///
/// A refresh token works once. So a tool renews under a lock, reads again what is on disk when it has the lock, and has the
/// new tokens on disk before it uses them. The renewal blocks: it is one request every few hours, and a tool that ended in
/// the middle of it would lose the account's only refresh token.
package final class RenewingCredential: Credential {
  private let account: ServiceAccount.Name
  private let file: TokenFile
  private let endpoint: TokenEndpoint
  private let state: Mutex<State>

  private struct State {
    var tokens: TokenFile.Tokens?
    /// When this tool last tried to renew, in milliseconds of `MonotonicClock`.
    var triedAt: Int?
  }

  /// Tokens are renewed so many milliseconds before they expire: longer than any request takes.
  private static let lead: Int64 = 300_000
  /// A tool tries to renew at most once in so many milliseconds while the old token still works.
  private static let pause = 60_000

  package init(_ account: ServiceAccount.Name, endpoint: TokenEndpoint) {
    self.account = account
    self.endpoint = endpoint
    file = TokenFile(account)
    state = Mutex(State())
  }

  package func field(for request: HTTPRequest) throws(TransferError) -> Secret {
    let known = state.withLock { $0.tokens }
    let tokens = if let known, !known.isExpiring(within: Self.lead) { known } else { try newest(refused: nil) }
    return Self.field(tokens)
  }

  package func hasReplacement(for field: Secret) throws(TransferError) -> Bool {
    try Self.field(newest(refused: field)) != field
  }

  private static func field(_ tokens: TokenFile.Tokens) -> Secret { Secret("Bearer \(tokens.access.exposed)") }

  private func stored() throws(TransferError) -> TokenFile.Tokens? {
    do throws(ToolError) { return try file.read() } catch { throw TransferError(credential: error) }
  }

  private var missing: TransferError {
    TransferError(credential: .notAllowed("no token of account '\(account)' is stored: run 'tw-auth login' again"))
  }

  /// The tokens on disk, renewed if they expire soon, or are those that the service refused.
  private func newest(refused: Secret?) throws(TransferError) -> TokenFile.Tokens {
    // Without the lock first: most of the time another tool has renewed them, or nothing is to be done.
    guard let tokens = try stored() else { throw missing }
    if !mustRenew(tokens, refused) { return keep(tokens) }
    var result: Result<TokenFile.Tokens, TransferError>?
    do throws(ToolError) {
      result = try file.lock { () throws(ToolError) in
        do throws(TransferError) {
          guard let tokens = try self.stored() else { return .failure(self.missing) }
          return .success(self.mustRenew(tokens, refused) ? try self.renew(tokens) : tokens)
        } catch {
          return .failure(error)
        }
      }
    } catch {
      result = .failure(TransferError(credential: error))
    }
    guard let result else { throw missing }
    return keep(try result.get())
  }

  private func keep(_ tokens: TokenFile.Tokens) -> TokenFile.Tokens {
    state.withLock { $0.tokens = tokens }
    return tokens
  }

  private func mustRenew(_ tokens: TokenFile.Tokens, _ refused: Secret?) -> Bool {
    guard refused.map({ Self.field(tokens) == $0 }) ?? tokens.isExpiring(within: Self.lead) else { return false }
    // Without a refresh token, the old one is used as long as it works.
    if tokens.refresh == nil, !tokens.isExpiring(within: 0) { return false }
    let triedAt = state.withLock { $0.triedAt }
    let isRecent = triedAt.map { MonotonicClock.milliseconds - $0 < Self.pause } ?? false
    return !isRecent || tokens.isExpiring(within: 0)
  }

  /// To be called with the lock held.
  private func renew(_ old: TokenFile.Tokens) throws(TransferError) -> TokenFile.Tokens {
    guard let refresh = old.refresh else {
      throw TransferError(
        credential: .notAllowed(
          "the token of account '\(account)' has expired, and it cannot be renewed: run 'tw-auth login' again"))
    }
    state.withLock { $0.triedAt = MonotonicClock.milliseconds }
    // If this cannot be written, the refresh token must not be spent: the disk is full, or read-only.
    try write(old)
    do throws(TransferError) {
      let response = try TransferLoop.answer(to: endpoint.refresh(refresh))
      guard let answer = TokenAnswer(response, spent: refresh) else { throw refusal(response) }
      try write(answer.tokens)
      return answer.tokens
    } catch {
      // Until it expires the old token does.
      if error.cause == nil, !old.isExpiring(within: 0) { return old }
      throw error
    }
  }

  private func write(_ tokens: TokenFile.Tokens) throws(TransferError) {
    do throws(ToolError) { try file.write(tokens) } catch { throw TransferError(credential: error) }
  }

  private func refusal(_ response: HTTPResponse) -> TransferError {
    let problem = OAuthProblem(response)
    switch response.status {
    case 408, 425, 429, 500...599:
      return TransferError(.protocolError, "the service does not renew the token now: \(problem.text)")
    default:
      return TransferError(
        credential: .notAllowed(
          "the service does not renew the token of account '\(account)': \(problem.text); run 'tw-auth login' again"))
    }
  }
}

extension TokenFile.Tokens {
  /// Whether they have expired, or do so within some milliseconds.
  fileprivate func isExpiring(within lead: Int64) -> Bool {
    expiresAt.map { $0.milliseconds - lead <= Timestamp.now.milliseconds } ?? false
  }
}
