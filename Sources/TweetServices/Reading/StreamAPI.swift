package import Services
package import TweetCore
package import TweetNet

/// What a live connection must know of one service's API: what to ask for, and what its messages mean.
///
/// What only some streams can do is in the protocols below, which a ``LiveFeed`` looks for.
package protocol StreamAPI: Sendable {
  /// The feeds that its messages belong to; at least one.
  var feeds: [String] { get }
  var framing: StreamFraming { get }
  /// Milliseconds within which the service sends something: a message or a keep-alive.
  var keepAliveInterval: Int { get }
  /// Milliseconds from when a post is written to when the stream has brought it, at most.
  var deliveryTime: Int { get }
  /// The endless request.
  func connection() -> HTTPRequest
  func meaning(of message: JSONValue) -> StreamMessage
  /// Reads an id of a post that a checkpoint kept.
  func postID(_ text: String) -> PostID
  /// What an answer that is not 2xx means.
  func refusal(_ response: HTTPResponse) -> Refusal
  /// What an answer says of the limit of connections; `nil` if nothing.
  func rateWindow(_ response: HTTPResponse) -> RateWindow?
}

extension StreamAPI {
  package func postID(_ text: String) -> PostID { PostID(text) }
}

/// A stream that brings what matches rules at the service. They are added before the connection and removed after it;
/// since they belong to an app, any of its programs may remove them at any time.
package protocol RuledStream: StreamAPI {
  /// Whether the service has not all rules, as far as is known: messages of theirs do not come.
  var lacksRules: Bool { get }
  /// Records that what is known of the service's rules may be wrong: they are to be listed.
  mutating func invalidateRules()
  /// The next request that lists, adds or deletes rules; `nil` when there is nothing to do.
  mutating func nextRuleRequest() -> HTTPRequest?
  /// Reads the answer to that request.
  mutating func readRuleAnswer(_ response: HTTPResponse) -> RuleAnswer
  /// When a rule was added last.
  var rulesAddedAt: Timestamp? { get }
  /// Milliseconds until the service applies an added rule.
  var ruleDelay: Int { get }
  /// The requests that remove the rules this program added.
  func removalRequests() -> [HTTPRequest]
  /// What the answer to such a request says was not removed; `nil` if all was.
  func removalFault(_ response: HTTPResponse) -> String?
  /// The rules this program added, for messages.
  var ownRules: String { get }
}

/// A stream of which something must be asked before the connection, such as at which host it is.
package protocol PreparedStream: StreamAPI {
  /// The next request that must be answered before the connection; `nil` if there is none.
  var preparation: HTTPRequest? { get }
  /// Reads the answer to it.
  mutating func readPreparation(_ answer: HTTPResponse) -> Preparation
  /// Records that the connection was refused.
  ///
  /// - Returns: whether to connect in another way, at once.
  mutating func recordRefusal(_ answer: HTTPResponse) -> Bool
}

/// What came of a request that prepares a stream.
package enum Preparation {
  /// It is done, and what a person should know about it.
  case done([Notice])
  case refused(Refusal)
}

/// A stream of hashtags that can be replaced by others.
package protocol HashtagStream: StreamAPI {
  /// - Parameter hashtags: without their `#`; at least one.
  /// - Returns: whether a new connection is needed. If not, the rules must be set up again.
  mutating func replaceHashtags(with hashtags: [String]) -> Bool
}

/// A stream whose service has a search that finds the posts of a gap.
package protocol SearchableStream: StreamAPI {
  /// Posts a page: what the search accepts.
  var backfillSizes: ClosedRange<Int> { get }
  /// Asks for a page of the posts of a feed, newest first; `nil` where this cannot be searched for.
  func backfillRequest(_ feed: String, _ range: BackfillRange) -> HTTPRequest?
  /// Reads the 2xx answer; `nil` when it is not a page.
  func backfillPage(_ response: HTTPResponse) -> BackfillPage?
  /// The newest id that a post from before that time can have; `nil` if ids do not tell the time.
  func lastID(before time: Timestamp) -> PostID?
}

/// What the answer to a request for rules means.
package enum RuleAnswer {
  /// It is done, and what a person should know about it. The rules of the feeds that are `gone` were removed by others,
  /// and are there again.
  case done([Notice], gone: [String])
  case refused(Refusal)
}

/// What a message of a stream means.
package enum StreamMessage {
  /// A post.
  case post(id: PostID?, feed: String)
  /// Something else that is delivered as it came, such as a deletion or a warning.
  case other(feed: String, Notice?)
  /// A post that matches no rule of this program, but one of another program of the same app.
  case foreign(id: PostID?)
  /// Something that is not delivered: a message about something else than the feed.
  case nothing
  /// The service closes the stream.
  case closing(Refusal)
}

/// Which posts of a gap are asked for: those newer than an id, or than a time if no id is known; without either, all
/// that the service's search reaches back to.
package struct BackfillRange: Sendable, Equatable {
  package var sinceID: PostID?
  package var since: Timestamp?
  /// Exclusive.
  package var untilID: PostID?
  /// The page token of the page before.
  package var token: String?
  /// Posts a page.
  package var size = 100

  package init(sinceID: PostID?, since: Timestamp?) {
    self.sinceID = sinceID
    self.since = since
  }
}

/// A page of posts, in any order, and how they are written as lines.
package struct BackfillPage: Sendable {
  package struct Post: Sendable {
    package let id: PostID
    package let json: [UInt8]

    package init(id: PostID, json: [UInt8]) {
      self.id = id
      self.json = json
    }
  }

  package var posts: [Post]
  /// What comes before and after the posts of one line; if there is none, each post is a line of its own.
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

/// How the messages of a stream are told apart.
package enum StreamFraming: Sendable {
  /// A message ends with `\n`, or with `\r\n`: X API v2, plugins and files, which have no newline inside a message.
  case lines
  /// A message ends with `\r\n`; a bare `\n` may be inside one: X API v1.1.
  case carriageReturns
  /// A line with its length comes before each message: X API v1.1 with `delimited=length`.
  case lengths
  /// Server-sent events: each is a message `{"event":"NAME","payload":DATA}`.
  case events
  /// Messages of a WebSocket, whole, as `WebSocketMessage` has them: the same events.
  case socketEvents
}
