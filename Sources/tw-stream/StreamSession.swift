import Services
import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// One run of tw-stream: its feeds, the loop that drives them, and an end that leaves the service tidy.
struct StreamSession: ~Copyable {
  private var loop: TransferLoop
  private var writer: FeedWriter
  private var feeds: [RunningFeed]
  private var input: SourceInput?
  private var queue: SourceQueue?
  /// The sources of the feeds, if those come from the queue.
  private var polled: [Source] = []
  private var failures = SourceFailures(action: "poll")
  private var reader = SlowReader()
  private var metrics: MetricsFile?
  private let first: (Source, access: ServiceAccess?)?
  private let deadline: Int?
  /// The source from standard input that began last.
  private var current: String?
  /// The status it failed with, if no other source came after it.
  private var failed: ExitStatus?
  private var hasBadSources = false
  /// The failure of the only source of the queue: it is this program's own.
  private var onlyFailure: ToolError?

  /// - Parameters:
  ///   - feeds: at least one, unless `input` brings them.
  ///   - first: the SOURCE that the first `context` record names, and how its service is reached if it is not the run's
  ///     own;
  ///     `nil` if the feeds write it.
  ///   - input: brings sources of which each replaces the one before.
  ///   - queue: brings sources that are polled side by side.
  ///   - milliseconds: when to end at the latest, from now.
  ///   - metrics: where to say how the run goes.
  init(
    _ feeds: [RunningFeed], first: (Source, access: ServiceAccess?)?, input: SourceInput?, queue: SourceQueue? = nil,
    milliseconds: Int?,
    metrics: MetricsFile? = nil, writer: consuming FeedWriter
  ) throws(ToolError) {
    self.metrics = metrics
    self.queue = queue
    self.feeds = feeds
    self.first = first
    self.input = input
    deadline = milliseconds.map { MonotonicClock.milliseconds + $0 }
    self.writer = writer
    // Each live connection is a transfer that does not end.
    loop = try TransferLoop(limit: 16 + feeds.count)
  }

  /// Streams until a limit, a signal or an error ends it.
  mutating func run() throws(ToolError) -> ExitStatus {
    var failure: ToolError?
    do throws(ToolError) {
      try stream()
    } catch {
      failure = error
    }
    do throws(ToolError) {
      try metrics?.write(writer.counts, bufferedBytes: writer.bufferedBytes)
    } catch {
      if metrics?.isFirstFailure == true { Diagnostics.report(error) }
    }
    if writer.badMessages > FeedWriter.reportedBadMessages {
      Diagnostics.warn("\(writer.badMessages) messages were left out in all")
    }
    for line in failures.finish() { Diagnostics.warn(line) }
    for index in feeds.indices {
      guard let error = feeds[index].end(in: &loop) else { continue }
      if failure == nil { failure = error } else { Diagnostics.report(error) }
    }
    if let failure = failure ?? onlyFailure { throw failure }
    // Beside other sources, one that failed is tried again: it counts if it has not recovered.
    let resting = feeds.compactMap { $0.failure?.status }.reduce(failed) { ($0 ?? .done).worse($1) }
    return resting ?? (writer.badMessages > 0 || writer.hasFaults || hasBadSources ? .someBad : .done)
  }

  private mutating func stream() throws(ToolError) {
    // A file that cannot be written is told before the first request.
    try metrics?.write(writer.counts, bufferedBytes: 0)
    if let first { try writer.writeContext(of: first.0, first.access) }
    do throws(ToolError) {
      for index in feeds.indices { try feeds[index].begin(in: &loop, to: &writer) }
      while !isOver { try turn() }
      try hangUp()
      try checkAnswered()
    } catch {
      try hangUp()
      // What was delivered before the error is complete only with this.
      if error != .readerGone {
        if queue != nil { try write(.badSource(nil, error)) }
        try closeFeeds()
      }
      throw error
    }
    try closeFeeds()
  }

