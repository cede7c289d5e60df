import TweetCore
import TwitterText

/// Writes posts, users and media as v2 does: the fields that were asked for and no others.
struct PostView {
  let reader: PostReader
  let selection: Selection

  private var store: LocalStore { reader.store }

  func object(_ post: Post) throws -> JSON {
    let (shown, complete) = try texts(of: post)
    var members: JSON.Members = [
      ("id", .id(post.id)), ("text", .string(shown.text)), ("edit_history_tweet_ids", .array([.id(post.id)])),
    ]
    func add(_ field: String, _ value: JSON?) {
      if selection.tweet.contains(field), let value { members.append((field, value)) }
    }
    add("author_id", .id(post.authorID))
    add("created_at", Self.time(post.createdAt))
    add("conversation_id", .id(post.conversationID))
    add("in_reply_to_user_id", post.replyToAuthor.map(JSON.id))
    let references = Self.references(of: post).map { reference -> JSON in
      ["type": .string(reference.type), "id": .id(reference.id)]
    }
    add("referenced_tweets", references.isEmpty ? nil : .array(references))
    let media = try reader.media(of: post)
    add("entities", try entities(of: shown, media: media.first))
    if selection.tweet.contains("attachments") { add("attachments", try attachments(of: post, media)) }
    add("lang", .string(post.language))
    add("source", .string(post.source))
    add("public_metrics", try metrics(of: post))
    add("possibly_sensitive", .bool(false))
    add("reply_settings", .string("everyone"))
    if let complete {
      var note: JSON.Members = [("text", .string(complete.text))]
      if let entities = try entities(of: complete) { note.append(("entities", entities)) }
      add("note_tweet", .object(note))
    }
    return .object(members)
  }

  private func attachments(of post: Post, _ media: [PostMedia]) throws -> JSON? {
    var members: JSON.Members = []
    if !media.isEmpty { members.append(("media_keys", .array(media.map { .string($0.key) }))) }
    if try store.poll(of: post.id) != nil { members.append(("poll_ids", .array([.id(post.id)]))) }
    return members.isEmpty ? nil : .object(members)
  }

  /// A time as X writes it: with milliseconds, which are always 0.
  private static func time(_ time: Timestamp) -> JSON {
    .string(Timestamp(milliseconds: time.milliseconds / 1000 * 1000).rfc3339)
  }

  /// The posts that a post refers to, in X's terms.
  private static func references(of post: Post) -> [(type: String, id: Int)] {
    [("retweeted", post.retweetOf), ("quoted", post.quoteOf), ("replied_to", post.replyTo)].compactMap { type, id in
      id.map { (type, $0) }
    }
  }

  private func metrics(of post: Post) throws -> JSON {
    let counts = try reader.counts(of: post)
    return [
      "retweet_count": .number(counts.retweets), "reply_count": .number(counts.replies),
      "like_count": .number(counts.likes), "quote_count": .number(counts.quotes),
      "bookmark_count": .number(try store.bookmarkCount(of: post.id)),
      "impression_count": .number(counts.likes * 37 + 11),
    ]
  }

  // MARK: Text

  /// Most weighted characters of `text`; a longer post has its complete text in `note_tweet`.
  private static let shownWeight = 280
  /// Most scalars of the text of a retweet.
  private static let retweetLength = 140

  /// The text of a post, and its complete text where that is longer.
  func texts(of post: Post) throws -> (shown: WireText, complete: WireText?) {
    if let original = try reader.original(of: post) {
      let texts = try texts(of: original)
      let text = (texts.complete ?? texts.shown).retweeted(from: try reader.author(of: original).username)
      return (text.truncated(to: Self.retweetLength), nil)
    }
    let complete = reader.text(post.text)
    let isLong = WeightedLength(post.text).weightedLength > Self.shownWeight
    let shown = try reader.appendingLinks(
      of: post, to: isLong ? complete.truncated(to: Self.shownWeight) : complete)
    return (shown, isLong ? complete : nil)
  }

  /// - Parameter media: the first picture or video of the post that the text belongs to.
  private func entities(of text: WireText, media: PostMedia? = nil) throws -> JSON? {
    var (hashtags, mentions, cashtags, urls): ([JSON], [JSON], [JSON], [JSON]) = ([], [], [], [])
    for (span, entity) in try reader.entities(of: text, hasPhoto: media != nil) {
      let offsets: JSON.Members = [("start", .number(span.start)), ("end", .number(span.end))]
      switch entity {
      case .hashtag(let tag): hashtags.append(.object(offsets + [("tag", .string(tag))]))
      case .cashtag(let tag): cashtags.append(.object(offsets + [("tag", .string(tag))]))
      case .mention(let account):
        mentions.append(.object(offsets + [("username", .string(account.username)), ("id", .id(account.id))]))
      case .link(let link):
        var members: JSON.Members = [
          ("url", .string(link.short)), ("expanded_url", .string(link.target)),
          ("display_url", .string(link.displayed)),
        ]
        if let media, link.isPhoto { members.append(("media_key", .string(media.key))) }
        urls.append(.object(offsets + members))
      }
    }
    let groups = [("hashtags", hashtags), ("mentions", mentions), ("cashtags", cashtags), ("urls", urls)]
      .filter { !$0.1.isEmpty }
    return groups.isEmpty ? nil : .object(groups.map { ($0.0, .array($0.1)) })
  }
}

// MARK: - Users and media

