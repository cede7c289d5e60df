import TweetCore
import TweetNet

/// The requests that set up a stream's rules before it is connected, one after the other, and remove them at the end.
/// Streams without rules need none.
struct RuleSetup: Sendable {
  private var request = RetriedRequest(RetryPolicy(.endless))
  /// Whether a person knows that a set-up which fails is tried again without end.
  private var isPatienceReported = false
  /// The account or its plan has no such stream.
  private(set) var isUnavailable = false

  /// Whether there is nothing more to ask.
  var isDone: Bool { request.isIdle }
  var wakesAt: Int? { request.wakesAt }
  var unansweredReason: String? { request.unansweredReason }
  /// The transfer in flight.
  var transfer: TransferID? { request.transfer }

  /// Makes the next request, if there is one. A request in flight is cancelled.
  mutating func advance(_ api: inout any StreamAPI, in loop: inout TransferLoop) {
    guard let next = Self.rules(of: &api, { $0.nextRuleRequest() }) ?? nil else { return request.cancel(in: &loop) }
    request.start(next, in: &loop)
  }

  /// Before a reconnect: sets up again rules that another program may have removed.
  mutating func renew(_ api: inout any StreamAPI, in loop: inout TransferLoop) {
    guard isDone else { return }
    Self.rules(of: &api) { $0.invalidateSharedRules() }
    advance(&api, in: &loop)
  }

  /// When a rule was added last.
  func addedAt(_ api: any StreamAPI) -> Timestamp? { (api as? any RuledStream)?.rulesAddedAt }

  /// Records that the service has no rules. They are added again by ``renew(_:in:)``.
  mutating func forget(_ api: inout any StreamAPI) { Self.rules(of: &api) { $0.forgetRules() } }

  mutating func wake(_ api: inout any StreamAPI, in loop: inout TransferLoop) {
    if request.isDue { advance(&api, in: &loop) }
  }

  /// Goes on after an answer.
  ///
  /// - Parameter deadline: when the run ends, by `MonotonicClock`; a longer wait for a limit is an error at once.
  /// - Returns: whether the event was of the transfer in flight.
  mutating func handle(
    _ event: TransferLoop.Event, _ api: inout any StreamAPI, until deadline: Int?, in loop: inout TransferLoop,
    to writer: inout FeedWriter
  ) throws(ToolError) -> Bool {
    guard let transfer, event.transfer == transfer else { return false }
    var refusal: Refusal?
    let outcome = request.handle(event) { response -> RetriedRequest.Reading<[Notice]> in
      let answer = Self.rules(of: &api) { $0.readRuleAnswer(response) } ?? .done([])
      switch answer {
      case .done(let notices): return .answer(notices)
      case .refused(let reason):
        refusal = reason
        return .refused(reason)
      }
    }
    isUnavailable = refusal?.meaning == .noStream
    switch outcome {
    case nil: break
    case .stopped(let error): throw error
    case .waiting(let wait): try report(wait, until: deadline, to: &writer)
    case .answered(let notices):
      for notice in notices { try writer.write(notice) }
      advance(&api, in: &loop)
    }
    return true
  }

  /// Until the service has answered once, a person may take the tool for one that gives up soon.
  private mutating func report(
    _ wait: RetriedRequest.Wait, until deadline: Int?, to writer: inout FeedWriter
  ) throws(ToolError) {
    guard unansweredReason != nil else { return try writer.write(.retry(wait)) }
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

  @discardableResult
  private static func rules<Result>(
    of api: inout any StreamAPI, _ body: (inout any RuledStream) -> Result
  ) -> Result? {
    guard var ruled = api as? any RuledStream else { return nil }
    defer { api = ruled }
    return body(&ruled)
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
      if let transfer, case .success(let response)? = try Self.await(transfer, in: &loop) {
        Self.rules(of: &api) { _ = $0.readRuleAnswer(response) }
      }
      request.cancel(in: &loop)
      guard let ruled = api as? any RuledStream else { return nil }
      for var removal in ruled.removalRequests() {
        removal.totalTimeout = Self.removalTime
        let reason: String
        switch try Self.await(loop.start(removal), in: &loop) {
        case .success(let response)?:
          guard let fault = ruled.removalFault(response) else { continue }
          reason = fault
        case .failure(let error)?: reason = error.text
        case nil: reason = "no answer"
        }
        return .tryLater("cannot remove \(ruled.ownRules): \(reason)")
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
