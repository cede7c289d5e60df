import MastodonNames
import TweetCore
import TweetNet
import TweetServices
import TweetSources

/// A live stream of Mastodon's API: server-sent events, at a host that the server names.
struct MastodonStream: PreparedStream, SearchableStream, HashtagStream {
  private let requests: MastodonRequests
  private var source: Source
  /// What the server says of itself, once it was asked.
  private var instance: MastodonInstance?
  /// Whether it was asked in the way of older versions.
  private var asksOldInstance = false
  /// The id of a list that is named by its title.
  private var listID: String?

  init(_ requests: MastodonRequests, _ source: Source) { (self.requests, self.source) = (requests, source) }

  var feeds: [String] { [source.feed] }
  var framing: MessageSplitter.Framing { .events }
  /// `:thump` every 15 s.
  var keepAliveInterval: Int { 20_000 }
  var deliveryTime: Int { 5_000 }

  // MARK: Before the connection

  var preparation: HTTPRequest? {
    if instance == nil { return asksOldInstance ? requests.oldInstance : requests.instance }
    if case .named("list", _) = source, listID == nil { return requests.lists }
    return nil
  }

  mutating func readPreparation(_ answer: HTTPResponse) -> Preparation {
    if instance == nil {
      if let found = MastodonInstance(answer) {
        instance = found
        return .done(notices(found))
      }
      guard [404, 405, 410].contains(answer.status) else { return .refused(refusal(of: answer)) }
      if asksOldInstance { instance = MastodonInstance() } else { asksOldInstance = true }
      return .done([])
    }
    guard answer.isSuccess, case .named(_, let name) = source, var pages = try? MastodonPages(requests, source) else {
      return .refused(refusal(of: answer))
    }
    do throws(ToolError) {
      _ = try pages.readLookUp(answer)
    } catch {
      return .refused(Refusal(.final, error.message ?? "there is no list '\(name)'", error: error))
    }
    listID = pages.id
    return .done([])
  }

  private func refusal(of answer: HTTPResponse) -> Refusal {
    answer.isSuccess ? .unreadable(answer) : Refusal(answer, requests.access)
  }

  /// Some large servers have no federated timeline any more: its stream then brings nothing but deletions.
  private func notices(_ instance: MastodonInstance) -> [Notice] {
    let readers = source.hashtag == nil ? instance.publicReaders : instance.hashtagReaders
    guard source.hashtag != nil || source == .timeline("public"), readers.remote == .nobody else { return [] }
    let text = "\(source.feed): the server has no timeline of posts of other servers, so that none of them come"
    return [Notice(.warning, "local-only", text)]
  }

  // MARK: The connection

  func connection() -> HTTPRequest {
    let host = instance?.streams ?? requests.access.base
    return switch source {
    case .hashtag(let tag): requests.stream(at: host, "hashtag", [("tag", tag)])
    case .named: requests.stream(at: host, "list", [("list", listID ?? "")])
    case .timeline("public"): requests.stream(at: host, "public", [])
    case .timeline("local"): requests.stream(at: host, "public/local", [])
    case .timeline("mentions"), .timeline("notifications"): requests.stream(at: host, "user/notification", [])
    default: requests.stream(at: host, "user", [])
    }
  }

  func refusal(_ response: HTTPResponse) -> Refusal {
    var refusal = Refusal(response, requests.access)
    // Servers without such streams do not know the address, or lead to a page; others let no application read them.
    if (300...499).contains(response.status), ![408, 425, 429].contains(response.status) {
      refusal.meaning = .noStream
    }
    return refusal
  }

  func rateWindow(_ response: HTTPResponse) -> RateWindow? { response.rateWindow }

  mutating func replaceHashtags(with hashtags: [String]) -> Bool {
    source = .hashtag(hashtags.first ?? "")
    return true
  }

  // MARK: Messages

  func postID(_ text: String) -> PostID { MastodonService.any.postID(text[...]) ?? PostID(text) }

  func meaning(of message: JSONValue) -> StreamMessage {
    guard let event = message["event"], let payload = message["payload"] else { return .nothing }
    let isOfNotifications = source == .timeline("mentions") || source == .timeline("notifications")
    if event.equals("notification") {
      let isWanted = source == .timeline("notifications") || payload["type"]?.equals("mention") == true
      return isOfNotifications && isWanted ? .post(id: payload["id"]?.text.map(postID), feed: source.feed) : .nothing
    }
    if isOfNotifications { return .nothing }
    if event.equals("update") { return .post(id: payload["id"]?.text.map(postID), feed: source.feed) }
    // An edit has the id of its post. A server tells of the deletions of all posts, also of those that it did not send.
    if event.equals("status.update") || event.equals("status_update") || event.equals("delete") {
      return .other(feed: source.feed, nil)
    }
    return .nothing
  }

  // MARK: Gaps

  var backfillSizes: ClosedRange<Int> { 1...40 }

  func backfillRequest(_ feed: String, _ range: BackfillRange) -> HTTPRequest? {
    // Without an id from before the gap nothing tells where its posts begin.
    guard range.sinceID != nil, var pages = try? MastodonPages(requests, source), feed == source.feed else {
      return nil
    }
    pages.set(id: listID)
    var bounds = PageRange()
    (bounds.sinceID, bounds.untilID, bounds.token, bounds.size) = (
      range.sinceID, range.untilID, range.token, range.size
    )
    return pages.page(bounds)
  }

  func backfillPage(_ response: HTTPResponse) -> BackfillPage? {
    guard let pages = try? MastodonPages(requests, source) else { return nil }
    return pages.backfillPage(response)
  }

  func lastID(before time: Timestamp) -> PostID? {
    guard instance?.isMastodon == true, source != .timeline("mentions"), source != .timeline("notifications") else {
      return nil
    }
    // The milliseconds since 1970, and 16 bits that differ between the posts of one.
    return .number(Int(max(0, time.milliseconds)) << 16 - 1)
  }
}
