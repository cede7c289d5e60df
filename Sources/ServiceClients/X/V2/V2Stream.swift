import Services
package import TweetCore
package import TweetNet
package import TweetServices

/// What the streams of X API v2 have in common.
package protocol V2Stream: StreamAPI {}

extension V2Stream {
  package var framing: StreamFraming { .lines }
  /// X sends something at least every 20 s.
  package var keepAliveInterval: Int { 20_000 }
  /// Half the posts are there within a second or two, 99 of 100 within 6 to 7 s (docs.x.com, filtered stream).
  package var deliveryTime: Int { 7_000 }

  package func refusal(_ response: HTTPResponse) -> Refusal { Refusal(response) }

  package func rateWindow(_ response: HTTPResponse) -> RateWindow? { RateWindow(response) }

  /// The id of the post in a message.
  func postID(in message: JSONValue) -> PostID? {
    message["data"]?["id"].flatMap { Int(ascii: $0.rawString) }.map { .number($0) }
  }
}

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
