import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// One run of tw-stream: its feeds, the loop that drives them, and an end that leaves the service tidy.
struct StreamSession: ~Copyable {
  private var loop: TransferLoop
  private var writer: FeedWriter
  private var live: LiveFeed?
  private var polls: [PollFeed]
  private let firstFeed: String
  private let keepRules: Bool
  private let deadline: Int?

  /// - Parameters:
  ///   - sources: at least one.
  ///   - once: one round over REST for every source, hashtags included.
  ///   - milliseconds: when to end at the latest, from now.
  init(
    _ access: ServiceAccess, sources: [Source], once: Bool, polling: PollFeed.Options, keepRules: Bool,
    milliseconds: Int?, writer: consuming FeedWriter
  ) throws(ToolError) {
    let requests = XRequests(access)
    var hashtags: [String] = []
    polls = []
    for source in sources {
      if case .hashtag(let tag) = source, !once {
        hashtags.append(tag)
      } else {
        polls.append(PollFeed(requests, source: source, options: polling))
      }
    }
    live = hashtags.isEmpty ? nil : LiveFeed(requests, hashtags: hashtags)
    firstFeed = sources.first?.feed ?? ""
    self.keepRules = keepRules
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
    let untidy = live?.end(keepRules: keepRules, in: &loop)
    if let failure {
      if let untidy { Diagnostics.report(untidy) }
      throw failure
    }
    if let untidy { throw untidy }
    return writer.badMessages > 0 ? .someBad : .done
  }

  private mutating func stream() throws(ToolError) {
    try writer.enter(firstFeed)
    live?.begin(in: &loop)
    for index in polls.indices { polls[index].begin(in: &loop, writer) }
    do throws(ToolError) {
      while !isOver {
        try writer.flush()
        let events = try loop.wait(reading: signals, writing: [1], timeoutMilliseconds: untilWake)
        for event in events { try handle(event) }
        live?.wake(in: &loop)
        for index in polls.indices { polls[index].wake(in: &loop, writer) }
      }
    } catch {
      // What was said before the error belongs to it.
      if error != .readerGone { try writer.flush() }
      throw error
    }
    try writer.flush()
  }

  private mutating func handle(_ event: TransferLoop.Event) throws(ToolError) {
    if case .hungUp = event { throw .readerGone }
    try live?.handle(event, in: &loop, to: &writer)
    for index in polls.indices { try polls[index].handle(event, in: &loop, to: &writer) }
  }

  private var isOver: Bool {
    if Interruption.signal != nil || writer.remaining == 0 { return true }
    if let deadline, MonotonicClock.milliseconds >= deadline { return true }
    return live == nil && polls.allSatisfy { $0.isOver }
  }

  private var signals: [Int32] { Interruption.descriptor >= 0 ? [Interruption.descriptor] : [] }

  /// Milliseconds until something is due that no event announces.
  private var untilWake: Int? {
    let due = ([deadline, live?.wakesAt] + polls.map { $0.wakesAt }).compactMap { $0 }.min()
    return due.map { max(0, $0 - MonotonicClock.milliseconds) }
  }
}
