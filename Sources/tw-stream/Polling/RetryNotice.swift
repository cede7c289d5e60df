import TweetCore
import TweetServices

extension Notice {
  /// When a request is made again, and why.
  static func retry(_ wait: RetriedRequest.Wait) -> Notice { retry(wait, wait.reason) }

  /// - Parameter reason: `nil` if another notice says it.
  static func retry(_ wait: RetriedRequest.Wait, _ reason: String?) -> Notice {
    let milliseconds = wait.milliseconds
    // Nobody reads the milliseconds of a long pause.
    let rounded = milliseconds < 10_000 ? milliseconds : (milliseconds + 999) / 1000 * 1000
    let when = milliseconds == 0 ? "at once" : "in \(seconds(rounded)) s"
    let prefix = (wait.cause.text.map { $0 + ": " } ?? "") + (reason.map { $0 + "; " } ?? "")
    return Notice(milliseconds == 0 ? .info : .warning, wait.cause.code, "\(prefix)trying again \(when)")
      .with("wait", milliseconds: milliseconds)
  }
}

extension RetriedRequest {
  /// Has a stream that failed wait for its next try.
  ///
  /// - Parameters:
  ///   - isTold: whether another notice has said why.
  ///   - deadline: when the run ends, by `MonotonicClock`; `nil` if the stream was there before.
  mutating func retry(
    after failure: RetryPolicy.Failure, isTold: Bool, until deadline: Int?, to writer: inout FeedWriter
  ) throws(ToolError) {
    let outcome: Outcome<Never> = fail(failure)
    switch outcome {
    case .stopped(let error): throw error
    case .waiting(let wait):
      try wait.checkTime(until: deadline)
      try writer.write(.retry(wait, isTold ? nil : wait.reason))
    }
  }
}

extension RetriedRequest.Wait {
  /// - Parameter deadline: when the run ends, by `MonotonicClock`.
  /// - Throws: `ToolError.tryLater` if the wait is for a limit and the run ends before it is over.
  func checkTime(until deadline: Int?) throws(ToolError) {
    guard let text = cause.text, let deadline, until > deadline else { return }
    throw .tryLater("\(text): \(reason); there is no time left to wait \(seconds(milliseconds)) s")
  }
}

extension RetryPolicy.Cause {
  /// The code of its notice.
  fileprivate var code: String {
    switch self {
    case .network, .server: "reconnect"
    case .rateLimit: "rate-limit"
    case .connectionLimit: "connection-limit"
    }
  }

  /// What a person must know beside what the service says.
  var text: String? {
    switch self {
    case .network, .server: nil
    case .rateLimit: "rate limit"
    case .connectionLimit: "another program, or a lost connection of this one, holds the account's stream"
    }
  }
}
