import TweetCLI
import TweetCore
import TweetNet
import TweetServices
import TweetSources

/// One run of tw-stream: its feeds, the loop that drives them, and an end that leaves the service tidy.
struct StreamSession: ~Copyable {
  private var loop: TransferLoop
  private var writer: FeedWriter
  private var feeds: [any Feed]
  private var input: SourceInput?
  private var reader = SlowReader()
  private let firstFeed: String?
  private let deadline: Int?
  /// The source from standard input that began last.
  private var current: String?
  /// What the last of them failed with, if no other came after it.
  private var failed: ExitStatus?
  private var hasBadSources = false

  /// - Parameters:
  ///   - feeds: at least one, unless `input` brings them.
  ///   - firstFeed: the SOURCE that the first `context` record names, if it is ours to write.
  ///   - input: where sources come from that take the place of one another.
  ///   - milliseconds: when to end at the latest, from now.
  init(
    _ feeds: [any Feed], firstFeed: String?, input: SourceInput?, milliseconds: Int?, writer: consuming FeedWriter
  ) throws(ToolError) {
    self.feeds = feeds
    self.firstFeed = firstFeed
    self.input = input
    deadline = milliseconds.map { MonotonicClock.milliseconds + $0 }
    self.writer = writer
    loop = try TransferLoop()
  }

  /// Streams until a limit, a signal or an error ends it.
  mutating func run() throws(ToolError) -> ExitStatus {
    var failure: ToolError?
    do throws(ToolError) {
      try stream()
    } catch {
      failure = error
    }
    if writer.badMessages > FeedWriter.toldBadMessages {
      Diagnostics.warn("\(writer.badMessages) messages were left out in all")
    }
    var untidy: ToolError?
    for index in feeds.indices {
      guard let error = feeds[index].end(in: &loop) else { continue }
      if untidy == nil, failure == nil { untidy = error } else { Diagnostics.report(error) }
    }
    if let failure { throw failure }
    if let untidy { throw untidy }
    return failed ?? (writer.badMessages > 0 || writer.hasFaults || hasBadSources ? .someBad : .done)
  }

  private mutating func stream() throws(ToolError) {
    if let firstFeed { try writer.enter(firstFeed) }
    do throws(ToolError) {
      for index in feeds.indices { try feeds[index].begin(in: &loop, to: &writer) }
      while !isOver { try turn() }
    } catch {
      // What was said before the error belongs to it.
      if error != .readerGone { try closeFeeds() }
      throw error
    }
    try closeFeeds()
  }

  private mutating func closeFeeds() throws(ToolError) {
    for index in feeds.indices { try feeds[index].close(to: &writer) }
    try writer.flush()
  }

  /// Writes what the reader takes, waits for something to happen, and has the feeds act on it.
  private mutating func turn() throws(ToolError) {
    try writer.push()
    // Nothing is received meanwhile, so that the service is held back, or the plugin.
    if writer.isFull { return try reader.wait(&writer, until: deadline, isConnected: loop.count > 0) }
    reader.hasTaken()
    try takeSources()
    let out = [writer.destination]
    let events = try loop.wait(
      reading: signals + (input?.descriptors ?? []) + feeds.flatMap { $0.descriptors }, writing: out,
      sending: writer.held > 0 ? out : [], timeoutMilliseconds: untilWake)
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

  private var isOver: Bool {
    if Interruption.signal != nil || writer.remaining == 0 { return true }
    if let deadline, MonotonicClock.milliseconds >= deadline { return true }
    return (input?.isExhausted ?? true) && feeds.allSatisfy { $0.isOver }
  }

  private var signals: [Int32] { Interruption.descriptor >= 0 ? [Interruption.descriptor] : [] }

  /// Milliseconds until something is due that no event announces.
  private var untilWake: Int? {
    let due = ([deadline] + feeds.map { $0.wakesAt }).compactMap { $0 }.min()
    return due.map { max(0, $0 - MonotonicClock.milliseconds) }
  }

  // MARK: Sources from standard input

  private mutating func takeSources() throws(ToolError) {
    while let line = input?.next(isIdle: feeds.allSatisfy { $0.isOver }) {
      if line.isEmpty {
        try endFeeds()
        continue
      }
      do throws(ToolError) {
        try replaceFeeds(with: Source(line))
      } catch {
        if error.endsAll { throw error }
        // The source before it goes on.
        if feeds.allSatisfy({ $0.isOver }) { failed = error.status } else { hasBadSources = true }
        try tellFailed(line, error)
      }
    }
  }

  private mutating func replaceFeeds(with source: Source) throws(ToolError) {
    guard let input else { return }
    if case .hashtag(let tag) = source, !input.waitsForEnd, feeds.count == 1,
      var live = feeds[0] as? any ReplaceableFeed
    {
      // The connection stays, only its rule changes.
      try live.replace(with: [tag], in: &loop, to: &writer)
      feeds[0] = live
      current = source.feed
      return try writer.enter(source.feed)
    }
    let next = try input.feeds(source)
    try endFeeds()
    writer.note(source)
    if current != nil { try writer.writeQuery(source.feed) }
    try writer.enter(source.feed)
    current = source.feed
    if failed != nil { hasBadSources = true }
    failed = nil
    feeds = next
    for index in feeds.indices { try feeds[index].begin(in: &loop, to: &writer) }
  }

  private mutating func endFeeds() throws(ToolError) {
    for index in feeds.indices {
      try feeds[index].close(to: &writer)
      if let error = feeds[index].end(in: &loop) { Diagnostics.report(error) }
    }
    feeds = []
  }

  /// A source that fails ends the run, unless another one may come.
  private mutating func fail(_ index: Int, _ error: ToolError) throws(ToolError) {
    if error.endsAll || input == nil { throw error }
    var feed = feeds.remove(at: index)
    try feed.close(to: &writer)
    if let untidy = feed.end(in: &loop) { Diagnostics.report(untidy) }
    failed = error.status
    try tellFailed(current, error)
  }

  private mutating func tellFailed(_ source: String?, _ error: ToolError) throws(ToolError) {
    var notice = Notice(.error, "bad-source", error.message ?? "the source failed")
    notice.add("source", text: source)
    try writer.write(notice)
  }
}

extension ToolError {
  /// Whether it is about us or our output, and not about one source.
  fileprivate var endsAll: Bool {
    switch self {
    case .readerGone, .inputOutput, .bug: true
    default: false
    }
  }
}
