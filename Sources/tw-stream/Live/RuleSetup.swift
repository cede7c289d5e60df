import TweetCore
import TweetNet
import TweetServices

/// The requests that set up a stream's rules before it is connected, one after the other, look from time to time
/// whether they are still there, and remove them at the end. Streams without rules need none.
struct RuleSetup: Sendable {
  /// Rules that others had removed, and that are there again.
  struct LostRules {
    let feeds: [String]
    /// When they were all there.
    let since: Timestamp
  }

  /// Milliseconds between two looks. X allows 450 lists in 15 minutes to all programs of an app.
  static let interval = 120_000

  private let interval: Int
  private var request = RetriedRequest(RetryPolicy(.endless))
  /// Whether the requests only check that the rules are there: the stream goes on if they fail.
  private var isCheck = false
  /// Whether the service said that it has no rules: they are to be listed before the next connection.
  private var isDoubted = false
  /// Whether all rules have been there once.
  private var isSetUp = false
  /// Whether a person knows that a set-up which fails is tried again without end.
  private var isPatienceReported = false
  /// Whether a person knows that checks fail.
  private var isTroubleReported = false
  /// When the requests began that are being made.
  private var beganAt: Timestamp?
  /// All rules were there at this time.
  private var confirmedAt: Timestamp?
  /// When an open stream is to look again, by `MonotonicClock`; `nil` while it looks.
  private(set) var checkAt: Int?
  /// The account or its plan has no such stream.
  private(set) var isUnavailable = false

  init(interval: Int = Self.interval) { self.interval = interval }

  var wakesAt: Int? { request.wakesAt }
  /// Why the rules were never set up; `nil` if they were, or there are none.
  var unansweredReason: String? { isSetUp ? nil : request.pendingReason }
  /// The transfer in flight.
  var transfer: TransferID? { request.transfer }

  /// Whether the stream may be connected: all rules are there, as far as is known.
  func isReady(_ api: any StreamAPI) -> Bool { !isDoubted && !api.lacksRules }

  /// Makes the next request, if there is one. A request in flight is cancelled.
  mutating func advance(_ api: inout any StreamAPI, in loop: inout TransferLoop) {
    guard api.hasRules else { return }
    beganAt = beganAt ?? .now
    guard let next = api.nextRuleRequest() else {
      request.cancel(in: &loop)
      (confirmedAt, beganAt, isDoubted, isCheck, isSetUp) = (beganAt, nil, false, false, true)
      checkAt = MonotonicClock.milliseconds + interval
      return
    }
    request.start(next, in: &loop)
  }

  /// Checks that the rules are still there, and adds them again if not.
  mutating func check(_ api: inout any StreamAPI, in loop: inout TransferLoop) {
    guard request.isIdle else { return }
    api.invalidateRules()
    (isCheck, checkAt) = (true, nil)
    advance(&api, in: &loop)
  }

  /// Records that the rules may be gone, such as when the service says so. They are listed by ``renew(_:in:)`` before
  /// the next connection.
  mutating func doubt(_ api: inout any StreamAPI) {
    guard api.hasRules else { return }
    api.invalidateRules()
    (isDoubted, isCheck) = (true, false)
  }

  /// Before a connection: lists the rules if they are doubted.
  mutating func renew(_ api: inout any StreamAPI, in loop: inout TransferLoop) {
    if isDoubted, request.isIdle { advance(&api, in: &loop) }
  }

  /// Makes no more requests until ``renew(_:in:)``.
  mutating func halt(in loop: inout TransferLoop) { request.cancel(in: &loop) }

  mutating func wake(_ api: inout any StreamAPI, in loop: inout TransferLoop) {
    if request.isDue { advance(&api, in: &loop) }
  }

