import Services
import TweetCore
import TweetNet
import TweetServices

/// A source that is polled: asked for page by page, once, or again and again from where it stopped. One request is in
/// flight at a time.
struct PollFeed: Feed {
  /// What the request in flight does, or what comes after the wait.
  private enum Step {
    case lookUp, fetch, nextRound, over
  }

  /// What an answer brings.
  private enum Answer {
    case account(HTTPResponse)
    case page(FeedPage)
    case remedy(PageRemedy)
  }

  var feed: String { source.feed }
  var source: any PagedSource
  let options: Options
  private var budget: RequestBudget
  let checkpoints: Checkpoints?
  private let health: ServiceHealth?
  private let pace: RequestPace
  /// When it is this feed's turn to ask for its next page.
  private var turn: Int?
  /// Whether a person knows that the next page waits.
  var hasToldPause = false
  var request: RetriedRequest
  private var step = Step.over
  /// Whether an error has ended it.
  private var isEnded = false
  var plan: PollPlan
  /// Posts of the current round.
  private var newPosts = 0
  /// When the request in flight was sent.
  private var sentAt = 0
  /// When the last page was asked for.
  private var askedAt: Int?
  /// When the service lets the next page be asked for.
  private var pausesUntil = 0
  /// When the last round ended, in this run or the one before.
  private var roundEndedAt: Timestamp?
  /// When the round began.
  private var roundBeganAt = Timestamp.now
  /// Milliseconds that the service goes back, once it has refused to go back further.
  var horizon: Int64?

  /// - Parameters:
  ///   - budget: what may be read a day; `nil` if reads cost nothing.
  ///   - shares: what the sources of the round share of it; `nil` for a budget that is not spread.
  ///   - checkpoints: where to go on from, and where to save how far this run comes; `nil` begins without one.
  ///   - health: what the feeds of a single round learn together; `nil` for one that learns alone.
  ///   - pace: what all feeds that ask as the same account share.
  init(
    _ source: any PagedSource, options: Options, budget: ReadBudget? = nil, shares: BudgetShares? = nil,
    checkpoints: Checkpoints? = nil, health: ServiceHealth? = nil, pace: RequestPace = RequestPace()
  ) {
    (self.health, self.pace) = (health, pace)
    self.source = source
    self.options = options
    self.budget = RequestBudget(budget, shares)
    self.checkpoints = checkpoints
    plan = PollPlan(source, from: nil, wantsAll: options.all)
    request = RetriedRequest(RetryPolicy(options.every == nil ? .brief : .endless))
  }

  var isOver: Bool { step == .over || isEnded }

  mutating func begin(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    let checkpoint = try checkpoints?.checkpoint(of: feed)
    roundEndedAt = checkpoint?.updatedAt
    source.person?.resume(checkpoint?.person)
    plan = PollPlan(source, from: checkpoint, wantsAll: options.all)
    budget.begin(feed)
    try start(.lookUp, in: &loop, &writer)
  }

  var wakesAt: Int? { isCutOff ? 0 : request.wakesAt }

  var unansweredReason: String? { request.unansweredReason }

  var resumesAt: Int? { health?.resumesAt(endpoint) }

  private var endpoint: String { step == .lookUp ? source.lookUpEndpoint : source.endpoint }

  /// Whether another feed has found, while this one waits, that its next request is not to be made.
  private var isCutOff: Bool { request.wakesAt != nil && health?.error(for: endpoint) != nil }

  mutating func wake(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    if request.isDue || isCutOff { try start(step, in: &loop, &writer) }
  }

  /// Goes on with the step that failed.
  mutating func restart(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    request.cancel(in: &loop)
    isEnded = false
    try start(step, in: &loop, &writer)
  }

  /// A feed that only reads sets nothing up.
  func end(in loop: inout TransferLoop) -> ToolError? { nil }

  // MARK: Requests

