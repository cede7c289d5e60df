package import TweetCore

/// The fields of a tweet record that are shown, found in one pass over its members.
///
/// The values are views into the record and valid as long as it is. A field that the record does not have, or has in
/// another form than tweet(5) says, is `nil`.
package struct TweetFields {
  package private(set) var id: JSONValue?
  package private(set) var service: JSONValue?
  package private(set) var url: JSONValue?
  package private(set) var createdAt: Timestamp?
  package private(set) var text: JSONValue?
  package private(set) var source: JSONValue?
  package private(set) var author = AuthorFields()
  package private(set) var metrics: JSONValue?
  package private(set) var viewer: JSONValue?
  package private(set) var entities: JSONValue?
  package private(set) var attachments: JSONValue?
  package private(set) var replyToUser: JSONValue?
  package private(set) var replyToUserID: JSONValue?
  package private(set) var references: JSONValue?
  /// Who else has retweeted what it retweets, as far as a store knows them.
  private var retweetedBy: JSONValue?
  package private(set) var geo: JSONValue?
  package private(set) var withheld: JSONValue?
  package private(set) var extra: JSONValue?
  /// Whether the author or the service marked it as something that not everybody wants to see.
  package private(set) var isSensitive = false
  /// Whether the service has reported that it was deleted.
  package private(set) var isDeleted = false
  /// The ids of all its versions, the first one first.
  package private(set) var versions: JSONValue?

  /// The number by which a person can name the tweet, which is not a field of the record; `nil` for none.
  package var number: Int?

  /// Of no tweet.
  init() {}

  /// - Parameter tweet: a `tweet` record, or a tweet nested in one.
  package init(_ tweet: JSONValue) {
    for (key, value) in tweet.members {
      switch Key(key) {
      case "id": id = value.string(or: id)
      case "url": url = value.string(or: url)
      case "geo": geo = value
      case "text": text = value.string(or: text)
      case "extra": extra = value
      case "source": source = value.string(or: source)
      case "author": author = AuthorFields(value)
      case "viewer": viewer = value
      case "service": service = value.string(or: service)
      case "entities": entities = value
      case "withheld": withheld = value
      case "deleted_at": isDeleted = value.isString
      case "retweeted_by": retweetedBy = value
      case "created_at": createdAt = Timestamp(ascii: value.rawString)
      case "attachments": attachments = value
      case "public_metrics": metrics = value
      case "in_reply_to_user": replyToUser = value
      case "referenced_tweets": references = value
      case "possibly_sensitive": isSensitive = value.bool ?? false
      case "in_reply_to_user_id": replyToUserID = value.string(or: replyToUserID)
      case "edit_history_tweet_ids": versions = value
      default: break
      }
    }
  }

  /// The first of its `referenced_tweets` of this type (`retweeted`, `quoted`, `replied_to`), with what is known of it.
  package func reference(_ type: StaticString) -> JSONValue? {
    references?.elements.first { $0["type"]?.equals(type) == true }
  }

  /// The tweet that it retweets, if more of it is known than its id.
  package var retweeted: TweetFields? { known("retweeted") }
  /// The tweet that it quotes, if more of it is known than its id, and it may be shown.
  package var quoted: TweetFields? { quoteState == nil ? known("quoted") : nil }
  /// Why the tweet that it quotes is not shown; `nil` if nothing is known against it.
  package var quoteState: QuoteState? { extra?["quote"]?["state"].flatMap { QuoteState($0) } }

  /// Another one who has retweeted what it retweets, and how many more have; `nil` if only its author is known to.
  package var retweeters: (second: AuthorFields, others: Int)? {
    guard let all = retweetedBy, let count = all["count"]?.integer, count > 1, let first = all["first"],
      let second = first.elements.dropFirst().first(where: { $0.isObject })
    else { return nil }
    return (AuthorFields(second), count - 2)
  }

  private func known(_ type: StaticString) -> TweetFields? {
    guard let tweet = reference(type), tweet["text"] != nil else { return nil }
    return TweetFields(tweet)
  }

  /// Its public counts.
  package var counts: TweetCounts { TweetCounts(metrics) }

  /// What it answers: the tweet, of which the record may have only the id, and the user name of the person, as far as
  /// the record says them. `nil` if it answers nobody.
  package var reply: (tweet: JSONValue?, username: JSONValue?)? {
    let tweet = reference("replied_to")
    guard tweet != nil || replyToUserID != nil || replyToUser != nil else { return nil }
    if let name = replyToUser?["username"]?.nonEmpty ?? tweet?["author"]?["username"]?.nonEmpty { return (tweet, name) }
    guard let id = replyToUserID, let mentions = entities?["mentions"] else { return (tweet, nil) }
    return (tweet, mentions.elements.first { $0["id"]?.hasBytes(of: id) == true }?["username"]?.nonEmpty)
  }

  /// Whether tw-linkcheck has found out something about a link of it.
  var hasCheckedLinks: Bool { entities?["urls"]?.elements.contains { $0["verdict"] != nil } == true }

  /// The name of the place that it is from.
  package var placeName: JSONValue? {
    guard let geo else { return nil }
    return [geo["full_name"], geo["name"], geo["country"]].lazy.compactMap { $0?.nonEmpty }.first
  }

  /// Whether its text was changed after it was posted.
  package var isEdited: Bool {
    if let versions, let first = versions.elements.first(where: { $0.isString }), let id {
      if !first.hasBytes(of: id) { return true }
    }
    return editedAt != nil
  }

  /// When its text was last changed, if the service says that (Mastodon).
  package var editedAt: Timestamp? { extra?["edited_at"].flatMap { Timestamp(ascii: $0.rawString) } }

  /// What the author warns of, before the text (Mastodon's content warning).
  package var warning: JSONValue? { extra?["spoiler_text"]?.nonEmpty }

  /// What stands for the tweet where only its first words do: of one with a warning, this.
  package var headWords: JSONValue? { warning ?? text }

  /// The page that the service shows below the text, besides the links of the text (Mastodon's preview card): an object
  /// with `url` and `title`.
  package var card: JSONValue? {
    guard let card = extra?["card"], card["url"]?.nonEmpty != nil else { return nil }
    return card
  }
}

