import Services
import TweetCore
import TweetNet
import TweetServices

/// Writing to Bluesky: records in the repository of the account, at the account's server.
struct BlueskyWriting: WriteAPI {
  let requests: BlueskyRequests
  private var access: ServiceAccess { requests.access }

  /// Nothing is looked for: a record is put under its own key again.
  var settlingTime: Int { 0 }
  var longestRequest: Int { ServiceAccess.requestTimeout }
  /// What is put twice under one key is one record. The key tells the time, which the record has too.
  func lastingKey(at time: Timestamp, number: Int) -> String? { TimeKey.key(at: time, number: number) }
  func scopes(for action: WriteAction) -> [String] { [] }
  var wholeMedia: (any WholeMediaAPI)? { BlueskyMedia(requests: requests) }

  // MARK: Rules

  var postParts: Set<PostPart> { [.quote, .media, .language, .warning, .repliers, .quoters, .card] }
  func longestText(isLong: Bool) -> Int? { isLong ? nil : BlueskyText.longest }

  func length(of text: String) throws(ToolError) -> Int { BlueskyText.length(BlueskyText(text).text) }
  func text(of draft: PostDraft) -> String { BlueskyText(draft.text).text }

  // MARK: Accounts

  var accountRequest: HTTPRequest {
    access.userID.map { userRequest(named: $0) } ?? requests.get("com.atproto.server.getSession", [])
  }

  func userRequest(named name: String) -> HTTPRequest {
    requests.get("app.bsky.actor.getProfile", [("actor", name)])
  }

  func account(in answer: HTTPResponse) -> WritingAccount? {
    guard let document = try? JSONDocument(answer.body), let did = document["did"]?.nonEmptyString,
      let handle = document["handle"]?.nonEmptyString
    else { return nil }
    // A session says more, which is nobody else's business.
    var profile = ByteBuffer()
    profile.object { out in
      out.member("did", did)
      out.member("handle", handle)
      out.member("displayName", document["displayName"]?.string)
      out.member("avatar", document["avatar"]?.string)
      out.member("description", document["description"]?.string)
    }
    return WritingAccount(id: did, username: handle, object: profile.string)
  }

  func document(of account: WritingAccount) -> [UInt8] { Array(account.object.utf8) }

  // MARK: Requests

  func request(_ action: WriteAction, _ parts: WriteParts, by account: WritingAccount) -> HTTPRequest {
    let key = parts.key ?? ""
    let time = TimeKey.time(of: key) ?? .now
    switch action {
    case .post(let draft):
      let record = BlueskyRecords.post(draft, media: parts.media, facts: parts.facts, at: time)
      let address = RecordAddress(authority: account.id, collection: RecordAddress.post, key: key)
      return draft.hasGates
        ? create(address, record, BlueskyGates.records(draft, of: address, at: time)) : put(address, record)
    case .change(.delete, _):
      let pieces = BlueskyGates.deleted(parts)
      if !pieces.isEmpty { return delete(pieces) }
      return delete(RecordAddress(parts.target) ?? RecordAddress(authority: account.id, collection: "", key: ""))
    case .change(.bookmark, _):
      return requests.post("app.bsky.bookmark.createBookmark", Array((parts.facts[BlueskyFact.subject] ?? "{}").utf8))
    case .change(.unbookmark, _):
      var body = ByteBuffer()
      body.object { $0.member("uri", parts.target) }
      return requests.post("app.bsky.bookmark.deleteBookmark", body.array)
    case .change(let change, _):
      let collection = change.collection ?? ""
      let own = parts.facts[BlueskyFact.own] ?? ""
      if change.isUndo {
        return delete(RecordAddress(authority: account.id, collection: collection, key: own))
      }
      var subject = ByteBuffer()
      subject.appendJSONString(parts.target)
      let json = parts.facts[BlueskyFact.subject] ?? subject.string
      return put(
        RecordAddress(authority: account.id, collection: collection, key: key),
        BlueskyRecords.link(collection, to: json, at: time))
    }
  }

