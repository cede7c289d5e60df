package import TweetCore
package import TweetNet

/// A feed that is asked for page by page over REST: once, or again and again from where it stopped. Driven by the events
/// of a `TransferLoop`.
package struct PollFeed: Feed {
  private enum Step {
    case findUser(String)
    case fetch
  }

  private enum Phase {
    case working(TransferID, Step)
    case waiting(until: Int, Step)
    case ended
  }

  /// How a feed is asked for.
  package struct Options: Sendable {
    package var sinceID: String?
    package var untilID: String?
    /// Pages a round at most; `nil`: one, up to `mostPages` back to where the round before stopped, and in a single round
    /// what a limit on posts needs.
    package var pages: Int?
    /// Milliseconds between rounds; `nil` makes one round.
    package var every: Int?

    package init() {}
  }

  /// The newest 3200 posts, as far back as X goes for an account.
  private static let mostPages = 32

  package let feed: String
  private let source: Source
  private let requests: XRequests
  private let options: Options
  private var policy: ReconnectPolicy
  private var phase = Phase.ended
  private var userID: String?
  private var sinceID: String?

  // The round under way.
  private var nextToken: String?
  private var pages = 0
  private var new = 0
  private var newestID: String?
  private var oldestID: String?

  package init(_ requests: XRequests, source: Source, options: Options) {
    self.requests = requests
    self.source = source
    self.options = options
    feed = source.feed
    sinceID = options.sinceID
    policy = ReconnectPolicy(options.every == nil ? .brief : .endless)
  }

  package var isOver: Bool {
    if case .ended = phase { true } else { false }
  }

  package mutating func begin(in loop: inout TransferLoop, to writer: inout FeedWriter) {
    if case .user(let name) = source {
      start(.findUser(name), in: &loop, writer)
    } else {
      start(.fetch, in: &loop, writer)
    }
  }

  package var wakesAt: Int? {
    if case .waiting(let until, _) = phase { until } else { nil }
  }

  package mutating func wake(in loop: inout TransferLoop, to writer: inout FeedWriter) {
    guard case .waiting(let until, let step) = phase, MonotonicClock.milliseconds >= until else { return }
    start(step, in: &loop, writer)
  }

  private mutating func start(_ step: Step, in loop: inout TransferLoop, _ writer: borrowing FeedWriter) {
    let request =
      switch step {
      case .findUser(let name): requests.user(named: name)
      case .fetch: page(remaining: writer.remaining)
      }
    phase = .working(loop.start(request), step)
  }

  private func page(remaining: Int?) -> HTTPRequest {
    var range = XRequests.PageRange()
    range.sinceID = sinceID
    range.untilID = options.untilID
    range.token = nextToken
    range.size = remaining ?? range.size
    return switch source {
    case .hashtag(let tag): requests.searchRecent("#\(tag)", range)
    case .search(let query): requests.searchRecent(query, range)
    case .user(let name), .plugin(let name, _): requests.userPosts(id: userID ?? name, range)
    }
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
      return try retry(step, .refused(response), ServiceProblem(response).text, &writer)
    }
    switch step {
    case .findUser(let name):
      switch XPage.userID(response) {
      case .success(let id):
        policy.worked()
        userID = id
      case .failure(let problem): throw .refused("no user '\(name)': \(problem.text)")
      }
      start(.fetch, in: &loop, writer)
    case .fetch:
      guard let page = XPage(response, limit: writer.remaining) else {
        let error = TransferError(.protocolError, "the service's answer is no page of posts")
        // Something else answers in its place, such as a hotel's sign-in page: it will again.
        if options.every == nil { throw .refused(error.text) }
        return try retry(step, .lost(error), error.text, &writer)
      }
      if let problem = page.problem { throw problem.toolError }
      policy.worked()
      try take(page, in: &loop, &writer)
    }
  }

  private mutating func take(
    _ page: XPage, in loop: inout TransferLoop, _ writer: inout FeedWriter
  ) throws(ToolError) {
    if page.count > 0 {
      let feed = feed
      try page.line.withUnsafeBufferPointer { (line) throws(ToolError) in
        try writer.write(line, of: feed, posts: page.count)
      }
    }
    pages += 1
    new += page.count
    newestID = newestID ?? page.newestID
    oldestID = page.oldestID ?? oldestID
    nextToken = page.nextToken
    if nextToken != nil, pages < most(writer.remaining), writer.remaining != 0 {
      start(.fetch, in: &loop, writer)
    } else {
      try endRound(&writer)
    }
  }

  private func most(_ remaining: Int?) -> Int {
    if let pages = options.pages { return pages }
    // Who asks once for a number of posts gets that number.
    if options.every == nil, remaining != nil { return .max }
    return sinceID == nil ? 1 : Self.mostPages
  }

  private mutating func endRound(_ writer: inout FeedWriter) throws(ToolError) {
    if nextToken != nil, let sinceID, let oldestID, writer.remaining != 0 {
      var notice = Notice(.warning, "gap", "posts between \(sinceID) and \(oldestID) were left out: too many pages")
      notice.add("feed", text: feed)
      notice.add("last_id", text: sinceID)
      notice.add("next_id", text: oldestID)
      try writer.write(notice)
    }
    let next = options.every.map { Timestamp(milliseconds: Timestamp.shown.milliseconds + Int64($0)) }
    try writer.writeRefresh(of: feed, new: new, next: next)
    sinceID = newestID ?? sinceID
    (nextToken, newestID, oldestID, pages, new) = (nil, nil, nil, 0, 0)
    if let every = options.every {
      phase = .waiting(until: MonotonicClock.milliseconds + every, .fetch)
    } else {
      phase = .ended
    }
  }

  /// A feed that only reads leaves nothing behind.
  package func end(in loop: inout TransferLoop) -> ToolError? { nil }

  private mutating func retry(
    _ step: Step, _ ending: ReconnectPolicy.Ending, _ reason: String, _ writer: inout FeedWriter
  ) throws(ToolError) {
    switch policy.decide(ending, now: .now, jitter: .random(in: 0..<1)) {
    case .stop(let error):
      phase = .ended
      throw error
    case .retry(let wait, let cause):
      phase = .waiting(until: MonotonicClock.milliseconds + wait, step)
      try writer.write(.retry(after: wait, cause, reason))
    }
  }
}
