import TweetCore
import TweetNet

/// Something that brings messages of one or more SOURCEs until it is over: what a stream's loop drives.
///
/// A feed never waits: it starts transfers in the loop and says, by `wakesAt`, when `wake` is to be called. All times
/// are `MonotonicClock` milliseconds. Methods throw what writing throws, and the error that ends the feed for good.
protocol Feed {
  /// Starts its first request.
  mutating func begin(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError)
  /// Handles an event of the loop; events of other feeds' transfers are ignored.
  mutating func handle(_ event: TransferLoop.Event, in loop: inout TransferLoop, to writer: inout FeedWriter)
    throws(ToolError)
  /// The descriptors whose `.readable` events it handles, beside those of its transfers.
  var descriptors: [Int32] { get }
  /// When `wake` is to be called; `nil` while there is nothing to wait for.
  var wakesAt: Int? { get }
  /// Goes on after a pause that is over; does nothing before that.
  mutating func wake(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError)
  /// Nothing more comes.
  var isOver: Bool { get }
  /// Whether an error that it threw is that there is no live stream for this account: polling may take its place.
  var isUnavailable: Bool { get }
  /// Turns to other hashtags; messages of those before are no longer delivered.
  ///
  /// - Parameter hashtags: without `#`; at least one.
  /// - Returns: `false` if the feed has no hashtags to replace; nothing has changed then.
  mutating func replace(
    with hashtags: [String], in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) -> Bool
  /// After an error that it threw: ends what it is doing, and keeps what it needs to go on. Nothing but
  /// ``restart(in:to:)``, `close` and `end` is called after that.
  mutating func halt(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError)
  /// Goes on from where it was halted.
  mutating func restart(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError)
  /// Why the service has never answered; `nil` if it has, or was not asked.
  var unansweredReason: String? { get }
  /// When it makes sense to ask again for what a rate limit ended; `nil` if no rate limit did.
  var resumesAt: Int? { get }
  /// Tells the service that nothing more is wanted. What it has sent by then still comes, and is only counted, since it
  /// is billed. Called once, before `close`.
  mutating func hangUp(in loop: inout TransferLoop)
  /// Until when that may come; `nil` if nothing more comes.
  var hangsUpUntil: Int? { get }
  /// Delivers what it still holds back, and saves its checkpoint. Called once before `end`, unless writing has failed.
  mutating func close(to writer: inout FeedWriter) throws(ToolError)
  /// Removes what it set up at the service. Called once, whether the feed is over or not.
  ///
  /// - Returns: what could not be removed.
  mutating func end(in loop: inout TransferLoop) -> ToolError?
}

extension Feed {
  var isUnavailable: Bool { false }
  mutating func replace(
    with hashtags: [String], in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) -> Bool { false }
  /// A feed whose error came last has nothing in flight.
  mutating func halt(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {}
  /// A feed that knows nothing of what came begins anew.
  mutating func restart(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    try begin(in: &loop, to: &writer)
  }
  /// Most feeds have nothing but transfers.
  var descriptors: [Int32] { [] }
  /// Not every feed asks a service.
  var unansweredReason: String? { nil }
  /// Most feeds wait for the end of a rate limit themselves.
  var resumesAt: Int? { nil }
  /// Most feeds get nothing that they have not asked for.
  mutating func hangUp(in loop: inout TransferLoop) {}
  var hangsUpUntil: Int? { nil }
  /// Most feeds hold nothing back.
  mutating func close(to writer: inout FeedWriter) throws(ToolError) {}
}
