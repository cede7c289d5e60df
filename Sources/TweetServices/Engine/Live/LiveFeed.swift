package import TweetCore
package import TweetNet

/// A stream that is held open: sets it up, connects, hands messages on, connects again after failures, and leaves the
/// service tidy at the end. What the service's API is like it is told by a ``StreamAPI``.
package struct LiveFeed: ReplaceableFeed {
  package struct Options: Sendable {
    /// Milliseconds without a byte after which the connection counts as lost; `nil`: ten seconds after the service should
    /// have sent a keep-alive.
    package var silence: Int?
    /// Whether what was posted while no connection was open is fetched.
    package var fillsGaps = false
    /// Milliseconds from a reconnect to the search for what was missed.
    package var searchLag = 30_000
    /// The most bytes held back meanwhile.
    package var buffer = 16 << 20
    /// What bounds the posts read.
    package var budget: ReadBudget?
    /// Where places are kept.
    package var places: Places?
    /// Somebody else goes on where there is no stream for us, so nothing is waited for.
    package var hasFallback = false
    /// When all ends, by `MonotonicClock`: waiting for longer than that is no use.
    package var deadline: Int?

    package init() {}
  }

  private enum Phase {
    case idle
    case connecting(TransferID)
    case open(TransferID)
    case waiting(until: Int)
  }

  /// For a slow network.
  private static let graceTime = 10_000
  /// A connection that ends sooner, and brought nothing new, counts as failed again: the pause before the next one grows.
  private static let shortest = 1_000

  private var api: any StreamAPI
  private let options: Options
  private var setup = StreamSetup()
  private var policy = ReconnectPolicy(.endless)
  private var phase = Phase.idle
  private var messages: LiveMessages
  private var connectedAt = 0
  private var wasConnected = false
  /// The account or its plan has no such stream, or another program holds it.
  package var isUnavailable: Bool { setup.isUnavailable || isRefused }
  private var isRefused = false

  package init(_ api: any StreamAPI, options: Options = Options()) {
    self.api = api
    self.options = options
    messages = LiveMessages(api, options)
  }

  /// Set-up first.
  package mutating func begin(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    try messages.resume(api.feeds, in: &loop)
    setup.go(on: &api, in: &loop)
    try connectWhenReady(in: &loop, &writer)
  }

  /// A live feed has no end of its own.
  package var isOver: Bool { false }

  package var wakesAt: Int? {
    let connection: Int? = if case .waiting(let until) = phase { until } else { nil }
    return [connection, setup.wakesAt, messages.wakesAt].compactMap { $0 }.min()
  }

  package mutating func wake(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    setup.wake(&api, in: &loop)
    try messages.wake(api, in: &loop, to: &writer)
    try obeyBudget(in: &loop, &writer)
    if case .waiting(let until) = phase, MonotonicClock.milliseconds >= until {
      phase = .idle
      if setup.isDone {
        api.doubtPreparation()
        setup.go(on: &api, in: &loop)
      }
      try connectWhenReady(in: &loop, &writer)
    }
  }

  private mutating func connectWhenReady(
    in loop: inout TransferLoop, _ writer: inout FeedWriter
  ) throws(ToolError) {
    guard case .idle = phase, setup.isDone else { return }
    guard try messages.begin() else { return try waitForBudget(&writer) }
    var request = api.connection()
    request.silenceTimeout = options.silence ?? (api.keepAlive + Self.graceTime)
    phase = .connecting(loop.start(request))
  }

  package mutating func handle(
    _ event: TransferLoop.Event, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    guard let id = event.transfer else { return }
    if id == setup.transfer {
      guard case .finished(_, let result) = event else { return }
      try setup.finished(result, &api, in: &loop, to: &writer)
      return try connectWhenReady(in: &loop, &writer)
    }
    switch (phase, event) {
    case (.connecting(id), .started(_, let response)):
      if response.isWebPage {
        loop.cancel(id)
        let text = "a web page came in place of the stream, such as a network's sign-in page"
        return try retry(.lost(TransferError(.protocolError, text)), text, &writer)
      }
      try connected(id, &writer)
    case (.connecting(id), .finished(_, let result)):
      try refused(result, &writer)
    case (.open(id), .data(_, let bytes)):
      if !messages.hasData { policy.flowed() }
      if let refusal = try messages.take(bytes, api, to: &writer) {
        loop.cancel(id)
        try lost(.dismissed(refusal), refusal.text, in: &loop, &writer)
      }
    case (.open(id), .finished(_, let result)):
      if case .failure(let error) = result {
        try lost(.lost(error), error.text, in: &loop, &writer)
      } else {
        try lost(.lost(nil), "the service closed it", in: &loop, &writer)
      }
    default: try messages.handle(event, api, in: &loop, to: &writer)
    }
  }

  // MARK: The connection

  private mutating func connected(_ id: TransferID, _ writer: inout FeedWriter) throws(ToolError) {
    phase = .open(id)
    policy.accepted()
    connectedAt = MonotonicClock.milliseconds
    wasConnected = true
    messages.connected(api, at: connectedAt)
    try writer.write(Notice(.info, "connect", "connected to the stream"))
  }

  private mutating func refused(
    _ result: Result<HTTPResponse, TransferError>, _ writer: inout FeedWriter
  ) throws(ToolError) {
    switch result {
    case .failure(let error): try retry(.lost(error), error.text, &writer)
    case .success(let response):
      let refusal = api.refusal(response)
      isRefused = refusal.meaning == .noStream || (refusal.meaning == .connectionHeld && !wasConnected)
      if isRefused, options.hasFallback { throw refusal.error }
      if refusal.meaning == .notReady {
        if let time = api.preparedAt { policy.prepared(at: time) }
        api.forgetPreparation()
      }
      try retry(.refused(refusal), refusal.text, &writer)
    }
  }

  private mutating func lost(
    _ ending: ReconnectPolicy.Ending, _ reason: String, in loop: inout TransferLoop, _ writer: inout FeedWriter
  ) throws(ToolError) {
    let isLong = MonotonicClock.milliseconds - connectedAt >= Self.shortest
    if messages.hasNews || (messages.hasData && isLong) { policy.worked() }
    messages.lost(api, in: &loop)
    try writer.write(Notice(.warning, "disconnect", "the stream broke off: \(reason)"))
    try retry(ending, nil, &writer)
  }

  private mutating func retry(
    _ ending: ReconnectPolicy.Ending, _ reason: String?, _ writer: inout FeedWriter
  ) throws(ToolError) {
    switch policy.decide(ending, now: .now, jitter: .random(in: 0..<1)) {
    case .stop(let error):
      phase = .idle
      throw error
    case .retry(let wait, let cause):
      let until = MonotonicClock.milliseconds + wait
      if let text = cause.text, !wasConnected, let deadline = options.deadline, until > deadline {
        throw .tryLater("\(text): \(reason ?? ""); there is no time left to wait \(seconds(wait)) s")
      }
      phase = .waiting(until: until)
      try writer.write(.retry(after: wait, cause, reason))
    }
  }

  /// Once no more posts may be read today, closes the connection until tomorrow.
  private mutating func obeyBudget(in loop: inout TransferLoop, _ writer: inout FeedWriter) throws(ToolError) {
    guard case .open(let id) = phase, messages.meter?.isUsedUp == true else { return }
    loop.cancel(id)
    messages.lost(api, in: &loop)
    try waitForBudget(&writer)
  }

  private mutating func waitForBudget(_ writer: inout FeedWriter) throws(ToolError) {
    guard let meter = messages.meter else { return }
    let until = MonotonicClock.milliseconds + meter.wait
    if let deadline = options.deadline, until > deadline { throw meter.usedUp }
    phase = .waiting(until: until)
    try writer.write(meter.notice)
  }

  // MARK: Other feeds, and the end

  /// Turns to other hashtags, on the open connection where the API can.
  package mutating func replace(
    with hashtags: [String], in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    try messages.clear(in: &loop, to: &writer)
    let reconnects = api.replace(with: hashtags)
    try messages.resume(api.feeds, in: &loop)
    if case .open = phase, !reconnects { messages.goesOn(at: MonotonicClock.milliseconds) }
    try writer.writeQuery(api.feeds.first ?? "")
    if reconnects {
      switch phase {
      case .connecting(let id), .open(let id): loop.cancel(id)
      case .idle, .waiting: break
      }
      phase = .idle
    }
    setup.go(on: &api, in: &loop)
    try connectWhenReady(in: &loop, &writer)
  }

  package mutating func close(to writer: inout FeedWriter) throws(ToolError) {
    try messages.close(to: &writer)
  }

  /// Closes the stream, and takes away what was set up for it.
  package mutating func end(in loop: inout TransferLoop) -> ToolError? {
    switch phase {
    case .connecting(let id), .open(let id): loop.cancel(id)
    case .idle, .waiting: break
    }
    phase = .idle
    messages.stop(in: &loop)
    return setup.tidy(&api, in: &loop)
  }
}
