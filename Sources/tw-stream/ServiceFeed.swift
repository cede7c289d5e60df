import TweetCore
import TweetNet
import TweetServices

/// A feed of another service than the run's own: what it writes is told to be of that service.
struct ServiceFeed: Feed {
  private var feed: any Feed
  private let access: ServiceAccess

  init(_ feed: any Feed, _ access: ServiceAccess) { (self.feed, self.access) = (feed, access) }

  private mutating func with(
    _ writer: inout FeedWriter, _ body: (inout any Feed, inout FeedWriter) throws(ToolError) -> Void
  ) throws(ToolError) {
    let usual = writer.turn(to: access)
    defer { _ = writer.turn(to: usual) }
    try body(&feed, &writer)
  }

  mutating func begin(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    try with(&writer) { (feed, writer) throws(ToolError) in try feed.begin(in: &loop, to: &writer) }
  }

  mutating func handle(
    _ event: TransferLoop.Event, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    try with(&writer) { (feed, writer) throws(ToolError) in try feed.handle(event, in: &loop, to: &writer) }
  }

  mutating func wake(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    try with(&writer) { (feed, writer) throws(ToolError) in try feed.wake(in: &loop, to: &writer) }
  }

  mutating func halt(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    try with(&writer) { (feed, writer) throws(ToolError) in try feed.halt(in: &loop, to: &writer) }
  }

  mutating func restart(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    try with(&writer) { (feed, writer) throws(ToolError) in try feed.restart(in: &loop, to: &writer) }
  }

  mutating func close(to writer: inout FeedWriter) throws(ToolError) {
    try with(&writer) { (feed, writer) throws(ToolError) in try feed.close(to: &writer) }
  }

  var descriptors: [Int32] { feed.descriptors }
  var wakesAt: Int? { feed.wakesAt }
  var isOver: Bool { feed.isOver }
  var failure: ToolError? { feed.failure }
  var unansweredReason: String? { feed.unansweredReason }
  var resumesAt: Int? { feed.resumesAt }
  mutating func hangUp(in loop: inout TransferLoop) { feed.hangUp(in: &loop) }
  var hangsUpUntil: Int? { feed.hangsUpUntil }
  mutating func end(in loop: inout TransferLoop) -> ToolError? { feed.end(in: &loop) }
}
