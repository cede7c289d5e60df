import Services
import TweetCore
import TweetNet
import TweetServices

/// Looks posts up at a server with Mastodon's API, one at a time: older servers, and others, have no request for many.
struct MastodonLookUp: LookUpSource {
  let requests: MastodonRequests

  var batch: Int { 1 }
  var endpoint: String { "statuses" }
  func request(_ ids: [String]) -> HTTPRequest { requests.status(ids.first ?? "") }
  func refusal(_ answer: HTTPResponse) -> Refusal { Refusal(answer, requests.access) }
  func reads(_ answer: HTTPResponse) -> Bool { answer.isSuccess || answer.status == 404 || answer.status == 410 }

  func read(_ answer: HTTPResponse, _ ids: [String]) -> LookUpAnswer? {
    let pause = answer.rateWindow?.pause(at: .now) ?? 0
    guard answer.isSuccess else {
      var found = LookUpAnswer(FeedPage())
      found.page.pause = pause
      // A server does not tell a deleted post from one that it does not show.
      if answer.status == 410 {
        found.deleted = ids
      } else {
        found.hidden = ids.map { ($0, "it is gone, or not shown to this account") }
      }
      return found
    }
    guard let document = answer.document, let id = document["id"]?.text else {
      return nil
    }
    var page = FeedPage(
      lines: [FeedPage.Line(bytes: document.read { $0.line })],
      sentIDs: [MastodonService.any.postID(id[...]) ?? PostID(id)])
    page.pause = pause
    return LookUpAnswer(page)
  }
}
