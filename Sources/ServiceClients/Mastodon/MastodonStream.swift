import Services
import TweetCore
import TweetNet
import TweetServices

/// A live stream of Mastodon's API, at a host that the server names: server-sent events, or a WebSocket where the
/// server has none.
struct MastodonStream: StreamAPI {
  private let requests: MastodonRequests
  private var source: Source
  /// What the server says of itself, once it was asked.
  private var instance: MastodonInstance?
  /// Where its streams are.
  private var place: MastodonStreamPlace
  /// Whether it was asked in the way of older versions.
  private var asksOldInstance = false
  /// The id of a list that is named by its title.
  private var listID: String?
  /// Whether it comes over a WebSocket.
  private var isSocket = false

  init(_ requests: MastodonRequests, _ source: Source) {
    (self.requests, self.source, place) = (requests, source, MastodonStreamPlace(requests.access))
  }

  var feeds: [String] { [source.feed] }
  var framing: StreamFraming { isSocket ? .socketEvents : .events }
  /// `:thump` every 15 s, a ping every 30 s.
  var keepAliveInterval: Int { isSocket ? 40_000 : 20_000 }
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
        isSocket = found.isGoToSocial
        if found.isGoToSocial, source.hashtag != nil { return .refused(Self.noHashtags) }
        return findPlace(found) ?? .done(notices(found))
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

  /// - Returns: why there is none that the token may go to.
  private mutating func findPlace(_ instance: MastodonInstance) -> Preparation? {
    guard let named = instance.streams else { return nil }
    do throws(ToolError) {
      if let found = try MastodonStreamPlace(named, of: requests.access) {
        place = found
        return nil
      }
    } catch {
      return .refused(Refusal(.final, error.message ?? "", error: error))
    }
    let text =
      "the server has its streams at '\(named.prefix(200))', which does not belong to it by its name, or is not "
      + "encrypted: the token does not go there"
    return .refused(Refusal(.noStream, text, error: .refused(text)))
  }

  /// GoToSocial opens any stream that is asked for, and sends nothing over one that it does not know.
  private static let noHashtags = Refusal(
    .noStream, "GoToSocial has no stream of a hashtag", error: .notAllowed("GoToSocial has no stream of a hashtag"))

  /// Servers without server-sent events do not know their addresses, or want a WebSocket there.
  mutating func recordRefusal(_ answer: HTTPResponse) -> Bool {
    guard !isSocket, [400, 404, 405, 406, 410, 426, 501].contains(answer.status) else { return false }
    isSocket = true
    return true
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
    isSocket ? requests.socket(at: place, name) : requests.events(at: place, name)
  }

  private var name: MastodonStreamName {
    switch source {
    case .hashtag(let tag): MastodonStreamName("hashtag", [("tag", tag)])
    case .named: MastodonStreamName("list", [("list", listID ?? "")])
    case .timeline("public"): MastodonStreamName("public")
    case .timeline("local"): MastodonStreamName("public/local")
    case .timeline("mentions"), .timeline("notifications"): MastodonStreamName("user/notification")
    default: MastodonStreamName("user")
    }
  }

  func refusal(_ response: HTTPResponse) -> Refusal {
    var refusal = Refusal(response, requests.access)
    // Servers without such streams do not know the address, or lead to a page; others let no application read them.
    if (200...499).contains(response.status), ![408, 425, 429].contains(response.status) {
      refusal.meaning = .noStream
    }
    return refusal
  }

  func rateWindow(_ response: HTTPResponse) -> RateWindow? { response.rateWindow }

  mutating func replaceHashtags(with hashtags: [String]) -> Bool? {
    source = .hashtag(hashtags.first ?? "")
    return true
  }

  // MARK: Messages

  func postID(_ text: String) -> PostID { MastodonService.any.postID(text[...]) ?? PostID(text) }

  func meaning(of message: JSONValue) -> StreamMessage {
    guard let event = message["event"], let payload = message["payload"] else { return Self.end(message) }
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

  /// What is wrong is told inside a WebSocket: `{"error":"…","status":401}`.
  private static func end(_ message: JSONValue) -> StreamMessage {
    guard let text = message["error"]?.nonEmptyString else { return .nothing }
    return .closing(Refusal(.final, text, error: .refused("the server ends the stream: \(text)")))
  }

  // MARK: Gaps

  func pages(of feed: String) -> (any PagedSource)? {
    guard feed == source.feed, var pages = try? MastodonPages(requests, source) else { return nil }
    pages.set(id: listID)
    return pages
  }

  func lastID(before time: Timestamp) -> PostID? {
    guard source != .timeline("mentions"), source != .timeline("notifications") else { return nil }
    if instance?.isGoToSocial == true { return postID(ULID.last(before: time)) }
    guard instance?.isMastodon == true else { return nil }
    // The milliseconds since 1970, and 16 bits that differ between the posts of one.
    return .number(Int(max(0, time.milliseconds)) << 16 - 1)
  }
}

/// The ids of GoToSocial (github.com/ulid/spec): 48 bits with the milliseconds since 1970, and 80 that differ, five at
/// a character.
enum ULID {
  private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  /// The last one of the millisecond before a time.
  static func last(before time: Timestamp) -> String {
    let milliseconds = max(0, time.milliseconds - 1)
    let head = (0..<10).map { digits[Int(milliseconds >> (45 - 5 * Int64($0)) & 31)] }
    return String(head) + String(repeating: "Z", count: 16)
  }
}

/// Where the streams of a server are, and what is sent there.
struct MastodonStreamPlace: Sendable {
  /// An address without a path.
  let base: String
  let credential: any Credential
  let addresses: AddressPolicy

  /// The server itself.
  init(_ access: ServiceAccess) { (base, credential, addresses) = (access.base, access.credential, access.addresses) }

  /// - Parameter text: what the server says: `wss://streaming.example`.
  /// - Returns: `nil` for an address to which the account's token does not go.
  /// - Throws: `ToolError.configuration` for a list of private addresses that is none.
  init?(_ text: String, of access: ServiceAccess) throws(ToolError) {
    let web = text.hasPrefix("ws://") || text.hasPrefix("wss://") ? "http" + text.dropFirst(2) : text
    guard let address = WebAddress(web), !address.hasCredentials,
      let credential = StreamCredential(access.credential, at: address)
    else { return nil }
    (base, self.credential) = (address.origin, credential)
    addresses = try address.addresses(namedBy: WebAddress(access.base))
  }
}
