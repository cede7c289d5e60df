import TweetCore
import TweetNet

/// Fetches what was posted while no connection was open, and says which messages must wait for it.
///
/// Gaps are filled one after the other, the oldest first, each with one request in flight. It does not matter to a search
/// whether the stream is connected, so a further loss leaves it running and only adds a gap.
struct GapFiller: Sendable {
  /// How gaps are filled.
  struct Options: Sendable {
    /// Milliseconds from a reconnect to the search: a service's search lags behind its stream.
    var lag: Int
    /// The most bytes that are held back, and as many again of what was found.
    var buffer: Int
    /// What bounds the posts read, where they are billed.
    var budget: ReadBudget?
  }

  private enum Phase {
    case idle
    case asking(TransferID)
    case waiting(until: Int)
  }

  /// Waiting longer than this for a search's answer is worse than having posts out of order, in milliseconds.
  private static let longestHold = 30_000
  /// Gaps that may wait; when there are more the oldest are given up.
  private static let mostGaps = 1000

  private let options: Options
  private var gaps: [Gap] = []
  /// Gaps that this run gave up and a later one may fill.
  private var left: [Gap] = []
  private var phase = Phase.idle
  private var policy = ReconnectPolicy(.endless)
  // The gap being filled: where we are in it, and what was found.
  private var feedNumber = 0
  private var token: String?
  private var found: [StreamOrder.Missed] = []
  private var foundBytes = 0
  private var reachesBack = true

  init(_ options: Options) { self.options = options }

  /// Whether messages must wait for older ones.
  var holds: Bool { gaps.contains { !$0.isLate } }

  /// Gaps that messages behind them did not wait for.
  var late: [Gap] { left + gaps.filter(\.isLate) }

  // MARK: The connection

  /// A connection is lost, or was never there.
  mutating func lost(_ gap: Gap, in loop: inout TransferLoop) {
    guard let last = gaps.last, last.next == nil else { return gaps.append(gap) }
    // Nothing came since the last gap, so it goes on.
    guard last.dueAt != nil else { return }
    if gaps.count == 1 { stop(in: &loop) }
    gaps[gaps.count - 1].dueAt = nil
  }

  mutating func connected(at now: Int) {
    for place in gaps.indices where gaps[place].dueAt == nil { gaps[place].connected(at: now, lag: options.lag) }
  }

  /// A new post came by the stream.
  mutating func arrived(_ id: Int, at now: Int, settling: Int) {
    guard let last = gaps.indices.last else { return }
    gaps[last].arrived(id, at: now, settling: settling)
  }

  /// Forgets all gaps, for other feeds.
  mutating func clear(in loop: inout TransferLoop) {
    stop(in: &loop)
    (gaps, left) = ([], [])
  }

  private mutating func stop(in loop: inout TransferLoop) {
    if case .asking(let id) = phase { loop.cancel(id) }
    phase = .idle
    restart()
  }

  private mutating func restart() {
    (feedNumber, token, found, foundBytes, reachesBack) = (0, nil, [], 0, true)
    policy = ReconnectPolicy(.endless)
  }

  // MARK: Asking

  var wakesAt: Int? {
    switch phase {
    case .idle: gaps.first?.dueAt
    case .waiting(let until): until
    case .asking: nil
    }
  }

  /// Asks for what is due.
  mutating func wake(
    _ api: any StreamAPI, in loop: inout TransferLoop, _ order: inout StreamOrder, to writer: inout FeedWriter
  ) throws(ToolError) {
    if order.heldBytes > options.buffer { try letGo(&order, to: &writer) }
    while gaps.count > Self.mostGaps {
      stop(in: &loop)
      try giveUp("too many gaps at once", &order, to: &writer)
    }
    guard let due = wakesAt, MonotonicClock.milliseconds >= due else { return }
    try ask(api, in: &loop, &order, to: &writer)
  }

  private mutating func ask(
    _ api: any StreamAPI, in loop: inout TransferLoop, _ order: inout StreamOrder, to writer: inout FeedWriter
  ) throws(ToolError) {
    phase = .idle
    guard let gap = gaps.first else { return }
    guard feedNumber < gap.starts.count else { return try finish(&order, to: &writer) }
    let left = try options.budget?.left() ?? .max
    if left == 0 {
      self.left = (self.left + [gap]).suffix(RoundPlan.mostHoles)
      return try giveUp("the day's budget is used up", &order, to: &writer)
    }
    let start = gap.starts[feedNumber]
    let bound = bound
    var range = MissedRange(sinceID: reachesBack ? start.id : nil, from: gap.from)
    range.untilID = bound == .max ? nil : bound
    range.token = token
    range.size = min(range.size, left)
    guard let request = api.missed(start.feed, range) else {
      return try giveUp("the service has no search", &order, to: &writer)
    }
    phase = .asking(loop.start(request))
  }