  /// Goes on after an answer.
  ///
  /// - Parameter deadline: when the run ends, by `MonotonicClock`; a longer wait for a limit is an error at once.
  /// - Returns: which rules others had removed; `nil` if the event was not of the transfer in flight.
  mutating func handle(
    _ event: TransferLoop.Event, _ api: inout any StreamAPI, until deadline: Int?, in loop: inout TransferLoop,
    to writer: inout FeedWriter
  ) throws(ToolError) -> LostRules? {
    guard let transfer, event.transfer == transfer else { return nil }
    var refusal: Refusal?
    let outcome = request.handle(event) { response -> RetriedRequest.Reading<(notices: [Notice], gone: [String])> in
      switch api.readRuleAnswer(response) {
      case .done(let notices, let gone): return .answer((notices, gone))
      case .refused(let reason):
        refusal = reason
        return .refused(reason)
      }
    }
    switch outcome {
    case nil: break
    case .stopped(let error):
      guard isCheck else {
        isUnavailable = refusal?.meaning == .noStream
        throw error
      }
      checkAt = MonotonicClock.milliseconds + interval
      try reportTrouble(error.message ?? "it failed", to: &writer)
    case .waiting(let wait):
      if isCheck { try reportTrouble(wait.reason, to: &writer) } else { try report(wait, until: deadline, to: &writer) }
    case .answered(let (notices, gone)):
      isTroubleReported = false
      isCheck = isCheck && isReady(api)
      for notice in notices { try writer.write(notice) }
      let lost = LostRules(feeds: gone, since: confirmedAt ?? .now)
      advance(&api, in: &loop)
      return lost
    }
    return LostRules(feeds: [], since: .now)
  }

  private mutating func reportTrouble(_ reason: String, to writer: inout FeedWriter) throws(ToolError) {
    if isTroubleReported { return }
    isTroubleReported = true
    try writer.write(
      Notice(.warning, "rules-unknown", "cannot check that the stream's rules are still there: \(reason)"))
  }

  /// Until the rules are there for the first time, a person may take the tool for one that gives up soon.
  private mutating func report(
    _ wait: RetriedRequest.Wait, until deadline: Int?, to writer: inout FeedWriter
  ) throws(ToolError) {
    guard !isSetUp else { return try writer.write(.retry(wait)) }
    try wait.checkTime(until: deadline)
    var notice = Notice.retry(wait)
    if !isPatienceReported {
      notice.level = .warning
      notice.message += ", and again until the service answers"
      if deadline != nil { notice.message += " or the time of --for is over" }
      isPatienceReported = true
    }
    try writer.write(notice)
  }

  // MARK: The end

  /// Milliseconds for each request of the end: a person who pressed Ctrl-C is waiting.
  private static let removalTime = 5_000

  /// Removes the rules that this program added.
  ///
  /// - Returns: what could not be removed.
  mutating func remove(_ api: inout any StreamAPI, in loop: inout TransferLoop) -> ToolError? {
    do throws(ToolError) {
      // Only its answer says whether the rule of a request in flight is there.
      if !isCheck, let transfer, case .success(let response)? = try Self.await(transfer, in: &loop) {
        _ = api.readRuleAnswer(response)
      }
      request.cancel(in: &loop)
      for var removal in api.removalRequests() {
        removal.totalTimeout = Self.removalTime
        let reason: String
        switch try Self.await(loop.start(removal), in: &loop) {
        case .success(let response)?:
          guard let fault = api.removalFault(response) else { continue }
          reason = fault
        case .failure(let error)?: reason = error.text
        case nil: reason = "no answer"
        }
        return .tryLater("cannot remove \(api.ownRules): \(reason)")
      }
      return nil
    } catch {
      return error
    }
  }

  private static func await(
    _ id: TransferID, in loop: inout TransferLoop
  ) throws(ToolError) -> Result<HTTPResponse, TransferError>? {
    let deadline = MonotonicClock.milliseconds + removalTime
    while MonotonicClock.milliseconds < deadline {
      for case .finished(id, let result) in try loop.wait(timeoutMilliseconds: deadline - MonotonicClock.milliseconds) {
        return result
      }
    }
    return nil
  }
}
