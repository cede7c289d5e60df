/// How fast one host gets requests, as its answers ask for. Times are milliseconds of the caller's monotonic clock.
///
/// A host that refuses a request, since there were too many (429) or since it is overloaded (503), rests as long as it
/// says (`Retry-After`), else 1, 2, 4 s …; then one request goes first, and the others when it was accepted. What the
/// host accepted over the time until the rest ends is what it takes: afterwards requests start at that rate. A refusal
/// at that rate halves it. After ten seconds without a refusal it is raised by a quarter each second; a refusal then
/// takes back the last raise, and doubles the ten seconds. Where refusals go on for too long, or the host wants a
/// longer rest, it is closed.
package struct HostPace: Sendable {
  /// How a request ended.
  package enum End: Sendable {
    /// The host answered, whatever it said.
    case accepted
    /// There was no answer, or none that says something of the host's limits.
    case failed
    /// The host has too much to do. `retryAfter` is the time that it asks for, in milliseconds; `hasLimit` whether it
    /// counts requests, and does not only fail.
    case refused(retryAfter: Int?, hasLimit: Bool)
  }

  /// How long look-ups wait for a host that accepts nothing: from its first refusal to the end of its rest.
  package static let patience = 60_000
  private static let firstRest = 1000
  /// How long a rate is kept before it is raised, and how long each raise is kept.
  private static let trial = 10_000
  private static let step = 1000

  /// Milliseconds between the starts of two requests; 0 for none.
  package private(set) var interval = 0.0
  /// When a request may start again; `nil` if the host does not rest.
  package private(set) var restEnd: Int?
  /// Whether the host rests for longer than look-ups wait.
  package private(set) var isClosed = false
  /// Whether one request goes first after a rest.
  package private(set) var isProbing = false

  /// How many requests were refused since the last one that was accepted. Those that were under way count as one.
  private var refusals = 0
  /// When the last rest began: what started before says nothing of it.
  private var restStart = Int.min
  private var firstRefusal = 0
  /// Of what `accepted` counts: the first request after a rest, or of all.
  private var start: Int?
  private var accepted = 0
  /// Whether the rate is found anew when the rest ends.
  private var isMeasuring = false
  private var raiseTime = 0
  private var trial = Self.trial
  /// The interval before the last raise.
  private var proven: Double?

  package init() {}

  /// Whether nothing is known that a new value would not know.
  package var isUsual: Bool { interval == 0 && restEnd == nil && refusals == 0 && !isProbing }

  /// A request starts. The host does not rest.
  package mutating func begin(at now: Int) {
    if start == nil { start = now }
  }

  /// Ends the rest if its time is over.
  /// - Parameter perHost: how many requests to the host may run at once.
  /// - Returns: whether the host rests.
  package mutating func isResting(at now: Int, perHost: Int) -> Bool {
    guard let end = restEnd else { return false }
    guard end <= now else { return true }
    if isMeasuring { measure(until: end, perHost) }
    (restEnd, isClosed, isProbing, isMeasuring) = (nil, false, true, false)
    (start, accepted) = (nil, 0)
    raiseTime = now + trial
    return false
  }

  /// Finds the rate from what was accepted. Requests do not all take the same time on their way: a little less is asked
  /// for.
  private mutating func measure(until end: Int, _ perHost: Int) {
    let span = Double(max(1, end - (start ?? restStart)))
    let measured = accepted > 0 ? 1.03 * span / Double(accepted) : span / Double(perHost)
    if let proven {
      (interval, self.proven) = (proven, nil)
      trial = min(2 * trial, 64 * Self.trial)
    } else {
      interval = interval == 0 ? measured : min(2 * interval, max(measured, interval))
    }
  }

  /// A request has ended that started at the time `began`.
  package mutating func finish(_ end: End, began: Int, at now: Int) {
    switch end {
    case .failed: break
    case .accepted:
      accepted += 1
      guard restEnd == nil, began >= restStart else { return }
      (isProbing, refusals) = (false, 0)
      guard interval > 0, now >= raiseTime else { return }
      proven = interval
      interval = interval > 2 ? interval * 0.8 : 0
      raiseTime = now + Self.step
    case .refused(let retryAfter, let hasLimit):
      if restEnd == nil {
        guard began >= restStart else { return }
        if refusals == 0 { firstRefusal = now }
        refusals += 1
        restStart = now
      }
      isMeasuring = isMeasuring || hasLimit
      // A host that refuses again after the time that it asked for needs more.
      let usual = Self.firstRest << min(refusals - 1, 20)
      let rest = max(retryAfter ?? 0, retryAfter == nil || refusals > 1 ? usual : 1)
      let end = max(restEnd ?? 0, now + min(rest, 365 * 86_400_000))
      restEnd = end
      isClosed = isClosed || end - firstRefusal > Self.patience
    }
  }
}