  mutating func handle(
    _ event: TransferLoop.Event, _ api: any StreamAPI, in loop: inout TransferLoop, _ order: inout StreamOrder,
    to writer: inout FeedWriter
  ) throws(ToolError) {
    guard case .asking(let id) = phase, case .finished(let ended, let result) = event, ended == id else { return }
    phase = .idle
    switch result {
    case .failure(let error): return try retry(.lost(error), error.text, &order, to: &writer)
    case .success(let response) where !(200...299).contains(response.status):
      let refusal = api.refusal(response)
      if refusal.meaning == .tooFarBack, reachesBack, token == nil {
        reachesBack = false
        gaps[0].isCutShort = true
        return try ask(api, in: &loop, &order, to: &writer)
      }
      return try retry(.refused(refusal), refusal.text, &order, to: &writer)
    case .success(let response):
      guard var page = api.missedPage(response) else {
        let error = TransferError(.protocolError, "the service's answer is no page of posts")
        return try retry(.lost(error), error.text, &order, to: &writer)
      }
      policy.worked()
      try options.budget?.count(page.posts.count)
      page.posts.removeAll { $0.id >= bound }
      try take(page, api, in: &loop, &order, to: &writer)
    }
  }

  private mutating func take(
    _ page: MissedPage, _ api: any StreamAPI, in loop: inout TransferLoop, _ order: inout StreamOrder,
    to writer: inout FeedWriter
  ) throws(ToolError) {
    if !page.posts.isEmpty {
      found.append(StreamOrder.Missed(feed: gaps[0].starts[feedNumber].feed, page: page))
      foundBytes += page.bytes
    }
    token = page.nextToken
    if token == nil {
      feedNumber += 1
      reachesBack = true
    }
    if foundBytes > options.buffer {
      // What was found goes out newest part first.
      try letGo(&order, to: &writer)
      try writeFound(&order, isWhole: false, to: &writer)
    }
    try ask(api, in: &loop, &order, to: &writer)
  }

  private mutating func retry(
    _ ending: ReconnectPolicy.Ending, _ reason: String, _ order: inout StreamOrder, to writer: inout FeedWriter
  ) throws(ToolError) {
    switch policy.decide(ending, now: .now, jitter: .random(in: 0..<1)) {
    case .stop(let error): try giveUp(error.message ?? reason, &order, to: &writer)
    case .retry(let wait, let cause):
      phase = .waiting(until: MonotonicClock.milliseconds + wait)
      try writer.write(.retry(after: wait, cause, "cannot search for missed posts: \(reason)"))
      if wait >= Self.longestHold { try letGo(&order, to: &writer) }
    }
  }

  // MARK: Out

  /// Posts from this one on are none of the first gap's: they came by the stream, or are the next gap's.
  private var bound: Int {
    min(gaps.first?.until ?? .max, gaps.dropFirst().first?.last.map { $0 + 1 } ?? .max)
  }

  private mutating func finish(_ order: inout StreamOrder, to writer: inout FeedWriter) throws(ToolError) {
    try writeFound(&order, isWhole: true, to: &writer)
    gaps.removeFirst()
    restart()
  }

  private mutating func writeFound(
    _ order: inout StreamOrder, isWhole: Bool, to writer: inout FeedWriter
  ) throws(ToolError) {
    let bound = bound
    for place in found.indices { found[place].page.posts.removeAll { $0.id >= bound } }
    let count = order.news(found)
    if isWhole || count > 0 { try writer.write(gaps[0].filledNotice(count: count, isWhole: isWhole)) }
    // The first message behind a gap that is filled on time comes after what was missed.
    try order.merge(found, heldTo: gaps[0].isLate ? .min : heldBound, to: &writer)
    (found, foundBytes) = ([], 0)
  }

  /// The last held message that need not wait for a gap behind the first; `nil`: none has to wait.
  private var heldBound: Int? {
    gaps.dropFirst().first { !$0.isLate }.map { $0.last ?? .min }
  }

  /// Lets all held messages go; what is fetched from now on for the gaps before them comes late.
  private mutating func letGo(_ order: inout StreamOrder, to writer: inout FeedWriter) throws(ToolError) {
    for place in gaps.indices { gaps[place].isLate = true }
    try order.merge([], heldTo: nil, to: &writer)
  }

  private mutating func giveUp(
    _ reason: String, _ order: inout StreamOrder, to writer: inout FeedWriter
  ) throws(ToolError) {
    try writer.write(gaps[0].notice(reason))
    try writeFound(&order, isWhole: false, to: &writer)
    gaps.removeFirst()
    phase = .idle
    restart()
  }

  /// Writes what is held, since nothing more comes.
  ///
  /// - Parameter isKept: the gaps are filled by a later run.
  mutating func close(isKept: Bool, _ order: inout StreamOrder, to writer: inout FeedWriter) throws(ToolError) {
    if !isKept {
      for gap in gaps { try writer.write(gap.notice("the program ends before they are fetched")) }
    }
    try letGo(&order, to: &writer)
  }
}