  private mutating func start(
    _ step: Step, in loop: inout TransferLoop, _ writer: inout FeedWriter
  ) throws(ToolError) {
    self.step = step
    if step == .lookUp && source.lookUp != nil || step == .fetch && plan.current != nil {
      try endIfCutOff(in: &loop, &writer)
    }
    sentAt = MonotonicClock.milliseconds
    switch step {
    case .over: break
    case .nextRound: try beginRound(in: &loop, &writer)
    case .lookUp:
      guard let lookUp = source.lookUp else { return try beginRound(in: &loop, &writer) }
      let billed = source.lookUpBilled
      switch try budget.reserve(billed.count...billed.count, of: billed.kind) {
      case .usedUp(let budget): try waitForBudget(budget, &writer)
      case .keptBack(let budget): try endForToday(budget, in: &loop, &writer)
      case .wait(let until): request.pause(until: until)
      case .posts: request.start(lookUp, in: &loop)
      }
    case .fetch:
      guard var range = plan.current?.range else { return try endRound(in: &loop, &writer) }
      let sizes = source.pageSizes
      let now = MonotonicClock.milliseconds
      let turn = turn ?? pace.turn(at: now)
      self.turn = turn
      let earliest = max(pausesUntil, askedAt.map { $0 + source.pace } ?? 0, turn, pace.opensAt)
      if now < earliest { return try pause(until: earliest, &writer) }
      let most = max(sizes.lowerBound, min(sizes.upperBound, writer.remaining ?? .max))
      let isFirst = roundEndedAt.map { Ledger.day(of: $0) != Ledger.day(of: .shown) } ?? true
      let isNew = plan.current?.isNew == true && plan.current?.pages == 0
      let use = isNew ? BudgetShares.Use.new(isFirst: isFirst) : .more
      let position = plan.current.flatMap { $0.oldestID ?? range.untilID }
      switch try budget.reserve(sizes.lowerBound...most, of: source.billed, below: position, for: use) {
      case .usedUp(let budget): return try waitForBudget(budget, &writer)
      case .keptBack(let budget): return try endForToday(budget, in: &loop, &writer)
      case .wait(let until): return request.pause(until: until)
      case .posts(let count): range.size = count
      }
      (askedAt, self.turn, hasToldPause) = (now, nil, false)
      request.start(source.page(range), in: &loop)
    }
  }

  /// Ends if another feed has found that requests to the endpoint fail.
  private mutating func endIfCutOff(in loop: inout TransferLoop, _ writer: inout FeedWriter) throws(ToolError) {
    guard let error = health?.error(for: endpoint) else { return }
    request.cancel(in: &loop)
    isEnded = true
    if step == .fetch { try reportRemaining(&writer) }
    throw error
  }

  /// The day's budget is used up.
  private mutating func waitForBudget(_ budget: ReadBudget, _ writer: inout FeedWriter) throws(ToolError) {
    if options.every == nil {
      try reportRemaining(&writer)
      if self.budget.isSpread { try write(budget.notice, &writer) }
      health?.recordEnd(budget.usedUp, .account, of: endpoint)
      throw budget.usedUp
    }
    try writer.write(budget.notice)
    request.pause(until: MonotonicClock.milliseconds + budget.wait)
  }

  /// The source has had its share of what may be read today: the next round goes on. One that was not asked at all
  /// keeps its checkpoint, whose time says whose turn it is.
  private mutating func endForToday(
    _ budget: ReadBudget, in loop: inout TransferLoop, _ writer: inout FeedWriter
  ) throws(ToolError) {
    try reportRemaining(&writer)
    plan.postponeAll()
    try write(budget.keptBack, &writer)
    try writer.writeRefresh(of: feed, new: newPosts, next: nil)
    if askedAt != nil { try saveCheckpoint(&writer) }
    request.cancel(in: &loop)
    step = .over
  }

  /// Writes a notice of the budget that the end of the run reports.
  private func write(_ notice: Notice, _ writer: inout FeedWriter) throws(ToolError) {
    try writer.write(notice.with("feed", feed), isReported: false)
  }

