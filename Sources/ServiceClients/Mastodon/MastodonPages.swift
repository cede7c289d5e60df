import Services
import Synchronization
import TweetCore
import TweetNet
import TweetServices

/// The posts of one SOURCE at a server with Mastodon's API, page by page.
struct MastodonPages: PagedSource {
  /// What its pages are.
  enum Kind: Equatable {
    /// Posts in the order of their ids.
    case timeline
    /// The posts that the account's notifications are about; the ids are those of the notifications.
    case mentions
    case notifications
    /// Posts, or accounts, in the order in which they were added. Only a `Link` leads to the next page.
    case posts, accounts
    /// A post, what it answers, and what answers it.
    case conversation(String)
  }

  /// What must be known before the first page.
  enum Need: Equatable {
    /// What the server lets be read without an account.
    case instance
    case account(String)
    case ownAccount
    case list(String)
    case post(String)
    /// What the server calls the post of another server.
    case address(String)
  }

  let feed: String
  private var kind: Kind
  private let requests: MastodonRequests
  /// Has `{id}` where the look-up's answer belongs.
  private var path: String
  private var query: [(String, String)]
  private var need: Need?
  /// The id that the look-up found: of an account or a list.
  private(set) var id: String?
  /// The post that a conversation is of, as the server sent it.
  private var post: [UInt8]?
  private var ownNotice: Notice?
  var lookUpNotice: Notice? { ownNotice ?? person?.notice }
  var person: PersonLookUp?
  private let memory = Memory()

  /// What is known from one page to the next.
  private final class Memory: Sendable {
    struct State {
      /// The posts of a conversation that were delivered.
      var seen: Set<PostID> = []
      /// How often the page was asked for again.
      var repeats = 0
    }
    let state = Mutex(State())
  }

  init(_ requests: MastodonRequests, _ source: Source) throws(ToolError) {
    self.requests = requests
    feed = source.feed
    let timelines = "/api/v1/timelines/"
    (kind, path, query, need) =
      switch source {
      case .hashtag(let tag): (.timeline, timelines + "tag/" + PercentEncoding.encode(tag), [], .instance)
      case .timeline("public"): (.timeline, timelines + "public", [], .instance)
      case .timeline("local"): (.timeline, timelines + "public", [("local", "true")], .instance)
      case .timeline("home"): (.timeline, timelines + "home", [], nil)
      case .timeline("mentions"): (.mentions, "/api/v1/notifications", [("types[]", "mention")], nil)
      case .timeline("notifications"): (.notifications, "/api/v1/notifications", [], nil)
      case .timeline("bookmarks"): (.posts, "/api/v1/bookmarks", [], nil)
      case .timeline("likes"): (.posts, "/api/v1/favourites", [], nil)
      case .timeline(let word) where word == "followers" || word == "following":
        (.accounts, "/api/v1/accounts/{id}/" + word, [], .ownAccount)
      case .named("user", let name): (.timeline, "/api/v1/accounts/{id}/statuses", [], .account(name))
      case .named("list", let name): (.timeline, timelines + "list/{id}", [], .list(name))
      case .named("conversation", let address) where address.contains("://"):
        (.conversation(""), "/api/v1/statuses/{id}/context", [], .address(address))
      case .named("conversation", let id):
        (.conversation(id), "/api/v1/statuses/\(PercentEncoding.encode(id))/context", [], .post(id))
      default: throw .usage("a server with Mastodon's API has no '\(source.feed)'")
      }
    if case .account(let name) = need { person = PersonLookUp(name, feed: feed) }
    // Without an account the server's own limits on what is public need not be asked for.
    if need == .ownAccount, let id = requests.access.userID { fill(id) }
  }

  private mutating func fill(_ id: String) {
    self.id = id
    path = path.replacing("{id}", with: PercentEncoding.encode(id))
    need = nil
  }

  /// Sets the id that a look-up would find.
  mutating func set(id: String?) { if let id { fill(id) } else { need = nil } }

  /// Whether it is anonymous, so that the server may refuse what is public elsewhere.
  private var isAnonymous: Bool { requests.access.isAnonymous }

  var endpoint: String { path.split(separator: "/").filter { $0 != "api" && $0 != "v1" }.joined(separator: "/") }
  var lookUpEndpoint: String { "look-up" }

  var pageSizes: ClosedRange<Int> { 1...(kind == .accounts ? 80 : 40) }
  var takesTimes: Bool { kind != .accounts }
  var needsTokens: Bool { kind == .posts || kind == .accounts }
  var ascends: Bool { kind == .timeline || kind == .mentions || kind == .notifications }
  /// Ids do not tell which of two posts was bookmarked first.
  func postID(_ text: String) -> PostID {
    needsTokens ? .text(text, order: nil) : MastodonService.any.postID(text[...]) ?? PostID(text)
  }

  func refusal(_ answer: HTTPResponse) -> Refusal { Refusal(answer, requests.access) }

