package import TweetCore
package import TweetNet

/// The filtered stream behind one or more hashtags: adds rules, connects, hands messages on, connects again after
/// failures, and takes its rules away at the end. Driven by the events of a `TransferLoop`.
package struct LiveFeed: Feed {
  private enum Step {
    case addRules, listRules, connect
  }

  private enum Phase {
    case working(TransferID, Step)
    case waiting(until: Int, Step)
    case streaming(TransferID)
    case ended
  }

  /// X sends something at least every 20 s; ten more allow for a slow network.
  package static let silence = 30_000
  /// A connection that ends sooner counts as failed again, so that the pause before the next one grows.
  private static let shortest = 1_000

  private let requests: XRequests
  private let silence: Int
  private let keepsRules: Bool
  private var rules: StreamRules
  /// For the rules: brief at first, so that a wrong token or no network ends the tool soon.
  private var rulesPolicy = ReconnectPolicy(.brief)
  /// For the stream, which is held for as long as it takes.
  private var policy = ReconnectPolicy(.endless)
  private var phase = Phase.ended
  private var splitter = MessageSplitter(.lines)
  private var recent = RecentIDs()
  private var connectedAt = 0
  private var hasData = false
  /// The last message's post before a connection was lost, and when that was: what comes next is told as a gap.
  private var gap: (lastID: Int, from: Timestamp)?
  private var lastID: Int?

  /// - Parameters:
  ///   - hashtags: without `#`, at least one.
  ///   - keepsRules: leave the rules at the service when ending.
  ///   - silence: milliseconds without a byte after which the connection counts as lost.
  package init(
    _ requests: XRequests, hashtags: [String], keepsRules: Bool = false, silence: Int = Self.silence
  ) {
    self.requests = requests
    self.silence = silence
    self.keepsRules = keepsRules
    rules = StreamRules(hashtags.map { StreamRules.Wanted(hashtag: $0) })
  }

  /// Rules first.
  package mutating func begin(in loop: inout TransferLoop, to writer: inout FeedWriter) {
    start(.addRules, in: &loop)
  }

  /// A live feed has no end of its own.
  package var isOver: Bool { false }

  package var wakesAt: Int? {
    if case .waiting(let until, _) = phase { until } else { nil }
  }

  package mutating func wake(in loop: inout TransferLoop, to writer: inout FeedWriter) {
    guard case .waiting(let until, let step) = phase, MonotonicClock.milliseconds >= until else { return }
    start(step, in: &loop)
  }

  private mutating func start(_ step: Step, in loop: inout TransferLoop) {
    var request =
      switch step {
      case .addRules: requests.addRules(rules.wanted.map { ($0.value, $0.tag.text) })
      case .listRules: requests.listRules(ids: rules.unclear)
      case .connect: requests.stream()
      }
    if step == .connect { request.silenceTimeout = silence }
    phase = .working(loop.start(request), step)
  }

  private var transfer: TransferID? {
    switch phase {
    case .working(let id, _), .streaming(let id): id
    case .waiting, .ended: nil
    }
  }

  package mutating func handle(
    _ event: TransferLoop.Event, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    guard let id = event.transfer, id == transfer else { return }
    switch (phase, event) {
    case (.working, .started):
      try connected(id, &writer)
    case (.streaming, .data(_, let bytes)):
      if let problem = try take(bytes, &writer) {
        loop.cancel(id)
        try lost(.dismissed(problem), problem.text, &writer)
      }
    case (.streaming, .finished(_, let result)):
      if case .failure(let error) = result {
        try lost(.lost(error), error.text, &writer)
      } else {
        try lost(.lost(nil), "the service closed it", &writer)
      }
    case (.working(_, let step), .finished(_, let result)):
      try finished(step, result, in: &loop, &writer)
    default: break
    }
  }

  // MARK: Rules

  private mutating func finished(
    _ step: Step, _ result: Result<HTTPResponse, TransferError>, in loop: inout TransferLoop,
    _ writer: inout FeedWriter
  ) throws(ToolError) {
    let response: HTTPResponse
    switch result {
    case .failure(let error): return try retry(step, .lost(error), error.text, &writer)
    case .success(let answer): response = answer
    }
    let isGood = (200...299).contains(response.status)
    switch step {
    case .addRules:
      if let problem = rules.added(response) {
        if isGood { throw .usage("the service does not accept the rule: \(problem.text)") }
        return try retry(step, .refused(response), problem.text, &writer)
      }
      rulesPolicy = ReconnectPolicy(.endless)
      start(rules.unclear.isEmpty ? .connect : .listRules, in: &loop)
    case .listRules:
      guard isGood else { return try retry(step, .refused(response), ServiceProblem(response).text, &writer) }
      for value in rules.listed(response) {
        let text = "rule '\(value)' was there already: this stream goes quiet if its owner removes it"
        try writer.write(Notice(.warning, "rule-shared", text))
      }
      start(.connect, in: &loop)
    case .connect:
      let problem = ServiceProblem(response)
      // Where there is no rule, ours was not yet in force or is gone: adding it again does for both.
      try retry(.connect, .refused(response), problem.text, &writer)
      if problem.isWithoutRules, case .waiting(let until, _) = phase { phase = .waiting(until: until, .addRules) }
    }
  }

  // MARK: The connection

  private mutating func connected(_ id: TransferID, _ writer: inout FeedWriter) throws(ToolError) {
    phase = .streaming(id)
    splitter.reset()
    policy.accepted()
    connectedAt = MonotonicClock.milliseconds
    hasData = false
    try writer.write(Notice(.info, "connect", "connected to the stream"))
  }

  /// - Returns: the service's reason, if the data says that it closes the stream.
  private mutating func take(_ bytes: [UInt8], _ writer: inout FeedWriter) throws(ToolError) -> ServiceProblem? {
    hasData = true
    var problem: ServiceProblem?
    // Taken out while it runs, since its callback changes the rest of us.
    var splitter = MessageSplitter(.lines)
    swap(&splitter, &self.splitter)
    defer { self.splitter = splitter }
    try splitter.feed(bytes) { (piece) throws(ToolError) in
      switch piece {
      case .keepAlive: return
      case .tooLong(let length):
        try writer.writeBadMessage(of: rules.wanted.first?.feed ?? "", "it has \(length) bytes")
      case .wrongLength(let reason):
        try writer.writeBadMessage(of: rules.wanted.first?.feed ?? "", reason)
      case .message(let line):
        if problem == nil { problem = try take(line, &writer) }
      }
    }
    return problem
  }

  private mutating func take(
    _ line: UnsafeBufferPointer<UInt8>, _ writer: inout FeedWriter
  ) throws(ToolError) -> ServiceProblem? {
    guard writer.remaining != 0 else { return nil }
    let document: JSONDocument
    do throws(JSONFault) {
      document = try Self.parse(line)
    } catch {
      try writer.writeBadMessage(of: rules.wanted.first?.feed ?? "", error.reason)
      return nil
    }
    let message = document.root
    if let problem = ServiceProblem(message: message) { return problem }
    guard let feed = rules.feed(of: message) else { return nil }
    if let id = message["data"]?["id"].flatMap({ Int(ascii: $0.rawString) }) {
      if !recent.insert(id) {
        // A post we know: the service goes back far enough to leave no gap.
        gap = nil
        return nil
      }
      try tellGap(before: id, feed, &writer)
      lastID = id
    }
    try writer.write(line, of: feed)
    return nil
  }

  /// Bytes that are no UTF-8 are repaired to look into the message; it is passed on as it came.
  private static func parse(_ line: UnsafeBufferPointer<UInt8>) throws(JSONFault) -> JSONDocument {
    do throws(JSONFault) {
      return try JSONDocument(Array(line))
    } catch {
      guard error == .badUTF8 else { throw error }
      return try JSONDocument(String(decoding: line, as: UTF8.self))
    }
  }

  private mutating func tellGap(before id: Int, _ feed: String, _ writer: inout FeedWriter) throws(ToolError) {
    guard let gap else { return }
    self.gap = nil
    var notice = Notice(.warning, "gap", "posts between \(gap.lastID) and \(id) may be missing")
    notice.add("feed", text: feed)
    notice.add("last_id", text: String(gap.lastID))
    notice.add("next_id", text: String(id))
    notice.add("from", text: gap.from.rfc3339)
    try writer.write(notice)
  }

  // MARK: Failures

  private mutating func lost(
    _ ending: ReconnectPolicy.Ending, _ reason: String, _ writer: inout FeedWriter
  ) throws(ToolError) {
    if hasData, MonotonicClock.milliseconds - connectedAt >= Self.shortest { policy.worked() }
    if gap == nil, let lastID { gap = (lastID, Timestamp.shown) }
    try writer.write(Notice(.warning, "disconnect", "the stream broke off: \(reason)"))
    try retry(.connect, ending, nil, &writer)
  }

  private mutating func retry(
    _ step: Step, _ ending: ReconnectPolicy.Ending, _ reason: String?, _ writer: inout FeedWriter
  ) throws(ToolError) {
    let jitter = Double.random(in: 0..<1)
    let decision =
      step == .connect
      ? policy.decide(ending, now: .now, jitter: jitter) : rulesPolicy.decide(ending, now: .now, jitter: jitter)
    switch decision {
    case .stop(let error):
      phase = .ended
      throw error
    case .retry(let wait, let cause):
      phase = .waiting(until: MonotonicClock.milliseconds + wait, step)
      try writer.write(.retry(after: wait, cause, reason))
    }
  }

  // MARK: The end

  /// Closes the stream, and removes the rules that were added.
  package mutating func end(in loop: inout TransferLoop) -> ToolError? {
    do throws(ToolError) {
      switch phase {
      case .working(let id, .addRules):
        // Whether the rule is there yet is not known before the answer.
        if case .success(let response)? = try Self.await(id, in: &loop) { _ = rules.added(response) }
      case .working(let id, _), .streaming(let id): loop.cancel(id)
      case .waiting, .ended: break
      }
      phase = .ended
      if keepsRules || rules.ownIDs.isEmpty { return nil }
      var request = requests.deleteRules(ids: rules.ownIDs)
      request.totalTimeout = Self.tidyTime
      switch try Self.await(loop.start(request), in: &loop) {
      case .success(let response)? where (200...299).contains(response.status): return nil
      case .success(let response)?: return unremoved(ServiceProblem(response).text)
      case .failure(let error)?: return unremoved(error.text)
      case nil: return unremoved("no answer")
      }
    } catch {
      return error
    }
  }

  /// Milliseconds for each request of the end: whoever pressed Ctrl-C is waiting.
  private static let tidyTime = 5_000

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

  private func unremoved(_ reason: String) -> ToolError {
    .tryLater("cannot remove stream rule \(rules.ownIDs.joined(separator: ", ")): \(reason)")
  }
}

extension Notice {
  /// Says when a request is made again, and why unless that was said already.
  static func retry(after wait: Int, _ cause: ReconnectPolicy.Cause, _ reason: String?) -> Notice {
    // Nobody reads the milliseconds of a long pause.
    let when = wait == 0 ? "at once" : "in \(seconds(wait < 10_000 ? wait : (wait + 999) / 1000 * 1000)) s"
    let prefix = (cause == .rateLimit ? "rate limit: " : "") + (reason.map { $0 + "; " } ?? "")
    let code = cause == .rateLimit ? "rate-limit" : "reconnect"
    var notice = Notice(wait == 0 ? .info : .warning, code, "\(prefix)trying again \(when)")
    notice.add("wait", milliseconds: wait)
    return notice
  }
}