extension PostView {
  func object(_ account: LocalAccount) throws -> JSON {
    var members: JSON.Members = [
      ("id", .id(account.id)), ("name", .string(account.name)), ("username", .string(account.username)),
    ]
    func add(_ field: String, _ value: JSON?) {
      if selection.user.contains(field), let value { members.append((field, value)) }
    }
    let description = reader.text(account.description)
    let url = reader.text(account.url)
    add("created_at", Self.time(account.createdAt))
    add("description", .string(description.text))
    let entities = try [("url", entities(of: url)), ("description", entities(of: description))]
      .compactMap { key, value in value.map { (key: key, value: $0) } }
    add("entities", entities.isEmpty ? nil : .object(entities))
    add("location", account.location.isEmpty ? nil : .string(account.location))
    add("profile_image_url", .string(reader.site.portrait(of: account)))
    add("protected", .bool(false))
    if selection.user.contains("public_metrics") {
      let counts = try store.followCounts(of: account)
      add(
        "public_metrics",
        [
          "followers_count": .number(counts.followers), "following_count": .number(counts.following),
          "tweet_count": .number(try store.postCount(of: account)), "listed_count": .number(account.listed),
        ])
    }
    add("url", .string(url.text))
    add("verified", .bool(account.isVerified))
    add("verified_type", .string(account.isVerified ? "business" : "none"))
    return .object(members)
  }

  /// A poll has the id of its post.
  private func pollObject(_ poll: Draft.Poll, of post: Post) -> JSON {
    let options = poll.options.enumerated().map { index, label in
      JSON.object([("position", .number(index + 1)), ("label", .string(label)), ("votes", .number(0))])
    }
    var members: JSON.Members = [("id", .id(post.id)), ("options", .array(options))]
    let end = poll.end(of: post)
    for (field, value) in [
      ("duration_minutes", JSON.number(poll.minutes)), ("end_datetime", Self.time(end)),
      ("voting_status", .string(end > .now ? "open" : "closed")),
    ] where selection.poll.contains(field) {
      members.append((field, value))
    }
    return .object(members)
  }

  private func mediaObject(_ media: PostMedia) -> JSON {
    var members: JSON.Members = [
      ("media_key", .string(media.key)), ("type", .string(media.video == nil ? "photo" : "video")),
    ]
    let address = JSON.string(reader.site.address(of: media))
    let variants = media.video.map { format in
      JSON.array([["content_type": .string(format.rawValue), "url": address]])
    }
    for (field, value) in [
      ("url", media.video == nil ? address : nil),
      ("preview_image_url", media.video.map { _ in .string(reader.site.pictureAddress(of: media)) }),
      ("width", .number(media.width)), ("height", .number(media.height)), ("variants", variants),
      ("alt_text", media.altText.isEmpty ? nil : .string(media.altText)),
    ] where selection.media.contains(field) {
      if let value { members.append((field, value)) }
    }
    return .object(members)
  }
}

// MARK: - Expansions

extension PostView {
  /// `includes` and `errors` for some posts: the objects that the expansions ask for, each once.
  func includes(for posts: [Post]) throws -> JSON.Members {
    let expansions = selection.expansions
    var included: [Post] = []
    var missing: [JSON] = []
    if expansions.contains(where: { $0.hasPrefix("referenced_tweets.id") }) {
      for id in unique(posts.flatMap(Self.references).map(\.id)) {
        if let post = try store.post(id) {
          included.append(post)
        } else {
          missing.append(Problem.notFound("tweet", parameter: "referenced_tweets.id", value: String(id)))
        }
      }
    }
    var media: [PostMedia] = []
    if expansions.contains("attachments.media_keys") { media += try posts.flatMap(reader.media) }
    if expansions.contains("referenced_tweets.id.attachments.media_keys") {
      media += try included.flatMap(reader.media)
    }
    var polls: [JSON] = []
    if expansions.contains("attachments.poll_ids") {
      for post in posts { if let poll = try store.poll(of: post.id) { polls.append(pollObject(poll, of: post)) } }
    }
    let users = try includedUsers(for: posts, included)
    var includes: JSON.Members = []
    if !users.isEmpty { includes.append(("users", .array(try users.map(object)))) }
    if !included.isEmpty { includes.append(("tweets", .array(try included.map(object)))) }
    if !media.isEmpty {
      var seen: Set<Int> = []
      let objects = media.filter { seen.insert($0.number).inserted }.map(mediaObject)
      includes.append(("media", .array(objects)))
    }
    if !polls.isEmpty { includes.append(("polls", .array(polls))) }
    var members: JSON.Members = []
    if !includes.isEmpty { members.append(("includes", .object(includes))) }
    if !missing.isEmpty { members.append(("errors", .array(missing))) }
    return members
  }

  private func includedUsers(for posts: [Post], _ included: [Post]) throws -> [LocalAccount] {
    let expansions = selection.expansions
    var ids: [Int] = []
    if expansions.contains("author_id") { ids += posts.map(\.authorID) }
    if expansions.contains("in_reply_to_user_id") { ids += posts.compactMap(\.replyToAuthor) }
    if expansions.contains("referenced_tweets.id.author_id") { ids += included.map(\.authorID) }
    if expansions.contains("entities.mentions.username") {
      for post in posts {
        for (_, entity) in try reader.entities(of: texts(of: post).shown) {
          if case .mention(let account) = entity { ids.append(account.id) }
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
