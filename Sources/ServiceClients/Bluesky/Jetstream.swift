import Services
import TweetCore
import TweetNet
import TweetServices
import TweetShapes

/// The posts of all of Bluesky as they are made (github.com/bluesky-social/jetstream), in the second version of its
/// protocol, or the first where a server has no other.
struct Jetstream: ReplayedStream {
  private static let v2 = "network.bsky.jetstream.subscribeEvents"
  private static let dictionaryMethod = "network.bsky.jetstream.getZstdDictionary"
  /// Authors that an address may name: servers and what stands before them bound its length.
  private static let mostAuthors = 100
  /// Microseconds that are asked for again at another server, whose clock is not the first one's.
  private static let overlap = 5_000_000
  /// Bytes of a message: as the makers' own client has it.
  private static let longestMessage = 32 << 20

  let feeds: [String]
  private var wanted: [(feed: String, words: LiveWords)]
  private var filters: [(feed: String, filter: LiveFilter)] = []
  /// Those whose posts alone are wanted, if all sources name some.
  private var authors: [String] = []
  /// Names of accounts that the stream knows by their DIDs only.
  private var handles: [String]
  private let requests: BlueskyRequests
  private var servers: JetstreamServers
  private var dictionary: ZstdDictionary?
  /// How often the dictionary may still be asked for.
  private var dictionaryTries = 2
  private var forgetsNumber = false

  /// - Parameter sources: hashtags, or `live:WORDS`.
  init(_ requests: BlueskyRequests, _ sources: [Source], servers: JetstreamServers) {
    (self.requests, self.servers) = (requests, servers)
    wanted = sources.compactMap { source -> (feed: String, words: LiveWords)? in
      switch source {
      case .hashtag(let tag): (source.feed, LiveWords(tag: tag))
      case .named("live", let words): (try? LiveWords(words)).map { (source.feed, $0) }
      default: nil
      }
    }
    feeds = wanted.map(\.feed)
    handles = Set(wanted.flatMap(\.words.handles)).sorted()
    setFilters()
  }

  private mutating func setFilters() {
    filters = wanted.map { ($0.feed, LiveFilter($0.words)) }
    // One that wants posts of all has the others' as well.
    let named = wanted.map(\.words.authors)
    let all = Set(named.joined())
    authors = named.contains { $0.isEmpty } || all.count > Self.mostAuthors ? [] : all.sorted()
  }

  /// The server pings every 30 s, and posts come all the time.
  var keepAliveInterval: Int { 50_000 }

  // MARK: Requests

  mutating func resume(at place: StreamPlace) { servers.prefer(place.server) }

  var preparation: HTTPRequest? {
    if let handle = handles.first { return requests.resolve(handle) }
    guard servers.current.isSecond, dictionary == nil, dictionaryTries > 0 else { return nil }
    var request = requests.get(from: servers.current.base, Self.dictionaryMethod, [])
    request.totalTimeout = 10_000
    request.maxBody = 4 << 20
    return request
  }

  mutating func readPreparation(_ answer: HTTPResponse?) throws(ToolError) -> Bool {
    if let handle = handles.first {
      try setAuthor(handle, answer)
      return true
    }
    guard let answer else { return false }
    dictionaryTries -= 1
    guard answer.isSuccess, !answer.truncated else { return false }
    dictionary = ZstdDictionary(answer.body)
    return false
  }

  private mutating func setAuthor(_ handle: String, _ answer: HTTPResponse?) throws(ToolError) {
    guard let answer, answer.isSuccess || answer.status == 400 else {
      throw .tryLater("the account '\(handle)' could not be looked up")
    }
    guard let did = (try? JSONDocument(answer.body))?["did"]?.nonEmptyString else {
      throw .refused("no account '\(handle)'")
    }
    handles.removeFirst()
    for index in wanted.indices { wanted[index].words.name(handle, did) }
    setFilters()
  }

  func connection(after place: StreamPlace?) -> HTTPRequest {
    let server = servers.current
    let cursor = place.map { place in
      guard place.server == server.base, !forgetsNumber else { return max(1, place.time - Self.overlap) }
      return server.isSecond ? place.number ?? max(1, place.time - Self.overlap) : place.time
    }
    var parameters: [(String, String)] = []
    if server.isSecond {
      parameters = [("kinds", "commit"), ("collections", RecordAddress.post)] + authors.map { ("dids", $0) }
      if let dictionary { parameters.append(("zstdDictionary", String(dictionary.id))) }
    } else {
      parameters = [("wantedCollections", RecordAddress.post)] + authors.map { ("wantedDids", $0) }
    }
    if let cursor { parameters.append(("cursor", String(cursor))) }
    var request = requests.get(from: server.base, Self.v2, parameters)
    if !server.isSecond { request.url = "\(server.base)/subscribe?\(PercentEncoding.form(parameters))" }
    request.totalTimeout = nil
    request.webSocket = WebSocketOffer(
      protocols: server.isSecond ? ["xrpc.v1.json"] : [], maxMessage: Self.longestMessage)
    return request
  }

  func text(of message: ByteView) -> [UInt8]? {
    dictionary?.decompress(message, limit: Self.longestMessage)
  }

  // MARK: Messages

  /// The parts of an event of either version.
  private struct Commit {
    let did: JSONValue
    let commit: JSONValue

    init?(_ message: JSONValue) {
      let event = message["payload"] ?? message
      guard let did = event["did"], did.isString else { return nil }
      let commit = event["commit"] ?? event
      guard commit["collection"]?.equals("app.bsky.feed.post") == true, commit["rkey"]?.isString == true else {
        return nil
      }
      (self.did, self.commit) = (did, commit)
    }

