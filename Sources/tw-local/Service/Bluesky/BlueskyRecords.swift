import TweetCore

/// The records of an account: its posts, reposts, likes and follows. Each is what this service stores anyway, under the
/// key that a client has given it.
extension Endpoint {
  private static let access = Access.user(.tweetWrite, .likeWrite, .followsWrite)

  static let blueskyRecords = [
    Endpoint("POST", path: "/xrpc/com.atproto.repo.createRecord", limit: 1666, access: access) {
      try $0.write($1, needsKey: false)
    },
    Endpoint("POST", path: "/xrpc/com.atproto.repo.putRecord", limit: 1666, access: access) {
      try $0.write($1, needsKey: true)
    },
    Endpoint("POST", path: "/xrpc/com.atproto.repo.deleteRecord", limit: 1666, access: access) { service, call in
      let input = try RecordInput(call)
      guard let key = input.key else { throw Problem.invalidRequest("Input must have the property \"rkey\"") }
      try service.deleteRecord(of: service.ownRepository(input.repository, call), input.collection, key)
      return ServerResponse(json: [:])
    },
    Endpoint("GET", path: "/xrpc/com.atproto.repo.getRecord", limit: 3000, access: .open) { service, call in
      let request = call.request
      let (collection, key) = (request.parameter("collection") ?? "", request.parameter("rkey") ?? "")
      guard let account = try service.account(bluesky: request.parameter("repo") ?? ""),
        let found = try service.records(of: account, collection, [key]).first
      else { throw Problem.bluesky(status: 400, error: "RecordNotFound", message: "Could not locate record: \(key)") }
      return ServerResponse(json: found)
    },
    Endpoint("GET", path: "/xrpc/com.atproto.repo.listRecords", limit: 3000, access: .open) { try $0.listRecords($1) },
    Endpoint(
      "POST", path: "/xrpc/com.atproto.repo.uploadBlob", limit: 1000,
      access: Access(scopes: [.mediaWrite], needsUser: true)
    ) { try $0.uploadBlob($1) },
  ]
}

/// What a request says of a record.
private struct RecordInput {
  let repository: String
  let collection: String
  let key: String?
  let record: JSONDocument?

  init(_ call: Call) throws(Problem) {
    guard let document = try? JSONDocument(call.request.body), let repository = document["repo"]?.string,
      let collection = document["collection"]?.string
    else { throw .invalidRequest("Input must have the properties \"repo\" and \"collection\"") }
    key = document["rkey"]?.string
    if let key {
      let isKey =
        (1...512).contains(key.utf8.count) && key != "." && key != ".."
        && key.utf8.allSatisfy { PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: ":") }
      guard isKey else { throw .invalidRequest("rkey must be a valid record key") }
    }
    (self.repository, self.collection, record) = (repository, collection, document["record"])
  }
}

extension Service {
  private static let blobs = "blob"

  fileprivate func ownRepository(_ name: String, _ call: Call) throws -> LocalAccount {
    guard let account = try account(bluesky: name), try account.id == call.account.id else {
      throw Problem.bluesky(status: 403, error: "Forbidden", message: "The repository is not that of the account")
    }
    return account
  }

  // MARK: Writing

  fileprivate func write(_ call: Call, needsKey: Bool) throws -> ServerResponse {
    let input = try RecordInput(call)
    let account = try ownRepository(input.repository, call)
    guard let record = input.record, record.isObject else {
      throw Problem.invalidRequest("Input must have the property \"record\"")
    }
    if needsKey, input.key == nil { throw Problem.invalidRequest("Input must have the property \"rkey\"") }
    guard record["createdAt"]?.string.flatMap({ Timestamp(parsing: $0) }) != nil else {
      throw Problem.invalidRequest("Invalid \(input.collection) record: Record must have the property \"createdAt\"")
    }
    let key = input.key.map { ItemKey(account: account.id, space: input.collection, key: $0) }
    let uri = try written(record, input.collection, key, by: account)
    return ServerResponse(
      json: ["uri": .string(uri), "cid": .string(try BlueskyName.cid(uri)), "validationStatus": "valid"])
  }

  /// Writes a record, if there is none with that key.
  /// - Returns: its address.
  private func written(
    _ record: JSONDocument, _ collection: String, _ key: ItemKey?, by account: LocalAccount
  ) throws -> String {
    let view = BlueskyView(reader: reader)
    switch collection {
    case BlueskyName.post:
      if let known = try key.flatMap({ try store.item($0) }).flatMap(store.post) { return try view.uri(of: known) }
      return try view.uri(of: post(try draft(record, by: account), key: key, isX: false))
    case BlueskyName.repost:
      let original = try subject(record)
      if let known = try store.retweet(of: original.id, by: account.id) { return try view.uri(of: known) }
      return try view.uri(of: publish(Draft(author: account.id, retweetOf: original.id), key: key))
    case BlueskyName.like:
      let post = try subject(record)
      try setLike(true, of: post, by: account)
      return try address(.likes, collection, to: post.id, by: account, key)
    case BlueskyName.follow:
      guard let followed = try record["subject"]?.string.flatMap(account(bluesky:)), followed.id != account.id else {
        throw Problem.invalidRequest("Invalid \(collection) record: there is no such account")
      }
      try store.write { () throws(ToolError) in try store.setFollow(true, of: followed.id, by: account.id) }
      return try address(.following, collection, to: followed.id, by: account, key)
    default: throw Problem.invalidRequest("Lexicon not found: lex:\(collection)")
    }
  }

