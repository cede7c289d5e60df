import TweetCore

/// The owner of an X archive. The archive names them in a file of its own, not in the tweets.
package struct ArchiveOwner: Equatable, Sendable {
  /// Insides of JSON strings.
  fileprivate let id: [UInt8]
  fileprivate let username: [UInt8]
  fileprivate let name: [UInt8]
  /// `,"account":"…"` of `viewer`: the name, or the number while that is not known.
  let account: [UInt8]
  /// More members of the author, each with a comma before it.
  fileprivate var details: [UInt8] = []

  /// - Parameters:
  ///   - id: the account's number.
  ///   - username: empty when it is not known; so is `name`.
  package init(id: String, username: String, name: String) {
    func inside(_ text: String) -> [UInt8] {
      var buffer = ByteBuffer(capacity: text.utf8.count + 2)
      buffer.appendJSONString(text)
      return Array(buffer.array.dropFirst().dropLast())
    }
    self.init(id: inside(id), username: inside(username), name: inside(name))
  }

  private init(id: [UInt8], username: [UInt8], name: [UInt8]) {
    (self.id, self.username, self.name) = (id, username, name)
    var account = ByteBuffer(capacity: 64)
    account.member("account", inside: username.isEmpty ? id : username)
    self.account = account.array
  }

  fileprivate init?(id: JSONValue?, username: JSONValue?, name: JSONValue?) {
    guard let id, id.isString, !id.isBlank else { return nil }
    func inside(_ text: JSONValue?) -> [UInt8] {
      var plain = ByteBuffer(capacity: 64)
      plain.append(plain: text?.rawString ?? .empty)
      return plain.array
    }
    self.init(id: inside(id), username: inside(username), name: inside(name))
  }
}

/// X's "Download your data" (`window.YTD.tweets.part0 = […]`). Each element of its files is an object with one member.
/// Numbers and offsets are strings there, and tweets have no user.
extension TweetMapper {
  /// Appends the records of an element: a tweet, a like, or the owner, who becomes the author of the tweets after it.
  mutating func mapArchive(_ kind: XArchiveKind, _ body: JSONValue, into out: inout ByteBuffer) -> String? {
    switch kind {
    case .tweet:
      if body["deleted_at"] != nil { return mapArchive(deleted: body, into: &out) }
      if body["user"] == nil, state.owner == nil {
        return Self.missingOwner
      }
      return mapArchive(tweet: body, into: &out)
    case .noteTweet:
      guard !isPart else {
        isHeldBack = true
        return nil
      }
      return state.notes.add(body)
    case .account:
      state.owner = ArchiveOwner(id: body["accountId"], username: body["username"], name: body["accountDisplayName"])
      return appendOwner(createdAt: body["createdAt"], into: &out)
    case .userInfo:
      state.owner = ArchiveOwner(id: body["accountId"], username: body["userName"], name: body["displayName"])
      return appendOwner(createdAt: nil, into: &out)
    case .profile: return mapArchive(profile: body)
    case .like: return mapArchive(marked: body, .likes, into: &out)
    case .bookmark: return mapArchive(marked: body, .bookmarks, into: &out)
    }
  }

  /// Adds to the owner what `profile.js` has. That file has no id, so it counts only after `account.js`.
  private mutating func mapArchive(profile: JSONValue) -> String? {
    guard state.owner != nil else { return "a profile before its account: give account.js first" }
    var details = ByteBuffer(capacity: 512)
    details.removesEscapes = true
    details.member("profile_image_url", profile["avatarMediaUrl"])
    details.member("description", profile["description"]?["bio"])
    details.member("location", profile["description"]?["location"])
    details.member("url", profile["description"]?["website"])
    state.owner?.details = details.array
    return nil
  }

  /// Appends a deletion. The archive still has the tweets that its owner deleted, and no store must show them again.
  private mutating func mapArchive(deleted tweet: JSONValue, into out: inout ByteBuffer) -> String? {
    guard let id = v1ID(tweet) else { return "a deleted tweet without an id" }
    out.record("delete") { out in
      out.member("service", inside: context.service)
      out.member("id", id: id)
      if let owner = state.owner { out.member("user_id", inside: owner.id) }
      out.member("deleted_at", time: tweet["deleted_at"])
    }
    return nil
  }

