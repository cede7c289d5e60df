import TweetCore
import TweetNet
import TweetServices

/// A stream that is held open: sets up its rules, connects, delivers messages, connects again after failures, and
/// removes its rules at the end. A ``StreamAPI`` says what the service's API is like.
struct LiveFeed: Feed {
  /// Those of all streams that are held open.
  struct Options: Sendable {
    /// Milliseconds without a byte after which the connection counts as lost; `nil`: ten seconds after the service
    /// should have sent something.
    var silence: Int?
    /// Whether the posts of gaps are fetched.
    var fillsGaps = false
    /// Milliseconds from a reconnect to the search for the posts of the gap.
    var searchLag = 30_000
    /// The most bytes held back meanwhile.
    var buffer = 16 << 20
    /// What bounds the posts read.
    var budget: ReadBudget?
    /// Where checkpoints come from and go to.
    var checkpoints: Checkpoints?
    /// Another feed takes over if there is no stream for this account, so this one does not wait for it.
    var hasFallback = false
    /// Milliseconds between two checks of whether the stream's rules are still there.
    var ruleInterval = RuleSetup.interval
    /// When the run ends, by `MonotonicClock`; a longer wait is an error at once.
    var deadline: Int?

    init() {}
  }

  /// Milliseconds beyond the service's keep-alives, for a slow network.
  static let graceTime = 10_000
  /// Milliseconds: a connection that ends sooner counts as another failure, so that the backoff grows, also for a
  /// service that ends each after a post.
  static let shortestConnection = 1_000
  /// Milliseconds that a service has for noticing that nothing more is wanted.
  private static let longestHangUp = 500

  private var api: any StreamAPI
  private let options: Options
  private var rules: RuleSetup
  /// When the service applies the rules that were added again, by `MonotonicClock`.
  private var rulesApplyAt = 0
  /// Whether the rules were listed since the service last said that there are none.
  private var hasDoubted = false
  private var connection = RetriedRequest(RetryPolicy(.endless))
  /// Whether the request in flight is one that prepares the stream.
  private var isPreparing = false
  /// Whether the stream has answered the request in flight.
  private var isOpen = false
  /// A connection on which nothing more is wanted, while what the service has sent by then comes, and when it is
  /// closed.
  private var last: (transfer: TransferID, until: Int)?
  private var messages: LiveMessages
  private var connectedAt = 0
  private var wasConnected = false
  /// The account or its plan has no such stream, or another program holds it.
  var isUnavailable: Bool { rules.isUnavailable || isRefused }
  private var isRefused = false

  init(_ api: any StreamAPI, options: Options = Options()) {
    self.api = api
    self.options = options
    rules = RuleSetup(interval: options.ruleInterval)
    messages = LiveMessages(api, options)
  }

  /// Sets up the rules first.
  mutating func begin(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    try messages.resume(api, in: &loop, to: &writer)
    rules.advance(&api, in: &loop)
    try connectIfReady(in: &loop, &writer)
  }

  var unansweredReason: String? {
    wasConnected ? nil : rules.unansweredReason ?? connection.unansweredReason
  }

  /// A live feed has no end of its own.
  var isOver: Bool { false }

  var wakesAt: Int? {
    [connection.wakesAt, rules.wakesAt, isOpen ? rules.checkAt : nil, messages.wakesAt, last?.until].compactMap { $0 }
      .min()
  }

  mutating func wake(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    rules.wake(&api, in: &loop)
    if isOpen, let due = rules.checkAt, MonotonicClock.milliseconds >= due { rules.check(&api, in: &loop) }
    if let ended = last, MonotonicClock.milliseconds >= ended.until {
      loop.cancel(ended.transfer)
      last = nil
    }
    try messages.wake(api, in: &loop, to: &writer)
    try disconnectIfUsedUp(in: &loop, &writer)
    guard connection.isDue else { return }
    connection.cancel(in: &loop)
    rules.renew(&api, in: &loop)
    try connectIfReady(in: &loop, &writer)
  }

  private mutating func connectIfReady(
    in loop: inout TransferLoop, _ writer: inout FeedWriter
  ) throws(ToolError) {
    guard connection.isIdle, rules.isReady(api) else { return }
    if let preparation = api.preparation {
      isPreparing = true
      return connection.start(preparation, in: &loop)
    }
    guard try messages.prepareConnection() else { return try waitForBudget(&writer) }
    isPreparing = false
    var request = api.connection()
    request.silenceTimeout = options.silence ?? (api.keepAliveInterval + Self.graceTime)
    connection.start(request, in: &loop)
  }

