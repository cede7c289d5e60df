import TweetCore
import TweetNet
import TweetServices

/// A feed beside others that go on when it fails: it says so, and begins again after a while, and later each time. Only
/// when all have failed, and none of them for a reason that may pass, the last error ends the run.
struct RestartingFeed: Feed {
  /// Milliseconds until the first restart, and the longest wait.
  struct Waits: Sendable {
    var first: Int
    var longest: Int

    init(first: Int = 60_000, longest: Int = 3_600_000) { (self.first, self.longest) = (first, longest) }
  }

  /// How the feeds of a run do.
  final class Neighbours {
    fileprivate var failures: [ToolError?] = []
    private let waits: Waits
    fileprivate var first: Int { waits.first }
    fileprivate var longest: Int { waits.longest }

    init(_ waits: Waits = Waits()) { self.waits = waits }

    /// Whether all have failed, and no failure may pass.
    fileprivate var areLost: Bool { failures.allSatisfy { $0.map { $0.status != .tryLater } ?? false } }
  }

  private var feed: any Feed
  private let sources: [String]
  private let neighbours: Neighbours
  private let index: Int
  private var restartsAt: Int?
  private var startedAt = 0
  /// How long it waited the last time.
  private var waited: Int?

  /// - Parameters:
  ///   - sources: the SOURCEs that the feed brings.
  ///   - neighbours: of all feeds of the run.
  init(_ feed: any Feed, _ sources: [String], _ neighbours: Neighbours) {
    (self.feed, self.sources, self.neighbours, index) = (feed, sources, neighbours, neighbours.failures.count)
    neighbours.failures.append(nil)
  }

  var failure: ToolError? { neighbours.failures[index] }

  /// What is wrong at the beginning ends the run: somebody is there to mend it.
  mutating func begin(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    startedAt = MonotonicClock.milliseconds
    try feed.begin(in: &loop, to: &writer)
  }

  /// Runs a part of the feed, and has it rest if that fails.
  private mutating func attempt(
    in loop: inout TransferLoop, to writer: inout FeedWriter,
    _ body: (inout any Feed, inout TransferLoop, inout FeedWriter) throws(ToolError) -> Void
  ) throws(ToolError) {
    do throws(ToolError) {
      try body(&feed, &loop, &writer)
    } catch {
      neighbours.failures[index] = error
      if error.endsAll || neighbours.areLost { throw error }
      try feed.halt(in: &loop, to: &writer)
      let now = MonotonicClock.milliseconds
      // One that ran for longer than it waited had recovered.
      let last = waited.flatMap { now - startedAt > $0 ? nil : $0 }
      let wait = min(last.map { $0 * 2 } ?? neighbours.first, neighbours.longest)
      (waited, restartsAt) = (wait, now + wait)
      for source in sources { try report(source, error, wait, to: &writer) }
    }
  }

  private func report(
    _ source: String, _ error: ToolError, _ wait: Int, to writer: inout FeedWriter
  ) throws(ToolError) {
    let text = "\(source): \(error.message ?? "it failed"); the other sources go on, and it is tried again in "
    var notice = Notice(.error, "bad-source", text + "\(seconds(wait)) s")
    notice.add("source", text: source)
    notice.members.append(("status", String(error.status.rawValue)))
    notice.add("wait", milliseconds: wait)
    try writer.write(notice)
  }

  mutating func handle(
    _ event: TransferLoop.Event, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    if restartsAt != nil { return }
    try attempt(in: &loop, to: &writer) { (feed, loop, writer) throws(ToolError) in
      try feed.handle(event, in: &loop, to: &writer)
    }
  }

  mutating func wake(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    guard let time = restartsAt else {
      return try attempt(in: &loop, to: &writer) { (feed, loop, writer) throws(ToolError) in
        try feed.wake(in: &loop, to: &writer)
      }
    }
    let now = MonotonicClock.milliseconds
    guard now >= time else { return }
    (startedAt, restartsAt, neighbours.failures[index]) = (now, nil, nil)
    try attempt(in: &loop, to: &writer) { (feed, loop, writer) throws(ToolError) in
      try feed.restart(in: &loop, to: &writer)
    }
  }

  var descriptors: [Int32] { restartsAt == nil ? feed.descriptors : [] }
  var wakesAt: Int? { restartsAt ?? feed.wakesAt }
  var isOver: Bool { restartsAt == nil && feed.isOver }
  var unansweredReason: String? { failure == nil ? feed.unansweredReason : nil }
  var resumesAt: Int? { feed.resumesAt }
  mutating func hangUp(in loop: inout TransferLoop) { feed.hangUp(in: &loop) }
  var hangsUpUntil: Int? { feed.hangsUpUntil }
  mutating func close(to writer: inout FeedWriter) throws(ToolError) { try feed.close(to: &writer) }
  mutating func end(in loop: inout TransferLoop) -> ToolError? { feed.end(in: &loop) }
}

extension ToolError {
  /// Whether it is about this program or its output, and not about one source.
  var endsAll: Bool {
    switch self {
    case .readerGone, .inputOutput, .bug: true
    default: false
    }
  }
}
