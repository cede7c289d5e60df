package import TweetCore
package import TweetNet

/// A request that is made again after failures, as its retry policy decides.
///
/// It is idle, in flight, or waiting for its next try. It has no loop and no output of its own: the owner starts it in
/// a `TransferLoop`, passes the loop's events to it, and starts it again when it ``isDue``. The owner makes a new
/// `HTTPRequest` each time, because what to ask for may have changed during the wait.
package struct RetriedRequest: Sendable {
  /// What an answer is, as the owner reads it.
  package enum Reading<Answer> {
    case answer(Answer)
    /// The service refuses the request.
    case refused(Refusal)
    /// Something other than the service answered; the text says what is wrong with the answer.
    case unreadable(String)
  }

  /// What came of one try.
  package enum Outcome<Answer> {
    case answered(Answer)
    /// It failed, and is to be started again when the wait is over.
    case waiting(Wait)
    /// It failed, and trying again does not help.
    case stopped(ToolError)
  }

  /// The time until the next try.
  package struct Wait: Sendable, Equatable {
    /// When it is over, by the clock's milliseconds.
    package let until: Int
    package let milliseconds: Int
    package let cause: RetryPolicy.Cause
    /// Why the request failed, for people.
    package let reason: String
  }

  private enum State {
    case idle
    case inFlight(TransferID)
    case waiting(until: Int)
  }

  private var state = State.idle
  private var isStarted = false
  /// Why the last try failed.
  private var failure: String?
  private let clock: RetryClock
  /// The owner records in it what answers do not show, such as that a stream sent data.
  package var policy: RetryPolicy

  package init(_ policy: RetryPolicy, clock: RetryClock = .system) {
    self.policy = policy
    self.clock = clock
  }

  /// Whether it is neither in flight nor waiting.
  package var isIdle: Bool {
    if case .idle = state { true } else { false }
  }

  /// The transfer in flight.
  package var transfer: TransferID? {
    if case .inFlight(let id) = state { id } else { nil }
  }

  /// When the wait is over, by the clock's milliseconds; `nil` when it does not wait.
  package var wakesAt: Int? {
    if case .waiting(let until) = state { until } else { nil }
  }

  /// Why the service has never answered with 2xx; `nil` if it has, or was not asked.
  package var unansweredReason: String? {
    isStarted && !policy.hasConnected ? failure ?? "there is no answer yet" : nil
  }

  /// Why it has no answer yet; `nil` if it is idle.
  package var pendingReason: String? { isIdle ? nil : failure ?? "there is no answer yet" }

  /// Whether its wait is over.
  package var isDue: Bool { wakesAt.map { clock.milliseconds() >= $0 } ?? false }

  /// Starts the request now. A transfer in flight is cancelled, a wait is over.
  package mutating func start(_ request: HTTPRequest, in loop: inout TransferLoop) {
    cancel(in: &loop)
    isStarted = true
    state = .inFlight(loop.start(request))
  }

  /// Cancels the transfer in flight, or the wait.
  package mutating func cancel(in loop: inout TransferLoop) {
    if let transfer { loop.cancel(transfer) }
    state = .idle
  }

  /// Waits although nothing failed, such as until a budget opens again.
  package mutating func pause(until: Int) { state = .waiting(until: until) }

  /// Ends the try if the event is the end of the transfer in flight.
  ///
  /// - Parameter read: says what a whole answer is; not called for failed transfers.
  /// - Returns: `nil` for any other event.
  package mutating func handle<Answer>(
    _ event: TransferLoop.Event, read: (HTTPResponse) -> Reading<Answer>
  ) -> Outcome<Answer>? {
    guard let transfer, case .finished(transfer, let result) = event else { return nil }
    state = .idle
    switch result {
    case .failure(let error): return fail(.lost(error))
    case .success(let response):
      switch read(response) {
      case .refused(let refusal): return fail(.refused(refusal))
      case .unreadable(let text): return fail(.lost(TransferError(.protocolError, text)))
      case .answer(let answer):
        policy.recordSuccess()
        failure = nil
        return .answered(answer)
      }
    }
  }

  /// Ends the try for a reason that ``handle(_:read:)`` does not see, such as one inside a stream. The transfer must
  /// have ended or been cancelled.
  package mutating func fail<Answer>(_ failure: RetryPolicy.Failure) -> Outcome<Answer> {
    state = .idle
    self.failure = failure.reason
    switch policy.decide(failure, now: clock.now(), jitter: clock.jitter()) {
    case .stop(let error): return .stopped(error)
    case .retry(let milliseconds, let cause):
      let until = clock.milliseconds() + milliseconds
      state = .waiting(until: until)
      return .waiting(Wait(until: until, milliseconds: milliseconds, cause: cause, reason: failure.reason))
    }
  }
}

/// The clock and the random numbers of a retried request. Tests inject their own.
package struct RetryClock: Sendable {
  /// Milliseconds of a clock that only goes forward.
  package let milliseconds: @Sendable () -> Int
  /// The time of day, which the end of a rate window is compared with.
  package let now: @Sendable () -> Timestamp
  /// A number from 0 to 1, at random.
  package let jitter: @Sendable () -> Double

  package init(
    milliseconds: @escaping @Sendable () -> Int, now: @escaping @Sendable () -> Timestamp,
    jitter: @escaping @Sendable () -> Double
  ) {
    self.milliseconds = milliseconds
    self.now = now
    self.jitter = jitter
  }

  package static let system = RetryClock(
    milliseconds: { MonotonicClock.milliseconds }, now: { .now }, jitter: { .random(in: 0..<1) })
}