  /// The post and what belongs to it, all or nothing. A key that is taken already is an error.
  private func create(_ post: RecordAddress, _ record: String, _ others: [(String, String)]) -> HTTPRequest {
    apply(
      ([(post.collection, record)] + others).map {
        (RecordAddress(authority: post.authority, collection: $0.0, key: post.key), $0.1)
      })
  }

  /// A post and what belongs to it, all or nothing. What is not there is an error.
  private func delete(_ pieces: [RecordAddress]) -> HTTPRequest { apply(pieces.map { ($0, nil) }) }

  /// Creates records, and deletes those without a value, all or nothing.
  private func apply(_ writes: [(record: RecordAddress, value: String?)]) -> HTTPRequest {
    var body = ByteBuffer()
    body.object { out in
      out.member("repo", writes.first?.record.authority)
      out.array("writes") { out in
        for (record, value) in writes {
          out.element { out in
            out.member("$type", "com.atproto.repo.applyWrites#\(value == nil ? "delete" : "create")")
            out.member("collection", record.collection)
            out.member("rkey", record.key)
            out.member("value", json: value)
          }
        }
      }
    }
    return requests.post("com.atproto.repo.applyWrites", body.array)
  }

  private func put(_ address: RecordAddress, _ record: String) -> HTTPRequest {
    var body = ByteBuffer()
    body.object { out in
      Self.append(address, to: &out)
      out.member("record", json: record)
    }
    return requests.post("com.atproto.repo.putRecord", body.array)
  }

  private func delete(_ address: RecordAddress) -> HTTPRequest {
    var body = ByteBuffer()
    body.object { Self.append(address, to: &$0) }
    return requests.post("com.atproto.repo.deleteRecord", body.array)
  }

  private static func append(_ address: RecordAddress, to out: inout ByteBuffer) {
    out.member("repo", address.authority)
    out.member("collection", address.collection)
    out.member("rkey", address.key)
  }

  func outcome(of action: WriteAction, _ answer: HTTPResponse) -> WriteOutcome {
    guard answer.isSuccess else {
      let refusal = refusal(answer)
      switch refusal.meaning {
      case .rateLimit: return .limited(refusal)
      case .trouble: return .unknown(refusal.text)
      default:
        let isOfAccount =
          answer.status == 401 || ["ExpiredToken", "InvalidToken"].contains { refusal.text.hasPrefix($0) }
        return isOfAccount ? .accountRefused(refusal.error) : .refused(refusal.error)
      }
    }
    guard case .post = action else { return .done(id: nil) }
    let document = try? JSONDocument(answer.body)
    // Of several records the post is the first. Servers need not say what they are called: then it is looked for.
    guard let id = (document?["uri"] ?? document?.list("results").first?["uri"])?.nonEmptyString else {
      return .unknown("the server's answer has no address of the post")
    }
    return .done(id: id)
  }

  // MARK: Posts

  func ownPosts(of account: WritingAccount, _ range: PageRange) -> HTTPRequest {
    requests.get(
      "com.atproto.repo.listRecords",
      [("repo", account.id), ("collection", RecordAddress.post), ("limit", String(min(100, range.size)))]
        + (range.token.map { [("cursor", $0)] } ?? []))
  }

  func ownPosts(in answer: HTTPResponse) -> OwnPosts? {
    guard let document = answer.document, document["records"]?.isArray == true else {
      return nil
    }
    let posts = document.list("records").compactMap { item -> OwnPosts.Post? in
      guard let id = item["uri"]?.nonEmptyString, let record = item["value"] else { return nil }
      let embed = record["embed"]
      return OwnPosts.Post(
        id: id, text: ReturnedText(record["text"]?.string ?? "", known: []),
        createdAt: record["createdAt"]?.string.flatMap { Timestamp(parsing: $0) },
        replyTo: record["reply"]?["parent"]?["uri"]?.string,
        quoteOf: embed?["record"]?["uri"]?.string ?? embed?["record"]?["record"]?["uri"]?.string, isRetweet: false,
        mediaKeys: [], postAt: { BlueskyService().post(at: $0, base: nil)?.description })
    }
    return OwnPosts(posts: posts, nextToken: document["cursor"]?.nonEmptyString)
  }

