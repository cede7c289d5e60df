package import TweetCore
package import TweetNet

/// When to try again after a request or a stream has failed, and when to give up.
///
/// The ladders are X's (docs.x.com, "Handling disconnections"): a broken connection is tried again at once, then after
/// 250 ms more each time up to 16 s; an HTTP error after 5 s, doubling up to 320 s; a rate limit after 60 s, doubling, or
/// when the service says. A pure value: time and chance are handed in.
package struct ReconnectPolicy: Sendable {
  package enum Ending: Sendable {
    /// The connection could not be made, broke or fell silent; `nil` when the server closed it in good order.
    case lost(TransferError?)
    /// The service answered that it will not.
    case refused(Refusal)
    /// The service said inside the stream why it closes it.
    case dismissed(Refusal)
  }

  package enum Cause: Sendable {
    case network, server, rateLimit
    /// Another program holds the connection, or the service still counts a lost one of ours.
    case connectionLimit
  }

  package enum Decision: Sendable, Equatable {
    /// Try again after so many milliseconds.
    case retry(after: Int, Cause)
    case stop(ToolError)
  }

  /// How long to go on.
  package enum Patience: Sendable {
    /// A few tries, and no waiting for rate limits: whoever called us can call again.
    case brief
    case endless
  }

  private static let networkStep = 250
  private static let networkMost = 16_000
  private static let serverFirst = 5_000
  private static let serverMost = 320_000
  private static let limitFirst = 60_000
  /// X's windows are 15 minutes; doubling goes one step beyond.
  private static let limitMost = 960_000
  /// A server that asks for more is wrong, or its clock or ours is.
  private static let longestWait = 86_400_000
  private static let briefTries = 3
  /// Whoever wants just one round does not want it tomorrow.
  private static let longestBriefWait = 60_000
  /// How long something may take to come into force (X's rules take about 20 s), and the longest wait within that.
  private static let settlingTime: Int64 = 60_000
  private static let settlingMost = 20_000

  private let patience: Patience
  private var network = 0
  private var server = 0
  private var limit = 0
  private var unready = 0
  private var preparedAt: Timestamp?
  private var hasWorked = false

  package init(_ patience: Patience) { self.patience = patience }

  /// The service has answered with 2xx: its address and certificate are right, and it accepts us.
  package mutating func accepted() { hasWorked = true }

  /// Data came: the service is in order, and lets us in.
  package mutating func flowed() {
    accepted()
    (server, limit, unready) = (0, 0, 0)
  }

  /// A request was answered whole, or a stream brought data for a while: a failure that follows is a new one. Not to be
  /// called for a stream that ends as soon as it begins, or it would be tried again at once for ever.
  package mutating func worked() {
    flowed()
    network = 0
  }

  /// Something was set up at the service, which takes a while to come into force.
  package mutating func prepared(at now: Timestamp) { preparedAt = now }

  /// - Parameters:
  ///   - now: the real time, which the end of a rate window is compared with.
  ///   - jitter: 0 to 1, at random: waits whose length is ours to choose grow by up to a tenth, so that programs stopped
  ///     by one failure do not come back in step.
  package mutating func decide(_ ending: Ending, now: Timestamp, jitter: Double) -> Decision {
    switch ending {
    case .lost(let error): decide(lost: error, jitter)
    case .dismissed(let refusal) where refusal.meaning == .trouble: decide(lost: nil, jitter)
    case .dismissed(let refusal): decide(refused: refusal, now: now, jitter)
    case .refused(let refusal): decide(refused: refusal, now: now, jitter)
    }
  }

  private mutating func decide(lost error: TransferError?, _ jitter: Double) -> Decision {
    if let error, let final = error.finalError(hasWorked: hasWorked) { return .stop(final) }
    if error?.kind == .protocolError { return climbServer(jitter, error?.text ?? "", retryAfter: nil) }
    network += 1
    if patience == .brief, network >= Self.briefTries {
      return .stop(.tryLater("no connection to the service: \(error?.text ?? "it closes the connection")"))
    }
    let wait = min(Self.networkMost, (network - 1) * Self.networkStep)
    return .retry(after: Self.shaken(wait, jitter), .network)
  }

  private mutating func decide(refused refusal: Refusal, now: Timestamp, _ jitter: Double) -> Decision {
    switch refusal.meaning {
    case .final, .noStream, .tooFarBack: return .stop(refusal.error)
    case .connectionHeld where patience == .brief: return .stop(refusal.error)
    case .rateLimit, .connectionHeld:
      let wait = limitWait(refusal, now: now, jitter)
      if patience == .brief {
        return .stop(.tryLater("rate limit: \(refusal.text); try again in \((wait + 999) / 1000) s"))
      }
      return .retry(after: wait, refusal.meaning == .rateLimit ? .rateLimit : .connectionLimit)
    case .notReady:
      guard let preparedAt, now.milliseconds - preparedAt.milliseconds < Self.settlingTime else {
        return .stop(refusal.error)
      }
      unready += 1
      let wait = Self.doubled(Self.serverFirst, unready, most: Self.settlingMost)
      return .retry(after: Self.shaken(wait, jitter), .server)
    case .trouble: return climbServer(jitter, refusal.text, retryAfter: refusal.retryAfter)
    }
  }

  private mutating func climbServer(_ jitter: Double, _ text: String, retryAfter: Int?) -> Decision {
    server += 1
    let isLong = retryAfter.map { Self.wait(seconds: $0) > Self.longestBriefWait } ?? false
    if patience == .brief, server >= Self.briefTries || isLong {
      return .stop(.tryLater("the service is in trouble: \(text); try again later"))
    }
    if let retryAfter { return .retry(after: Self.wait(seconds: retryAfter), .server) }
    let wait = Self.doubled(Self.serverFirst, server, most: Self.serverMost)
    return .retry(after: Self.shaken(wait, jitter), .server)
  }

  /// What the service says goes before the ladder: `Retry-After`, else the window's end.
  private mutating func limitWait(_ refusal: Refusal, now: Timestamp, _ jitter: Double) -> Int {
    limit += 1
    if let seconds = refusal.retryAfter { return Self.wait(seconds: seconds) }
    if let reset = refusal.resetsAt, reset.milliseconds >= now.milliseconds / 1000 * 1000,
      reset.milliseconds <= now.milliseconds + Int64(Self.longestWait)
    {
      // A second more, for the part of a second the header does not show.
      return (Int(reset.milliseconds / 1000 - now.milliseconds / 1000) + 1) * 1000
    }
    return Self.shaken(Self.doubled(Self.limitFirst, limit, most: Self.limitMost), jitter)
  }

  /// - Parameter seconds: what a header says: any number.
  private static func wait(seconds: Int) -> Int { max(0, min(longestWait / 1000, seconds)) * 1000 }

  private static func doubled(_ first: Int, _ step: Int, most: Int) -> Int {
    min(most, first << min(step - 1, 16))
  }

  private static func shaken(_ wait: Int, _ jitter: Double) -> Int { wait + Int(Double(wait) / 10 * jitter) }
}

extension TransferError {
  /// The error to stop with where trying again cannot help.
  ///
  /// - Parameter hasWorked: the same service has answered before, so its address and certificate were right.
  fileprivate func finalError(hasWorked: Bool) -> ToolError? {
    switch kind {
    case .badURL, .insecureCredential, .proxy: .configuration("cannot reach the service: \(text)")
    case .tls where !hasWorked: .refused("no trusted connection to the service: \(text)")
    case .privateAddress: .notAllowed("cannot reach the service: \(text)")
    default: nil
    }
  }
}
