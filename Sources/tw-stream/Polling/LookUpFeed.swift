import Services
import TweetCore
import TweetNet
import TweetServices

/// Looks up the posts whose ids a file holds, in its order, a batch at a time: the posts that are there as the service
/// sends them, a `delete` record for each that is gone. Ends with the file.
struct LookUpFeed: Feed {
  let feed: String
  private let source: any LookUpSource
  private let ids: IDReader
  private let service: any ServiceKind
  private let isBrief: Bool
  private let health: ServiceHealth?
  private var budget: RequestBudget
  private var request: RetriedRequest
  /// When the last request was sent, by the milliseconds of the monotonic clock.
  private var sentAt = 0
  /// Whether it waits for ids that are not there yet.
  private var isReading = false
  private(set) var isOver = true
  /// Ids to look up next, or in flight; none twice.
  private var batch: [(id: String, line: Int)] = []
  /// How many of the batch the request in flight asks for.
  private var asked = 0
  /// When the service lets the next ids be asked for.
  private var pausesUntil = 0
  private var lookedUp = 0
  private var found = 0

  /// - Parameters:
  ///   - source: `ids:FILE`, or a post.
  ///   - ids: of its posts.
  ///   - service: the id space of plain ids.
  ///   - isBrief: end at a rate limit rather than wait.
  ///   - budget: what may be read a day; `nil` if reads cost nothing.
  ///   - health: what the feeds of a run that ends learn together; `nil` for one that learns alone.
  init(
    _ lookUps: any LookUpSource, _ source: Source, _ ids: IDReader, service: any ServiceKind, isBrief: Bool,
    budget: ReadBudget? = nil, health: ServiceHealth? = nil
  ) {
    (self.source, feed, self.ids, self.service) = (lookUps, source.feed, ids, service)
    (self.isBrief, self.budget, self.health) = (isBrief, RequestBudget(budget), health)
    request = RetriedRequest(RetryPolicy(isBrief ? .brief : .endless))
  }

  var wakesAt: Int? { isCutOff ? 0 : request.wakesAt }
  var resumesAt: Int? { health?.resumesAt(source.endpoint) }
  var unansweredReason: String? { request.unansweredReason }

  var descriptors: [Int32] { isReading ? [ids.descriptor] : [] }

  mutating func begin(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    isOver = false
    try advance(in: &loop, &writer)
  }

  /// Goes on with the ids that were not looked up.
  mutating func restart(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    isOver = false
    try advance(in: &loop, &writer)
  }

  /// Whether another feed has found, while this one waits, that its next request is not to be made.
  private var isCutOff: Bool { request.wakesAt != nil && health?.error(for: source.endpoint) != nil }

  mutating func wake(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    if request.isDue || isCutOff { try advance(in: &loop, &writer) }
  }

  /// A feed that only reads sets nothing up.
  func end(in loop: inout TransferLoop) -> ToolError? { nil }

  mutating func handle(
    _ event: TransferLoop.Event, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    if isReading, case .readable(ids.descriptor) = event { return try advance(in: &loop, &writer) }
    guard let transfer = request.transfer, event.transfer == transfer else { return }
    let (source, wanted, isBrief) = (source, batch.prefix(asked).map(\.id), isBrief)
    var scope = event.isFailure ? Refusal.Scope.account : .request
    let outcome = request.handle(event) { response -> RetriedRequest.Reading<LookUpAnswer> in
      guard source.reads(response) else {
        let refusal = source.refusal(response)
        scope = refusal.scope
        return .refused(refusal)
      }
      if let answer = source.read(response, wanted) { return .answer(answer) }
      let refusal = Refusal.unreadable(response)
      return isBrief ? .refused(refusal) : .unreadable(refusal.text)
    }
    switch outcome {
    case nil: break
    case .waiting(let wait):
      try budget.release(after: event)
      health?.record(wait, isTimeout: event.isTimeout, of: source.endpoint, sentAt: sentAt)
      try endIfCutOff(in: &loop)
      try writer.write(.retry(wait))
    case .stopped(let error):
      try budget.release(after: event)
      health?.recordEnd(error, scope, of: source.endpoint, wait: request.policy.limitWait)
      throw stopped(error)
    case .answered(let answer):
      health?.recordAnswer(of: source.endpoint)
      if let problem = answer.page.problem {
        try budget.settle([])
        throw stopped(problem)
      }
      try deliver(answer, &writer)
      try advance(in: &loop, &writer)
    }
  }

