package import TweetCore
package import TweetNet

/// Something that brings messages of one or more SOURCEs until it is over: what a stream's loop drives.
///
/// A feed never waits: it starts transfers in the loop and says, by `wakesAt`, when it wants to be called again. All
/// times are `MonotonicClock` milliseconds. Methods throw what writing throws, and the error that ends the feed for good.
package protocol Feed {
  /// Starts its first request.
  mutating func begin(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError)
  /// Takes an event of the loop; those of other feeds' transfers are ignored.
  mutating func handle(_ event: TransferLoop.Event, in loop: inout TransferLoop, to writer: inout FeedWriter)
    throws(ToolError)
  /// What it wants to be told of by `.readable` events, beside its transfers.
  var descriptors: [Int32] { get }
  /// When `wake` wants to be called; `nil` while there is nothing to wait for.
  var wakesAt: Int? { get }
  /// Goes on after a pause that is over; does nothing before that.
  mutating func wake(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError)
  /// Nothing more comes.
  var isOver: Bool { get }
  /// Writes what it still holds, and keeps its place. Called once before `end`, unless writing has failed.
  mutating func close(to writer: inout FeedWriter) throws(ToolError)
  /// Leaves the service tidy. Called once, whether the feed is over or not.
  ///
  /// - Returns: what could not be tidied up.
  mutating func end(in loop: inout TransferLoop) -> ToolError?
}

extension Feed {
  /// Most feeds have nothing but transfers.
  package var descriptors: [Int32] { [] }
  /// Most feeds hold nothing.
  package mutating func close(to writer: inout FeedWriter) throws(ToolError) {}
}

/// A feed whose sources can be replaced by others while it runs.
package protocol ReplaceableFeed: Feed {
  /// Turns to other hashtags; what those before still bring is left out.
  ///
  /// - Parameter hashtags: without `#`; at least one.
  mutating func replace(
    with hashtags: [String], in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError)
}