/// The author of a tweet.
package struct AuthorFields {
  package private(set) var id: JSONValue?
  package private(set) var name: JSONValue?
  package private(set) var username: JSONValue?
  package private(set) var isVerified = false
  /// Whether only people whom the author allows can see the tweets.
  package private(set) var isProtected = false
  /// The key of the author's picture, as tw-avatar adds it.
  package private(set) var picture: JSONValue?
  /// Where the service has the picture.
  package private(set) var pictureAddress: JSONValue?

  init() {}

  /// - Parameter author: the value of `author`, or a `user` record.
  package init(_ author: JSONValue) {
    for (key, value) in author.members {
      switch Key(key) {
      case "id": id = value.string(or: id)
      case "name": name = value.string(or: name)
      case "avatar": picture = value["key"]
      case "username": username = value.string(or: username)
      case "verified": isVerified = value.bool ?? false
      case "protected": isProtected = value.bool ?? false
      case "profile_image_url": pictureAddress = value.nonEmpty
      default: break
      }
    }
  }

  /// What the author's colour is made of: the id, since it stays when the name changes.
  package var colourKey: ByteView {
    (id ?? username ?? name)?.rawString ?? ByteView.empty
  }
}

/// The public counts of a tweet; 0 where a count is not known.
package struct TweetCounts: Hashable {
  package private(set) var replies = 0
  package private(set) var retweets = 0
  package private(set) var quotes = 0
  package private(set) var likes = 0
  package private(set) var bookmarks = 0
  package private(set) var views = 0

  /// The counts that are not zero, each with its words.
  package var words: [(count: Int, phrase: Phrase)] {
    let all: [(count: Int, phrase: Phrase)] = [
      (replies, .replies), (retweets, .retweets), (quotes, .quotes), (likes, .likes), (bookmarks, .bookmarks),
      (views, .views),
    ]
    return all.filter { $0.count > 0 }
  }

  /// - Parameter metrics: the value of `public_metrics`.
  package init(_ metrics: JSONValue?) {
    guard let metrics else { return }
    for (key, value) in metrics.members {
      guard let count = value.looseInteger else { continue }
      switch Key(key) {
      case "reply_count": replies = count
      case "retweet_count": retweets = count
      case "quote_count": quotes = count
      case "like_count": likes = count
      case "bookmark_count": bookmarks = count
      case "impression_count": views = count
      default: break
      }
    }
  }
}

/// A member's name, to be compared with literals in a `switch`. Records write these names without escapes.
private struct Key {
  private let bytes: ByteView

  @inline(__always)
  init(_ key: JSONValue) { bytes = key.rawString }

  @inline(__always)
  static func ~= (literal: StaticString, key: Key) -> Bool {
    guard key.bytes.count == literal.utf8CodeUnitCount else { return false }
    for index in key.bytes.indices where key.bytes[index] != literal.utf8Start[index] { return false }
    return true
  }
}

extension JSONValue {
  /// Itself if it is a string, else `other`.
  @inline(__always)
  fileprivate func string(or other: JSONValue?) -> JSONValue? {
    isString ? self : other
  }

  /// Itself if it is a string that is not empty.
  package var nonEmpty: JSONValue? { rawString.isEmpty ? nil : self }
}

