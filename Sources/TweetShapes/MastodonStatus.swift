import TweetCore

/// Statuses of Mastodon's API, as Mastodon and other servers with this API send them (Pleroma, Akkoma, GoToSocial,
/// Pixelfed, Friendica, the Misskey family): ids are any strings, and many members may be null or missing.
extension TweetMapper {
  /// Appends one status as a record line.
  mutating func mapMastodon(status: JSONValue, into out: inout ByteBuffer) -> String? {
    guard status.isObject else { return "a status that is not an object" }
    return out.record("tweet") { out in appendMastodon(status, type: nil, depth: 0, to: &out) }
  }

  /// Appends a status's members, each with a comma before it.
  /// - Parameters:
  ///   - type: how the status around it refers to it; `nil` for the outermost, which alone gets service and feeds.
  ///   - depth: how many statuses are around it.
  private mutating func appendMastodon(
    _ status: JSONValue, type: StaticString?, depth: Int, to out: inout ByteBuffer
  ) -> String? {
    let fields = arena.gather(status, &mastodonStatusKeys)
    defer { arena.release(fields) }
    func value(_ key: MastodonStatusKey) -> JSONValue? { arena.value(fields, key, in: status) }

    if arena.isThere(fields, .tw) { return Self.forged }
    guard let id = value(.id), !id.isBlank else { return "a status without an id" }
    guard let account = value(.account), account.isObject else {
      return "a status without an account"
    }
    for id in [id, account["id"], value(.replyID), value(.replyAccountID)] {
      if let id, !id.isBlank, !id.isServerID { return id.faultOfID }
    }
    out.member("id", asString: id)
    if type == nil {
      guard out.appendMastodonService(context, [account["url"], value(.url), value(.uri)]) else {
        return "a status that does not say of which server it is"
      }
    }
    out.member("url", mastodonLink(value(.url), value(.uri)))
    let isRead = out.member("created_at", time: value(.createdAt))
    let reblog = value(.reblog).flatMap { $0.isObject ? $0 : nil }
    let prefix = appendMastodonText(value(.content), source: value(.text), reblog: reblog, to: &out)
    out.member("lang", value(.language) ?? reblog?["language"])
    out.member("source", value(.application)?["name"])
    out.member("possibly_sensitive", value(.sensitive))
    guard let accountID = account["id"], !accountID.isBlank else {
      return "an account without an id"
    }
    out.member("author_id", asString: accountID)
    out.key("author")
    appendMastodon(account: account, to: &out)
    appendMastodonCounts(status, fields, to: &out)
    out.appendViewer(
      context.account, liked: value(.favourited), retweeted: value(.reblogged), bookmarked: value(.bookmarked))
    appendMastodonEntities(of: reblog ?? status, reblog: reblog, prefix: prefix, to: &out)
    appendMastodonAttachments(value(.media), poll: value(.poll), to: &out)
    appendMastodonReply(
      value(.replyAccountID), author: account, mentions: value(.mentions), to: &out)
    let quote = value(.quote)
    let pleroma = value(.pleroma)
    let quoted = quotedStatus(quote) ?? value(.quoteID) ?? quotedStatus(pleroma?["quote"]) ?? pleroma?["quote_id"]
    if let reason = appendMastodonReferences(
      reblog: reblog ?? value(.reblogID), quoted: quoted, repliedTo: value(.replyID), depth: depth, to: &out)
    {
      return reason
    }
    if type == nil {
      out.append(context.feeds)
      out.append(context.retrieved)
    }
    out.object("extra") { out in
      if !isRead { out.member("created_at", value(.createdAt)) }
      arena.appendUnknown(of: fields, in: status, to: &out)
      if value(.application)?["website"].map({ !$0.isBlank }) ?? false {
        out.member("application", value(.application))
      }
      if value(.content) != nil { out.member("text", value(.text)) }
      // Where all servers find the status, if that is not its page.
      if let uri = value(.uri), uri.isString, value(.url)?.hasBytes(of: uri) != true { out.member("uri", uri) }
      if quoted == nil {
        // It says why there is no quoted status: pending, rejected, deleted…
        out.member("quote", quote)
      } else if let state = quote?["state"], !state.isBlank {
        // The quoted status may be there, and yet not be shown: it is of a muted or blocked account. Also one that is
        // accepted is told, since it replaces an earlier state.
        out.object("quote") { $0.member("state", state) }
      }
    }
    return nil
  }

  /// Appends `,"text":"…"`; of a reblog the text of the status that it repeats. A status that was just deleted has only
  /// its source, which is plain text.
  /// - Returns: how many scalars come before the status's own text.
  private mutating func appendMastodonText(
    _ content: JSONValue?, source: JSONValue?, reblog: JSONValue?, to out: inout ByteBuffer
  ) -> Int {
    out.string("text") { out in
      var prefix = 0
      var (content, source) = (content, source)
      if let reblog {
        (content, source) = (reblog["content"], reblog["text"])
        if let name = reblog["account"]?["acct"] ?? reblog["account"]?["username"], name.isString {
          out.append("RT @")
          out.append(knownInside: name.rawString)
          out.append(": ")
          prefix = 6 + name.rawString.scalarCount
        }
      }
      html.read(content?.rawString ?? .empty)
      if content?.isString != true, let source {
        out.append(knownInside: source.rawString)
      } else {
        html.text.withBytes { out.appendJSONEscaped($0) }
      }
      return prefix
    }
  }

  private func appendMastodonCounts(
    _ status: JSONValue, _ fields: Fields<MastodonStatusKey>, to out: inout ByteBuffer
  ) {
    out.object("public_metrics") { out in
      out.member("retweet_count", count: arena.value(fields, .reblogsCount, in: status))
      out.member("reply_count", count: arena.value(fields, .repliesCount, in: status))
      out.member("like_count", count: arena.value(fields, .favouritesCount, in: status))
      out.member("quote_count", count: arena.value(fields, .quotesCount, in: status))
    }
  }

