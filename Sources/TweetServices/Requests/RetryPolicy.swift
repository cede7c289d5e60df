package import TweetCore
package import TweetNet

/// Decides after a failure whether and when a request or a stream is tried again.
///
/// The backoff is X's (docs.x.com, "Handling disconnections"): a broken connection is tried again at once, then after
/// 250 ms more each time up to 16 s; an HTTP error after 5 s, doubling up to 320 s; a rate limit after 60 s, doubling,
/// or when the service says. A pure value: time and chance are handed in.
package struct RetryPolicy: Sendable {
  package enum Failure: Sendable {
    /// The connection could not be made, broke or was silent for too long; `nil` when the service closed it in good
    /// order.
    case lost(TransferError?)
    /// The service refused the request.
    case refused(Refusal)
    /// The service said inside the stream why it closes it.
    case closed(Refusal)
  }

  package enum Cause: Sendable {
    case network, server, rateLimit
    /// Another program holds the connection, or the service still counts a lost one of ours.
    case connectionLimit
  }

  package enum Decision: Sendable, Equatable {
    /// Try again after this many milliseconds.
    case retry(after: Int, Cause)
    case stop(ToolError)
  }

  /// How long to go on.
  package enum Patience: Sendable {
    /// A few tries, and no waiting for rate limits: the caller can call again.
    case brief
    case endless
  }

  private static let networkStep = 250
  private static let longestNetworkWait = 16_000
  private static let firstServerWait = 5_000
  private static let longestServerWait = 320_000
  private static let firstLimitWait = 60_000
  /// X's rate windows are 15 minutes; doubling goes one step beyond.
  private static let longestLimitWait = 960_000
  /// Bounds what a server may ask for: its clock or ours may be wrong.
  private static let longestWait = 86_400_000
  /// How many seconds after the end of a rate window an answer about it may arrive.
  private static let latestAnswer = 60
  private static let briefTries = 3
  /// A brief request does not wait longer than this for a server.
  private static let longestBriefWait = 60_000
  /// How long the service may take to apply a setup (X's rules take about 20 s), and the longest wait within that.
  private static let setupTime: Int64 = 60_000
  private static let longestSetupWait = 20_000

  private let patience: Patience
  private var networkFailures = 0
  private var serverFailures = 0
  private var limitFailures = 0
  private var setupFailures = 0
  private var setupAt: Timestamp?
  /// The limit that the last connection counted for, and when that began.
  private var connection: (window: RateWindow, time: Timestamp)?
  /// Whether the service has ever answered with 2xx.
  private(set) var hasConnected = false
  /// Milliseconds that the rate limit lasts which ended a brief series of tries.
  package private(set) var limitWait: Int?

  package init(_ patience: Patience) { self.patience = patience }

  /// The service answered with 2xx: its address and certificate are right, and it accepts us.
  package mutating func recordAcceptance() { hasConnected = true }

  /// Records what the answer to a connection says of their limit: a connection that breaks off soon uses it up.
  package mutating func recordConnection(_ window: RateWindow?, at time: Timestamp) {
    recordAcceptance()
    connection = window.map { ($0, time) }
  }

  /// The service sent data: it works, and it lets us in.
  package mutating func recordData() {
    recordAcceptance()
    (serverFailures, limitFailures, setupFailures) = (0, 0, 0)
  }

  /// A request was answered whole, or a stream brought data for a while: the next failure is the first of a new series.
  /// Not for a stream that ends as soon as it begins, or it would be tried again at once for ever.
  package mutating func recordSuccess() {
    recordData()
    networkFailures = 0
  }

  /// Something was set up at the service, which may apply it only after a while.
  package mutating func recordSetup(at time: Timestamp) { setupAt = time }

  /// Whether the service may still have to apply it.
  package func awaitsSetup(now: Timestamp) -> Bool {
    setupAt.map { now.milliseconds - $0.milliseconds < Self.setupTime } ?? false
  }

  /// - Parameters:
  ///   - now: the time of day, which the end of a rate window is compared with.
  ///   - jitter: 0 to 1, at random: waits whose length is ours to choose grow by up to a tenth, so that programs
  ///     stopped
  ///     by one failure do not come back in step.
  package mutating func decide(_ failure: Failure, now: Timestamp, jitter: Double) -> Decision {
    switch failure {
    case .lost(let error): decide(lost: error, now: now, jitter)
    case .closed(let refusal) where refusal.meaning == .trouble: decide(lost: nil, now: now, jitter)
    case .closed(let refusal), .refused(let refusal): decide(refused: refusal, now: now, jitter)
    }
  }

  /// The error after too many failures of connections.
  package static func noConnection(_ reason: String) -> ToolError {
    .tryLater("no connection to the service: \(reason)")
  }

  /// The error after too many failures of the service.
  package static func inTrouble(_ reason: String) -> ToolError {
    .tryLater("the service is in trouble: \(reason); try again later")
  }

  private mutating func decide(lost error: TransferError?, now: Timestamp, _ jitter: Double) -> Decision {
    if let error, let final = error.finalError(hasConnected: hasConnected) { return .stop(final) }
    if error?.kind == .protocolError { return backOffFromServer(jitter, error?.text ?? "", retryAfter: nil) }
    networkFailures += 1
    if patience == .brief, networkFailures >= Self.briefTries {
      return .stop(Self.noConnection(error?.text ?? "it closes the connection"))
    }
    let wait = min(Self.longestNetworkWait, (networkFailures - 1) * Self.networkStep)
    return .retry(after: Self.adding(jitter, to: max(wait, limitPause(at: now))), .network)
  }

  private mutating func decide(refused refusal: Refusal, now: Timestamp, _ jitter: Double) -> Decision {
    switch refusal.meaning {
    case .final, .noStream, .tooFarBack: return .stop(refusal.error)
    case .connectionHeld where patience == .brief: return .stop(refusal.error)
    case .rateLimit, .connectionHeld:
      let wait = limitWait(refusal, now: now, jitter)
      if patience == .brief {
        limitWait = wait
        return .stop(.tryLater("rate limit: \(refusal.text); try again in \((wait + 999) / 1000) s"))
      }
      return .retry(after: wait, refusal.meaning == .rateLimit ? .rateLimit : .connectionLimit)
    case .notReady:
      guard awaitsSetup(now: now) else { return .stop(refusal.error) }
      setupFailures += 1
      let wait = Self.doubled(Self.firstServerWait, setupFailures, longest: Self.longestSetupWait)
      return .retry(after: Self.adding(jitter, to: wait), .server)
    case .trouble: return backOffFromServer(jitter, refusal.text, retryAfter: refusal.retryAfter)
    }
  }

  /// Milliseconds that the limit of connections wants between this one's beginning and the next, less those it lasted.
  private mutating func limitPause(at now: Timestamp) -> Int {
    defer { connection = nil }
    guard let connection else { return 0 }
    let lasted = Int(max(0, now.milliseconds - connection.time.milliseconds))
    return max(0, connection.window.pause(at: now) - lasted)
  }

  private mutating func backOffFromServer(_ jitter: Double, _ text: String, retryAfter: Int?) -> Decision {
    serverFailures += 1
    let isLong = retryAfter.map { Self.wait(seconds: $0) > Self.longestBriefWait } ?? false
    if patience == .brief, serverFailures >= Self.briefTries || isLong {
      return .stop(Self.inTrouble(text))
    }
    if let retryAfter { return .retry(after: Self.wait(seconds: retryAfter), .server) }
    let wait = Self.doubled(Self.firstServerWait, serverFailures, longest: Self.longestServerWait)
    return .retry(after: Self.adding(jitter, to: wait), .server)
  }

  /// What the service says takes precedence over our own backoff: `Retry-After`, else the end of the rate window.
  private mutating func limitWait(_ refusal: Refusal, now: Timestamp, _ jitter: Double) -> Int {
    limitFailures += 1
    if let seconds = refusal.retryAfter { return Self.wait(seconds: seconds) }
    if let reset = refusal.resetsAt {
      // A second more, for the part of a second that the header does not show.
      let seconds = Int(reset.milliseconds / 1000 - now.milliseconds / 1000) + 1
      if (1...Self.longestWait / 1000).contains(seconds) { return seconds * 1000 }
      // An answer may arrive after the window's end. If the same is said again, it is another limit than the window's.
      if limitFailures == 1, (-Self.latestAnswer...0).contains(seconds) { return 1000 }
    }
    return Self.adding(jitter, to: Self.doubled(Self.firstLimitWait, limitFailures, longest: Self.longestLimitWait))
  }

  /// - Parameter seconds: what a header says: any number.
  private static func wait(seconds: Int) -> Int { max(0, min(longestWait / 1000, seconds)) * 1000 }

  private static func doubled(_ first: Int, _ step: Int, longest: Int) -> Int {
    min(longest, first << min(step - 1, 16))
  }

  private static func adding(_ jitter: Double, to wait: Int) -> Int { wait + Int(Double(wait) / 10 * jitter) }
}

extension RetryPolicy.Failure {
  /// What happened, for people.
  package var reason: String {
    switch self {
    case .lost(let error): error?.text ?? "the service closed it"
    case .refused(let refusal), .closed(let refusal): refusal.text
    }
  }
}

extension TransferError {
  /// The error to stop with if trying again cannot help.
  ///
  /// - Parameter hasConnected: the same service has answered before, so its address and certificate were right.
  fileprivate func finalError(hasConnected: Bool) -> ToolError? {
    if let cause { return cause }
    return switch kind {
    case .badURL, .insecureCredential, .proxy: .configuration("cannot reach the service: \(text)")
    case .tls where !hasConnected: .refused("no trusted connection to the service: \(text)")
    case .privateAddress: .notAllowed("cannot reach the service: \(text)")
    default: nil
    }
  }
}