  mutating func handle(
    _ event: TransferLoop.Event, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    guard let id = event.transfer else { return }
    if id == last?.transfer {
      // What comes after the last post that is wanted is counted.
      if case .data(_, let bytes) = event { _ = try messages.receive(bytes, api, isWanted: false, to: &writer) }
      if case .finished = event { last = nil }
      return
    }
    guard id == connection.transfer else {
      if let lost = try rules.handle(event, &api, until: options.deadline, in: &loop, to: &writer) {
        if isOpen, !rules.isReady(api) { messages.recordMissingRules(of: api.feeds) }
        try record(lost, in: &loop, &writer)
        return try connectIfReady(in: &loop, &writer)
      }
      return try messages.handle(event, api, in: &loop, to: &writer)
    }
    switch event {
    case .started(_, let response):
      if response.isWebPage {
        connection.cancel(in: &loop)
        let text = "a web page came in place of the stream, such as a network's sign-in page"
        return try retry(after: .lost(TransferError(.protocolError, text)), &writer)
      }
      connection.policy.recordConnection(api.rateWindow(response), at: .now)
      try recordConnection(in: &loop, &writer)
    case .data(_, let bytes):
      if !messages.hasData { connection.policy.recordData() }
      guard let refusal = try messages.receive(bytes, api, to: &writer) else { return }
      connection.cancel(in: &loop)
      try recordLoss(.closed(refusal), in: &loop, &writer)
    case .finished(_, .failure(let error)) where isOpen: try recordLoss(.lost(error), in: &loop, &writer)
    case .finished(_, .success) where isOpen: try recordLoss(.lost(nil), in: &loop, &writer)
    case .finished(_, .failure(let error)): try retry(after: .lost(error), &writer)
    case .finished(_, .success(let response)) where isPreparing: try readPreparation(response, in: &loop, &writer)
    case .finished(_, .success(let response)): try recordRefusal(response, in: &loop, &writer)
    case .readable, .writable, .hungUp, .namesFound: break
    }
  }

  // MARK: The connection

  private mutating func recordConnection(
    in loop: inout TransferLoop, _ writer: inout FeedWriter
  ) throws(ToolError) {
    connectedAt = MonotonicClock.milliseconds
    try messages.recordConnection(api, at: max(connectedAt, rulesApplyAt), to: &writer)
    try writer.write(Notice(.info, "connect", "connected to the stream"))
    // The first connection comes right after the set-up.
    if wasConnected { rules.check(&api, in: &loop) }
    (isOpen, wasConnected, hasDoubted) = (true, true, false)
  }

  /// Records that posts did not come since others had removed their rules.
  private mutating func record(
    _ lost: RuleSetup.LostRules, in loop: inout TransferLoop, _ writer: inout FeedWriter
  ) throws(ToolError) {
    if lost.feeds.isEmpty { return }
    rulesApplyAt = MonotonicClock.milliseconds + api.ruleDelay
    try messages.record(lost, api, isOpen ? rulesApplyAt : nil, in: &loop, to: &writer)
  }

  /// Reads what was asked for before the connection, and goes on to the next request.
  private mutating func readPreparation(
    _ response: HTTPResponse, in loop: inout TransferLoop, _ writer: inout FeedWriter
  ) throws(ToolError) {
    switch api.readPreparation(response) {
    case .refused(let refusal): try record(refusal, &writer)
    case .done(let notices):
      for notice in notices { try writer.write(notice) }
      isPreparing = false
      connection.policy.recordSuccess()
      connection.cancel(in: &loop)
      try connectIfReady(in: &loop, &writer)
    }
  }

  /// The service has answered, but not with a stream.
  private mutating func recordRefusal(
    _ response: HTTPResponse, in loop: inout TransferLoop, _ writer: inout FeedWriter
  ) throws(ToolError) {
    if api.recordRefusal(response) {
      connection.cancel(in: &loop)
      return try connectIfReady(in: &loop, &writer)
    }
    let refusal = api.refusal(response)
    if refusal.meaning == .notReady {
      rules.doubt(&api)
      if let time = api.rulesAddedAt { connection.policy.recordSetup(at: time) }
      if !connection.policy.awaitsSetup(now: .now), !hasDoubted {
        // Others have removed them: they are listed, and added again.
        hasDoubted = true
        connection.cancel(in: &loop)
        return rules.renew(&api, in: &loop)
      }
    }
    try record(refusal, &writer)
  }

