import TweetCore
import TwitterText

/// Entities, media and users as X v1.1 writes them.
extension V1PostView {
  /// `entities` and, where there is a photo, `extended_entities`.
  func entities(of text: WireText, _ post: Post) throws -> JSON.Members {
    guard hasEntities else { return [] }
    var members = try entities(of: text, media: post.picture)
    guard let picture = post.picture,
      let span = text.spans.first(where: { $0.kind == .url && OwnLink.isPhoto($0.value) })
    else { return [("entities", .object(members))] }
    let media = JSON.array([photo(picture, span)])
    members.append(("media", media))
    return [("entities", .object(members)), ("extended_entities", .object([("media", media)]))]
  }

  /// The entities of a text; the link of its photo, where it has one, is none of them.
  private func entities(of text: WireText, media: String?) throws -> JSON.Members {
    var (hashtags, mentions, symbols, urls): ([JSON], [JSON], [JSON], [JSON]) = ([], [], [], [])
    for span in text.spans {
      let place = ("indices", Self.pair(span.start..<span.end))
      switch span.kind {
      case .hashtag: hashtags.append(.object([("text", .string(span.value)), place]))
      case .cashtag: symbols.append(.object([("text", .string(span.value)), place]))
      case .mention:
        guard let account = try store.account(named: span.value) else { continue }
        mentions.append(
          .object([
            ("screen_name", .string(account.username)), ("name", .string(account.name)), ("id", .number(account.id)),
            ("id_str", .id(account.id)), place,
          ]))
      case .url where media != nil && OwnLink.isPhoto(span.value): continue
      case .url: urls.append(.object(link(span.value) + [place]))
      case .list: continue
      }
    }
    return [
      ("hashtags", .array(hashtags)), ("symbols", .array(symbols)), ("user_mentions", .array(mentions)),
      ("urls", .array(urls)),
    ]
  }

  private func link(_ link: String) -> JSON.Members {
    let target = OwnLink.resolved(link, base: base)
    return [
      ("url", .string(short(link))), ("expanded_url", .string(target)),
      ("display_url", .string(ShortLink.display(target))),
    ]
  }

  private func photo(_ picture: String, _ span: WireText.Span) -> JSON {
    let address = JSON.string("\(base)/media/\(picture).jpg")
    let id = PostView.mediaNumber(picture)
    var members: JSON.Members = [
      ("id", .number(id)), ("id_str", .id(id)), ("indices", Self.pair(span.start..<span.end)),
      ("media_url", address), ("media_url_https", address), ("url", .string(short(span.value))),
      ("display_url", .string("pic.\(ShortLink.display(base))/\(ShortLink.code(for: span.value))")),
      ("expanded_url", .string(OwnLink.resolved(span.value, base: base))), ("type", .string("photo")),
    ]
    let size = { (width: Int, height: Int, resize: String) -> JSON in
      .object([("w", .number(width)), ("h", .number(height)), ("resize", .string(resize))])
    }
    let whole = size(Photos.width, Photos.height, "fit")
    members.append(
      (
        "sizes",
        .object([("thumb", size(150, 150, "crop")), ("small", whole), ("medium", whole), ("large", whole)])
      ))
    if hasAltText { members.append(("ext_alt_text", .string(Photos.describe(picture)))) }
    return .object(members)
  }

  // MARK: Users

  func user(_ account: Account) throws -> JSON {
    let ids: JSON.Members = [("id", .number(account.id)), ("id_str", .id(account.id))]
    if trimsUsers { return .object(ids) }
    let bio = WireText(account.description, shorten: short)
    let site = WireText(account.url, shorten: short)
    var members = ids
    members += [
      ("name", .string(account.name)), ("screen_name", .string(account.username)),
      ("location", .string(account.location)), ("description", .string(bio.text)),
      ("url", account.url.isEmpty ? .null : .string(site.text)),
    ]
    // Streams leave a user's entities out.
    if mode != .streaming {
      var parts: JSON.Members = []
      if !account.url.isEmpty { parts.append(("url", .object([("urls", try urls(of: site))]))) }
      parts.append(("description", .object([("urls", try urls(of: bio))])))
      members.append(("entities", .object(parts)))
    }
    let picture = JSON.string(base + Portraits.path(of: account, size: "_normal"))
    return .object(
      members + [
        ("protected", .bool(false)), ("followers_count", .number(account.followers)),
        ("friends_count", .number(account.following)), ("listed_count", .number(account.followers / 40)),
        ("created_at", .string(v1Date(account.createdAt))), ("favourites_count", .number(0)),
        ("verified", .bool(account.isVerified)), ("statuses_count", .number(try store.postCount(of: account))),
        ("profile_image_url", picture), ("profile_image_url_https", picture), ("default_profile_image", .bool(false)),
      ])
  }

  private func urls(of text: WireText) throws -> JSON {
    try entities(of: text, media: nil).first { $0.key == "urls" }?.value ?? .array([])
  }
}

/// A time as v1.1 writes it, in UTC: `Wed Aug 27 13:08:45 +0000 2008`.
func v1Date(_ time: Timestamp) -> String {
  let parts = httpDate(time.milliseconds / 1000).split(separator: " ")
  return "\(parts[0].dropLast()) \(parts[2]) \(parts[1]) \(parts[4]) +0000 \(parts[3])"
}
