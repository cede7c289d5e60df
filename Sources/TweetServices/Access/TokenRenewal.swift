import Libc
package import TweetAccounts
package import TweetCore
package import TweetNet

/// One renewal of an account's tokens: the request, and what comes of it on disk.
///
/// A refresh token works once. So it is spent under a lock, after the tokens were read again, and the new tokens are on
/// disk before anybody uses them. Before the request a mark is on disk beside the old tokens: who finds it knows that a
/// renewal was begun whose answer was never stored.
package struct TokenRenewal: Sendable {
  package let account: ServiceAccount.Name
  package let endpoint: TokenEndpoint

  package init(_ account: ServiceAccount.Name, endpoint: TokenEndpoint) {
    (self.account, self.endpoint) = (account, endpoint)
  }

  var file: TokenFile { TokenFile(account) }

  /// Renews the tokens, unless another program has done so.
  ///
  /// - Parameters:
  ///   - old: the access token that is to be replaced.
  ///   - patience: for how many milliseconds it is tried to store the new ones.
  ///   - onFault: is told once that this does not succeed at first.
  package func run(
    replacing old: Secret, patience: Int, onFault: (ToolError) -> Void = { _ in }
  ) throws(TransferError) {
    let file = file
    let result: Result<Void, TransferError>
    do throws(ToolError) {
      result = try file.lock { () throws(ToolError) in
        guard let tokens = try file.read() else { return .failure(missing) }
        guard tokens.access == old else { return .success(()) }
        do throws(TransferError) {
          return .success(try renew(tokens, in: file, patience, onFault))
        } catch {
          return .failure(error)
        }
      }
    } catch {
      throw TransferError(credential: error)
    }
    try result.get()
  }

  var missing: TransferError {
    TransferError(credential: .notAllowed("no token of account '\(account)' is stored: run 'tw-auth login' again"))
  }

  private func renew(
    _ old: TokenFile.Tokens, in file: TokenFile, _ patience: Int, _ onFault: (ToolError) -> Void
  ) throws(TransferError) {
    guard let refresh = old.refresh else {
      throw TransferError(
        credential: .notAllowed(
          "the token of account '\(account)' has expired, and it cannot be renewed: run 'tw-auth login' again"))
    }
    var marked = old
    marked.renewalBegunAt = old.renewalBegunAt ?? .now
    // If this cannot be written, the refresh token must not be spent: the disk is full, or read-only.
    try write(marked, to: file)
    var room: ReservedFile?
    do throws(ToolError) {
      room = try file.reserve()
    } catch {
      try write(old, to: file)
      throw TransferError(credential: error)
    }
    let asked = old.binding.map { endpoint.bound(to: $0.key) } ?? endpoint
    let response: HTTPResponse
    do throws(TransferError) {
      response = try TransferLoop.answer(to: asked.refresh(refresh))
    } catch {
      room = nil
      if error.isUnsent { try write(old, to: file) }
      throw error
    }
    guard let new = asked.tokens(in: response, spent: refresh, old.binding) else {
      // It was answered: this renewal is not a reason for what comes later.
      room = nil
      try write(old, to: file)
      throw refusal(response, old)
    }
    try keep(new, in: file, &room, patience, onFault)
  }

  /// Stores the new tokens, which nobody else has. The old ones work no more, so a disk that fails is tried again and
  /// again, as long as the new ones work.
  private func keep(
    _ tokens: TokenFile.Tokens, in file: TokenFile, _ room: inout ReservedFile?, _ patience: Int,
    _ onFault: (ToolError) -> Void
  ) throws(TransferError) {
    let start = MonotonicClock.milliseconds
    var tries = 0
    while true {
      do throws(ToolError) {
        return try file.write(tokens, in: room)
      } catch {
        // What a disk has lost of a file does not come back by writing it there again.
        room = nil
        tries += 1
        let isOver = tokens.expiresAt.map { $0 <= .now } ?? false
        if MonotonicClock.milliseconds - start >= patience || isOver { throw TransferError(credential: error) }
        if tries == 1 { continue }
        if tries == 2 { onFault(error) }
        poll(nil, 0, Self.pause)
      }
    }
  }

  /// Milliseconds between two tries to store tokens.
  private static let pause: Int32 = 500

  private func write(_ tokens: TokenFile.Tokens, to file: TokenFile) throws(TransferError) {
    do throws(ToolError) { try file.write(tokens) } catch { throw TransferError(credential: error) }
  }

  private func refusal(_ response: HTTPResponse, _ old: TokenFile.Tokens) -> TransferError {
    let problem = OAuthProblem(response)
    switch response.status {
    case 408, 425, 429, 500...599:
      return TransferError(.protocolError, "the service does not renew the token now: \(problem.text)")
    default:
      let cut = old.renewalBegunAt.map {
        "its renewal was interrupted at \($0.rfc3339), before the new token was stored, and the service takes the old one no "
          + "more: \(problem.text)"
      }
      let end = old.signInEndsAt.flatMap { $0 < .now ? "the sign-in ended on \($0.rfc3339.prefix(10))" : nil }
      let strange = response.isSuccess ? "its answer has no token of this account" : nil
      let reason = strange ?? end ?? cut
      return TransferError(
        credential: .notAllowed(
          "the service does not renew the token of account '\(account)': \(reason ?? problem.text); "
            + "run 'tw-auth login' again"))
    }
  }
}