  /// Appends whom it replies to. The name is known when the text mentions them, or when the author replies to
  /// themselves.
  private func appendMastodonReply(
    _ id: JSONValue?, author: JSONValue, mentions: JSONValue?, to out: inout ByteBuffer
  ) {
    guard let id, !id.isBlank else { return }
    out.member("in_reply_to_user_id", asString: id)
    // An export has no ids of other accounts, but their addresses.
    let user =
      author.hasID(id) ? author : mentions?.elements.first { $0.hasID(id) || $0["url"]?.hasBytes(of: id) == true }
    guard let name = user?["acct"] ?? user?["username"], !name.isBlank else { return }
    out.object("in_reply_to_user") { out in
      out.member("id", asString: id)
      out.member("username", name)
    }
  }

  /// The quoted status or its id. Mastodon sends an object with one of them; other servers send the status itself.
  private func quotedStatus(_ quote: JSONValue?) -> JSONValue? {
    guard let quote, quote.isObject else { return nil }
    if let status = quote["quoted_status"], status.isObject { return status }
    if let id = quote["quoted_status_id"], !id.isBlank { return id }
    return quote["account"] != nil && quote["id"] != nil ? quote : nil
  }

  private mutating func appendMastodonReferences(
    reblog: JSONValue?, quoted: JSONValue?, repliedTo: JSONValue?, depth: Int,
    to out: inout ByteBuffer
  ) -> String? {
    let references: [(StaticString, JSONValue?)] = [
      ("retweeted", reblog), ("quoted", quoted), ("replied_to", repliedTo),
    ]
    return out.array("referenced_tweets") { out in
      for (type, status) in references {
        guard let status, !status.isBlank else { continue }
        let reason: String? = out.element { out in
          out.member("type", type)
          if status.isObject {
            if depth >= Self.maximumNesting { return "statuses within statuses, \(depth) levels deep" }
            return appendMastodon(status, type: type, depth: depth + 1, to: &out)
          }
          out.member("id", asString: status)
          return nil
        }
        if let reason { return reason }
      }
      return nil
    }
  }

  /// The address of a status's page; when there is none, its ActivityPub id if that is a link.
  private func mastodonLink(_ url: JSONValue?, _ uri: JSONValue?) -> JSONValue? {
    if let url, url.isString, !url.isBlank { return url }
    guard let uri, uri.isString, uri.rawString.starts(with: "http".utf8) else { return nil }
    return uri
  }
}

extension JSONValue {
  /// Whether its `id` has the same bytes as `id`, a string or a number.
  fileprivate func hasID(_ id: JSONValue) -> Bool {
    guard let own = self["id"] else { return false }
    return own.raw.elementsEqual(id.raw)
  }
}

extension ByteBuffer {
  /// Appends `,"service":"mastodon:HOST"`: the service of the context, else the host of the first of these links that
  /// has one. The author's page is the first: for an account of the server that was asked, its host is that server. For
  /// an account of another server nothing says which server was asked, and the account's own server is named.
  /// - Returns: `false` when no host is known; then nothing is appended.
  mutating func appendMastodonService(_ context: FeedContext, _ links: [JSONValue?]) -> Bool {
    if context.isGiven || context.service.starts(with: "mastodon:".utf8) {
      member("service", inside: context.service)
      return true
    }
    for link in links {
      guard let text = link?.string, let host = Self.host(of: text) else { continue }
      member("service", "mastodon:" + host)
      return true
    }
    return false
  }

  /// The host of a link in lower case, with its port if it has one.
  static func host(of link: String) -> String? {
    guard link.hasPrefix("http://") || link.hasPrefix("https://") else { return nil }
    let authority = link.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
      .prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let host = authority.split(separator: UInt8(ascii: "@")).last ?? authority
    return host.isEmpty || host.contains { $0 <= 0x20 } ? nil : String(Substring(host)).lowercased()
  }
}

enum MastodonStatusKey: Int, ShapeKey {
  case id, createdAt, url, uri, content, text, language, application, sensitive, account,
    reblogsCount, repliesCount
  case favouritesCount, quotesCount, favourited, reblogged, bookmarked, media, poll, mentions, tags,
    replyID, replyAccountID
  case reblog, reblogID, quote, quoteID, pleroma
  /// No server sends them; in a record they are the kit's own words.
  case sameAs, tw

  /// It has much besides.
  var isForDetectionOnly: Bool { self == .pleroma }

  var name: StaticString {
    switch self {
    case .id: "id"
    case .createdAt: "created_at"
    case .url: "url"
    case .uri: "uri"
    case .content: "content"
    case .text: "text"
    case .language: "language"
    case .application: "application"
    case .sensitive: "sensitive"
    case .account: "account"
    case .reblogsCount: "reblogs_count"
    case .repliesCount: "replies_count"
    case .favouritesCount: "favourites_count"
    case .quotesCount: "quotes_count"
    case .favourited: "favourited"
    case .reblogged: "reblogged"
    case .bookmarked: "bookmarked"
    case .media: "media_attachments"
    case .poll: "poll"
    case .mentions: "mentions"
    case .tags: "tags"
    case .replyID: "in_reply_to_id"
    case .replyAccountID: "in_reply_to_account_id"
    case .reblog: "reblog"
    // No server sends it; an export's boosts have it.
    case .reblogID: "reblog_of_id"
    case .quote: "quote"
    case .pleroma: "pleroma"
    case .quoteID: "quote_id"
    case .sameAs: CanonicalAddress.crosspost
    case .tw: "tw"
    }
  }
}