  private mutating func record(_ refusal: Refusal, _ writer: inout FeedWriter) throws(ToolError) {
    isRefused = refusal.meaning == .noStream || (refusal.meaning == .connectionHeld && !wasConnected)
    if isRefused, options.hasFallback { throw refusal.error }
    try retry(after: .refused(refusal), &writer)
  }

  private mutating func recordLoss(
    _ failure: RetryPolicy.Failure, in loop: inout TransferLoop, _ writer: inout FeedWriter
  ) throws(ToolError) {
    let isLong = MonotonicClock.milliseconds - connectedAt >= Self.shortestConnection
    if messages.hasData, isLong { connection.policy.recordSuccess() }
    messages.recordLoss(api, in: &loop)
    try writer.write(Notice(.warning, "disconnect", "the stream broke off: \(failure.reason)"))
    try retry(after: failure, &writer)
  }

  private mutating func retry(after failure: RetryPolicy.Failure, _ writer: inout FeedWriter) throws(ToolError) {
    let isTold = isOpen
    (isOpen, isPreparing) = (false, false)
    try connection.retry(
      after: failure, isTold: isTold, until: wasConnected ? nil : options.deadline, to: &writer)
  }

  /// Once no more posts may be read today, closes the connection until more may be read.
  private mutating func disconnectIfUsedUp(
    in loop: inout TransferLoop, _ writer: inout FeedWriter
  ) throws(ToolError) {
    guard isOpen, messages.meter?.isUsedUp == true else { return }
    hangUp(in: &loop)
    messages.recordLoss(api, in: &loop)
    try waitForBudget(&writer)
  }

  private mutating func waitForBudget(_ writer: inout FeedWriter) throws(ToolError) {
    guard let meter = messages.meter else { return }
    if let until = meter.waitsUntil { return connection.pause(until: until) }
    let until = MonotonicClock.milliseconds + meter.wait
    if let deadline = options.deadline, until > deadline { throw meter.usedUp }
    connection.pause(until: until)
    try writer.write(meter.notice)
  }

  private mutating func disconnect(in loop: inout TransferLoop) {
    connection.cancel(in: &loop)
    if let last { loop.cancel(last.transfer) }
    last = nil
    isOpen = false
  }

  // MARK: Other feeds, and the end

  /// Turns to other hashtags, on the open connection if the API can.
  mutating func replace(
    with hashtags: [String], in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) -> Bool {
    var next = api
    guard let reconnects = next.replaceHashtags(with: hashtags) else { return false }
    try messages.removeAll(in: &loop, to: &writer)
    api = next
    try messages.resume(api, in: &loop, to: &writer)
    if isOpen, !reconnects { messages.recordReplacement(at: MonotonicClock.milliseconds) }
    try writer.writeQuery(api.feeds.first ?? "")
    if reconnects { disconnect(in: &loop) }
    rules.advance(&api, in: &loop)
    try connectIfReady(in: &loop, &writer)
    return true
  }

  mutating func halt(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    if isOpen { messages.recordLoss(api, in: &loop) }
    disconnect(in: &loop)
    rules.halt(in: &loop)
    try messages.halt(in: &loop, to: &writer)
  }

  /// Lists the rules first, which others may have removed meanwhile.
  mutating func restart(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    rules.doubt(&api)
    rules.renew(&api, in: &loop)
    try connectIfReady(in: &loop, &writer)
  }

  var hangsUpUntil: Int? { last?.until }

  mutating func hangUp(in loop: inout TransferLoop) {
    guard isOpen, messages.meter != nil, let transfer = connection.transfer else { return }
    last = (transfer, MonotonicClock.milliseconds + Self.longestHangUp)
    isOpen = false
    loop.closeSending(transfer)
  }

  mutating func close(to writer: inout FeedWriter) throws(ToolError) {
    try messages.close(to: &writer)
  }

  /// Closes the connection, and removes the rules that were set up for it.
  mutating func end(in loop: inout TransferLoop) -> ToolError? {
    disconnect(in: &loop)
    messages.cancel(in: &loop)
    return rules.remove(&api, in: &loop)
  }
}