  private func address(
    _ relation: Relation, _ collection: String, to item: Int, by account: LocalAccount, _ key: ItemKey?
  ) throws -> String {
    let number = try store.number(of: relation, to: item, by: account.id) ?? 0
    if let key { try store.write { () throws(ToolError) in try store.set(key, of: number) } }
    return try BlueskyView(reader: reader).uri(collection, number, of: account.id)
  }

  /// The post that a like or a repost is of.
  private func subject(_ record: JSONDocument) throws -> Post {
    guard let post = try record["subject"]?["uri"]?.string.flatMap(post(at:)) else {
      throw Problem.invalidRequest("There is no such post")
    }
    return try reader.original(of: post) ?? post
  }

  /// The post, or the repost, at an address.
  func post(at uri: String) throws -> Post? {
    guard let parts = BlueskyName.parts(uri), [BlueskyName.post, BlueskyName.repost].contains(parts.collection),
      let account = try account(bluesky: parts.authority),
      let id = try item(account, parts.collection, parts.key), let post = try store.post(id),
      post.authorID == account.id
    else { return nil }
    return (post.retweetOf == nil) == (parts.collection == BlueskyName.post) ? post : nil
  }

  /// What a key names: what a client has called so, or what the key itself tells, if a client has not called that
  /// otherwise.
  private func item(_ account: LocalAccount, _ collection: String, _ key: String) throws -> Int? {
    if let item = try store.item(ItemKey(account: account.id, space: collection, key: key)) { return item }
    let isPost = [BlueskyName.post, BlueskyName.repost].contains(collection)
    guard let item = isPost ? TimedID.id(key: key) : TimedID.number(key) else { return nil }
    return try store.key(of: item, in: collection) == nil ? item : nil
  }

  // MARK: Posts

  private func draft(_ record: JSONDocument, by account: LocalAccount) throws -> Draft {
    var draft = Draft(author: account.id)
    guard let text = record["text"]?.string else {
      throw Problem.invalidRequest("Invalid app.bsky.feed.post record: Record must have the property \"text\"")
    }
    guard text.count <= BlueskyView.longestText, text.utf8.count <= 10 * BlueskyView.longestText else {
      throw Problem.post(.tooLong)
    }
    draft.text = try stored(text, facets: record.list("facets"))
    draft.language = record.list("langs").first?.string.map(Language.stored)
    draft.source = "Bluesky"
    if let parent = record["reply"]?["parent"]?["uri"]?.string {
      guard let post = try post(at: parent) else { throw Problem.post(.targetGone(action: "reply to")) }
      draft.replyTo = post.id
    }
    guard let embed = record["embed"] else { return draft }
    let type = embed["$type"]?.string ?? ""
    let (quote, media): (JSONDocument?, JSONDocument?) =
      switch type {
      case "app.bsky.embed.images", "app.bsky.embed.gallery": (nil, embed)
      case "app.bsky.embed.record": (embed["record"], nil)
      case "app.bsky.embed.recordWithMedia": (embed["record"]?["record"], embed["media"])
      default: throw Problem.invalidRequest("This service has no embed \(type)")
      }
    if let quote {
      guard let post = try quote["uri"]?.string.flatMap(post(at:)) else {
        throw Problem.post(.targetGone(action: "quote"))
      }
      draft.quoteOf = post.id
    }
    guard let media else { return draft }
    let isGallery = media["$type"]?.equals("app.bsky.embed.gallery") == true
    let images = media.list(isGallery ? "items" : "images")
    guard isGallery || media["$type"]?.equals("app.bsky.embed.images") == true,
      (1...(isGallery ? 20 : BlueskyView.mostImages)).contains(images.count)
    else { throw Problem.invalidRequest("A post shows one to four pictures, or a gallery of up to 20") }
    var ids: [Int] = []
    for image in images {
      guard let cid = image["image"]?["ref"]?["$link"]?.string,
        let id = try store.item(ItemKey(account: account.id, space: Self.blobs, key: cid)),
        let file = try store.media(id)
      else { throw Problem.post(.badMedia) }
      if let alt = image["alt"]?.string, !alt.isEmpty { try describe(file, as: alt) }
      ids.append(id)
    }
    draft.media = try readyMedia(ids, of: account)
    return draft
  }

