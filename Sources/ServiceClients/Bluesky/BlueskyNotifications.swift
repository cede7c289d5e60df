import Services
import TweetCore
import TweetNet
import TweetServices

/// What Bluesky tells an account of others, page by page, the newest first. Each notification becomes a line as the
/// AppView has it.
struct BlueskyNotifications: PagedSource {
  let feed: String
  let requests: BlueskyRequests

  var endpoint: String { "app.bsky.notification.listNotifications" }
  var pageSizes: ClosedRange<Int> { 1...100 }
  var needsTokens: Bool { true }

  func page(_ range: PageRange) -> HTTPRequest {
    var parameters = [("limit", String(range.size))]
    if let token = range.token { parameters.append(("cursor", token)) }
    return requests.get(endpoint, parameters)
  }

  func read(_ answer: HTTPResponse, _ range: PageRange, known: Set<PostID>, limit: Int?) -> FeedPage? {
    guard !answer.truncated, let document = try? JSONDocument(answer.body) else { return nil }
    return document.read { root in
      guard let list = root["notifications"], list.isArray else { return nil }
      var items: [(id: PostID, line: [UInt8])] = []
      for element in list.elements {
        if let id = Self.id(of: element) { items.append((id, element.line)) }
      }
      let new = items.filter { !known.contains($0.id) && range.holds($0.id) }
      let shown = new.prefix(limit ?? .max)
      return FeedPage(
        lines: shown.map { FeedPage.Line(bytes: $0.line) }, kept: new.count, sentIDs: items.map(\.id),
        newestID: new.first?.id, oldestID: items.last?.id,
        nextToken: root["cursor"]?.nonEmptyString)
    }
  }

  /// The addresses of records do not tell when an account was told of them, so the time stands in the id: the time, a
  /// space, the address, and the reason, since one record may be told for two.
  private static func id(of notification: JSONValue) -> PostID? {
    guard let uri = notification["uri"]?.nonEmptyString, let reason = notification["reason"]?.nonEmptyString,
      let time = notification["indexedAt"]?.string.flatMap({ Timestamp(parsing: $0) })
    else { return nil }
    return .text("\(time.rfc3339) \(uri)#\(reason)", order: time.rfc3339)
  }

  func postID(_ text: String) -> PostID {
    text.split(separator: " ", maxSplits: 1).first.map { .text(text, order: String($0)) } ?? PostID(text)
  }

  func firstID(at time: Timestamp) -> PostID? { .text(time.rfc3339, order: time.rfc3339) }
  func lastID(before time: Timestamp) -> PostID? {
    firstID(at: Timestamp(milliseconds: time.milliseconds - 1))
  }

  func refusal(_ answer: HTTPResponse) -> Refusal { Refusal(bluesky: answer) }
  func remedy(_ answer: HTTPResponse, _ range: PageRange) -> PageRemedy? {
    range.token != nil && answer.status == 400 ? .withoutToken : nil
  }
}
