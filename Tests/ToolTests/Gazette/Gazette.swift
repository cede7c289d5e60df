import Services
import TweetCore
import TweetNet
import TweetServices

/// A service that there is not: its ids are texts without an order, pages have cursors, a request is authorized by two
/// header fields, one of which the last refusal says, and its sections are sources that no other service has. It is
/// written as a new service would be, in a folder of its own.
struct Gazette: ServiceKind {
  var name: String { "gazette" }
  var usualBase: String? { nil }
  var prices: PriceTable? { nil }

  var sourceForms: String { "'#tag', '@NAME', 'section:NAME', 'search:WORDS', 'front'" }

  func source(_ text: String) throws(ToolError) -> Source? {
    if text == "front" { return .timeline(text) }
    if text.hasPrefix("#") { return .hashtag(String(text.dropFirst())) }
    if text.hasPrefix("@"), let name = userName(text[...]) { return .named("user", name) }
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { throw .usage("'\(text)' is nothing in the gazette: \(sourceForms)") }
    return ["user", "section", "search"].contains(parts[0]) ? .named(parts[0], parts[1]) : nil
  }

  /// The names of sections have no case.
  func folded(_ feed: String) -> String { feed.hasPrefix("section:") ? feed.lowercased() : feed }
  func liveness(of source: Source) -> Liveness { source.hashtag == nil ? .polled : .live }

  /// `n-` and letters.
  func postID(_ text: Substring) -> PostID? {
    text.hasPrefix("n-") && text.dropFirst(2).allSatisfy(\.isLetter) ? .text(String(text), order: nil) : nil
  }

  /// `https://gazette.example/note/n-a`.
  func post(at address: String, base: String?) -> PostID? {
    ([base, "https://gazette.example"].compactMap { $0 }).lazy.compactMap { site in
      address.hasPrefix(site + "/note/") ? postID(address.dropFirst(site.utf8.count + 6)) : nil
    }.first
  }

  /// Letters and dots: `maja.lind`.
  func userName(_ text: Substring) -> String? {
    let name = text.hasPrefix("@") ? text.dropFirst() : text
    return !name.isEmpty && name.allSatisfy { $0.isLetter || $0 == "." } ? String(name) : nil
  }
}

struct GazetteAPI: ServiceAPI {
  var service: any ServiceKind { Gazette() }

  /// It registers every program that asks, and gives tokens by OAuth 2.0 alone.
  func signIn(at base: String) -> SignInService {
    SignInService(
      api: self, base: base,
      oauth2: OAuth2Service(
        authorizeURL: base + "/allow", tokenURL: base + "/token", revokeURL: base + "/revoke", scopes: ["notes"],
        client: .registered(GazetteRegistration(base: base))))
  }

  func credential(over own: any Credential) -> any Credential { GazetteCredential(own) }
  func clientCredential(over own: any Credential) -> any Credential { GazetteCredential(own) }

  func tokenCheck(_ access: ServiceAccess) -> HTTPRequest { GazetteRequests(access).get("/whoami") }
  func refusal(_ answer: HTTPResponse) -> Refusal { .gazette(answer) }
  func reading(_ access: ServiceAccess, _ options: ReadOptions) -> any ReadAPI {
    GazetteReading(GazetteRequests(access))
  }
  func writing(_ access: ServiceAccess) -> (any WriteAPI)? { GazetteWriting(requests: GazetteRequests(access)) }
}

extension Refusal {
  static func gazette(_ answer: HTTPResponse) -> Refusal {
    let text = "the gazette says \(answer.status)"
    switch answer.status {
    case 401: return Refusal(.final, text, error: .notAllowed(text))
    case 500...599: return Refusal(.trouble, text, error: .tryLater(text))
    default: return Refusal(.final, text, error: .refused(text))
    }
  }
}

struct GazetteRegistration: ClientRegistration {
  let base: String

  func request(redirect: String, scopes: [String]) -> HTTPRequest {
    var request = HTTPRequest(.post, base + "/clients", reaching: .any)
    request.body = Array("\(redirect) \(scopes.joined(separator: ","))".utf8)
    return request
  }

  func client(in answer: HTTPResponse) -> (id: String, secret: Secret?)? {
    guard let document = try? JSONDocument(answer.body), let id = document["client"]?.string else { return nil }
    return (id, document["secret"]?.string.map { Secret($0) })
  }
}

/// The token, and the number that the last refusal asked for.
final class GazetteCredential: Credential {
  private let own: any Credential
  var origin: String { own.origin }
  private let number = StoredText()

  init(_ own: any Credential) { self.own = own }

