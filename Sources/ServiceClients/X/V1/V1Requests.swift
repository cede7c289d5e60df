import TweetCore
package import TweetNet
import TweetServices

/// The X API v1.1 requests the kit makes; X itself has ended them, other services still speak them.
extension XRequests {
  /// Posts with one of the phrases, at most 400 of them.
  package func statusesFilter(track: [String], isDelimited: Bool) -> HTTPRequest {
    let options = [("track", track.joined(separator: ","))] + Self.options(isDelimited)
    return endless(post("/1.1/statuses/filter.json", form: PercentEncoding.form(options)))
  }

  /// About one post in a hundred of all.
  package func statusesSample(isDelimited: Bool) -> HTTPRequest {
    endless(get("/1.1/statuses/sample.json", Self.options(isDelimited)))
  }

  private static func options(_ isDelimited: Bool) -> [(String, String)] {
    [("stall_warnings", "true")] + (isDelimited ? [("delimited", "length")] : [])
  }

  /// Reads posts, with their whole text.
  func v1(_ path: String, _ query: [(String, String)]) -> HTTPRequest {
    get("/1.1/\(path).json", query + [("tweet_mode", "extended")])
  }
}
