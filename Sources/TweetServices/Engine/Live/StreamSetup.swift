import TweetCore
import TweetNet

/// The requests that come before a stream brings what is wanted, one after the other; each is tried again as its failure
/// allows.
struct StreamSetup: Sendable {
  private enum Phase {
    case idle
    case asking(TransferID)
    case waiting(until: Int)
  }

  /// Brief at first, so that a wrong token or no network ends the tool soon.
  private var policy = ReconnectPolicy(.brief)
  private var phase = Phase.idle
  /// The account or its plan has no such stream.
  private(set) var isUnavailable = false

  /// Whether there is nothing more to ask.
  var isDone: Bool {
    if case .idle = phase { true } else { false }
  }

  var wakesAt: Int? {
    if case .waiting(let until) = phase { until } else { nil }
  }

  /// The request under way.
  var transfer: TransferID? {
    if case .asking(let id) = phase { id } else { nil }
  }

  /// Asks for what comes next.
  mutating func go(on api: inout any StreamAPI, in loop: inout TransferLoop) {
    if let id = transfer { loop.cancel(id) }
    phase = api.preparation().map { .asking(loop.start($0)) } ?? .idle
  }

  mutating func wake(_ api: inout any StreamAPI, in loop: inout TransferLoop) {
    guard let due = wakesAt, MonotonicClock.milliseconds >= due else { return }
    go(on: &api, in: &loop)
  }

  /// Takes the end of the request under way.
  mutating func finished(
    _ result: Result<HTTPResponse, TransferError>, _ api: inout any StreamAPI, in loop: inout TransferLoop,
    to writer: inout FeedWriter
  ) throws(ToolError) {
    switch result {
    case .failure(let error): return try retry(.lost(error), error.text, to: &writer)
    case .success(let response):
      switch api.prepared(response) {
      case .refused(let refusal):
        isUnavailable = refusal.meaning == .noStream
        return try retry(.refused(refusal), refusal.text, to: &writer)
      case .done(let notices):
        policy.worked()
        for notice in notices { try writer.write(notice) }
      }
    }
    go(on: &api, in: &loop)
    // Who was let in once waits for as long as it takes.
    if isDone { policy = ReconnectPolicy(.endless) }
  }

  private mutating func retry(
    _ ending: ReconnectPolicy.Ending, _ reason: String, to writer: inout FeedWriter
  ) throws(ToolError) {
    phase = .idle
    switch policy.decide(ending, now: .now, jitter: .random(in: 0..<1)) {
    case .stop(let error): throw error
    case .retry(let wait, let cause):
      phase = .waiting(until: MonotonicClock.milliseconds + wait)
      try writer.write(.retry(after: wait, cause, reason))
    }
  }

  // MARK: The end

  /// Milliseconds for each request of the end: whoever pressed Ctrl-C is waiting.
  private static let tidyTime = 5_000

  /// Takes away what was set up.
  /// - Returns: what could not be taken away.
  mutating func tidy(_ api: inout any StreamAPI, in loop: inout TransferLoop) -> ToolError? {
    do throws(ToolError) {
      // Whether it is there yet is not known before the answer.
      if let id = transfer, case .success(let response)? = try Self.await(id, in: &loop) {
        _ = api.prepared(response)
      }
      phase = .idle
      for var request in api.tidying() {
        request.totalTimeout = Self.tidyTime
        let reason: String
        switch try Self.await(loop.start(request), in: &loop) {
        case .success(let response)? where (200...299).contains(response.status): continue
        case .success(let response)?: reason = api.refusal(response).text
        case .failure(let error)?: reason = error.text
        case nil: reason = "no answer"
        }
        return .tryLater("cannot remove \(api.untidy): \(reason)")
      }
      return nil
    } catch {
      return error
    }
  }

  private static func await(
    _ id: TransferID, in loop: inout TransferLoop
  ) throws(ToolError) -> Result<HTTPResponse, TransferError>? {
    let deadline = MonotonicClock.milliseconds + tidyTime
    while MonotonicClock.milliseconds < deadline {
      for case .finished(id, let result) in try loop.wait(timeoutMilliseconds: deadline - MonotonicClock.milliseconds) {
        return result
      }
    }
    return nil
  }
}