  func authorize(_ request: inout HTTPRequest) throws(TransferError) {
    try own.authorize(&request)
    request.headers.append(HTTPHeader("Gazette-Proof", number.text))
  }

  func afterRefusal(_ answer: HTTPResponse, of request: HTTPRequest) throws(TransferError) -> Bool {
    guard let wanted = answer.headers["gazette-number"], wanted != number.text else { return false }
    number.text = wanted
    return true
  }
}

struct GazetteRequests: Sendable {
  let access: ServiceAccess

  init(_ access: ServiceAccess) { self.access = access }

  func get(_ path: String, _ query: [(String, String)] = []) -> HTTPRequest {
    var request = HTTPRequest(
      .get, access.base + path + (query.isEmpty ? "" : "?" + PercentEncoding.form(query)), reaching: access.addresses)
    request.credential = access.credential
    request.totalTimeout = 30_000
    return request
  }

  func post(_ path: String, _ body: String) -> HTTPRequest {
    var request = get(path)
    request.method = .post
    request.body = Array(body.utf8)
    return request
  }
}

// MARK: Reading

struct GazetteReading: ReadAPI {
  let requests: GazetteRequests

  init(_ requests: GazetteRequests) { self.requests = requests }

  func require(_ source: Source) throws(ToolError) {}

  func pages(of source: Source) throws(ToolError) -> any PagedSource {
    let wanted: (String, String)? =
      switch source {
      case .named("user", let name): ("of", name)
      case .named("section", let name): ("section", name.lowercased())
      case .named("search", let words): ("words", words)
      case .hashtag(let tag): ("words", tag)
      case .timeline("front"): ("section", "front")
      default: nil
      }
    guard let wanted else { throw .usage("the gazette has no '\(source.feed)'") }
    return GazettePages(feed: source.feed, wanted: wanted, requests: requests)
  }

  func lookUps() -> any LookUpSource { GazetteLookUps(requests: requests) }
  func stream(_ sources: [Source]) -> LiveStream {
    .connected(GazetteStream(requests: requests, tag: sources.first?.hashtag ?? ""))
  }
  var searchLag: Int { 0 }
}

struct GazettePages: PagedSource {
  let feed: String
  let wanted: (String, String)
  let requests: GazetteRequests

  var endpoint: String { "notes" }
  var lookUpEndpoint: String { "notes" }
  var lookUp: HTTPRequest? { nil }
  func readLookUp(_ answer: HTTPResponse) -> [String] { [] }
  var pageSizes: ClosedRange<Int> { 1...2 }
  var takesTimes: Bool { false }
  var needsTokens: Bool { true }
  var pace: Int { 0 }
  func postID(_ text: String) -> PostID { Gazette().postID(text[...]) ?? PostID(text) }
  func firstID(at time: Timestamp) -> PostID? { nil }
  func lastID(before time: Timestamp) -> PostID? { nil }

  func page(_ range: PageRange) -> HTTPRequest {
    requests.get("/notes", [wanted] + (range.token.map { [("cursor", $0)] } ?? []))
  }

  func read(_ answer: HTTPResponse, _ range: PageRange, known: Set<PostID>, limit: Int?) -> FeedPage? {
    guard let document = try? JSONDocument(answer.body), let list = document["notes"] else { return nil }
    let notes = list.elements.compactMap { note in
      note["key"]?.string.flatMap { Gazette().postID($0[...]) }.map { (id: $0, json: note.record) }
    }
    // What is there since the last time comes first.
    let new = notes.prefix { $0.id != range.sinceID }.filter { !known.contains($0.id) }
    let shown = new.prefix(limit ?? .max)
    return FeedPage(
      lines: shown.map { FeedPage.Line(bytes: $0.json, posts: 1) }, count: shown.count, kept: new.count,
      sentIDs: notes.map(\.id), newestID: shown.first?.id, oldestID: shown.last?.id,
      nextToken: document["cursor"]?.string)
  }

  func refusal(_ answer: HTTPResponse) -> Refusal { .gazette(answer) }
  func remedy(_ answer: HTTPResponse, _ range: PageRange) -> PageRemedy? { nil }
  func explain(_ error: ToolError) -> ToolError { error }
}

extension JSONDocument {
  /// A note in a shape that tw-parse reads, that of X API v2: its context says whose it is.
  fileprivate var record: [UInt8] {
    var buffer = ByteBuffer()
    buffer.object { out in
      out.member("id", self["key"]?.string)
      out.member("text", self["text"]?.string)
    }
    return buffer.array
  }
}

struct GazetteLookUps: LookUpSource {
  let requests: GazetteRequests
  var batch: Int { 1 }
  var endpoint: String { "note" }
  func request(_ ids: [String]) -> HTTPRequest { requests.get("/note", [("key", ids.joined())]) }
  func refusal(_ answer: HTTPResponse) -> Refusal { .gazette(answer) }

