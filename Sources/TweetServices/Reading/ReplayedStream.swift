package import Services
package import TweetCore
package import TweetNet

/// What a ``ReplayedFeed`` must know of a stream that goes on from any place of its last hours: nothing is lost while
/// no connection is open. It comes over a WebSocket, and has everything there is, so that what the sources want is
/// found here.
package protocol ReplayedStream: Sendable {
  /// The feeds that its posts belong to; at least one.
  var feeds: [String] { get }
  /// Milliseconds within which the service sends something.
  var keepAliveInterval: Int { get }

  /// Records where the feed goes on, before the first connection.
  mutating func resume(at place: StreamPlace)
  /// What is asked before the next connection; `nil` if nothing is.
  var preparation: HTTPRequest? { get }
  /// Reads the answer; `nil` if there is none.
  ///
  /// - Returns: whether something else is to be asked before the connection.
  /// - Throws: what the stream cannot begin without.
  mutating func readPreparation(_ answer: HTTPResponse?) throws(ToolError) -> Bool
  /// The endless request for what comes after a place; `nil` for what comes from now on.
  func connection(after place: StreamPlace?) -> HTTPRequest
  /// Makes text of a binary message; `nil` if it cannot be read.
  func text(of message: ByteView) -> [UInt8]?

  /// Where a message is in the stream; `nil` for what is not an event.
  func place(of message: JSONValue) -> StreamPlace?
  func meaning(of message: JSONValue) -> ReplayedMessage
  /// What a post of the stream says of its version: the same wherever it comes from.
  func version(of message: JSONValue) -> UInt64

  /// The account that wrote a post.
  func author(of message: JSONValue) -> String?
  /// Accounts that are asked for at once, at most.
  var authorBatch: Int { get }
  func authorRequest(_ ids: [String]) -> HTTPRequest
  /// Reads the 2xx answer; `nil` if it is none.
  func authors(in answer: HTTPResponse) -> [(id: String, profile: [UInt8])]?
  /// The line of a post.
  ///
  /// - Parameter profile: its author's; `nil` if that is not known.
  /// - Returns: `nil` for a post that is not to be shown.
  func line(_ message: ByteView, by profile: [UInt8]?) -> [UInt8]?
  /// The line that takes back a post which was written before it was known that it is not to be shown.
  func deletion(of message: ByteView) -> [UInt8]?

  /// Records that the stream has brought something.
  mutating func recordSuccess()
  /// Records that there is no connection, or that it broke off, and may turn to another server.
  ///
  /// - Parameter answer: what the server answered in place of a stream.
  mutating func recordFailure(_ answer: HTTPResponse?) -> ReplayRemedy?
  func refusal(_ answer: HTTPResponse) -> Refusal
  /// Whether the server goes on from its oldest event without a word when it does not have a place any more.
  var skipsSilently: Bool { get }
}

/// What a live source is brought by.
package enum LiveStream: Sendable {
  case connected(any StreamAPI)
  case replayed(any ReplayedStream)
}

/// What a message of a replayed stream means.
package enum ReplayedMessage {
  /// A post that a source wants.
  case post(PostID, feed: String)
  /// A later version of any post, which nobody wants as it is now.
  case changed(PostID)
  /// Any post that is gone.
  case deleted(PostID)
  case notice(Notice)
  case closing(Refusal)
  case nothing
}

/// How to connect in another way, at once.
package enum ReplayRemedy {
  case again
  /// By times: the server does not know the number any more.
  case byTime
}

/// A place in a stream: when its event came, and, at one server, its number.
package struct StreamPlace: Sendable, Equatable {
  /// Microseconds since 1970.
  package let time: Int
  package let number: Int?
  package let server: String

  package init(time: Int, number: Int?, server: String) {
    (self.time, self.number, self.server) = (time, number, server)
  }

  /// Reads what ``text`` has written.
  package init?(_ text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 3, let time = Int(parts[0]), time > 0 else { return nil }
    self.init(time: time, number: Int(parts[1]), server: String(parts[2]))
  }

  /// As checkpoints keep it.
  package var text: String { "\(time) \(number.map { String($0) } ?? "-") \(server)" }

  /// Whether it is at another place or before that.
  package func isReached(by other: StreamPlace) -> Bool {
    if server == other.server, let number, let second = other.number { return number <= second }
    return time <= other.time
  }

  /// Whether it is surely before another place, or there. Clocks of servers differ by some seconds.
  package func isCertainlyReached(by other: StreamPlace) -> Bool {
    server == other.server ? isReached(by: other) : time < other.time - Self.clockDifference
  }

  private static let clockDifference = 5_000_000

  /// The place just before it.
  package var previous: StreamPlace { StreamPlace(time: time - 1, number: number.map { $0 - 1 }, server: server) }
}
