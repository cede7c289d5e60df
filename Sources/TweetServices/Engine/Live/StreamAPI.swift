package import TweetCore
package import TweetNet

/// What a live connection must know of one service's API: what to ask for, and what the messages mean.
package protocol StreamAPI: Sendable {
  /// The feeds its messages belong to; at least one.
  var feeds: [String] { get }
  var framing: MessageSplitter.Framing { get }
  /// Milliseconds within which the service sends something, if only a keep-alive.
  var keepAlive: Int { get }
  /// Milliseconds within which a post comes out of the stream, at the latest.
  var settling: Int { get }
  /// The endless request.
  func connection() -> HTTPRequest
  func meaning(of message: JSONValue) -> StreamMessage
  /// What an answer that is not 2xx means.
  func refusal(_ response: HTTPResponse) -> Refusal

  /// The next request that has to be answered before messages are to be expected; `nil` when all is set up.
  mutating func preparation() -> HTTPRequest?
  /// Takes its answer.
  mutating func prepared(_ response: HTTPResponse) -> Preparation
  /// What was set up is gone at the service.
  mutating func forgetPreparation()
  /// A connection is to be made anew: what is not ours to look after may be gone by now.
  mutating func doubtPreparation()
  /// When something was set up last; it may take a while to come into force.
  var preparedAt: Timestamp? { get }
  /// What has to be asked for to leave the service as it was.
  func tidying() -> [HTTPRequest]
  /// What cannot be tidied up, for messages.
  var untidy: String { get }

  /// Turns to other hashtags, without their `#`.
  /// - Returns: whether the connection must be made anew; else ``preparation()`` has more to ask.
  mutating func replace(with hashtags: [String]) -> Bool

  /// Asks for a page of what a feed had while no connection was open, newest first.
  func missed(_ feed: String, _ range: MissedRange) -> HTTPRequest?
  /// Reads it; `nil` when it is no page.
  func missedPage(_ response: HTTPResponse) -> MissedPage?
}

extension StreamAPI {
  package mutating func preparation() -> HTTPRequest? { nil }
  package mutating func prepared(_ response: HTTPResponse) -> Preparation { .done([]) }
  package mutating func forgetPreparation() {}
  package mutating func doubtPreparation() {}
  package var preparedAt: Timestamp? { nil }
  package func tidying() -> [HTTPRequest] { [] }
  package var untidy: String { "" }
  package mutating func replace(with hashtags: [String]) -> Bool { false }
  package func missed(_ feed: String, _ range: MissedRange) -> HTTPRequest? { nil }
  package func missedPage(_ response: HTTPResponse) -> MissedPage? { nil }
}

/// What the answer to a preparing request means.
package enum Preparation {
  /// It is done, and what a person should know about it.
  case done([Notice])
  case refused(Refusal)
}

/// What a message of a stream means.
package enum StreamMessage {
  /// A post; ids grow with time.
  case post(id: Int?, feed: String)
  /// Something else that goes out as it came: a deletion, a warning.
  case other(feed: String, Notice?)
  /// Somebody else's.
  case foreign
  /// The service closes the stream.
  case closing(Refusal)
}

/// Which posts were missed: those newer than an id, or than a time where no id is known; without either, all that the
/// service's search reaches back to.
package struct MissedRange: Sendable, Equatable {
  package var sinceID: Int?
  package var from: Timestamp?
  /// Exclusive.
  package var untilID: Int?
  package var token: String?
  package var size = 100

  package init(sinceID: Int?, from: Timestamp?) {
    self.sinceID = sinceID
    self.from = from
  }
}

/// A page of posts, in any order, and how they are written as lines.
package struct MissedPage: Sendable {
  package struct Post: Sendable {
    package let id: Int
    package let json: [UInt8]

    package init(id: Int, json: [UInt8]) {
      self.id = id
      self.json = json
    }
  }

  package var posts: [Post]
  /// What stands before and behind the posts of one line; without it each post is a line of its own.
  package let frame: (head: [UInt8], tail: [UInt8])?
  package let nextToken: String?

  /// About the memory it takes.
  package var bytes: Int { posts.reduce((frame?.head.count ?? 0) + (frame?.tail.count ?? 0)) { $0 + $1.json.count } }

  package init(_ posts: [Post], frame: (head: [UInt8], tail: [UInt8])?, nextToken: String?) {
    self.posts = posts
    self.frame = frame
    self.nextToken = nextToken
  }
}