    var id: PostID {
      BlueskyService.postID(
        RecordAddress(
          authority: did.string ?? "", collection: RecordAddress.post, key: commit["rkey"]?.string ?? ""
        ).text)
    }
  }

  func place(of message: JSONValue) -> StreamPlace? {
    let event = message["payload"] ?? message
    if let time = event["time_us"]?.integer {
      return StreamPlace(time: time, number: nil, server: servers.current.base)
    }
    guard let number = event["seq"]?.integer, let text = event["time"], text.isString,
      let time = Timestamp(ascii: text.rawString)
    else { return nil }
    return StreamPlace(time: Int(time.milliseconds) * 1000, number: number, server: servers.current.base)
  }

  func meaning(of message: JSONValue) -> ReplayedMessage {
    if message["$type"]?.equals("error") == true { return .closing(Self.refusal(message)) }
    if let type = message["payload"]?["$type"]?.string, type.hasSuffix("#info") {
      return .notice(Self.notice(message["payload"]))
    }
    guard let commit = Commit(message) else { return .nothing }
    if commit.commit["operation"]?.equals("delete") == true { return .deleted(commit.id) }
    guard let record = commit.commit["record"], record.isObject else { return .nothing }
    let did = commit.did.string ?? ""
    if let found = filters.first(where: { $0.filter.matches(record, by: did) }) {
      return .post(commit.id, feed: found.feed)
    }
    return commit.commit["operation"]?.equals("update") == true ? .changed(commit.id) : .nothing
  }

  private static func refusal(_ message: JSONValue) -> Refusal {
    let words = [message["error"]?.string, message["message"]?.string].compactMap { $0 }
    let text = words.isEmpty ? "an error without words" : words.joined(separator: ": ")
    return Refusal(.trouble, text, error: .tryLater("the stream ends: \(text)"))
  }

  private static func notice(_ info: JSONValue?) -> Notice {
    let text = info?["message"]?.string ?? info?["name"]?.string ?? "the stream says something"
    guard info?["name"]?.equals("OutdatedCursor") == true else { return Notice(.info, "stream-info", text) }
    return Notice(.warning, "gap", "posts may be missing, which the stream does not have any more: \(text)")
  }

  /// The same event at each server, and another one for each version of a post.
  func version(of message: JSONValue) -> UInt64 {
    guard let commit = Commit(message) else { return 0 }
    let parts = [commit.commit["operation"], commit.commit["cid"] ?? commit.commit["rev"]].map { $0?.string ?? "" }
    return PostID.key(of: "\(commit.id) \(parts.joined(separator: " "))")
  }

  // MARK: Authors

  func author(of message: JSONValue) -> String? { Commit(message)?.did.string }

  var authorBatch: Int { 25 }
  func authorRequest(_ ids: [String]) -> HTTPRequest { requests.profiles(of: ids) }

  func authors(in answer: HTTPResponse) -> [(id: String, profile: [UInt8])]? {
    guard let document = answer.document, document["profiles"]?.isArray == true else {
      return nil
    }
    return document.list("profiles").compactMap { profile in
      profile["did"]?.nonEmptyString.map { ($0, profile.read { $0.line }) }
    }
  }

  /// The event with the profile as `author` beside its other parts.
  func line(_ message: ByteView, by profile: [UInt8]?) -> [UInt8]? {
    guard let profile else { return Array(message) }
    guard let document = try? JSONDocument(profile),
      !document.read({ BlueskyMarks.hide($0, requests.access.isAnonymous) })
    else { return nil }
    guard let text = try? JSONDocument(Array(message)) else { return Array(message) }
    return text.read { root in
      var edits = RecordEdits()
      edits.set("author", in: root["payload"] ?? root["commit"] ?? root, to: profile)
      var buffer = ByteBuffer(capacity: message.count + profile.count + 16)
      edits.apply(to: root, into: &buffer)
      return buffer.array
    }
  }

  /// The event of a deletion, as the author's would be.
  func deletion(of message: ByteView) -> [UInt8]? {
    guard let text = try? JSONDocument(Array(message)) else { return nil }
    return text.read { root in
      let event = root["payload"] ?? root
      var edits = RecordEdits()
      edits.set("operation", in: event["commit"] ?? event, to: "\"delete\"")
      edits.remove(from: event["commit"] ?? event) { $0.spells("record") || $0.spells("cid") }
      var buffer = ByteBuffer(capacity: message.count)
      edits.apply(to: root, into: &buffer)
      return buffer.array
    }
  }

  // MARK: Failures

  mutating func recordSuccess() {
    servers.recordSuccess()
    forgetsNumber = false
  }

  mutating func recordFailure(_ answer: HTTPResponse?) -> ReplayRemedy? {
    guard let answer else { return servers.recordFailure() ? .again : nil }
    let error = (try? JSONDocument(answer.body))?["error"]?.string
    switch (answer.status, error) {
    case (400, "CursorTooOld") where !forgetsNumber:
      // By time the server begins with the oldest event that it has, and says so.
      forgetsNumber = true
      return .byTime
    case (400, "UnknownZstdDictionary") where dictionary != nil:
      dictionary = nil
      return .again
    case (404, _), (405, _), (501, _):
      guard servers.current.isSecond else { return nil }
      servers.recordFirstVersion()
      return .again
    default: return servers.recordFailure() ? .again : nil
    }
  }

  func refusal(_ answer: HTTPResponse) -> Refusal { Refusal(bluesky: answer) }
  var skipsSilently: Bool { !servers.current.isSecond }
}