  func postRequest(id: String) -> HTTPRequest { requests.posts([id]) }

  /// The AppView may not know yet what was done a moment ago.
  func document(ofPostIn answer: HTTPResponse, viewer: String) -> [UInt8]? {
    guard let document = try? JSONDocument(answer.body), let post = document.list("posts").first,
      let mark = try? JSONDocument(viewer)
    else { return nil }
    let old = post["viewer"]
    func isSet(_ new: StaticString, _ own: StaticString) -> Bool { mark[new]?.bool ?? (old?[own] != nil) }
    var buffer = ByteBuffer()
    buffer.object { out in
      if isSet("liked", "like") { out.member("like", true) }
      if isSet("retweeted", "repost") { out.member("repost", true) }
      out.member("bookmarked", mark["bookmarked"]?.bool ?? old?["bookmarked"]?.bool ?? false)
    }
    return post.read { view in
      var edits = RecordEdits()
      edits.set("viewer", in: view, to: buffer.string)
      var line = ByteBuffer()
      edits.apply(to: view, into: &line)
      return line.array
    }
  }

  func document(of draft: PostDraft, id: String, by account: WritingAccount) -> [UInt8] {
    let time = RecordAddress(id).flatMap { TimeKey.time(of: $0.key) } ?? .shown
    let blobs = draft.media.compactMap(\.upload?.id)
    var buffer = ByteBuffer()
    buffer.object { out in
      out.member("uri", id)
      out.member("author", json: account.object)
      out.member("record", json: BlueskyRecords.post(draft, media: blobs, facts: draft.facts, at: time))
      out.member("indexedAt", time)
    }
    return buffer.array
  }

  func refusal(_ answer: HTTPResponse) -> Refusal { Refusal(bluesky: answer) }
}

/// Pictures and videos are blobs of the account's server, which drops those that no record names.
struct BlueskyMedia: WholeMediaAPI {
  let requests: BlueskyRequests

  /// The lexicons app.bsky.embed.images and app.bsky.embed.gallery, of which programs are to write ten pictures at
  /// most, and what servers take of a video in one request. The AppView makes a JPEG of each picture.
  static let limits = MediaLimits(
    types: ["image/jpeg", "image/png", "image/gif", "image/webp", "video/mp4"], largestPicture: 2_000_000,
    largestVideo: 50_000_000, most: 10, motion: .lost)

  func upload(_ bytes: [UInt8], type: String, description: String?) -> HTTPRequest {
    var request = requests.post("com.atproto.repo.uploadBlob", bytes, type: type)
    request.totalTimeout = 300_000
    return request
  }

  func upload(ofType type: String, in answer: HTTPResponse) -> MediaUpload? {
    guard let document = try? JSONDocument(answer.body), let blob = document["blob"], blob.isObject,
      blob["ref"]?["$link"]?.nonEmptyString != nil
    else { return nil }
    return MediaUpload(id: blob.rawText, key: nil, type: type)
  }
}

/// Pages of posts that name their account by its handle: `https://bsky.app/profile/alice.example/post/KEY`.
extension BlueskyWriting {
  func question(ofPostAt address: String) -> HTTPRequest? {
    guard let post = Self.post(byHandle: address) else { return nil }
    return requests.resolve(post.authority)
  }

  func post(at address: String, in answer: HTTPResponse) -> AddressAnswer? {
    if [400, 404].contains(answer.status), refusal(answer).error.status == .refused {
      return .noPost("there is no account of that name")
    }
    guard answer.isSuccess, let post = Self.post(byHandle: address), let document = try? JSONDocument(answer.body),
      let did = document["did"]?.string.flatMap({ AccountName($0) }), did.isDID
    else { return nil }
    return .post(id: RecordAddress(authority: did.text, collection: post.collection, key: post.key).text)
  }

  private static func post(byHandle address: String) -> RecordAddress? {
    guard let post = RecordAddress(address), post.collection == RecordAddress.post,
      AccountName(post.authority)?.isDID == false
    else { return nil }
    return post
  }
}
