import TweetCore

/// Accounts of Mastodon's API.
extension TweetMapper {
  /// Appends one account as a `user` record line.
  mutating func mapMastodon(account: JSONValue, into out: inout ByteBuffer) -> String? {
    if RecordMark(account) != .none { return Self.forged }
    guard account.isObject, let id = account["id"], !id.isBlank else {
      return "an account without an id"
    }
    guard id.isServerID else { return id.faultOfID }
    return out.record("user") { out in
      guard out.appendMastodonService(context, [account["url"], account["uri"]]) else {
        return "an account that does not say of which server it is"
      }
      appendMastodonMembers(of: account, to: &out)
      return nil
    }
  }

  /// Appends an account as the value of `author`. It must have an id.
  mutating func appendMastodon(account: JSONValue, to out: inout ByteBuffer) {
    out.object { out in
      appendMastodonMembers(of: account, to: &out)
    }
  }

  /// Appends an account's members, each with a comma before it. `acct` is the name, and of accounts on other servers
  /// `name@server`.
  private mutating func appendMastodonMembers(of account: JSONValue, to out: inout ByteBuffer) {
    let fields = arena.gather(account, &mastodonAccountKeys)
    defer { arena.release(fields) }
    func value(_ key: MastodonAccountKey) -> JSONValue? { arena.value(fields, key, in: account) }

    out.member("id", asString: value(.id))
    out.member("username", value(.acct) ?? value(.username))
    out.member("name", value(.displayName))
    out.member("profile_image_url", value(.avatar) ?? value(.stillAvatar))
    out.member("protected", value(.locked))
    noteHTML.read(value(.note)?.rawString ?? .empty)
    if noteHTML.text.count > 0 {
      noteHTML.text.withBytes { out.member("description", text: $0) }
    }
    out.member("url", value(.url))
    let isRead = out.member("created_at", time: value(.createdAt))
    appendMastodonCounts(of: account, fields, to: &out)
    appendNoteLinks(to: &out)
    out.object("extra") { out in
      if !isRead { out.member("created_at", value(.createdAt)) }
      if value(.avatar) != nil { out.member("avatar_static", value(.stillAvatar)) }
      arena.appendUnknown(of: fields, in: account, to: &out)
    }
  }

  private func appendMastodonCounts(
    of account: JSONValue, _ fields: Fields<MastodonAccountKey>, to out: inout ByteBuffer
  ) {
    out.object("public_metrics") { out in
      out.member("followers_count", count: arena.value(fields, .followers, in: account))
      out.member("following_count", count: arena.value(fields, .following, in: account))
      out.member("tweet_count", count: arena.value(fields, .statuses, in: account))
    }
  }

  /// Appends `,"entities":{"description":{…}}`, the links of the note, as X has those of a profile's text.
  private func appendNoteLinks(to out: inout ByteBuffer) {
    out.object("entities") { out in
      out.object("description") { out in
        appendLinks(of: noteHTML, kinds: noteHTML.links.map { _ in .url }, prefix: 0, to: &out)
      }
    }
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
