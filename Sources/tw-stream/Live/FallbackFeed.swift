import Services
import TweetCore
import TweetNet
import TweetServices

/// A live feed that turns to polling if the account has no stream, or another program holds it.
struct FallbackFeed: ReplaceableFeed {
  private var live: LiveFeed
  /// They replace the live feed when that has failed.
  private var polls: [any Feed] = []
  private var isPolling = false
  private var sources: [Source]
  private let makePolls: ([Source]) throws(ToolError) -> [any Feed]

  /// - Parameters:
  ///   - live: its options say that there is a fallback.
  ///   - sources: what it streams.
  ///   - makePolls: makes the feeds that poll sources.
  init(
    _ live: LiveFeed, of sources: [Source], makePolls: @escaping ([Source]) throws(ToolError) -> [any Feed]
  ) {
    self.live = live
    self.sources = sources
    self.makePolls = makePolls
  }

  /// Runs a part of the live feed, and turns to polling if that fails for want of a stream.
  private mutating func attempt(
    in loop: inout TransferLoop, to writer: inout FeedWriter,
    _ body: (inout LiveFeed, inout TransferLoop, inout FeedWriter) throws(ToolError) -> Void
  ) throws(ToolError) {
    do throws(ToolError) {
      try body(&live, &loop, &writer)
    } catch {
      guard live.isUnavailable else { throw error }
      isPolling = true
      try live.close(to: &writer)
      if let failure = live.end(in: &loop) { throw failure }
      var notice = Notice(.warning, "fallback", "there is no live stream; polling instead")
      notice.add("reason", text: error.message)
      try writer.write(notice)
      try beginPolls(in: &loop, to: &writer)
    }
  }

  private mutating func beginPolls(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    polls = try makePolls(sources)
    for index in polls.indices { try polls[index].begin(in: &loop, to: &writer) }
  }

  mutating func begin(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    try attempt(in: &loop, to: &writer) { (live, loop, writer) throws(ToolError) in
      try live.begin(in: &loop, to: &writer)
    }
  }

  mutating func handle(
    _ event: TransferLoop.Event, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    for index in polls.indices { try polls[index].handle(event, in: &loop, to: &writer) }
    guard !isPolling else { return }
    try attempt(in: &loop, to: &writer) { (live, loop, writer) throws(ToolError) in
      try live.handle(event, in: &loop, to: &writer)
    }
  }

  var unansweredReason: String? {
    isPolling ? polls.compactMap { $0.unansweredReason }.first : live.unansweredReason
  }

  var wakesAt: Int? { isPolling ? polls.compactMap { $0.wakesAt }.min() : live.wakesAt }

  mutating func wake(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    for index in polls.indices { try polls[index].wake(in: &loop, to: &writer) }
    guard !isPolling else { return }
    try attempt(in: &loop, to: &writer) { (live, loop, writer) throws(ToolError) in
      try live.wake(in: &loop, to: &writer)
    }
  }

  mutating func halt(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    guard isPolling else { return try live.halt(in: &loop, to: &writer) }
    for index in polls.indices { try polls[index].halt(in: &loop, to: &writer) }
  }

  mutating func restart(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    for index in polls.indices { try polls[index].restart(in: &loop, to: &writer) }
    guard !isPolling else { return }
    try attempt(in: &loop, to: &writer) { (live, loop, writer) throws(ToolError) in
      try live.restart(in: &loop, to: &writer)
    }
  }

  var isOver: Bool { isPolling && polls.allSatisfy { $0.isOver } }

  mutating func replace(
    with hashtags: [String], in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) -> Bool {
    sources = hashtags.map { .hashtag($0) }
    guard isPolling else { return try live.replace(with: hashtags, in: &loop, to: &writer) }
    for index in polls.indices {
      try polls[index].close(to: &writer)
      if let failure = polls[index].end(in: &loop) { throw failure }
    }
    try writer.writeQuery(sources.first?.feed ?? "")
    try beginPolls(in: &loop, to: &writer)
    return true
  }

  mutating func hangUp(in loop: inout TransferLoop) { if !isPolling { live.hangUp(in: &loop) } }

  var hangsUpUntil: Int? { isPolling ? nil : live.hangsUpUntil }

  mutating func close(to writer: inout FeedWriter) throws(ToolError) {
    guard isPolling else { return try live.close(to: &writer) }
    for index in polls.indices { try polls[index].close(to: &writer) }
  }

  mutating func end(in loop: inout TransferLoop) -> ToolError? {
    guard isPolling else { return live.end(in: &loop) }
    var first: ToolError?
    for index in polls.indices {
      let failure = polls[index].end(in: &loop)
      first = first ?? failure
    }
    return first
  }
}