  /// Has the feeds count what their services have sent by now.
  private mutating func hangUp() throws(ToolError) {
    for index in feeds.indices { feeds[index].hangUp(in: &loop) }
    while let end = feeds.compactMap({ $0.hangsUpUntil }).max(), case let left = end - MonotonicClock.milliseconds,
      left > 0
    {
      let waiting = feeds.filter { $0.hangsUpUntil != nil }
      let events = try loop.wait(reading: waiting.flatMap { $0.descriptors }, timeoutMilliseconds: left)
      for index in feeds.indices where feeds[index].hangsUpUntil != nil {
        for event in events { try feeds[index].handle(event, in: &loop, to: &writer) }
      }
    }
  }

  private mutating func closeFeeds() throws(ToolError) {
    for index in feeds.indices { try feeds[index].close(to: &writer) }
    try writer.flush()
  }

  /// Writes what the reader takes, waits for something to happen, and has the feeds act on it.
  private mutating func turn() throws(ToolError) {
    try writer.writeAvailable()
    try writeMetrics()
    // Nothing is received meanwhile, which slows the service or the plugin down.
    if writer.isFull {
      let end = [deadline, metrics?.dueAt].compactMap { $0 }.min()
      return try reader.wait(&writer, until: end, isConnected: loop.count > 0)
    }
    reader.reset()
    try startSources()
    try startQueued()
    // Those that began may be over or have failed already, and others may wait for their turn.
    if queue != nil, feeds.allSatisfy({ $0.isOver }) { return }
    let out = [writer.descriptor]
    let events = try loop.wait(
      reading: signals + (input?.descriptors ?? []) + feeds.flatMap { $0.descriptors }, writing: out,
      sending: writer.bufferedBytes > 0 ? out : [], timeoutMilliseconds: untilWake)
    for event in events {
      if case .hungUp = event { throw .readerGone }
      try input?.handle(event)
      for index in feeds.indices.reversed() {
        do throws(ToolError) {
          try feeds[index].handle(event, in: &loop, to: &writer)
        } catch {
          try fail(index, error)
        }
      }
    }
    for index in feeds.indices.reversed() {
      do throws(ToolError) {
        try feeds[index].wake(in: &loop, to: &writer)
      } catch {
        try fail(index, error)
      }
    }
  }

  /// Says how the run goes, when that is due. If it cannot, the stream goes on.
  private mutating func writeMetrics() throws(ToolError) {
    guard let due = metrics?.dueAt, MonotonicClock.milliseconds >= due else { return }
    do throws(ToolError) {
      try metrics?.write(writer.counts, bufferedBytes: writer.bufferedBytes)
    } catch {
      guard metrics?.isFirstFailure == true else { return }
      try writer.write(
        Notice(.warning, "metrics", "\(error.message ?? "the metrics are not written"); it is tried again"))
    }
  }

  private var isOver: Bool {
    if Interruption.signal != nil || writer.remaining == 0 { return true }
    if let deadline, MonotonicClock.milliseconds >= deadline { return true }
    return (input?.isExhausted ?? true) && (queue?.isEmpty ?? true) && feeds.allSatisfy { $0.isOver }
  }

  /// A run whose time is over has failed if the service never answered.
  private func checkAnswered() throws(ToolError) {
    guard let deadline, MonotonicClock.milliseconds >= deadline else { return }
    if Interruption.signal != nil || writer.remaining == 0 { return }
    for case let reason? in feeds.map({ $0.unansweredReason }) {
      throw .tryLater("the time of --for is over, and the service never answered: \(reason)")
    }
  }

  private var signals: [Int32] { Interruption.descriptor >= 0 ? [Interruption.descriptor] : [] }

  /// Milliseconds until something is due that no event announces.
  private var untilWake: Int? {
    let due = ([deadline, metrics?.dueAt] + feeds.map { $0.wakesAt }).compactMap { $0 }.min()
    return due.map { max(0, $0 - MonotonicClock.milliseconds) }
  }

  // MARK: Sources side by side