  mutating func handle(
    _ event: TransferLoop.Event, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    guard let transfer = request.transfer, event.transfer == transfer else { return }
    let (step, source, run, isSingle, limit) = (step, source, plan.current, options.every == nil, writer.remaining)
    var refusal: Refusal?
    let outcome = request.handle(event) { response -> RetriedRequest.Reading<Answer> in
      guard response.isSuccess || step == .lookUp && source.reads(refusedLookUp: response) else {
        if step == .fetch, let run, !run.isRemedied, let remedy = source.remedy(response, run.range) {
          return .answer(.remedy(remedy))
        }
        let refused = source.refusal(response)
        refusal = refused
        return .refused(refused)
      }
      if step == .lookUp, !response.isSuccess || (try? JSONDocument(response.body)) != nil {
        return .answer(.account(response))
      }
      let range = run?.range ?? PageRange()
      if step == .fetch, let page = source.read(response, range, known: run?.lastPage ?? [], limit: limit) {
        return .answer(.page(page))
      }
      // A single round ends, because the next try would get the same.
      let refusal = Refusal.unreadable(response)
      return isSingle ? .refused(refusal) : .unreadable(refusal.text)
    }
    switch outcome {
    case nil: break
    case .waiting(let wait):
      try budget.release(after: event)
      health?.record(wait, isTimeout: event.isTimeout, of: endpoint, sentAt: sentAt)
      try endIfCutOff(in: &loop, &writer)
      try writer.write(.retry(wait))
    case .stopped(let error):
      isEnded = true
      try budget.release(after: event)
      let scope = refusal?.scope ?? (event.isFailure ? .account : .request)
      health?.recordEnd(error, scope, of: endpoint, wait: request.policy.limitWait)
      if step == .fetch { try reportRemaining(&writer) }
      throw source.explain(error)
    case .answered(.account(let response)):
      health?.recordAnswer(of: endpoint)
      let ids: [String]
      do throws(ToolError) {
        ids = try self.source.readLookUp(response)
      } catch {
        try budget.settle([])
        throw error
      }
      try budget.settle(ids.map(PostID.key(of:)), RequestBudget.Answer(count: { _ in ids.count }, next: nil))
      if let notice = self.source.lookUpNotice { try writer.write(notice) }
      try start(.lookUp, in: &loop, &writer)
    case .answered(.page(let page)):
      health?.recordAnswer(of: endpoint)
      if let problem = page.problem {
        try budget.settle([])
        throw source.explain(problem)
      }
      try deliver(page, in: &loop, &writer)
    case .answered(.remedy(let remedy)):
      try budget.release(after: event)
      if let run { try apply(remedy, to: run, in: &loop, &writer) }
    }
  }

  // MARK: Rounds

  private mutating func beginRound(in loop: inout TransferLoop, _ writer: inout FeedWriter) throws(ToolError) {
    roundBeganAt = .now
    let range = try newRange()
    let oldest = source.reach.map { Timestamp(milliseconds: Timestamp.shown.milliseconds - $0) }
    for gap in oldest.flatMap(source.lastID).map({ plan.dropGaps(below: $0) }) ?? [] {
      try writer.write(notice(of: gap, "the service does not go back that far any more"))
    }
    plan.begin(range, floorID: range.sinceID ?? range.since.flatMap { source.lastID(before: $0) })
    newPosts = 0
    try start(.fetch, in: &loop, &writer)
  }

  private mutating func deliver(
    _ page: FeedPage, in loop: inout TransferLoop, _ writer: inout FeedWriter
  ) throws(ToolError) {
    try writer.write(page.lines, of: feed)
    let isAgain = page.isPartial && writer.remaining != 0
    let progress = isAgain ? .more : plan.record(page)
    let next = progress == .more ? plan.current?.oldestID : nil
    let answer = RequestBudget.Answer(count: { [source] in source.count(page.sentIDs, from: $0) }, next: next)
    try budget.settle(page.sentIDs.map(\.key), answer)
    newPosts += page.count
    pausesUntil = MonotonicClock.milliseconds + page.pause
    pace.record(page.window, at: MonotonicClock.milliseconds)
    if isAgain { return try start(.fetch, in: &loop, &writer) }
    switch progress {
    case .complete: plan.finishCurrent()
    case .stuck(let reason):
      try writer.write(Notice(.warning, "paging", "\(feed): no further pages: \(reason)"))
      try postpone(&writer, canGoOn: plan.current?.oldestID != nil)
    case .more:
      if writer.remaining != 0, let current = plan.current, current.pages >= mostPages(current, writer.remaining) {
        try postpone(&writer, canGoOn: true)
      }
    }
    if writer.remaining == 0 { plan.postponeAll() }
    try saveCheckpoint(&writer)
    try start(.fetch, in: &loop, &writer)
  }

