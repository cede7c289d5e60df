import Services
import TweetCore
import TweetNet
import TweetServices

/// A feed of a run, and what becomes of it when it fails. One without a live stream turns to polling, if it may. Beside
/// others that go on it says so, and begins again after a while, and later each time. Only when all have failed, and
/// none of them for a reason that may pass, the last error ends the run.
struct RunningFeed {
  /// Milliseconds until the first restart, and the longest wait.
  struct Waits: Sendable {
    var first: Int
    var longest: Int

    init(first: Int = 60_000, longest: Int = 3_600_000) { (self.first, self.longest) = (first, longest) }
  }

  /// How the feeds of a run do.
  final class Neighbours {
    fileprivate var failures: [ToolError?] = []
    fileprivate let waits: Waits

    init(_ waits: Waits = Waits()) { self.waits = waits }

    /// Whether all have failed, and no failure may pass.
    fileprivate var areLost: Bool { failures.allSatisfy { $0.map { $0.status != .tryLater } ?? false } }
  }

  /// Makes the feeds that poll sources.
  typealias Polls = ([Source]) throws(ToolError) -> [any Feed]

  /// The feed, or those that poll in its place.
  private var parts: [any Feed]
  private var sources: [Source]
  /// How the service is reached, if it is not the run's own: what is written is told to be of that service.
  private let access: ServiceAccess?
  private let makePolls: Polls?
  private var isPolling = false
  private var neighbours: (all: Neighbours, own: Int)?
  private var restartsAt: Int?
  private var startedAt = 0
  /// How long it waited the last time.
  private var waited: Int?

  /// - Parameters:
  ///   - sources: the SOURCEs that it brings.
  ///   - access: how their service is reached, if it is not the run's own.
  ///   - makePolls: makes the feeds that take its place when it is ``Feed/isUnavailable``; `nil` if none do.
  init(_ feed: any Feed, of sources: [Source] = [], at access: ServiceAccess? = nil, makePolls: Polls? = nil) {
    (parts, self.sources, self.access, self.makePolls) = ([feed], sources, access, makePolls)
  }

  /// Has it begin again when it fails, as others go on.
  ///
  /// - Parameter all: of all feeds of the run.
  mutating func stand(beside all: Neighbours) {
    neighbours = (all, all.failures.count)
    all.failures.append(nil)
  }

  // MARK: Its parts

  /// What all of them do.
  private enum Step {
    case begin, wake, halt, restart
    case handle(TransferLoop.Event)
  }

  private mutating func take(
    _ step: Step, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    for index in parts.indices {
      switch step {
      case .begin: try parts[index].begin(in: &loop, to: &writer)
      case .wake: try parts[index].wake(in: &loop, to: &writer)
      case .halt: try parts[index].halt(in: &loop, to: &writer)
      case .restart: try parts[index].restart(in: &loop, to: &writer)
      case .handle(let event): try parts[index].handle(event, in: &loop, to: &writer)
      }
    }
  }

  /// Takes a step, and polls instead if that fails for want of a stream.
  private mutating func run(
    _ step: Step, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    try writer.with(access) { (writer) throws(ToolError) in
      do throws(ToolError) {
        try take(step, in: &loop, to: &writer)
      } catch {
        guard makePolls != nil, !isPolling, parts.contains(where: { $0.isUnavailable }) else { throw error }
        isPolling = true
        try endParts(in: &loop, to: &writer)
        try writer.write(
          Notice(.warning, "fallback", "there is no live stream; polling instead").with("reason", error.message))
        try beginPolls(in: &loop, to: &writer)
      }
    }
  }

  private mutating func endParts(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    for index in parts.indices {
      try parts[index].close(to: &writer)
      if let failure = parts[index].end(in: &loop) { throw failure }
    }
  }

  private mutating func beginPolls(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    parts = []
    if let polls = try makePolls?(sources.map(\.own)) { parts = polls }
    try take(.begin, in: &loop, to: &writer)
  }

  // MARK: Restarts

  /// Why it rests, if it does since it failed.
  var failure: ToolError? { neighbours.flatMap { $0.all.failures[$0.own] } }