  // MARK: Look-ups

  var lookUp: HTTPRequest? {
    if case .account = need, case .id(let id) = person?.question { return requests.account(id: id) }
    return switch need {
    case nil: nil
    case .instance: isAnonymous ? requests.instance : nil
    case .account(let name): requests.account(named: name)
    case .ownAccount: requests.ownAccount
    case .list: requests.lists
    case .post(let id): requests.status(id)
    case .address(let address): requests.resolve(address, "statuses")
    }
  }

  /// Older servers do not have what describes them.
  func reads(refusedLookUp answer: HTTPResponse) -> Bool {
    need == .instance ? [404, 405, 410].contains(answer.status) : person?.reads(answer.status) ?? false
  }

  mutating func readLookUp(_ answer: HTTPResponse) throws(ToolError) -> [String] {
    let document = try? JSONDocument(answer.body)
    ownNotice = nil
    switch need {
    case nil: break
    case .instance: try read(MastodonInstance(answer) ?? MastodonInstance())
    case .account:
      let found = document?["id"]?.text
      try person?.read(found.map { ($0, document?["acct"]?.nonEmptyString) }, problem: ServiceProblem(answer).text)
      if person?.question == nil, let id = person?.person?.id { fill(id) }
      return found.map { [$0] } ?? []
    case .ownAccount:
      guard let id = document?["id"]?.text else { throw .refused("the server's answer names no account") }
      fill(id)
      return [id]
    case .list(let name):
      var finder = MastodonListFinder(requests)
      _ = try finder.read(answer)
      guard let list = try finder.lists.named(name) else { throw finder.lists.noList(name) }
      fill(list.id)
    case .post:
      guard let document, document["id"]?.text != nil else { throw .refused("the server's answer is not a post") }
      post = document.read { $0.line }
      need = nil
    case .address(let address):
      guard let found = MastodonStatusSearch(answer, address) else {
        throw .refused("the server's answer is not a search")
      }
      guard let id = found.id else {
        throw .refused("the server cannot fetch '\(address)', or does not show it to this account")
      }
      fill(id)
      (kind, need) = (.conversation(id), .post(id))
    }
    return []
  }

  /// Asks for what the server shows without an account, or says why it shows nothing.
  private mutating func read(_ instance: MastodonInstance) throws(ToolError) {
    need = nil
    let isHashtag = feed.hasPrefix("#")
    let readers = isHashtag ? instance.hashtagReaders : instance.publicReaders
    if readers.remote == .everybody, readers.local == .everybody { return }
    let login = "run 'tw-auth login --service \(requests.access.service)'"
    guard readers.local == .everybody else {
      throw .notAllowed("the server shows '\(feed)' only to its accounts: \(login)")
    }
    if feed == "local" { return }
    guard isHashtag else {
      throw .notAllowed("the server shows posts of other servers only to its accounts: \(login), or read 'local'")
    }
    query.append(("local", "true"))
    let text = "\(feed): only posts of the server's own accounts, since it shows others to its accounts alone; \(login)"
    ownNotice = Notice(.warning, "local-only", text)
  }

  // MARK: Pages

  func page(_ range: PageRange) -> HTTPRequest {
    if case .conversation = kind { return requests.get(path) }
    if needsTokens, let token = range.token { return requests.get(token) }
    var bounds = [("limit", String(min(pageSizes.upperBound, range.size)))]
    if !needsTokens {
      let above = range.sinceID.map { (range.ascends ? "min_id" : "since_id", $0.description) }
      let below = (range.token ?? range.untilID?.description).map { ("max_id", $0) }
      bounds += [above, below].compactMap { $0 }
    }
    return requests.get(path, query + bounds)
  }

  func read(_ answer: HTTPResponse, _ range: PageRange, known: Set<PostID>, limit: Int?) -> FeedPage? {
    guard let document = answer.document else { return nil }
    if case .conversation = kind { return document.read { conversation($0, answer, limit) } }
    guard document.isArray else { return nil }
    // A timeline that the server builds anew has holes.
    if answer.status == 206, let wait = answer.refreshWait {
      return repeated(after: wait, FeedPage())
    }
    return document.read { list($0, answer, range, known, limit) }
  }

  /// A page that is asked for again; after the last time its problem.
  private func repeated(after wait: Int, _ page: FeedPage, isProblem: Bool = true) -> FeedPage {
    var page = page
    let repeats = memory.state.withLock { state in
      state.repeats += 1
      return state.repeats
    }
    if repeats <= Self.mostRepeats {
      (page.isPartial, page.pause) = (true, wait * 1000)
    } else if isProblem {
      page.problem = .tryLater("the server is still building '\(feed)'; try again later")
    }
    return page
  }

  private static let mostRepeats = 12

  /// One post, notification or account of a page.
  private struct Item {
    let id: PostID
    let line: [UInt8]
    let time: Timestamp?
  }

