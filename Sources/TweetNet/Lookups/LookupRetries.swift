/// The further tries that a look-up has after failures that may pass: a connection that breaks, a name server that
/// fails, a server in trouble (5xx), one that was not ready for the request (408, 425). Hosts that ask for fewer
/// requests are the matter of ``HostLanes``.
package struct LookupRetries: Sendable {
  private var left: Int
  private var pause = 500

  /// Of statuses in 5xx, those that say that the server lacks something, which waiting does not bring (RFC 9110 §15.6,
  /// RFC 6585 §6, RFC 4918 §11.5).
  private static let lasting: Set<Int> = [501, 505, 506, 507, 508, 510, 511]

  package init(_ count: Int) { left = count }

  /// Decides whether the request is made again.
  ///
  /// - Parameters:
  ///   - result: of the request.
  ///   - millisecondsLeft: of the time for the whole look-up.
  /// - Returns: how many milliseconds to wait before: what the server asks for (`Retry-After`), else twice as long each
  ///   time. `nil` when there is no further try, or no time for it.
  package mutating func pause(
    after result: Result<HTTPResponse, TransferError>, millisecondsLeft: Int
  ) -> Int? {
    guard left > 0, Self.mayPass(result) else { return nil }
    let wait = Self.retryAfter(result).map { $0 > 86_400 ? .max : $0 * 1000 } ?? pause
    guard wait < millisecondsLeft else { return nil }
    left -= 1
    pause *= 2
    return wait
  }

  private static func mayPass(_ result: Result<HTTPResponse, TransferError>) -> Bool {
    switch result {
    case .success(let response):
      [408, 425].contains(response.status)
        || response.status / 100 == 5 && response.status != 503 && !lasting.contains(response.status)
    case .failure(let error): error.kind == .lostConnection || error.kind == .dns
    }
  }

  private static func retryAfter(_ result: Result<HTTPResponse, TransferError>) -> Int? {
    if case .success(let response) = result { response.retryAfter } else { nil }
  }
}
