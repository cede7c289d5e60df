package import TweetCore
package import TweetNet
package import TweetServices

/// X API v2's sample stream: about one post in a hundred of all.
package struct SampleStream: V2Stream {
  private static let feed = "sample"

  private let requests: XRequests

  package init(_ requests: XRequests) { self.requests = requests }

  package var feeds: [String] { [Self.feed] }

  package func connection() -> HTTPRequest { requests.sampleStream() }

  package func meaning(of message: JSONValue) -> StreamMessage {
    if let problem = ServiceProblem(message: message) { return .closing(Refusal(problem)) }
    return .post(id: postID(in: message), feed: Self.feed)
  }
}