  func read(_ answer: HTTPResponse, _ ids: [String]) -> LookUpAnswer? {
    let id = ids.first.flatMap { Gazette().postID($0[...]) }
    guard let document = try? JSONDocument(answer.body) else { return nil }
    let line = FeedPage.Line(bytes: document.record, posts: 1)
    return LookUpAnswer(
      FeedPage(
        lines: [line], count: 1, kept: 1, sentIDs: [id].compactMap { $0 }, newestID: id, oldestID: id, nextToken: nil))
  }
}

struct GazetteStream: StreamAPI {
  let requests: GazetteRequests
  let tag: String

  var feeds: [String] { ["#\(tag)"] }
  var framing: StreamFraming { .lines }
  var keepAliveInterval: Int { 20_000 }
  var deliveryTime: Int { 1_000 }

  func connection() -> HTTPRequest {
    var request = requests.get("/live", [("tag", tag)])
    (request.streaming, request.totalTimeout) = (true, nil)
    return request
  }

  func meaning(of message: JSONValue) -> StreamMessage {
    .post(id: message["key"]?.string.flatMap { Gazette().postID($0[...]) }, feed: "#\(tag)")
  }

  func refusal(_ response: HTTPResponse) -> Refusal { .gazette(response) }
  func rateWindow(_ response: HTTPResponse) -> RateWindow? { nil }
}

// MARK: Writing

struct GazetteWriting: WriteAPI {
  let requests: GazetteRequests

  var settlingTime: Int { 0 }
  var longestRequest: Int { 30_000 }
  func scopes(for action: WriteAction) -> [String] { [] }
  var accountRequest: HTTPRequest { requests.get("/whoami") }
  func userRequest(named name: String) -> HTTPRequest { requests.get("/whois", [("name", name)]) }

  // A note has three hundred characters at most, and shows neither polls nor pictures.
  var postParts: Set<PostPart> { [.visibility, .warning, .language] }
  func longestText(isLong: Bool) -> Int? { isLong ? nil : 300 }

  func question(before action: WriteAction, _ parts: WriteParts, by account: WritingAccount) -> HTTPRequest? {
    guard case .post(let draft) = action, parts.facts["root"] == nil else { return nil }
    return draft.replyTo.map { requests.get("/note", [("key", $0)]) }
  }

  func learn(
    from answer: HTTPResponse, before action: WriteAction, _ parts: WriteParts, by account: WritingAccount
  ) -> WriteAnswer? {
    guard let document = try? JSONDocument(answer.body) else { return nil }
    var parts = parts
    parts.facts["root"] = document["thread"]?.string
    return .learnt(parts)
  }

  func account(in answer: HTTPResponse) -> WritingAccount? {
    guard let document = try? JSONDocument(answer.body), let key = document["key"]?.string,
      let name = document["name"]?.string
    else { return nil }
    return WritingAccount(id: key, username: name, object: "{\"id\":\"\(key)\",\"username\":\"\(name)\"}")
  }

  func request(_ action: WriteAction, _ parts: WriteParts, by account: WritingAccount) -> HTTPRequest {
    switch action {
    case .post(let draft): requests.post("/notes", draft.json)
    case .change(let change, _): requests.post("/\(change.rawValue)", parts.target)
    }
  }

  func outcome(of action: WriteAction, _ answer: HTTPResponse) -> WriteOutcome {
    guard answer.isSuccess, let document = try? JSONDocument(answer.body) else {
      return .refused(Refusal.gazette(answer).error)
    }
    return .done(id: document["key"]?.string)
  }

  func ownPosts(of account: WritingAccount, _ range: PageRange) -> HTTPRequest {
    requests.get("/notes", [("of", account.username)])
  }
  func ownPosts(in answer: HTTPResponse) -> OwnPosts? { nil }
  func postRequest(id: String) -> HTTPRequest { requests.get("/note", [("key", id)]) }
  func document(ofPostIn answer: HTTPResponse, viewer: String) -> [UInt8]? {
    guard let document = try? JSONDocument(answer.body) else { return nil }
    return document.record
  }
  func refusal(_ answer: HTTPResponse) -> Refusal { .gazette(answer) }

  func document(of draft: PostDraft, id: String, by account: WritingAccount) -> [UInt8] {
    var buffer = ByteBuffer()
    buffer.append("{\"id\":\"\(id)\",\"text\":")
    buffer.appendJSONString(draft.text)
    buffer.append(",\"author\":\(account.object)}")
    return buffer.array
  }
}
