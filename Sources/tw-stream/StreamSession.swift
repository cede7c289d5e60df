import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// One run of tw-stream: its feeds, the loop that drives them, and an end that leaves the service tidy.
struct StreamSession: ~Copyable {
  private var loop: TransferLoop
  private var writer: FeedWriter
  private var feeds: [any Feed]
  private let firstFeed: String
  private let deadline: Int?

  /// - Parameters:
  ///   - feeds: at least one.
  ///   - firstFeed: the SOURCE that the first `context` record names.
  ///   - milliseconds: when to end at the latest, from now.
  init(
    _ feeds: [any Feed], firstFeed: String, milliseconds: Int?, writer: consuming FeedWriter
  ) throws(ToolError) {
    self.feeds = feeds
    self.firstFeed = firstFeed
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
    return writer.badMessages > 0 ? .someBad : .done
  }

  private mutating func stream() throws(ToolError) {
    try writer.enter(firstFeed)
    do throws(ToolError) {
      for index in feeds.indices { try feeds[index].begin(in: &loop, to: &writer) }
      while !isOver {
        try writer.flush()
        let events = try loop.wait(reading: signals, writing: [1], timeoutMilliseconds: untilWake)
        for event in events { try handle(event) }
        for index in feeds.indices { try feeds[index].wake(in: &loop, to: &writer) }
      }
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

  private mutating func handle(_ event: TransferLoop.Event) throws(ToolError) {
    if case .hungUp = event { throw .readerGone }
    for index in feeds.indices { try feeds[index].handle(event, in: &loop, to: &writer) }
  }

  private var isOver: Bool {
    if Interruption.signal != nil || writer.remaining == 0 { return true }
    if let deadline, MonotonicClock.milliseconds >= deadline { return true }
    return feeds.allSatisfy { $0.isOver }
  }

  private var signals: [Int32] { Interruption.descriptor >= 0 ? [Interruption.descriptor] : [] }

  /// Milliseconds until something is due that no event announces.
  private var untilWake: Int? {
    let due = ([deadline] + feeds.map { $0.wakesAt }).compactMap { $0 }.min()
    return due.map { max(0, $0 - MonotonicClock.milliseconds) }
  }
}
