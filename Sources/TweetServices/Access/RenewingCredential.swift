import Synchronization
package import TweetAccounts
import TweetCore
package import TweetNet

/// The token of an account of OAuth 2.0 or of a session, which is renewed before it expires, and once when the service
/// refuses it.
///
/// The renewal blocks: it is one request every few hours. A process of its own makes it, so that nothing is lost if the
/// tool is ended meanwhile; where the kit's tw-auth is missing, this process does.
package final class RenewingCredential: Credential {
  package let origin: String
  private let renewal: TokenRenewal
  private let state: Mutex<State>

  private struct State {
    var tokens: TokenFile.Tokens?
    /// Of tokens that are bound to a key.
    var proof: ProofCredential?
    /// When this tool last tried to renew, in milliseconds of `MonotonicClock`.
    var triedAt: Int?
  }

  /// Tokens are renewed this many milliseconds before they expire: longer than any request takes.
  private static let lead: Int64 = 300_000
  /// A tool tries to renew at most once in this many milliseconds while the old token still works.
  private static let pause = 60_000

  /// - Parameters:
  ///   - server: the account's, which the tokens are for.
  ///   - endpoint: where they are renewed.
  package init(_ account: ServiceAccount.Name, at server: String, endpoint: TokenEndpoint) {
    origin = WebAddress.origin(of: server)
    renewal = TokenRenewal(account, endpoint: endpoint)
    state = Mutex(State())
  }

  package func authorize(_ request: inout HTTPRequest) throws(TransferError) {
    let known = state.withLock { $0.tokens }
    let tokens = if let known, !known.isExpiring(within: Self.lead) { known } else { try newest(refused: nil) }
    request.authorization = Self.field(tokens)
    try state.withLock({ $0.proof })?.authorize(&request)
  }

  package func learn(from answer: HTTPResponse, to request: HTTPRequest) -> Bool {
    state.withLock { $0.proof }?.learn(from: answer, to: request) ?? false
  }

  package func afterRefusal(_ answer: HTTPResponse, of request: HTTPRequest) throws(TransferError) -> Bool {
    guard renewal.endpoint.isRefused(answer), !ProofCredential.isRefused(answer), let field = request.authorization
    else { return false }
    return try Self.field(newest(refused: field)) != field
  }

  private static func field(_ tokens: TokenFile.Tokens) -> Secret {
    Secret("\(tokens.binding == nil ? "Bearer" : "DPoP") \(tokens.access.exposed)")
  }

  private func stored() throws(TransferError) -> TokenFile.Tokens {
    let tokens: TokenFile.Tokens?
    do throws(ToolError) { tokens = try renewal.file.read() } catch { throw TransferError(credential: error) }
    guard let tokens else { throw renewal.missing }
    return tokens
  }

  /// The tokens on disk, renewed if they expire soon, or are those that the service refused.
  private func newest(refused: Secret?) throws(TransferError) -> TokenFile.Tokens {
    // Most of the time another tool has renewed them, or nothing is to be done.
    let old = try stored()
    guard mustRenew(old, refused) else { return keep(old) }
    state.withLock { $0.triedAt = MonotonicClock.milliseconds }
    do throws(TransferError) {
      if try !RenewalProcess.run(renewal, replacing: old.access) {
        try renewal.run(replacing: old.access, patience: Self.pause)
      }
    } catch {
      // Until it expires the old token does.
      if error.cause == nil, !old.isExpiring(within: 0) { return keep(old) }
      throw error
    }
    return keep(try stored())
  }

  private func keep(_ tokens: TokenFile.Tokens) -> TokenFile.Tokens {
    state.withLock { state in
      state.tokens = tokens
      // A proof knows what servers have told it.
      if state.proof?.key != tokens.binding?.key {
        state.proof = tokens.binding.map { ProofCredential($0.key, at: origin) }
      }
    }
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
}

extension TokenFile.Tokens {
  /// Whether they have expired, or do so within some milliseconds.
  fileprivate func isExpiring(within lead: Int64) -> Bool {
    expiresAt.map { $0.milliseconds - lead <= Timestamp.now.milliseconds } ?? false
  }
}
