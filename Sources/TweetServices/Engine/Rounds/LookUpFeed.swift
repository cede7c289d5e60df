package import TweetCore
package import TweetNet
import TweetSources

/// Looks up the posts whose ids a file holds, in its order, a request's worth at a time: the posts there are as the
/// service sends them, a `delete` record for each that is gone. Ends with the file. Driven by the events of a
/// `TransferLoop`.
package struct LookUpFeed: Feed {
  private enum Phase {
    case working(TransferID)
    case reading
    case waiting(until: Int)
    case ended
  }

  package let feed: String
  private let source: any LookUpSource
  private let ids: IDReader
  private let service: String
  private let isBrief: Bool
  private let budget: ReadBudget?
  private var policy: ReconnectPolicy
  private var phase = Phase.ended
  /// What is asked for next, or being asked for; no id twice.
  private var batch: [(id: String, line: Int)] = []
  /// How many of the batch the request under way asks for.
  private var asked = 0
  private var done = 0
  private var new = 0

  /// - Parameters:
  ///   - path: a file of ids, one a line, or `-` for standard input.
  ///   - service: the id space of plain ids.
  ///   - isBrief: end at a rate limit rather than wait.
  ///   - budget: what may be read a day; `nil` where reads cost nothing.
  /// - Throws: `ToolError.noInput` when the file cannot be opened.
  package init(
    _ source: any LookUpSource, path: String, service: String, isBrief: Bool, budget: ReadBudget? = nil
  ) throws(ToolError) {
    self.source = source
    self.service = service
    self.isBrief = isBrief
    self.budget = budget
    feed = Source.ids(path).feed
    ids = try IDReader(path, service: service)
    policy = ReconnectPolicy(isBrief ? .brief : .endless)
  }

  package var isOver: Bool {
    if case .ended = phase { true } else { false }
  }

  package var wakesAt: Int? {
    if case .waiting(let until) = phase { until } else { nil }
  }

  package var descriptors: [Int32] {
    if case .reading = phase { [ids.descriptor] } else { [] }
  }

  package mutating func begin(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    try advance(in: &loop, &writer)
  }

  package mutating func wake(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    guard case .waiting(let until) = phase, MonotonicClock.milliseconds >= until else { return }
    try advance(in: &loop, &writer)
  }

  /// A feed that only reads leaves nothing behind.
  package func end(in loop: inout TransferLoop) -> ToolError? { nil }

  package mutating func handle(
    _ event: TransferLoop.Event, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    switch (phase, event) {
    case (.reading, .readable(ids.descriptor)): try advance(in: &loop, &writer)
    case (.working(let id), .finished(let ended, let result)) where id == ended:
      try finished(result, in: &loop, &writer)
    default: break
    }
  }

  /// Asks for the next batch once there are ids enough, or none more at hand.
  private mutating func advance(in loop: inout TransferLoop, _ writer: inout FeedWriter) throws(ToolError) {
    while batch.count < source.batch {
      if let item = ids.next() {
        try take(item, &writer)
      } else if ids.isAtEnd {
        break
      } else if ids.isReady {
        try ids.fill()
      } else if batch.isEmpty {
        phase = .reading
        return
      } else {
        break
      }
    }
    guard !batch.isEmpty else {
      try writer.writeRefresh(of: feed, new: new, next: nil)
      phase = .ended
      return
    }
    asked = min(batch.count, try budget?.left() ?? .max, writer.remaining ?? .max)
    guard asked > 0 else { return try pause(&writer) }
    phase = .working(loop.start(source.request(batch.prefix(asked).map(\.id))))
  }

  private mutating func take(_ item: IDReader.Item, _ writer: inout FeedWriter) throws(ToolError) {
    switch item {
    case .id(let id, let line): if !batch.contains(where: { $0.id == id }) { batch.append((id, line)) }
    case .bad(let reason, let line):
      try writer.writeBadInput("line \(line) of \(feed) was left out: \(reason)", of: feed)
    }
  }

  private mutating func finished(
    _ result: Result<HTTPResponse, TransferError>, in loop: inout TransferLoop, _ writer: inout FeedWriter
  ) throws(ToolError) {
    let response: HTTPResponse
    switch result {
    case .failure(let error): return try retry(.lost(error), error.text, &writer)
    case .success(let answer): response = answer
    }
    guard (200...299).contains(response.status) else {
      let refusal = source.refusal(response)
      return try retry(.refused(refusal), refusal.text, &writer)
    }
    let wanted = batch.prefix(asked).map(\.id)
    guard let answer = source.read(response, wanted) else {
      let error = TransferError(.protocolError, "the service's answer is no page of posts")
      return try retry(.lost(error), error.text, &writer)
    }
    if let problem = answer.page.problem { throw stopped(problem) }
    policy.worked()
    try writer.write(answer.page.lines, of: feed)
    for id in answer.deleted { try writer.writeDelete(of: id, service: service, feed) }
    for (id, reason) in answer.hidden {
      var notice = Notice(.warning, "unavailable", "post \(id) cannot be had: \(reason)")
      notice.add("feed", text: feed)
      notice.add("id", text: id)
      try writer.write(notice)
    }
    try budget?.count(answer.page.sent)
    new += answer.page.count
    done += asked
    batch.removeFirst(asked)
    try advance(in: &loop, &writer)
  }

  /// The day's budget is used up, or as many posts were written as are wanted.
  private mutating func pause(_ writer: inout FeedWriter) throws(ToolError) {
    guard let budget, writer.remaining != 0 else {
      phase = .ended
      return
    }
    if isBrief { throw stopped(budget.usedUp) }
    try writer.write(budget.notice)
    phase = .waiting(until: MonotonicClock.milliseconds + budget.wait)
  }

  private mutating func retry(
    _ ending: ReconnectPolicy.Ending, _ reason: String, _ writer: inout FeedWriter
  ) throws(ToolError) {
    switch policy.decide(ending, now: .now, jitter: .random(in: 0..<1)) {
    case .stop(let error): throw stopped(error)
    case .retry(let wait, let cause):
      phase = .waiting(until: MonotonicClock.milliseconds + wait)
      try writer.write(.retry(after: wait, cause, reason))
    }
  }

  /// The error, and where to go on for whoever can try later.
  private mutating func stopped(_ error: ToolError) -> ToolError {
    phase = .ended
    guard case .tryLater(let text) = error, let line = batch.first?.line else { return error }
    return .tryLater("\(text); \(done) ids were looked up, line \(line) is the next (tail -n +\(line))")
  }
}
