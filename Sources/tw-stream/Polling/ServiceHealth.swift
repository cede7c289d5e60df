import TweetCore
import TweetNet
import TweetServices

/// What the feeds of one run learn together about the service and the account that they share. So a broken service is
/// asked a few times, and not a few times for each source.
///
/// Each feed still retries by its own ``RetryPolicy``. It asks here before each request, and records here what came of
/// it. It is for runs that end: a feed that is polled for ever waits until the service works again.
final class ServiceHealth {
  /// What was learned of an endpoint, or of all of them.
  private struct Condition {
    /// Failures in a row that are counted.
    var failures = 0
    /// When the last failure was counted.
    var failedAt = Int.min
    /// Why no further request is made in this run.
    var error: ToolError?
    /// When requests may be made again, by the clock's milliseconds; `nil` if the service does not say.
    var resumesAt: Int?
  }

  /// How many failures in a row end the requests to an endpoint.
  private static let mostFailures = 3

  private let clock: RetryClock
  /// The connection and the account.
  private var service = Condition()
  private var endpoints: [String: Condition] = [:]

  init(clock: RetryClock = .system) { self.clock = clock }

  /// Why no request to that endpoint is made any more in this run; `nil` while requests may be made.
  func error(for endpoint: String) -> ToolError? { service.error ?? endpoints[endpoint]?.error }

  /// When the endpoint may be asked again, by the clock's milliseconds, if the service said so.
  func resumesAt(_ endpoint: String) -> Int? { service.resumesAt ?? endpoints[endpoint]?.resumesAt }

  /// Records an answer of the endpoint that was as it should be.
  func recordAnswer(of endpoint: String) {
    service.failures = 0
    endpoints[endpoint]?.failures = 0
  }

  /// Records a failure that may pass. Several requests that were in flight together fail for one reason and count once,
  /// except for time-outs, since each of them lasted long.
  ///
  /// - Parameters:
  ///   - wait: what the retry policy decided.
  ///   - isTimeout: the service did not answer in time.
  ///   - sentAt: when the request was sent.
  func record(_ wait: RetriedRequest.Wait, isTimeout: Bool, of endpoint: String, sentAt: Int) {
    let isNetwork = wait.cause == .network
    var condition = isNetwork ? service : endpoints[endpoint] ?? Condition()
    guard isTimeout || sentAt > condition.failedAt else { return }
    condition.failures += 1
    condition.failedAt = clock.milliseconds()
    if condition.failures >= Self.mostFailures, condition.error == nil {
      condition.error = isNetwork ? RetryPolicy.noConnection(wait.reason) : RetryPolicy.inTrouble(wait.reason)
    }
    if isNetwork { service = condition } else { endpoints[endpoint] = condition }
  }

  /// Records that a feed ends because of an error.
  ///
  /// - Parameters:
  ///   - scope: what else would fail in the same way.
  ///   - wait: milliseconds until requests may be made again, if the service said so.
  func recordEnd(_ error: ToolError, _ scope: Refusal.Scope, of endpoint: String, wait: Int? = nil) {
    let resumesAt = wait.map { clock.milliseconds() + $0 }
    switch scope {
    case .request: break
    case .endpoint:
      var condition = endpoints[endpoint] ?? Condition()
      if condition.error == nil { (condition.error, condition.resumesAt) = (error, resumesAt) }
      endpoints[endpoint] = condition
    case .account: if service.error == nil { (service.error, service.resumesAt) = (error, resumesAt) }
    }
  }
}

extension TransferLoop.Event {
  /// Whether a transfer failed, and its service did not answer in time.
  var isTimeout: Bool {
    if case .finished(_, .failure(let error)) = self { error.kind == .timeout || error.kind == .silence } else { false }
  }

  /// Whether a transfer failed.
  var isFailure: Bool {
    if case .finished(_, .failure) = self { true } else { false }
  }
}