  /// Asks for the next batch when there are enough ids, or no more that can be read without waiting.
  private mutating func advance(in loop: inout TransferLoop, _ writer: inout FeedWriter) throws(ToolError) {
    isReading = false
    while batch.count < source.batch {
      if let item = ids.next() {
        try append(item, &writer)
      } else if ids.isAtEnd {
        break
      } else if ids.isReady {
        try ids.fill()
      } else if batch.isEmpty {
        isReading = true
        return
      } else {
        break
      }
    }
    guard !batch.isEmpty else {
      try writer.writeRefresh(of: feed, new: found, next: nil)
      isOver = true
      return
    }
    request.cancel(in: &loop)
    try endIfCutOff(in: &loop)
    let most = min(batch.count, writer.remaining ?? .max)
    guard most > 0 else { return isOver = true }
    if MonotonicClock.milliseconds < pausesUntil { return request.pause(until: pausesUntil) }
    switch try budget.reserve(1...most) {
    case .usedUp(let budget), .keptBack(let budget): try waitForBudget(budget, &writer)
    case .wait(let until): request.pause(until: until)
    case .posts(let count):
      asked = count
      sentAt = MonotonicClock.milliseconds
      request.start(source.request(batch.prefix(asked).map(\.id)), in: &loop)
    }
  }

  /// Ends if another feed has found that requests to the endpoint fail.
  private mutating func endIfCutOff(in loop: inout TransferLoop) throws(ToolError) {
    guard let error = health?.error(for: source.endpoint) else { return }
    request.cancel(in: &loop)
    throw stopped(error)
  }

  private mutating func append(_ item: IDReader.Item, _ writer: inout FeedWriter) throws(ToolError) {
    switch item {
    case .id(let id, let line): if !batch.contains(where: { $0.id == id }) { batch.append((id, line)) }
    case .bad(let reason, let line):
      try writer.writeBadInput("line \(line) of \(feed) was left out: \(reason)", of: feed)
    }
  }

  private mutating func deliver(_ answer: LookUpAnswer, _ writer: inout FeedWriter) throws(ToolError) {
    try writer.write(answer.page.lines, of: feed)
    for id in answer.deleted { try writer.writeDelete(of: id, service: service.name, feed) }
    for (id, reason) in answer.hidden {
      try writer.write(
        Notice(.warning, "unavailable", "post \(id) is not available: \(reason)").with("feed", feed).with("id", id))
    }
    try budget.settle(answer.page.sentIDs.map(\.key))
    found += answer.page.count
    lookedUp += asked
    pausesUntil = MonotonicClock.milliseconds + answer.page.pause
    batch.removeFirst(asked)
  }

  /// The day's budget is used up.
  private mutating func waitForBudget(_ budget: ReadBudget, _ writer: inout FeedWriter) throws(ToolError) {
    if isBrief {
      health?.recordEnd(budget.usedUp, .account, of: source.endpoint)
      throw stopped(budget.usedUp)
    }
    try writer.write(budget.notice)
    request.pause(until: MonotonicClock.milliseconds + budget.wait)
  }

  /// Ends the feed.
  ///
  /// - Returns: the error, with where to go on if trying later helps.
  private mutating func stopped(_ error: ToolError) -> ToolError {
    isOver = true
    guard case .tryLater(let text) = error, let line = batch.first?.line else { return error }
    return .tryLater("\(text); \(lookedUp) ids were looked up, line \(line) is the next (tail -n +\(line))")
  }
}