  /// Leaves what remains of the current run to the next round, if there is one.
  ///
  /// - Parameter canGoOn: the next round may come further; if not, a gap is given up.
  private mutating func postpone(_ writer: inout FeedWriter, canGoOn: Bool) throws(ToolError) {
    if !canGoOn, let current = plan.current, !current.isNew, let gap = current.remainingGap {
      try writer.write(notice(of: gap, "the service does not give them"))
      return plan.finishCurrent()
    }
    try reportRemaining(&writer)
    if let lost = plan.postponeCurrent() { try writer.write(notice(of: lost, "too many gaps are unfinished")) }
  }

  private mutating func apply(
    _ remedy: PageRemedy, to run: PollPlan.PageRun, in loop: inout TransferLoop, _ writer: inout FeedWriter
  ) throws(ToolError) {
    var run = run
    run.isRemedied = remedy != .otherEndpoint
    switch remedy {
    case .otherEndpoint: source.useOtherEndpoint()
    case .withoutToken:
      run.range.token = nil
      run.range.untilID = run.oldestID ?? run.range.untilID
    case .begin(let time):
      horizon = Timestamp.shown.milliseconds - time.milliseconds
      // A feed that was quiet for as long has lost nothing: it was polled since.
      if !run.isNew || run.floorID != plan.newestID || roundEndedAt.map({ $0 < time }) ?? true {
        let text = "posts from before \(time.rfc3339) are no longer available: the service does not go back further"
        try writer.write(
          Notice(.warning, "gap", text)
            .with("feed", feed).with("last_id", run.floorID?.description).with("until", time.rfc3339))
      }
      (run.range.sinceID, run.range.since, run.floorID) = (nil, time, source.lastID(before: time))
    }
    if run.range.untilID != nil, run.range.since != nil || run.range.until != nil {
      (run.range.sinceID, run.range.since, run.range.until) = (run.floorID, nil, nil)
    }
    plan.current = run
    if run.range.isEmpty { plan.finishCurrent() }
    try saveCheckpoint(&writer)
    try start(.fetch, in: &loop, &writer)
  }

  /// Posts must be written before a checkpoint says that they are delivered.
  private func saveCheckpoint(_ writer: inout FeedWriter) throws(ToolError) {
    guard let checkpoints else { return }
    if !checkpoints.arePrinted, try !writer.flush() { return }
    var checkpoint = plan.checkpoint
    checkpoint.person = source.person?.person
    if options.every == nil { return try checkpoints.save(checkpoint, of: feed, to: &writer) }
    try checkpoints.saveOrWarn(checkpoint, of: feed, to: &writer)
  }

  /// Milliseconds that a post may take until a search finds it.
  private static let searchLag: Int64 = 60_000

  /// After a first round that found nothing, has the next one go back to the beginning of this one. Otherwise it would
  /// fetch one page, and not notice posts below it.
  private mutating func recordBeginning() {
    guard plan.newestID == nil, options.range.untilID == nil, options.range.until == nil else { return }
    let time = Timestamp(milliseconds: roundBeganAt.milliseconds - Self.searchLag)
    if let id = source.lastID(before: time) { plan.recordBeginning(id) }
  }

  private mutating func endRound(
    in loop: inout TransferLoop, _ writer: inout FeedWriter
  ) throws(ToolError) {
    recordBeginning()
    if plan.checkpoint.gaps.isEmpty { try budget.settleFound() }
    let next = options.every.map { Timestamp(milliseconds: Timestamp.shown.milliseconds + Int64($0)) }
    try writer.writeRefresh(of: feed, new: newPosts, next: next)
    try saveCheckpoint(&writer)
    roundEndedAt = .shown
    request.cancel(in: &loop)
    guard let every = options.every else { return step = .over }
    step = .nextRound
    request.pause(until: MonotonicClock.milliseconds + every)
  }
}

