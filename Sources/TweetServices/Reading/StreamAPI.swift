package import Services
package import TweetCore
package import TweetNet

/// What a live connection must know of one service's API: what to ask for, and what its messages mean. What only some
/// streams can do, others need not say.
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

  /// The next request that must be answered before the connection, such as at which host it is; `nil` if there is none.
  var preparation: HTTPRequest? { get }
  /// Reads the answer to it.
  mutating func readPreparation(_ answer: HTTPResponse) -> Preparation
  /// Records that the connection was refused.
  ///
  /// - Returns: whether to connect in another way, at once.
  mutating func recordRefusal(_ answer: HTTPResponse) -> Bool

  /// - Parameter hashtags: without their `#`; at least one.
  /// - Returns: whether a new connection is needed. If not, the rules must be set up again. `nil` if it has no hashtags
  ///   that can be replaced by others.
  mutating func replaceHashtags(with hashtags: [String]) -> Bool?

  /// The pages that find the posts of a gap of a feed, newest first; `nil` where it cannot be searched for.
  func pages(of feed: String) -> (any PagedSource)?
  /// The newest id that a post from before that time can have; `nil` if ids do not tell the time, or there are no such
  /// pages.
  func lastID(before time: Timestamp) -> PostID?

  /// Whether it brings what matches rules at the service. They are added before the connection and removed after it;
  /// since they belong to an app, any of its programs may remove them at any time.
  var hasRules: Bool { get }
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

extension StreamAPI {
  package func postID(_ text: String) -> PostID { PostID(text) }
  package func rateWindow(_ response: HTTPResponse) -> RateWindow? { nil }
  package var preparation: HTTPRequest? { nil }
  package mutating func readPreparation(_ answer: HTTPResponse) -> Preparation { .done([]) }
  package mutating func recordRefusal(_ answer: HTTPResponse) -> Bool { false }
  package mutating func replaceHashtags(with hashtags: [String]) -> Bool? { nil }
  package func pages(of feed: String) -> (any PagedSource)? { nil }
  package func lastID(before time: Timestamp) -> PostID? { nil }
  package var hasRules: Bool { false }
  package var lacksRules: Bool { false }
  package mutating func invalidateRules() {}
  package mutating func nextRuleRequest() -> HTTPRequest? { nil }
  package mutating func readRuleAnswer(_ response: HTTPResponse) -> RuleAnswer { .done([], gone: []) }
  package var rulesAddedAt: Timestamp? { nil }
  package var ruleDelay: Int { 0 }
  package func removalRequests() -> [HTTPRequest] { [] }
  package func removalFault(_ response: HTTPResponse) -> String? { nil }
  package var ownRules: String { "" }
}

/// What came of a request that prepares a stream.
package enum Preparation {
  /// It is done, and what a person should know about it.
  case done([Notice])
  case refused(Refusal)
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