/// Writes the ids of tweets as all tools read them: `20`, and `SERVICE:ID` unless the service is X.
package struct TweetID: ~Copyable {
  private var decoder = StringDecoder()

  package init() {}

  /// Appends the id.
  /// - Returns: `false` for a tweet without one.
  @discardableResult
  package mutating func append(_ tweet: TweetFields, to buffer: inout ByteBuffer) -> Bool {
    guard let id = tweet.id else { return false }
    if let service = tweet.service, !service.equals("x") {
      Printable.append(decoder.decode(service), to: &buffer)
      buffer.append(UInt8(ascii: ":"))
    }
    Printable.append(decoder.decode(id), to: &buffer)
    return true
  }
}

/// What has changed about a tweet since it was shown.
package struct TweetChange: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Verdicts or targets of its links.
  package static let links = Self(rawValue: 1)
  /// Its counts.
  package static let counts = Self(rawValue: 2)
  /// Its words.
  package static let text = Self(rawValue: 4)
}

/// Why a tweet does not show the one that it quotes, as a service says it: Mastodon by the state of a quote, Bluesky by
/// what stands in its place.
package enum QuoteState: Sendable {
  case gone
  /// Its author has allowed the quote, and does not any more.
  case withdrawn
  case blocked, muted
  /// Its author has not yet said whether it may be quoted, or that it may not.
  case pending, refused
  /// The reader may not see it, or the service says something that is not known here.
  case hidden

  /// - Parameter name: the value of `extra.quote.state`.
  /// - Returns: `nil` for a quote that is shown.
  package init?(_ name: JSONValue) {
    guard name.isString, !name.rawString.isEmpty, !name.equals("accepted") else { return nil }
    let known = Self.names.first { name.equals($0.name) }
    self = known?.state ?? .hidden
  }

  private static let names: [(name: StaticString, state: QuoteState)] = [
    ("not_found", .gone), ("deleted", .gone), ("detached", .withdrawn), ("revoked", .withdrawn),
    ("blocked", .blocked), ("blocked_account", .blocked), ("blocked_domain", .blocked), ("muted_account", .muted),
    ("pending", .pending), ("rejected", .refused),
  ]

  package var phrase: Phrase {
    switch self {
    case .gone: .quoteGone
    case .withdrawn: .quoteWithdrawn
    case .blocked: .quoteBlocked
    case .muted: .quoteMuted
    case .pending: .quotePending
    case .refused: .quoteRefused
    case .hidden: .quoteHidden
    }
  }
}

/// The fields of a `user` record that are shown.
package struct UserFields {
  package let author: AuthorFields
  package let description: JSONValue?
  /// The entities of the description.
  package let entities: JSONValue?
  package let location: JSONValue?
  /// The user's own page, as far as it is known where its short address leads.
  package let page: JSONValue?
  package let createdAt: Timestamp?
  package let followers, following, tweets: Int?

  package init(_ user: JSONValue) {
    author = AuthorFields(user)
    description = user["description"]?.nonEmpty
    let entities = user["entities"]
    self.entities = entities?["description"]
    location = user["location"]?.nonEmpty
    page = (entities?["url"]?["urls"]?.elements.first { _ in true })?["expanded_url"]?.nonEmpty ?? user["url"]?.nonEmpty
    createdAt = user["created_at"].flatMap { Timestamp(ascii: $0.rawString) }
    let metrics = user["public_metrics"]
    followers = metrics?["followers_count"]?.looseInteger
    following = metrics?["following_count"]?.looseInteger
    tweets = metrics?["tweet_count"]?.looseInteger
  }
}

/// Where a service does not show a tweet.
package struct WithheldFields {
  /// More countries are not named.
  private static let mostCountries = 12

  /// Codes of countries (ISO 3166-1); none if it is not known where.
  private let countries: [JSONValue]
  private let isForCopyright: Bool

  /// - Parameter withheld: the value of `withheld`.
  init(_ withheld: JSONValue) {
    countries = withheld["country_codes"].map { Array($0.elements.prefix(Self.mostCountries)) } ?? []
    isForCopyright = withheld["copyright"]?.bool == true
  }

  /// Appends `withheld in DE, FR (copyright)`, as far as it is known.
  /// - Parameter country: appends a code.
  package func append(
    to buffer: inout ByteBuffer, _ locale: ReaderLocale, _ country: (JSONValue, inout ByteBuffer) -> Void
  ) {
    if countries.isEmpty { locale.append(.withheld, to: &buffer) }
    for (index, code) in countries.enumerated() {
      if index == 0 { locale.append(before: .withheldIn, to: &buffer) } else { buffer.append(", ") }
      country(code, &buffer)
    }
    if !countries.isEmpty { locale.append(after: .withheldIn, to: &buffer) }
    if isForCopyright { locale.append(.copyright, to: &buffer) }
  }
}