/// What a polled source says of its rounds.
extension PollFeed {
  /// Has the next page wait.
  mutating func pause(until time: Int, _ writer: inout FeedWriter) throws(ToolError) {
    request.pause(until: time)
    let milliseconds = time - MonotonicClock.milliseconds
    guard milliseconds >= Self.longestQuietPause, !hasToldPause else { return }
    hasToldPause = true
    let text = "\(feed): a next page is asked for in \(seconds(milliseconds)) s, to keep the service's limit"
    try writer.write(Notice(.info, "pace", text).with("wait", milliseconds: milliseconds))
  }

  /// Milliseconds that nobody is told of.
  private static let longestQuietPause = 10_000

  /// Reports what of the current run is not fetched.
  func reportRemaining(_ writer: inout FeedWriter) throws(ToolError) {
    guard let current = plan.current, let gap = current.remainingGap else { return }
    // If there is no lower end, there are always older posts.
    guard current.floorID != nil || !current.isNew || options.all else { return }
    if checkpoints == nil, options.every == nil {
      try writer.write(notice(of: gap, "the round ended before them; --state keeps such a gap for the next round"))
    } else {
      var notice = notice(of: gap, "they are fetched next time")
      (notice.level, notice.code) = (.info, "unfinished")
      try writer.write(notice)
    }
  }

  func notice(of gap: Checkpoint.Gap, _ reason: String) -> Notice {
    let lower = gap.since.map { "between \($0) and" } ?? "before"
    return Notice(.warning, "gap", "posts \(lower) \(gap.until) were left out: \(reason)")
      .with("feed", feed).with("last_id", gap.since).with("next_id", gap.until)
  }
}

extension PollFeed {
  /// How a source is polled.
  struct Options: Sendable {
    /// The bounds of the first round; later ones begin where it ended.
    var range = PageRange()
    /// Pages of a run and round at most; `nil`: one, up to `mostPages` down to a lower bound, and in a single round as
    /// many as a limit on posts needs.
    var pages: Int?
    /// Follow the pages to their end.
    var all = false
    /// Milliseconds between rounds; `nil` makes one round.
    var every: Int?

    init() {}
  }
}

/// What a poll round asks for.
extension PollFeed {
  /// The newest 3200 posts, as far back as X goes for an account.
  private static let mostPages = 32

  /// What is new. Services take ids or times, not both, so times become ids where ids tell the time.
  func newRange() throws(ToolError) -> PageRange {
    var range = options.range
    if case .text(_, order: nil)? = range.untilID {
      throw .usage("'\(feed)' is not in the order of ids: no id says where older posts begin")
    }
    if let newestID = plan.newestID {
      // Nothing older than what was fetched is new.
      if let since = range.since, source.firstID(at: since) == nil { range.since = nil }
      range.sinceID = PostID.newer(range.sinceID, newestID)
      if let horizon, range.untilID == nil, range.until == nil {
        let oldest = Timestamp(milliseconds: Timestamp.shown.milliseconds - horizon)
        if let id = source.lastID(before: oldest), newestID.isOlder(than: id) {
          (range.sinceID, range.since) = (nil, oldest)
        }
      }
    }
    let hasIDs = range.sinceID != nil || range.untilID != nil
    guard hasIDs || !source.takesTimes else { return range }
    for time in [range.since, range.until].compactMap({ $0 }) where source.firstID(at: time) == nil {
      throw .usage("the ids of '\(feed)' do not tell whether a post is from before \(time.rfc3339)")
    }
    if let time = range.since { range.sinceID = PostID.newer(range.sinceID, source.lastID(before: time)) }
    if let time = range.until { range.untilID = PostID.older(range.untilID, source.firstID(at: time)) }
    (range.since, range.until) = (nil, nil)
    return range
  }

  func mostPages(_ run: PollPlan.PageRun, _ remaining: Int?) -> Int {
    if options.all { return .max }
    if let pages = options.pages { return pages }
    // Whoever asks once for a number of posts gets that number.
    if options.every == nil, remaining != nil { return .max }
    return run.floorID == nil && run.range.since == nil && run.isNew ? 1 : Self.mostPages
  }
}
