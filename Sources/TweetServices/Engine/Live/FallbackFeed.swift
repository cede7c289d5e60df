package import TweetCore
package import TweetNet

/// A live feed that turns to rounds of requests where the account has no stream, or another program holds it.
package struct FallbackFeed: ReplaceableFeed {
  private var live: LiveFeed
  /// In place of the live feed, once that has failed.
  private var rounds: [any Feed] = []
  private var hasTurned = false
  private var hashtags: [String]
  private let makeRounds: ([String]) -> [any Feed]

  /// - Parameters:
  ///   - live: told by its options that there is a fallback.
  ///   - hashtags: what it streams.
  ///   - makeRounds: feeds that ask for hashtags again and again.
  package init(_ live: LiveFeed, hashtags: [String], makeRounds: @escaping ([String]) -> [any Feed]) {
    self.live = live
    self.hashtags = hashtags
    self.makeRounds = makeRounds
  }

  /// Runs the live feed's part, and turns to rounds where that fails for want of a stream.
  private mutating func attempt(
    in loop: inout TransferLoop, to writer: inout FeedWriter,
    _ body: (inout LiveFeed, inout TransferLoop, inout FeedWriter) throws(ToolError) -> Void
  ) throws(ToolError) {
    do throws(ToolError) {
      try body(&live, &loop, &writer)
    } catch {
      guard live.isUnavailable else { throw error }
      hasTurned = true
      try live.close(to: &writer)
      if let untidy = live.end(in: &loop) { throw untidy }
      var notice = Notice(.warning, "fallback", "there is no live stream, so searches are made instead")
      notice.add("reason", text: error.message)
      try writer.write(notice)
      rounds = makeRounds(hashtags)
      for index in rounds.indices { try rounds[index].begin(in: &loop, to: &writer) }
    }
  }

  package mutating func begin(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    try attempt(in: &loop, to: &writer) { (live, loop, writer) throws(ToolError) in
      try live.begin(in: &loop, to: &writer)
    }
  }

  package mutating func handle(
    _ event: TransferLoop.Event, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    for index in rounds.indices { try rounds[index].handle(event, in: &loop, to: &writer) }
    guard !hasTurned else { return }
    try attempt(in: &loop, to: &writer) { (live, loop, writer) throws(ToolError) in
      try live.handle(event, in: &loop, to: &writer)
    }
  }

  package var wakesAt: Int? { hasTurned ? rounds.compactMap { $0.wakesAt }.min() : live.wakesAt }

  package mutating func wake(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    for index in rounds.indices { try rounds[index].wake(in: &loop, to: &writer) }
    guard !hasTurned else { return }
    try attempt(in: &loop, to: &writer) { (live, loop, writer) throws(ToolError) in
      try live.wake(in: &loop, to: &writer)
    }
  }

  package var isOver: Bool { hasTurned && rounds.allSatisfy { $0.isOver } }

  package mutating func replace(
    with hashtags: [String], in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    self.hashtags = hashtags
    guard hasTurned else { return try live.replace(with: hashtags, in: &loop, to: &writer) }
    for index in rounds.indices {
      try rounds[index].close(to: &writer)
      if let untidy = rounds[index].end(in: &loop) { throw untidy }
    }
    try writer.writeQuery(hashtags.first.map { "#\($0)" } ?? "")
    rounds = makeRounds(hashtags)
    for index in rounds.indices { try rounds[index].begin(in: &loop, to: &writer) }
  }

  package mutating func close(to writer: inout FeedWriter) throws(ToolError) {
    guard hasTurned else { return try live.close(to: &writer) }
    for index in rounds.indices { try rounds[index].close(to: &writer) }
  }

  package mutating func end(in loop: inout TransferLoop) -> ToolError? {
    guard hasTurned else { return live.end(in: &loop) }
    var untidy: ToolError?
    for index in rounds.indices {
      let error = rounds[index].end(in: &loop)
      untidy = untidy ?? error
    }
    return untidy
  }
}