  /// A text as this service stores it: names as they are everywhere here, and links in full where the text has only a
  /// part of one.
  private func stored(_ text: String, facets: [JSONDocument]) throws -> String {
    var bytes = Array(text.utf8)
    var parts: [(range: Range<Int>, text: String)] = []
    for facet in facets {
      guard let start = facet["index"]?["byteStart"]?.integer, let end = facet["index"]?["byteEnd"]?.integer,
        start >= 0, start < end, end <= bytes.count, let shown = String(validating: bytes[start..<end], as: UTF8.self)
      else { throw Problem.invalidRequest("Invalid app.bsky.feed.post record: a facet is not inside the text") }
      for feature in facet.list("features") {
        if let did = feature["did"]?.string, let account = try account(bluesky: did) {
          parts.append((start..<end, "@" + account.username))
        } else if let uri = feature["uri"]?.string, TextPart.links(in: shown) != [uri] {
          parts.append((start..<end, uri))
        }
      }
    }
    var limit = bytes.count
    for part in parts.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) where part.range.upperBound <= limit {
      bytes.replaceSubrange(part.range, with: part.text.utf8)
      limit = part.range.lowerBound
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  fileprivate func uploadBlob(_ call: Call) throws -> ServerResponse {
    let account = try call.account
    let media = try uploadPicture(call.request.body, for: account)
    let cid = try BlueskyName.cid(call.request.body)
    try store.write { () throws(ToolError) in
      try store.set(ItemKey(account: account.id, space: Self.blobs, key: cid), of: media.id)
    }
    let blob: JSON = [
      "$type": "blob", "ref": ["$link": .string(cid)], "mimeType": .string(media.type), "size": .number(media.size),
    ]
    return ServerResponse(json: ["blob": blob])
  }

  // MARK: Deleting and reading

  fileprivate func deleteRecord(of account: LocalAccount, _ collection: String, _ key: String) throws {
    guard let item = try item(account, collection, key) else { return }
    switch collection {
    case BlueskyName.post, BlueskyName.repost:
      guard let post = try store.post(item), post.authorID == account.id,
        (post.retweetOf == nil) == (collection == BlueskyName.post)
      else { return }
      try delete(post)
    case BlueskyName.like:
      guard let post = try store.item(numbered: item, .likes, of: account.id).flatMap(store.post) else { return }
      try setLike(false, of: post, by: account)
    case BlueskyName.follow:
      guard let followed = try store.item(numbered: item, .following, of: account.id) else { return }
      try store.write { () throws(ToolError) in try store.setFollow(false, of: followed, by: account.id) }
    default: return
    }
    // A number may be given anew.
    try store.write { () throws(ToolError) in try store.removeKey(of: item, in: collection) }
  }

  /// The records of an account with some keys; those that are not there are left out.
  fileprivate func records(of account: LocalAccount, _ collection: String, _ keys: [String]) throws -> [JSON] {
    let view = BlueskyView(reader: reader)
    return try keys.compactMap { key in
      guard let item = try item(account, collection, key) else { return nil }
      let (uri, time) = (
        BlueskyName.uri(account.id, collection, key), TimedID.id(key: key).map { Snowflake.time(of: $0) }
      )
      let value: JSON
      switch collection {
      case BlueskyName.post, BlueskyName.repost:
        guard let post = try post(at: uri) else { return nil }
        value = try view.record(of: post)
      case BlueskyName.like:
        guard let post = try store.item(numbered: item, .likes, of: account.id).flatMap(store.post) else { return nil }
        value = view.link(collection, to: try view.reference(view.uri(of: post)), at: time ?? post.createdAt)
      case BlueskyName.follow:
        guard let followed = try store.item(numbered: item, .following, of: account.id) else { return nil }
        value = view.link(collection, to: .string(BlueskyName.did(followed)), at: time ?? account.createdAt)
      default: return nil
      }
      return ["uri": .string(uri), "cid": .string(try BlueskyName.cid(uri)), "value": value]
    }
  }

  /// Records, the newest first.
  fileprivate func listRecords(_ call: Call) throws -> ServerResponse {
    let request = call.request
    guard let account = try account(bluesky: request.parameter("repo") ?? "") else {
      throw Problem.invalidRequest("Could not find repo: \(request.parameter("repo") ?? "")")
    }
    let collection = request.parameter("collection") ?? ""
    let (count, before) = try page(call, most: 100)
    let view = BlueskyView(reader: reader)
    var found: [(number: Int, key: String)] = []
    switch collection {
    case BlueskyName.post, BlueskyName.repost:
      var range = PostRange()
      range.before = before
      found = try newestPosts(in: range, count: count, author: account.id) {
        ($0.retweetOf == nil) == (collection == BlueskyName.post)
      }.map { ($0.id, try view.key(of: $0)) }
    case BlueskyName.like, BlueskyName.follow:
      let relation = collection == BlueskyName.like ? Relation.likes : .following
      found = try store.related(relation, to: account.id, before: before, limit: count + 1).map {
        ($0.number, try store.key(of: $0.number, in: collection) ?? TimedID.text($0.number))
      }
    default: break
    }
    let shown = found.prefix(count)
    let records = try records(of: account, collection, shown.map(\.key))
    return listAnswer([("records", .array(records))], after: found.count > count ? shown.last?.number : nil)
  }
}
