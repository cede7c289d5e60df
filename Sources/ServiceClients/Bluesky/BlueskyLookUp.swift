import Services
import TweetCore
import TweetNet
import TweetServices
import TweetShapes

/// Looks posts up by their at-uris.
struct BlueskyLookUp: LookUpSource {
  let requests: BlueskyRequests

  var batch: Int { 25 }
  var endpoint: String { "app.bsky.feed.getPosts" }
  func request(_ ids: [String]) -> HTTPRequest { requests.posts(ids) }
  func refusal(_ answer: HTTPResponse) -> Refusal { Refusal(bluesky: answer) }

  func read(_ answer: HTTPResponse, _ ids: [String]) -> LookUpAnswer? {
    guard let document = answer.document, document["posts"]?.isArray == true else {
      return nil
    }
    let isAnonymous = requests.access.isAnonymous
    var found: [(id: String, json: [UInt8])] = []
    for post in document.list("posts") {
      guard let id = post["uri"]?.nonEmptyString, !post.read({ BlueskyMarks.hide($0, isAnonymous) }) else { continue }
      found.append((id, post.read { $0.line }))
    }
    var result = LookUpAnswer(
      FeedPage(
        lines: found.map { FeedPage.Line(bytes: $0.json) }, sentIDs: found.map { BlueskyService.postID($0.id) }))
    // The AppView leaves out what is gone, and what this reader may not see, and does not say which.
    let there = Set(found.map(\.id))
    result.hidden = ids.filter { !there.contains($0) }.map {
      (
        $0,
        isAnonymous
          ? "it is gone, or not shown to readers without an account" : "it is gone, or not shown to this account"
      )
    }
    return result
  }
}
