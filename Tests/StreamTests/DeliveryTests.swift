import Foundation
import ServiceClients
import Services
import TestSupport
import Testing
import TweetCore
import TweetNet

@testable import TweetServices
@testable import tw_stream

/// In which order messages are delivered, and when a checkpoint says so.
@Suite(.onOwnThread)
struct DeliveryTests {
  private static let access = ServiceAccess(XAPI.local, base: "http://127.0.0.1:9", token: Secret("t"))
  private static let feed = "#a"

  private static func writer(_ descriptor: Int32) -> FeedWriter {
    FeedWriter(OutputQueue(descriptor: descriptor), for: access, records: false, limit: nil) { _ in }
  }

  /// Holds back messages: a number is the id of a post, a text is another message.
  private static func hold(_ messages: [Any], in order: inout DeliveryOrder) {
    for message in messages {
      let id = (message as? Int).map { PostID.number($0) }
      if let id { _ = order.insert(id) }
      Array("\(message)".utf8).withBytes { order.hold($0, id: id, of: feed, isPost: id != nil) }
    }
  }

  private static func page(_ ids: ClosedRange<Int>) -> DeliveryOrder.Page {
    let posts = ids.reversed().map { GapPage.Post(id: .number($0), json: Array("\($0)".utf8)) }
    return DeliveryOrder.Page(feed: feed, page: GapPage(posts, nextToken: nil))
  }

  /// Lines without the context, once all is written.
  private static func lines(_ output: FeedRun.Output, _ writer: inout FeedWriter) throws -> [String] {
    try writer.flush()
    return output.lines.filter { !$0.hasPrefix("{\"tw\":\"context\"") }
  }

  @Test func aDeletionComesBehindThePostItCameAfter() throws {
    let output = try FeedRun.Output()
    var writer = Self.writer(output.descriptor)
    var order = DeliveryOrder()
    order.resume(3, of: Self.feed)
    Self.hold([7, "deletion of 7", 8, "deletion of 8", "of 7 again"], in: &order)
    try order.deliver([Self.page(4...6)], held: .all, to: &writer)
    #expect(
      try Self.lines(output, &writer) == ["4", "5", "6", "7", "deletion of 7", "8", "deletion of 8", "of 7 again"])
  }

  /// It may be of a post that only the search brings.
  @Test func aDeletionThatComesFirstComesBehindThePostsOfTheGap() throws {
    let output = try FeedRun.Output()
    var writer = Self.writer(output.descriptor)
    var order = DeliveryOrder()
    order.resume(3, of: Self.feed)
    Self.hold(["deletion of 5"], in: &order)
    try order.deliver([], held: .none, to: &writer)
    Self.hold([7], in: &order)
    // The connection is lost once more: what comes then waits for the second gap.
    order.recordLoss()
    Self.hold(["deletion of 8", "deletion of 9"], in: &order)
    try order.deliver([Self.page(4...6)], held: .through(7), to: &writer)
    #expect(try Self.lines(output, &writer) == ["4", "5", "6", "deletion of 5", "7"])
    try order.deliver([Self.page(8...9)], held: .all, to: &writer)
    #expect(try Self.lines(output, &writer).suffix(4) == ["8", "9", "deletion of 8", "deletion of 9"])
    #expect(order.heldBytes == 0)
  }

  @Test func noCheckpointSaysThatHeldMessagesAreDelivered() throws {
    let output = try FeedRun.Output()
    var writer = Self.writer(output.descriptor)
    var order = DeliveryOrder()
    order.resume(3, of: Self.feed)
    Self.hold([7, 8], in: &order)
    #expect(order.newestID == 8 && !order.hasChanged)
    var delivered = [order.deliveredIDs()]
    try order.deliver([Self.page(4...6)], held: .through(7), to: &writer)
    #expect(order.hasChanged)
    delivered.append(order.deliveredIDs())
    try order.deliver([], held: .all, to: &writer)
    delivered.append(order.deliveredIDs())
    #expect(delivered == [[Self.feed: 3], [Self.feed: 7], [Self.feed: 8]])
  }

  @Test func noCheckpointIsSavedWhileLinesAreBuffered() throws {
    let home = try TemporaryDirectory()
    let file = Checkpoints(home.path + "/state", for: Self.access)
    let pipe = try FullPipe()
    var writer = Self.writer(pipe.writing)
    var order = DeliveryOrder()
    var progress = FeedProgress(file)
    func save() throws -> Bool {
      let checkpoints = order.deliveredIDs().mapValues { Checkpoint(newestID: $0.description) }
      return try progress.saveIfWritten(checkpoints, to: &writer)
    }
    try Array("{}".utf8).withBytes { line in
      try order.deliver(line, id: 7, of: Self.feed, isPost: true, to: &writer)
    }
    #expect(try !save())
    #expect(try file.checkpoint(of: Self.feed) == nil)
    pipe.drain()
    #expect(try save())
    #expect(try file.checkpoint(of: Self.feed)?.newestID == "7")
  }
}