  /// Takes a step, and rests if that fails.
  private mutating func attempt(
    _ step: Step, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    do throws(ToolError) {
      try run(step, in: &loop, to: &writer)
    } catch {
      guard let (all, own) = neighbours else { throw error }
      all.failures[own] = error
      if error.endsAll || all.areLost { throw error }
      try writer.with(access) { (writer) throws(ToolError) in try take(.halt, in: &loop, to: &writer) }
      let now = MonotonicClock.milliseconds
      // One that ran for longer than it waited had recovered.
      let last = waited.flatMap { now - startedAt > $0 ? nil : $0 }
      let wait = min(last.map { $0 * 2 } ?? all.waits.first, all.waits.longest)
      (waited, restartsAt) = (wait, now + wait)
      for source in sources { try report(source.feed, error, wait, to: &writer) }
    }
  }

  private func report(
    _ source: String, _ error: ToolError, _ wait: Int, to writer: inout FeedWriter
  ) throws(ToolError) {
    let text = "\(source): \(error.message ?? "it failed"); the other sources go on, and it is tried again in "
    try writer.write(.badSource(source, error, text + "\(seconds(wait)) s").with("wait", milliseconds: wait))
  }

  // MARK: The run

  /// What is wrong at the beginning ends the run: somebody is there to mend it.
  mutating func begin(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    startedAt = MonotonicClock.milliseconds
    try run(.begin, in: &loop, to: &writer)
  }

  mutating func handle(
    _ event: TransferLoop.Event, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    if restartsAt == nil { try attempt(.handle(event), in: &loop, to: &writer) }
  }

  mutating func wake(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    guard let time = restartsAt else { return try attempt(.wake, in: &loop, to: &writer) }
    let now = MonotonicClock.milliseconds
    guard now >= time else { return }
    (startedAt, restartsAt) = (now, nil)
    if let (all, own) = neighbours { all.failures[own] = nil }
    try attempt(.restart, in: &loop, to: &writer)
  }

  /// Turns to other hashtags, whose feed is of the run's own service and has no neighbours.
  ///
  /// - Returns: `false` if it has no hashtags to replace; nothing has changed then.
  mutating func replace(
    with hashtags: [String], in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) -> Bool {
    guard access == nil, neighbours == nil else { return false }
    let before = sources
    sources = hashtags.map { .hashtag($0) }
    guard isPolling else {
      if try parts[0].replace(with: hashtags, in: &loop, to: &writer) { return true }
      sources = before
      return false
    }
    try endParts(in: &loop, to: &writer)
    try writer.writeQuery(sources.first?.feed ?? "")
    try beginPolls(in: &loop, to: &writer)
    return true
  }

  var descriptors: [Int32] { restartsAt == nil ? parts.flatMap { $0.descriptors } : [] }
  var wakesAt: Int? { restartsAt ?? parts.compactMap { $0.wakesAt }.min() }
  var isOver: Bool { restartsAt == nil && parts.allSatisfy { $0.isOver } }
  var unansweredReason: String? { failure == nil ? parts.lazy.compactMap { $0.unansweredReason }.first : nil }
  var resumesAt: Int? { parts.lazy.compactMap { $0.resumesAt }.first }
  mutating func hangUp(in loop: inout TransferLoop) { for index in parts.indices { parts[index].hangUp(in: &loop) } }
  var hangsUpUntil: Int? { parts.compactMap { $0.hangsUpUntil }.max() }

  mutating func close(to writer: inout FeedWriter) throws(ToolError) {
    try writer.with(access) { (writer) throws(ToolError) in
      for index in parts.indices { try parts[index].close(to: &writer) }
    }
  }

  mutating func end(in loop: inout TransferLoop) -> ToolError? {
    var first: ToolError?
    for index in parts.indices {
      let failure = parts[index].end(in: &loop)
      first = first ?? failure
    }
    return first
  }
}

extension Notice {
  /// The notice by which a program that reads our output learns why a source failed.
  ///
  /// - Parameters:
  ///   - source: `nil` for a failure of the whole run.
  ///   - text: what it says; `nil` for the error's message.
  static func badSource(_ source: String?, _ error: ToolError, _ text: String? = nil) -> Notice {
    Notice(.error, "bad-source", text ?? error.message ?? "it failed")
      .with("source", source).with("status", json: String(error.status.rawValue))
  }
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
