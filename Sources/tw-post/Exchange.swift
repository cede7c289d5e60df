import Libc
import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// Makes requests one after the other and waits for their answers.
final class Exchange {
  private let waits: Bool
  private var loop: TransferLoop
  /// What else the last refusal of a request holds for; `nil` if none was refused.
  private(set) var refusalScope: Refusal.Scope?

  /// - Parameter waits: whether it waits for rate limits and for a service that does not answer.
  init(waits: Bool) throws(ToolError) {
    self.waits = waits
    loop = try TransferLoop(limit: 1)
  }

  /// A request that may be made again when it fails.
  ///
  /// - Parameter read: reads a 2xx answer; `nil` if it is not what was asked for.
  func ask<Answer>(
    _ request: HTTPRequest, refusal: (HTTPResponse) -> Refusal, read: (HTTPResponse) -> Answer?
  ) throws(ToolError) -> Answer {
    try askForAny(request, refusal: refusal) { $0.isSuccess ? read($0) : nil }
  }

  /// The same where an answer may say something whatever its status is.
  func askForAny<Answer>(
    _ request: HTTPRequest, refusal: (HTTPResponse) -> Refusal, read: (HTTPResponse) -> Answer?
  ) throws(ToolError) -> Answer {
    try ask(request) { answer in
      if let found = read(answer) { return .answer(found) }
      if answer.isSuccess { return .unreadable("the service's answer is not what was asked for") }
      let refusal = refusal(answer)
      refusalScope = refusal.scope
      return .refused(refusal)
    }
  }

  func ask<Answer>(
    _ request: HTTPRequest, read: (HTTPResponse) -> RetriedRequest.Reading<Answer>
  ) throws(ToolError) -> Answer {
    refusalScope = nil
    var retried = RetriedRequest(RetryPolicy(waits ? .endless : .brief))
    retried.start(request, in: &loop)
    var slowness = Slowness(request)
    while Interruption.signal == nil {
      let wait = retried.wakesAt.map { max(0, $0 - MonotonicClock.milliseconds) }
      let pause = retried.transfer == nil ? wait : slowness.left(wait)
      for event in try loop.wait(reading: [Interruption.descriptor], timeoutMilliseconds: pause) {
        switch retried.handle(event, read: read) {
        case nil: break
        case .answered(let answer): return answer
        case .stopped(let error): throw error
        case .waiting(let wait): Self.note(wait.milliseconds, wait.reason)
        }
      }
      if retried.transfer != nil { slowness.note() }
      if retried.isDue { retried.start(request, in: &loop) }
    }
    retried.cancel(in: &loop)
    throw Self.interrupted
  }

  /// How long the answer of a write is still waited for after a signal, in milliseconds.
  private static let patience = 5_000

  /// A request that is made once.
  func send(_ request: HTTPRequest) throws(ToolError) -> Result<HTTPResponse, TransferError> {
    let transfer = loop.start(request)
    var deadline: Int?
    var slowness = Slowness(request)
    while true {
      if Interruption.signal != nil, deadline == nil { deadline = MonotonicClock.milliseconds + Self.patience }
      let left = deadline.map { $0 - MonotonicClock.milliseconds }
      if let left, left <= 0 {
        loop.cancel(transfer)
        return .failure(TransferError(.lostConnection, "interrupted before the answer came"))
      }
      let reading = deadline == nil ? [Interruption.descriptor] : []
      for case .finished(_, let result) in try loop.wait(reading: reading, timeoutMilliseconds: slowness.left(left)) {
        return result
      }
      slowness.note()
    }
  }

  static let interrupted = ToolError.tryLater("interrupted")

  /// Says why nothing happens, if that lasts.
  static func note(_ milliseconds: Int, _ reason: String) {
    if milliseconds >= 1000 { Diagnostics.note("\(reason); trying again in \((milliseconds + 999) / 1000) s") }
  }
}

/// Says to a person at a terminal, once, what an answer is waited for.
private struct Slowness {
  /// Milliseconds after which a person wonders.
  private static let patience = 2_000

  private let host: String
  private var notesAt: Int?

  init(_ request: HTTPRequest) {
    host = request.url.split(separator: "/").dropFirst().first.map(String.init) ?? ""
    // What cron mails need not say it.
    notesAt = isatty(2) == 1 ? MonotonicClock.milliseconds + Self.patience : nil
  }

  /// How long to wait at most, if nothing else ends the wait after `pause` milliseconds; `nil` for no end.
  func left(_ pause: Int?) -> Int? {
    guard let notesAt else { return pause }
    return min(pause ?? .max, max(0, notesAt - MonotonicClock.milliseconds))
  }

  mutating func note() {
    guard let time = notesAt, MonotonicClock.milliseconds >= time else { return }
    notesAt = nil
    Diagnostics.note("waiting for the answer of \(host)")
  }
}