  private mutating func startQueued() throws(ToolError) {
    guard queue != nil else { return }
    for index in feeds.indices.reversed() where feeds[index].isOver {
      _ = try removeFeed(at: index)
      polled.remove(at: index)
    }
    while feeds.count < SourceQueue.width, let source = queue?.removeNext() {
      do throws(ToolError) {
        guard var feed = try queue?.feeds(source).first else { continue }
        do throws(ToolError) {
          try feed.begin(in: &loop, to: &writer)
        } catch {
          if error.endsAll { throw error }
          try recordFailure(of: source, error, until: feed.resumesAt)
          continue
        }
        feeds.append(feed)
        polled.append(source)
      } catch {
        if error.endsAll { throw error }
        try recordFailure(of: source, error, until: nil)
      }
    }
  }

  /// - Parameter time: when to ask again, by `MonotonicClock`, if the service said so.
  private mutating func recordFailure(
    of source: Source, _ error: ToolError, until time: Int?
  ) throws(ToolError) {
    failed = (failed ?? .done).worse(error.status)
    if queue?.hasOne == true { onlyFailure = error } else { failures.add(source.feed, error.message ?? "it failed") }
    let wait = time.map { max(0, $0 - MonotonicClock.milliseconds) }
    try write(.badSource(source.feed, error).with("wait", milliseconds: wait))
  }

  /// Writes a notice of what the end of the run reports.
  private mutating func write(_ notice: Notice) throws(ToolError) { try writer.write(notice, isReported: false) }

  // MARK: Sources from standard input

  private mutating func startSources() throws(ToolError) {
    while let line = input?.removeNext(isIdle: feeds.allSatisfy { $0.isOver }) {
      if line.isEmpty {
        try endFeeds()
        continue
      }
      do throws(ToolError) {
        try replaceFeeds(with: line)
      } catch {
        if error.endsAll { throw error }
        // If the source before it is not over, it goes on.
        if feeds.allSatisfy({ $0.isOver }) { failed = error.status } else { hasBadSources = true }
        try writeFailure(of: line, error)
      }
    }
  }

  private mutating func replaceFeeds(with line: String) throws(ToolError) {
    guard let input else { return }
    let source = try input.source(line)
    // The connection of a live feed stays, only its rule changes.
    if case .hashtag(let tag) = source, !input.waitsForEnd, feeds.count == 1,
      try feeds[0].replace(with: [tag], in: &loop, to: &writer)
    {
      current = source.feed
      return try writer.writeContext(of: source.feed)
    }
    let next = try input.feeds(of: source)
    try endFeeds()
    writer.setService(of: source)
    let access = try input.access(of: source)
    if current != nil { try writer.writeQuery(source.own.feed, access) }
    try writer.writeContext(of: source, access)
    current = source.feed
    if failed != nil { hasBadSources = true }
    failed = nil
    feeds = next
    for index in feeds.indices { try feeds[index].begin(in: &loop, to: &writer) }
  }

  private mutating func endFeeds() throws(ToolError) {
    while !feeds.isEmpty { _ = try removeFeed(at: 0) }
  }

  private mutating func removeFeed(at index: Int) throws(ToolError) -> RunningFeed {
    try feeds[index].close(to: &writer)
    var feed = feeds.remove(at: index)
    if let failure = feed.end(in: &loop) { Diagnostics.report(failure) }
    return feed
  }

  /// Ends a source that failed, and the run, unless another source may come.
  private mutating func fail(_ index: Int, _ error: ToolError) throws(ToolError) {
    if error.endsAll || input == nil && queue == nil { throw error }
    let feed = try removeFeed(at: index)
    if queue != nil { return try recordFailure(of: polled.remove(at: index), error, until: feed.resumesAt) }
    failed = error.status
    try writeFailure(of: current, error)
  }

  private mutating func writeFailure(of source: String?, _ error: ToolError) throws(ToolError) {
    try writer.write(Notice(.error, "bad-source", error.message ?? "the source failed").with("source", source))
  }
}
