package import TweetCore
package import TweetNet

/// A feed that is asked for page by page over REST: once, or again and again from where it stopped. One request is in
/// flight at a time. Driven by the events of a `TransferLoop`.
package struct PollFeed: Feed {
  private enum Step {
    case lookUp, fetch
  }

  private enum Phase {
    case working(TransferID, Step)
    case waiting(until: Int, Step)
    case resting(until: Int)
    case ended
  }

  /// How a feed is asked for.
  package struct Options: Sendable {
    /// The bounds of the first round; later ones begin where it ended.
    package var range = PageRange()
    /// Pages of a stretch and round at most; `nil`: one, up to `mostPages` down to a lower bound, and in a single round
    /// what a limit on posts needs.
    package var pages: Int?
    /// Follow the pages to their end.
    package var all = false
    /// Milliseconds between rounds; `nil` makes one round.
    package var every: Int?

    package init() {}
  }

  /// The newest 3200 posts, as far back as X goes for an account.
  private static let mostPages = 32

  package var feed: String { source.feed }
  private var source: any PagedSource
  private let options: Options
  private let budget: ReadBudget?
  private let places: Places?
  private var policy: ReconnectPolicy
  private var phase = Phase.ended
  private var plan: RoundPlan
  /// Posts of the round under way.
  private var new = 0
  private var askedAt: Int?
  /// When the last round ended, in this run or the one before.
  private var roundAt: Timestamp?
  /// Milliseconds that the service goes back, once it has refused to go back further.
  private var horizon: Int64?

  /// - Parameters:
  ///   - budget: what may be read a day; `nil` where reads cost nothing.
  ///   - places: where to go on from, and to keep how far this run comes; `nil` begins anew.
  package init(_ source: any PagedSource, options: Options, budget: ReadBudget? = nil, places: Places? = nil) {
    self.source = source
    self.options = options
    self.budget = budget
    self.places = places
    plan = RoundPlan(from: nil, wantsAll: options.all)
    policy = ReconnectPolicy(options.every == nil ? .brief : .endless)
  }

  package var isOver: Bool {
    if case .ended = phase { true } else { false }
  }

  package mutating func begin(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    let place = try places?.place(of: feed)
    roundAt = place?.updatedAt
    plan = RoundPlan(from: place, wantsAll: options.all)
    if source.lookUp != nil { try start(.lookUp, in: &loop, &writer) } else { try beginRound(in: &loop, &writer) }
  }

  package var wakesAt: Int? {
    switch phase {
    case .waiting(let until, _), .resting(let until): until
    case .working, .ended: nil
    }
  }

  package mutating func wake(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    switch phase {
    case .waiting(let until, let step) where MonotonicClock.milliseconds >= until:
      try start(step, in: &loop, &writer)
    case .resting(let until) where MonotonicClock.milliseconds >= until: try beginRound(in: &loop, &writer)
    default: break
    }
  }

  /// A feed that only reads leaves nothing behind.
  package func end(in loop: inout TransferLoop) -> ToolError? { nil }

  // MARK: Requests

  private mutating func start(
    _ step: Step, in loop: inout TransferLoop, _ writer: inout FeedWriter
  ) throws(ToolError) {
    switch step {
    case .lookUp:
      guard let request = source.lookUp else { return try beginRound(in: &loop, &writer) }
      phase = .working(loop.start(request), step)
    case .fetch:
      guard var range = plan.current?.range else { return try endRound(&writer) }
      let sizes = source.pageSizes
      let left = try budget?.left() ?? .max
      guard left >= sizes.lowerBound else { return try pause(&writer) }
      let now = MonotonicClock.milliseconds
      if let askedAt, now - askedAt < source.pace {
        phase = .waiting(until: askedAt + source.pace, .fetch)
        return
      }
      askedAt = now
      range.size = max(sizes.lowerBound, min(sizes.upperBound, left, writer.remaining ?? .max))
      phase = .working(loop.start(source.page(range)), step)
    }
  }

  /// The day's budget is used up.
  private mutating func pause(_ writer: inout FeedWriter) throws(ToolError) {
    guard let budget else { return }
    if options.every == nil {
      try tellRest(&writer)
      throw budget.usedUp
    }
    try writer.write(budget.notice)
    phase = .waiting(until: MonotonicClock.milliseconds + budget.wait, .fetch)
  }

  package mutating func handle(
    _ event: TransferLoop.Event, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    guard case .working(let id, let step) = phase, case .finished(let ended, let result) = event, ended == id
    else { return }
    let response: HTTPResponse
    switch result {
    case .failure(let error): return try retry(step, .lost(error), error.text, &writer)
    case .success(let answer): response = answer
    }
    guard (200...299).contains(response.status) else {
      if step == .fetch, let current = plan.current, !current.isRemedied,
        let remedy = source.remedy(response, current.range)
      {
        return try apply(remedy, to: current, in: &loop, &writer)
      }
      let refusal = source.refusal(response)
      return try retry(step, .refused(refusal), refusal.text, &writer)
    }
    switch step {
    case .lookUp:
      try source.lookedUp(response)
      policy.worked()
      try beginRound(in: &loop, &writer)
    case .fetch:
      let range = plan.current?.range ?? PageRange()
      guard let page = source.read(response, range, limit: writer.remaining) else {
        let error = TransferError(.protocolError, "the service's answer is no page of posts")
        // Something else answers in its place, such as a hotel's sign-in page: it will again.
        if options.every == nil { throw .refused(error.text) }
        return try retry(step, .lost(error), error.text, &writer)
      }
      if let problem = page.problem { throw source.explain(problem) }
      policy.worked()
      try take(page, in: &loop, &writer)
    }
  }

  private mutating func retry(
    _ step: Step, _ ending: ReconnectPolicy.Ending, _ reason: String, _ writer: inout FeedWriter
  ) throws(ToolError) {
    switch policy.decide(ending, now: .now, jitter: .random(in: 0..<1)) {
    case .stop(let error):
      phase = .ended
      if step == .fetch { try tellRest(&writer) }
      throw source.explain(error)
    case .retry(let wait, let cause):
      phase = .waiting(until: MonotonicClock.milliseconds + wait, step)
      try writer.write(.retry(after: wait, cause, reason))
    }
  }

  // MARK: Rounds

  private mutating func beginRound(in loop: inout TransferLoop, _ writer: inout FeedWriter) throws(ToolError) {
    let newest = try newestRange()
    plan.begin(newest, floor: newest.sinceID ?? newest.since.flatMap { idBefore($0) })
    new = 0
    try start(.fetch, in: &loop, &writer)
  }

  /// What is new. Services take ids or times, not both, so times become ids where there are any.
  private func newestRange() throws(ToolError) -> PageRange {
    var range = options.range
    if let newestID = plan.newestID {
      // Nothing older than what there is already is new.
      if let since = range.since, source.firstID(at: since) == nil { range.since = nil }
      range.sinceID = PostOrder.newer(range.sinceID, newestID)
      if let horizon, range.untilID == nil, range.until == nil {
        let oldest = Timestamp(milliseconds: Timestamp.shown.milliseconds - horizon)
        if let id = idBefore(oldest), PostOrder.isOlder(newestID, id) { (range.sinceID, range.since) = (nil, oldest) }
      }
    }
    let hasIDs = range.sinceID != nil || range.untilID != nil
    guard hasIDs || !source.takesTimes else { return range }
    for time in [range.since, range.until].compactMap({ $0 }) where source.firstID(at: time) == nil {
      throw .usage("the ids of '\(feed)' do not tell whether a post is from before \(time.rfc3339)")
    }
    if let time = range.since { range.sinceID = PostOrder.newer(range.sinceID, idBefore(time)) }
    if let id = range.until.flatMap({ source.firstID(at: $0) }) {
      range.untilID = PostOrder.older(range.untilID, String(id))
    }
    (range.since, range.until) = (nil, nil)
    return range
  }

  private func idBefore(_ time: Timestamp) -> String? {
    source.firstID(at: time).map { String(max(0, $0 - 1)) }
  }

  private mutating func take(
    _ page: FeedPage, in loop: inout TransferLoop, _ writer: inout FeedWriter
  ) throws(ToolError) {
    try writer.write(page.lines, of: feed)
    try budget?.count(page.sent)
    new += page.count
    switch plan.took(page) {
    case .complete: plan.finish()
    case .stuck(let reason):
      try writer.write(Notice(.warning, "paging", "\(feed): no further pages: \(reason)"))
      try leave(&writer, hasHope: plan.current?.oldest != nil)
    case .more:
      if writer.remaining != 0, let current = plan.current, current.pages >= most(current, writer.remaining) {
        try leave(&writer, hasHope: true)
      }
    }
    if writer.remaining == 0 { plan.leaveAll() }
    try keepPlace(&writer)
    try start(.fetch, in: &loop, &writer)
  }

  private func most(_ stretch: RoundPlan.Stretch, _ remaining: Int?) -> Int {
    if options.all { return .max }
    if let pages = options.pages { return pages }
    // Who asks once for a number of posts gets that number.
    if options.every == nil, remaining != nil { return .max }
    return stretch.floor == nil && stretch.isNewest ? 1 : Self.mostPages
  }

  /// Leaves the rest of a stretch to the next round, where there is one.
  ///
  /// - Parameter hasHope: the next round may come further; without it a hole is given up.
  private mutating func leave(_ writer: inout FeedWriter, hasHope: Bool) throws(ToolError) {
    if !hasHope, let current = plan.current, !current.isNewest, let rest = current.rest {
      try writer.write(gap(rest, "the service does not give them"))
      return plan.finish()
    }
    try tellRest(&writer)
    if let lost = plan.leave() { try writer.write(gap(lost, "too many stretches are unfinished")) }
  }

  /// Says what of the current stretch is not fetched.
  private func tellRest(_ writer: inout FeedWriter) throws(ToolError) {
    guard let current = plan.current, let rest = current.rest else { return }
    // Without a lower end there is always more.
    guard current.floor != nil || !current.isNewest || options.all else { return }
    if places == nil, options.every == nil {
      try writer.write(gap(rest, "the round ended before; --state remembers such a rest"))
    } else {
      var notice = gap(rest, "they are fetched next time")
      (notice.level, notice.code) = (.info, "unfinished")
      try writer.write(notice)
    }
  }

  private func gap(_ hole: Place.Hole, _ reason: String) -> Notice {
    let lower = hole.since.map { "between \($0) and" } ?? "before"
    var notice = Notice(.warning, "gap", "posts \(lower) \(hole.until) were left out: \(reason)")
    notice.add("feed", text: feed)
    notice.add("last_id", text: hole.since)
    notice.add("next_id", text: hole.until)
    return notice
  }

  private mutating func apply(
    _ remedy: PageRemedy, to stretch: RoundPlan.Stretch, in loop: inout TransferLoop, _ writer: inout FeedWriter
  ) throws(ToolError) {
    var stretch = stretch
    stretch.isRemedied = true
    switch remedy {
    case .withoutToken:
      stretch.range.token = nil
      stretch.range.untilID = stretch.rest?.until ?? stretch.range.untilID
    case .begin(let time):
      horizon = Timestamp.shown.milliseconds - time.milliseconds
      // A feed that was quiet for as long has lost nothing: it has been asked since.
      if !stretch.isNewest || stretch.floor != plan.newestID || roundAt.map({ $0 < time }) ?? true {
        let text = "posts from before \(time.rfc3339) can no longer be had: the service does not go back further"
        var notice = Notice(.warning, "gap", text)
        notice.add("feed", text: feed)
        notice.add("last_id", text: stretch.floor)
        notice.add("until", text: time.rfc3339)
        try writer.write(notice)
      }
      (stretch.range.sinceID, stretch.range.since, stretch.floor) = (nil, time, idBefore(time))
    }
    if stretch.range.untilID != nil, stretch.range.since != nil || stretch.range.until != nil {
      (stretch.range.sinceID, stretch.range.since, stretch.range.until) = (stretch.floor, nil, nil)
    }
    plan.current = stretch
    if stretch.range.isEmpty { plan.finish() }
    try keepPlace(&writer)
    try start(.fetch, in: &loop, &writer)
  }

  /// What is kept as fetched must have left us.
  private func keepPlace(_ writer: inout FeedWriter) throws(ToolError) {
    guard let places, try writer.flush() else { return }
    if options.every == nil { return try places.save(plan.place, of: feed) }
    try places.saveOrTell(plan.place, of: feed, to: &writer)
  }

  private mutating func endRound(_ writer: inout FeedWriter) throws(ToolError) {
    let next = options.every.map { Timestamp(milliseconds: Timestamp.shown.milliseconds + Int64($0)) }
    try writer.writeRefresh(of: feed, new: new, next: next)
    try keepPlace(&writer)
    roundAt = .shown
    phase = options.every.map { .resting(until: MonotonicClock.milliseconds + $0) } ?? .ended
  }
}
