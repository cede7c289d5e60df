import TweetCore

/// Whose archive is read: X's downloads name their owner in a file of its own, never in the tweets.
package struct ArchiveOwner: Sendable {
  /// Insides of JSON strings.
  fileprivate let id: [UInt8]
  fileprivate let username: [UInt8]
  fileprivate let name: [UInt8]
  /// Further members of the author, a comma before each.
  fileprivate var details: [UInt8] = []

  /// From texts; empty ones are not known.
  package init(id: String, username: String, name: String) {
    func inside(_ text: String) -> [UInt8] {
      var buffer = ByteBuffer(capacity: text.utf8.count + 2)
      buffer.appendJSONString(text)
      return Array(buffer.array.dropFirst().dropLast())
    }
    (self.id, self.username, self.name) = (inside(id), inside(username), inside(name))
  }

  fileprivate init?(id: JSONValue?, username: JSONValue?, name: JSONValue?) {
    guard let id, id.isString, !id.saysNothing else { return nil }
    self.id = Array(id.rawString)
    self.username = Array(username?.rawString ?? UnsafeBufferPointer(start: nil, count: 0))
    self.name = Array(name?.rawString ?? UnsafeBufferPointer(start: nil, count: 0))
  }
}

/// X's "Download your data" (`window.YTD.tweets.part0 = […]`): the elements of its files, each an object with one
/// member. Numbers and offsets are strings there, and tweets have no user.
extension TweetMapper {
  /// Appends what an element holds: a tweet, a like, or the owner, who is remembered for the tweets behind.
  mutating func mapArchive(_ kind: XArchiveKind, _ body: JSONValue, into out: inout ByteBuffer) -> String? {
    switch kind {
    case .tweet:
      if body["deleted_at"] != nil { return mapArchive(deleted: body, into: &out) }
      if body["user"] == nil, owner == nil {
        return "nothing says whose tweet it is: give --owner ID:NAME, or the archive's account.js before it"
      }
      return mapV1(tweet: body, into: &out)
    case .account:
      owner = ArchiveOwner(id: body["accountId"], username: body["username"], name: body["accountDisplayName"])
      return appendOwner(createdAt: body["createdAt"], into: &out)
    case .userInfo:
      owner = ArchiveOwner(id: body["accountId"], username: body["userName"], name: body["displayName"])
      return appendOwner(createdAt: nil, into: &out)
    case .profile: return mapArchive(profile: body)
    case .like: return mapArchive(like: body, into: &out)
    }
  }

  /// `profile.js` has what `account.js` does not; it has no id, so it counts only behind that.
  private mutating func mapArchive(profile: JSONValue) -> String? {
    guard owner != nil else { return "a profile before its account: give account.js first" }
    hasContext = true
    var details = ByteBuffer(capacity: 512)
    details.append(",\"profile_image_url\":", profile["avatarMediaUrl"])
    details.append(",\"description\":", profile["description"]?["bio"])
    details.append(",\"location\":", profile["description"]?["location"])
    details.append(",\"url\":", profile["description"]?["website"])
    owner?.details = details.array
    return nil
  }

  /// What the owner deleted is in the archive still; as a record it is a deletion, so that no store brings it back.
  private func mapArchive(deleted tweet: JSONValue, into out: inout ByteBuffer) -> String? {
    guard let id = tweet.v1ID else { return "a deleted tweet without an id" }
    out.append("{\"tw\":\"delete\",\"service\":")
    out.append(context.service)
    out.append(",\"id\":", asString: id)
    if let owner { owner.id.withUnsafeBufferPointer { out.append(",\"user_id\":", inside: $0) } }
    out.append(",\"deleted_at\":", time: tweet["deleted_at"])
    out.append("}\n")
    return nil
  }

  /// A liked post has an id, mostly its text, and nobody's name.
  private func mapArchive(like: JSONValue, into out: inout ByteBuffer) -> String? {
    guard let id = like["tweetId"], id.isString else { return "a like without an id" }
    out.append("{\"tw\":\"notice\",\"level\":\"info\",\"code\":\"like\",\"message\":\"a post was liked\",\"service\":")
    out.append(context.service)
    out.append(",\"id\":", id)
    out.append(",\"text\":", like["fullText"])
    out.append(",\"url\":", like["expandedUrl"])
    out.append("}\n")
    return nil
  }

  private mutating func appendOwner(createdAt: JSONValue?, into out: inout ByteBuffer) -> String? {
    guard let owner else { return "an account without an id" }
    hasContext = true
    out.append("{\"tw\":\"user\",\"service\":")
    out.append(context.service)
    out.append(",")
    out.appendMembers(of: owner)
    out.append(",\"created_at\":", time: createdAt)
    out.append("}\n")
    return nil
  }
}

extension ByteBuffer {
  /// Appends `,"author_id":…,"author":{…}`.
  mutating func appendAuthor(_ owner: ArchiveOwner) {
    append(",\"author_id\":\"")
    append(owner.id)
    append("\",\"author\":{")
    appendMembers(of: owner)
    append("}")
  }

  /// Appends the members of a user, without a comma before the first.
  fileprivate mutating func appendMembers(of owner: ArchiveOwner) {
    append("\"id\":\"")
    append(owner.id)
    append("\"")
    for (key, value) in [("username", owner.username), ("name", owner.name)] where !value.isEmpty {
      append(",\"\(key)\":\"")
      append(value)
      append("\"")
    }
    append(owner.details)
  }
}

extension ArchiveOwner {
  /// Lends the username, the inside of a JSON string; `nil` when it is not known.
  func withUsername<R>(_ body: (UnsafeBufferPointer<UInt8>?) -> R) -> R {
    username.isEmpty ? body(nil) : username.withUnsafeBufferPointer { body($0) }
  }
}

/// What an element of an archive's file is told by.
enum XArchiveKind: CaseIterable {
  case tweet, account, userInfo, profile, like

  var name: StaticString {
    switch self {
    case .tweet: "tweet"
    case .account: "account"
    case .userInfo: "userInfo"
    case .profile: "profile"
    case .like: "like"
    }
  }

  /// The kind of a document and what it holds; `nil` for a document that is no element of an archive.
  static func find(in document: JSONValue) -> (XArchiveKind, JSONValue)? {
    var members = document.members
    guard let first = members.next() else { return nil }
    for kind in allCases where first.key.spells(kind.name) && first.value.isObject { return (kind, first.value) }
    return nil
  }
}
