import TweetCore

/// Accounts of Mastodon's API.
extension TweetMapper {
  /// Appends one account as a `user` record line.
  mutating func mapMastodon(account: JSONValue, into out: inout ByteBuffer) -> String? {
    guard account.isObject, let id = account["id"], !id.isBlank else {
      return "an account without an id"
    }
    out.append("{\"tw\":\"user\"")
    guard out.appendMastodonService(context, [account["url"], account["uri"]]) else {
      return "an account that does not say of which server it is"
    }
    appendMastodonMembers(of: account, to: &out)
    out.append("}\n")
    return nil
  }

  /// Appends an account as the value of `author`. It must have an id.
  mutating func appendMastodon(account: JSONValue, to out: inout ByteBuffer) {
    let start = out.count
    appendMastodonMembers(of: account, to: &out)
    out.closeObject(from: start, keyStart: start)
  }

  /// Appends an account's members, each with a comma before it. `acct` is the name, and of accounts on other servers
  /// `name@server`.
  private mutating func appendMastodonMembers(of account: JSONValue, to out: inout ByteBuffer) {
    let fields = arena.gather(account, &mastodonAccountKeys)
    defer { arena.release(fields) }
    func value(_ key: MastodonAccountKey) -> JSONValue? { arena.value(fields, key, in: account) }

    out.append(",\"id\":", asString: value(.id))
    out.append(",\"username\":", value(.acct) ?? value(.username))
    out.append(",\"name\":", value(.displayName))
    out.append(",\"profile_image_url\":", value(.avatar) ?? value(.stillAvatar))
    out.append(",\"protected\":", value(.locked))
    noteHTML.read(value(.note)?.rawString ?? UnsafeBufferPointer(start: nil, count: 0))
    if noteHTML.text.count > 0 {
      out.append(",\"description\":\"")
      noteHTML.text.withBytes { out.appendJSONEscaped($0) }
      out.append("\"")
    }
    out.append(",\"url\":", value(.url))
    out.append(",\"created_at\":", time: value(.createdAt))
    appendMastodonCounts(of: account, fields, to: &out)
    appendNoteLinks(to: &out)
    let keyStart = out.count
    out.append(",\"extra\":")
    let extraStart = out.count
    if value(.avatar) != nil { out.append(",\"avatar_static\":", value(.stillAvatar)) }
    arena.appendUnknown(of: fields, in: account, to: &out)
    out.closeObject(from: extraStart, keyStart: keyStart)
  }

  private func appendMastodonCounts(
    of account: JSONValue, _ fields: Fields<MastodonAccountKey>, to out: inout ByteBuffer
  ) {
    let keyStart = out.count
    out.append(",\"public_metrics\":")
    let start = out.count
    out.append(",\"followers_count\":", count: arena.value(fields, .followers, in: account))
    out.append(",\"following_count\":", count: arena.value(fields, .following, in: account))
    out.append(",\"tweet_count\":", count: arena.value(fields, .statuses, in: account))
    out.closeObject(from: start, keyStart: keyStart)
  }

  /// Appends `,"entities":{"description":{…}}`, the links of the note, as X has those of a profile's text.
  private func appendNoteLinks(to out: inout ByteBuffer) {
    let keyStart = out.count
    out.append(",\"entities\":{\"description\":")
    let start = out.count
    appendLinks(of: noteHTML, kinds: noteHTML.links.map { _ in .url }, prefix: 0, to: &out)
    out.closeObject(from: start, keyStart: keyStart)
    if out.count > keyStart { out.append("}") }
  }
}

enum MastodonAccountKey: Int, ShapeKey {
  case id, username, acct, displayName, avatar, stillAvatar, locked, note, url, createdAt,
    followers, following, statuses

  var name: StaticString {
    switch self {
    case .id: "id"
    case .username: "username"
    case .acct: "acct"
    case .displayName: "display_name"
    case .avatar: "avatar"
    case .stillAvatar: "avatar_static"
    case .locked: "locked"
    case .note: "note"
    case .url: "url"
    case .createdAt: "created_at"
    case .followers: "followers_count"
    case .following: "following_count"
    case .statuses: "statuses_count"
    }
  }
}