  private func item(_ element: JSONValue) -> Item? {
    guard let id = element["id"]?.text, kind != .mentions || element["status"]?.isObject != false else { return nil }
    let shown = kind == .mentions ? element["status"] ?? element : element
    return Item(
      id: postID(id), line: shown.line,
      time: kind == .accounts ? nil : element["created_at"]?.string.flatMap { Timestamp(parsing: $0) })
  }

  private func list(
    _ list: JSONValue, _ answer: HTTPResponse, _ range: PageRange, _ known: Set<PostID>, _ limit: Int?
  ) -> FeedPage? {
    var (items, strange): ([Item], [FeedPage.Line]) = ([], [])
    for element in list.elements {
      if let item = item(element) {
        items.append(item)
      } else if element["id"] == nil {
        // Whoever reads the lines says what is wrong with it.
        strange.append(FeedPage.Line(bytes: element.line, posts: 0))
      }
    }
    // It would be told in each round.
    if items.allSatisfy({ known.contains($0.id) }), !items.isEmpty { strange = [] }
    var inside: [Item]
    if needsTokens {
      // What was added since the last time comes first.
      inside = items.prefix { $0.id != range.sinceID }.filter { !known.contains($0.id) }
    } else {
      inside = items.filter { item in
        range.sinceID?.isOlder(than: item.id) ?? true && range.untilID.map { item.id.isOlder(than: $0) } ?? true
          && !known.contains(item.id)
      }
      inside.sort { range.ascends ? $0.id.isOlder(than: $1.id) : $1.id.isOlder(than: $0.id) }
    }
    // Those that are too old are passed by; those that are too new may be wanted later.
    if let until = range.until { inside.removeAll { $0.time.map { $0 >= until } ?? false } }
    let fitting = inside.filter { item in range.since.map { item.time ?? $0 >= $0 } ?? true }
    let shown = fitting.prefix(limit ?? .max)
    let isCut = shown.count < fitting.count
    let passed = (isCut ? Array(shown) : inside).map(\.id)
    let seen = (isCut || range.ascends ? passed : items.map(\.id))
    // Posts from before the time that is asked for are followed by older ones alone.
    let isBelow =
      !needsTokens && range.since.map { since in items.contains { $0.time.map { $0 < since } ?? false } } ?? false
    var page = FeedPage(
      lines: shown.map { FeedPage.Line(bytes: $0.line) } + strange, kept: fitting.count,
      sentIDs: items.map(\.id), newestID: needsTokens ? shown.first?.id : passed.reduce(nil) { PostID.newer($0, $1) },
      oldestID: needsTokens ? shown.last?.id : seen.reduce(nil) { PostID.older($0, $1) },
      nextToken: isBelow || items.isEmpty ? nil : nextToken(answer, items))
    page.window = answer.rateWindow
    return page
  }

  /// What asks for the page below.
  private func nextToken(_ answer: HTTPResponse, _ items: [Item]) -> String? {
    // Mastodon leaves the link out where it has hidden some posts of a page; ids lead on.
    guard needsTokens else { return items.reduce(nil) { PostID.older($0, $1.id) }?.description }
    return answer.nextLink.flatMap { MastodonLink.path(of: $0, at: requests.access.base) }
  }

  func readGap(_ answer: HTTPResponse) -> GapPage? {
    guard let document = answer.document, document.isArray else { return nil }
    return document.read { list in
      let items = list.elements.compactMap { item($0) }
      return GapPage(
        items.map { GapPage.Post(id: $0.id, json: $0.line) }, nextToken: items.isEmpty ? nil : nextToken(answer, items))
    }
  }

  private func conversation(_ context: JSONValue, _ answer: HTTPResponse, _ limit: Int?) -> FeedPage? {
    guard context["ancestors"]?.isArray == true, context["descendants"]?.isArray == true else { return nil }
    var items: [Item] = []
    for element in context.list("ancestors") { if let item = item(element) { items.append(item) } }
    if case .conversation(let id) = kind, let post { items.append(Item(id: postID(id), line: post, time: nil)) }
    for element in context.list("descendants") { if let item = item(element) { items.append(item) } }
    let new = memory.state.withLock { state in items.filter { !state.seen.contains($0.id) } }
    let shown = new.prefix(limit ?? .max)
    memory.state.withLock { state in state.seen.formUnion(shown.map(\.id)) }
    let ids = shown.map(\.id)
    var page = FeedPage(
      lines: shown.map { FeedPage.Line(bytes: $0.line) }, sentIDs: ids,
      newestID: ids.reduce(nil) { PostID.newer($0, $1) })
    page.window = answer.rateWindow
    guard let wait = answer.refreshWait else { return page }
    return repeated(after: wait, page, isProblem: false)
  }
}

extension JSONValue {
  /// An id: a text, or a number as some servers write it.
  var text: String? { nonEmptyString ?? integer.map { String($0) } }
}

extension JSONDocument {
  var text: String? { read { $0.text } }
}
