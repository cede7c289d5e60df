import TweetCore
import TwitterText

/// Writes posts, users and media the way X does, with what was asked for and no more.
struct PostView {
  let store: LocalStore
  /// The service's own address, `http://127.0.0.1:PORT`.
  let base: String
  let selection: Selection

  /// A post as an object.
  func object(_ post: Post) throws -> JSON {
    let (shown, note) = try wording(post)
    var members: JSON.Members = [
      ("id", .id(post.id)), ("text", .string(shown.text)), ("edit_history_tweet_ids", .array([.id(post.id)])),
    ]
    func add(_ field: String, _ value: JSON?) {
      if selection.tweet.contains(field), let value { members.append((field, value)) }
    }
    add("author_id", .id(post.authorID))
    add("created_at", Self.seconds(post.createdAt))
    add("conversation_id", .id(post.conversationID))
    add("in_reply_to_user_id", post.replyToAuthor.map(JSON.id))
    let references = references(of: post).map { reference in
      JSON.object([("type", .string(reference.type)), ("id", .id(reference.id))])
    }
    add("referenced_tweets", references.isEmpty ? nil : .array(references))
    add("entities", try entities(shown, picture: post.picture))
    add("attachments", post.picture.map { .object([("media_keys", .array([.string(Self.mediaKey($0))]))]) })
    add("lang", .string(post.language))
    add("source", .string(post.source))
    add("public_metrics", metrics(post))
    add("possibly_sensitive", .bool(false))
    add("reply_settings", .string("everyone"))
    if let note {
      var parts: JSON.Members = [("text", .string(note.text))]
      if let entities = try entities(note, picture: nil) { parts.append(("entities", entities)) }
      add("note_tweet", .object(parts))
    }
    return .object(members)
  }

  /// A time as X tells it: in its form for milliseconds, but in full seconds.
  static func seconds(_ time: Timestamp) -> JSON {
    .string(Timestamp(milliseconds: time.milliseconds / 1000 * 1000).rfc3339)
  }

  /// The posts a post refers to, in X's terms.
  func references(of post: Post) -> [(type: String, id: Int)] {
    [("retweeted", post.retweetOf), ("quoted", post.quoteOf), ("replied_to", post.replyTo)].compactMap { type, id in
      id.map { (type, $0) }
    }
  }

  private func metrics(_ post: Post) -> JSON {
    // A retweet has no counts of its own but shows how often the original was retweeted.
    let retweets = (try? post.retweetOf.flatMap(store.post))?.counts.retweets ?? post.counts.retweets
    return .object([
      ("retweet_count", .number(retweets)), ("reply_count", .number(post.counts.replies)),
      ("like_count", .number(post.counts.likes)), ("quote_count", .number(post.counts.quotes)),
      ("bookmark_count", .number(0)), ("impression_count", .number(post.counts.likes * 37 + 11)),
    ])
  }

  // MARK: Text

  /// A retweet's text is cut here, as X cuts it.
  private static let retweetLength = 140

  /// A post's text as it is shown, and the whole of it where that is longer.
  func wording(_ post: Post) throws -> (shown: WireText, note: WireText?) {
    if let id = post.retweetOf, let original = try store.post(id), let author = try store.account(original.authorID) {
      let whole = try wording(original)
      let text = (whole.note ?? whole.shown).retweeted(from: author.username)
      return (text.cut(to: Self.retweetLength), nil)
    }
    let whole = WireText(post.text) { "\(base)/s/\(ShortLink.code(for: $0))" }
    let isLong = WeightedLength(post.text).weightedLength > WireText.shownWeight
    var shown = isLong ? whole.cut(to: WireText.shownWeight) : whole
    for link in try store.attachedLinks(of: post) {
      shown.append(link: link, short: "\(base)/s/\(ShortLink.code(for: link))")
    }
    return (shown, isLong ? whole : nil)
  }

  private func entities(_ text: WireText, picture: String?) throws -> JSON? {
    var groups: [(key: String, value: [JSON])] = [
      ("hashtags", []), ("mentions", []), ("cashtags", []), ("urls", []),
    ]
    for span in text.spans {
      let place: JSON.Members = [("start", .number(span.start)), ("end", .number(span.end))]
      let value = span.value
      switch span.kind {
      case .hashtag: groups[0].value.append(.object(place + [("tag", .string(value))]))
      case .mention:
        // As on X: a name nobody has is plain text.
        guard let account = try store.account(named: value) else { continue }
        groups[1].value.append(
          .object(place + [("username", .string(account.username)), ("id", .id(account.id))]))
      case .cashtag: groups[2].value.append(.object(place + [("tag", .string(value))]))
      case .url: groups[3].value.append(.object(place + link(value, picture: picture)))
      case .list: continue
      }
    }
    let filled = groups.filter { !$0.value.isEmpty }
    return filled.isEmpty ? nil : .object(filled.map { ($0.key, .array($0.value)) })
  }

