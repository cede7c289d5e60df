package import TweetCore
package import TweetNet

/// X API v2's sample stream: about one post in a hundred of all.
package struct SampleStream: StreamAPI {
  private static let feed = "sample"

  private let requests: XRequests

  package init(_ requests: XRequests) { self.requests = requests }

  package var feeds: [String] { [Self.feed] }
  package var framing: MessageSplitter.Framing { .lines }
  /// X sends something at least every 20 s.
  package var keepAlive: Int { 20_000 }
  package var settling: Int { 7_000 }

  package func connection() -> HTTPRequest { requests.sampleStream() }
  package func refusal(_ response: HTTPResponse) -> Refusal { Refusal(response) }

  package func meaning(of message: JSONValue) -> StreamMessage {
    if let problem = ServiceProblem(message: message) { return .closing(Refusal(problem)) }
    return .post(id: message["data"]?["id"].flatMap { Int(ascii: $0.rawString) }, feed: Self.feed)
  }
}
