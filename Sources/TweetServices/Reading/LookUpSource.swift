import TweetCore
package import TweetNet

/// How a service looks posts up by their ids: all that a ``LookUpFeed`` knows of the service's API.
package protocol LookUpSource: Sendable {
  /// Ids a request, at most.
  var batch: Int { get }
  /// What ``ServiceHealth`` calls the endpoint.
  var endpoint: String { get }
  func request(_ ids: [String]) -> HTTPRequest
  /// What an answer that is not 2xx means.
  func refusal(_ answer: HTTPResponse) -> Refusal
  /// Whether an answer is one to read, and no refusal.
  func reads(_ answer: HTTPResponse) -> Bool
  /// Reads such an answer.
  ///
  /// - Returns: `nil` when it is not such an answer.
  func read(_ answer: HTTPResponse, _ ids: [String]) -> LookUpAnswer?
}

extension LookUpSource {
  package func reads(_ answer: HTTPResponse) -> Bool { answer.isSuccess }
}

/// A service's answer to a look-up of posts.
package struct LookUpAnswer: Sendable {
  /// The posts that are there, in the order they were asked for.
  package var page: FeedPage
  /// Ids of posts that are gone.
  package var deleted: [String] = []
  /// Ids of posts that the service does not show, and why.
  package var hidden: [(id: String, reason: String)] = []

  package init(_ page: FeedPage) { self.page = page }
}