  private func link(_ link: String, picture: String?) -> JSON.Members {
    let expanded = OwnLink.resolved(link, base: base)
    var members: JSON.Members = [
      ("url", .string("\(base)/s/\(ShortLink.code(for: link))")), ("expanded_url", .string(expanded)),
    ]
    if let picture, OwnLink.isPhoto(link) {
      members.append(("display_url", .string("pic.\(ShortLink.display(base))/\(ShortLink.code(for: link))")))
      members.append(("media_key", .string(Self.mediaKey(picture))))
    } else {
      members.append(("display_url", .string(ShortLink.display(expanded))))
    }
    return members
  }
}

// MARK: - Users and media

extension PostView {
  /// A user as an object.
  func object(_ account: Account) throws -> JSON {
    var members: JSON.Members = [
      ("id", .id(account.id)), ("name", .string(account.name)), ("username", .string(account.username)),
    ]
    func add(_ field: String, _ value: JSON?) {
      if selection.user.contains(field), let value { members.append((field, value)) }
    }
    let bio = WireText(account.description) { "\(base)/s/\(ShortLink.code(for: $0))" }
    let site = WireText(account.url) { "\(base)/s/\(ShortLink.code(for: $0))" }
    add("created_at", Self.seconds(account.createdAt))
    add("description", .string(bio.text))
    add("entities", try userEntities(site: site, bio: bio))
    add("location", account.location.isEmpty ? nil : .string(account.location))
    add("profile_image_url", .string(base + Portraits.path(of: account, size: "_normal")))
    add("protected", .bool(false))
    if selection.user.contains("public_metrics") {
      add(
        "public_metrics",
        .object([
          ("followers_count", .number(account.followers)), ("following_count", .number(account.following)),
          ("tweet_count", .number(try store.postCount(of: account))), ("listed_count", .number(account.followers / 40)),
        ]))
    }
    add("url", .string(site.text))
    add("verified", .bool(account.isVerified))
    add("verified_type", .string(account.isVerified ? "business" : "none"))
    return .object(members)
  }

  private func userEntities(site: WireText, bio: WireText) throws -> JSON? {
    var parts: JSON.Members = []
    if let entities = try entities(site, picture: nil) { parts.append(("url", entities)) }
    if let entities = try entities(bio, picture: nil) { parts.append(("description", entities)) }
    return parts.isEmpty ? nil : .object(parts)
  }

  /// X's key of a photo.
  static func mediaKey(_ picture: String) -> String { "3_\(mediaNumber(picture))" }

  static func mediaNumber(_ picture: String) -> Int { Int(fingerprint(picture.utf8) >> 2) }

  private func media(_ picture: String) -> JSON {
    var members: JSON.Members = [
      ("media_key", .string(Self.mediaKey(picture))), ("type", .string("photo")),
    ]
    let photo = Photos.describe(picture)
    for (field, value) in [
      ("url", JSON.string("\(base)/media/\(picture).jpg")), ("width", .number(Photos.width)),
      ("height", .number(Photos.height)), ("alt_text", .string(photo)),
    ] where selection.media.contains(field) {
      members.append((field, value))
    }
    return .object(members)
  }
}

// MARK: - Answers

extension PostView {
  /// `includes` and `errors` for some posts: what the expansions ask for, each object once.
  func surroundings(of posts: [Post]) throws -> JSON.Members {
    let wanted = selection.expansions
    var included: [Post] = []
    var missing: [JSON] = []
    if wanted.contains(where: { $0.hasPrefix("referenced_tweets.id") }) {
      var seen: Set<Int> = []
      for reference in posts.flatMap(references) where seen.insert(reference.id).inserted {
        if let post = try store.post(reference.id) {
          included.append(post)
        } else {
          missing.append(
            Problem.notFound("tweet", parameter: "referenced_tweets.id", value: String(reference.id)))
        }
      }
    }
    var pictures: [String] = []
    if wanted.contains("attachments.media_keys") { pictures += posts.compactMap(\.picture) }
    if wanted.contains("referenced_tweets.id.attachments.media_keys") { pictures += included.compactMap(\.picture) }
    let users = try people(in: posts, and: included)
    var includes: JSON.Members = []
    if !users.isEmpty { includes.append(("users", .array(try users.map(object)))) }
    if !included.isEmpty { includes.append(("tweets", .array(try included.map(object)))) }
    if !pictures.isEmpty { includes.append(("media", .array(unique(pictures).map(media)))) }
    var parts: JSON.Members = []
    if !includes.isEmpty { parts.append(("includes", .object(includes))) }
    if !missing.isEmpty { parts.append(("errors", .array(missing))) }
    return parts
  }

  private func people(in posts: [Post], and included: [Post]) throws -> [Account] {
    let wanted = selection.expansions
    var ids: [Int] = []
    if wanted.contains("author_id") { ids += posts.map(\.authorID) }
    if wanted.contains("in_reply_to_user_id") { ids += posts.compactMap(\.replyToAuthor) }
    if wanted.contains("referenced_tweets.id.author_id") { ids += included.map(\.authorID) }
    if wanted.contains("entities.mentions.username") {
      for post in posts {
        for span in try wording(post).shown.spans where span.kind == .mention {
          if let account = try store.account(named: span.value) { ids.append(account.id) }
        }
      }
    }
    return try unique(ids).compactMap(store.account)
  }

  private func unique<Element: Hashable>(_ elements: [Element]) -> [Element] {
    var seen: Set<Element> = []
    return elements.filter { seen.insert($0).inserted }
  }
}