  /// The first of X's ids that has the time in it, of 2010-11-04; those before were counted.
  private static var firstWithTime: Int { 29_700_859_247 }

  /// Appends a tweet; of a long post the archive has the whole text elsewhere.
  private mutating func mapArchive(tweet: JSONValue, into out: inout ByteBuffer) -> String? {
    do {
      guard let completed = try state.notes.completed(tweet) else { return mapV1(tweet: tweet, into: &out) }
      // Nobody has looked for escapes in the other file's text.
      out.removesEscapes = true
      return try JSONDocument(completed).read { mapV1(tweet: $0, into: &out) }
    } catch {
      return "a long post: \((error as? ToolError)?.message ?? (error as? JSONFault)?.reason ?? "")"
    }
  }

  /// Appends a tweet that the owner has liked or bookmarked. Of it the archive has the id, mostly the text, and no
  /// author. One without a text, which is gone or closed, is a notice: a store has nothing to find it by.
  private mutating func mapArchive(marked post: JSONValue, _ mark: ArchiveMark, into out: inout ByteBuffer) -> String? {
    guard let id = readID(post["tweetId"]) else { return "\(mark.article) without an id" }
    guard let text = post["fullText"], text.isString, !text.isBlank else {
      out.notice("info", mark.code, mark.message, service: context.service) { out in
        out.member("id", id: id)
        out.member("url", post["expandedUrl"])
      }
      return nil
    }
    out.record("tweet") { out in
      out.member("id", id: id)
      out.appendServiceAndLink(context, id: id.idBytes, username: nil)
      if let number = Int(ascii: id.idBytes), number >= Self.firstWithTime {
        out.member("created_at", Snowflake.time(of: number))
      }
      out.string("text") { _ = $0.append(tweetText: text.rawString) }
      out.object("viewer") { out in
        if let owner = state.owner { out.append(owner.account) }
        out.member(mark.viewerKey, true)
      }
      out.append(context.feeds.isEmpty ? Array(",\"feeds\":[\"\(mark.rawValue)\"]".utf8) : context.feeds)
      out.append(context.retrieved)
    }
    return nil
  }

  private mutating func appendOwner(createdAt: JSONValue?, into out: inout ByteBuffer) -> String? {
    guard let owner = state.owner else { return "an account without an id" }
    out.record("user") { out in
      out.member("service", inside: context.service)
      out.appendMembers(of: owner)
      out.member("created_at", time: createdAt)
    }
    return nil
  }
}

extension ByteBuffer {
  /// Appends `,"author_id":…,"author":{…}`.
  mutating func appendAuthor(_ owner: ArchiveOwner) {
    member("author_id", inside: owner.id)
    object("author") { $0.appendMembers(of: owner) }
  }

  /// Appends the members of a user.
  fileprivate mutating func appendMembers(of owner: ArchiveOwner) {
    member("id", inside: owner.id)
    if !owner.username.isEmpty { member("username", inside: owner.username) }
    if !owner.name.isEmpty { member("name", inside: owner.name) }
    append(owner.details)
  }
}

extension ArchiveOwner {
  /// Calls `body` with the username, the inside of a JSON string; with `nil` when it is not known.
  func withUsername<R>(_ body: (ByteView?) -> R) -> R {
    username.isEmpty ? body(nil) : username.withBytes { body($0) }
  }
}

/// The kinds of elements in an archive's files, each by the name of its member.
enum XArchiveKind: CaseIterable {
  case tweet, noteTweet, account, userInfo, profile, like, bookmark

  var name: StaticString {
    switch self {
    case .tweet: "tweet"
    case .noteTweet: "noteTweet"
    case .account: "account"
    case .userInfo: "userInfo"
    case .profile: "profile"
    case .like: "like"
    case .bookmark: "bookmark"
    }
  }

  /// The kind of a document and the value of its member; `nil` for a document that is not an element of an archive.
  static func find(in document: JSONValue) -> (XArchiveKind, JSONValue)? {
    var members = document.members
    guard let first = members.next() else { return nil }
    for kind in allCases where first.key.spells(kind.name) && first.value.isObject { return (kind, first.value) }
    return nil
  }
}
