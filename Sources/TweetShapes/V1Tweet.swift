import TweetCore

/// X API v1.1's tweet object in its three modes (compatibility, extended, streaming with `extended_tweet`), as in
/// answers of the REST API, in streams and in fifteen years of captures.
extension TweetMapper {
  /// Appends one tweet as a record line.
  mutating func mapV1(tweet: JSONValue, into out: inout ByteBuffer) -> String? {
    guard tweet.isObject else { return "a tweet that is not an object" }
    let fields = arena.gather(tweet, &v1TweetKeys)
    defer { arena.release(fields) }
    return mapV1(tweet: tweet, fields, into: &out)
  }

  /// Appends one tweet, whose fields were gathered before, as a record line.
  mutating func mapV1(tweet: JSONValue, _ fields: Fields<V1TweetKey>, into out: inout ByteBuffer) -> String? {
    guard isGivenAsPost || hasSign(tweet, fields) else { return Self.noSign }
    return out.record("tweet") { out in appendV1(tweet, fields, type: nil, depth: 0, to: &out) }
  }

  /// Appends a tweet's members, each with a comma before it.
  /// - Parameters:
  ///   - type: how the tweet around it refers to it; `nil` for the outermost, which alone gets service, url and feeds.
  ///   - depth: how many tweets are around it.
  private mutating func appendV1(
    _ tweet: JSONValue, _ fields: Fields<V1TweetKey>, type: StaticString?, depth: Int, to out: inout ByteBuffer
  ) -> String? {
    @inline(__always) func value(_ key: V1TweetKey) -> JSONValue? { arena.value(fields, key, in: tweet) }

    if arena.isThere(fields, .tw) { return Self.forged }
    guard let id = readID(value(.idString), value(.id)) else { return "a tweet without an id" }
    let user = value(.user)
    // The tweets of an archive have no user: its owner wrote them.
    let owner = user == nil && depth == 0 ? state.owner : nil
    out.member("id", id: id)
    if type == nil {
      if let owner {
        owner.withUsername { out.appendServiceAndLink(context, id: id.idBytes, username: $0) }
      } else {
        let username = user == nil ? value(.fromUser) : user?["screen_name"]
        out.appendServiceAndLink(context, id: id.idBytes, username: username?.rawString)
      }
    }
    var isRead = out.member("created_at", time: value(.createdAt))
    let extended = value(.extendedTweet)
    let retweeted = value(.retweetedStatus).map { V1Retweeted(tweet: $0, fields: arena.gather($0, &v1TweetKeys)) }
    defer { if let retweeted { arena.release(retweeted.fields) } }
    let shift = out.string("text") { out in
      let textStart = out.count
      defer { textRange = textStart..<out.count }
      return appendV1Text(of: tweet, fields, extended: extended, retweeted: retweeted, to: &out)
    }
    isRead = out.member("lang", text: value(.lang) ?? value(.searchLanguage)) && isRead
    appendSource(value(.source), to: &out)
    isRead = out.member("possibly_sensitive", flag: value(.possiblySensitive)) && isRead
    if let owner { out.appendAuthor(owner) }
    countriesOfUser = nil
    if let user {
      if let reason = appendV1Author(user, to: &out) { return reason }
    } else if arena.isThere(fields, .fromUser) {
      appendSearchAuthor(tweet, fields, to: &out)
    }
    let countriesOfUser = countriesOfUser
    appendV1Counts(tweet, fields, to: &out)
    out.appendViewer(owner?.account ?? context.account, liked: value(.favorited), retweeted: value(.retweeted))
    let entities = extended?["entities"] ?? value(.entities)
    appendV1Entities(entities, retweeted: retweeted, shift: shift, to: &out)
    appendV1Attachments(
      extended?["extended_entities"] ?? value(.extendedEntities) ?? entities, to: &out)
    appendV1Reply(tweet, fields, to: &out)
    if let reason = appendV1References(
      tweet, fields, retweeted: retweeted, isArchived: owner != nil, depth: depth, to: &out)
    {
      return reason
    }
    appendV1Geo(place: value(.place), coordinates: value(.coordinates), point: value(.geo), to: &out)
    if type == nil {
      out.append(matchingRules: value(.matchingRules))
      out.append(context.feeds)
      out.append(context.retrieved)
    }
    appendWithheld(
      in: value(.withheldCountries), orOfUser: countriesOfUser, scope: value(.withheldScope),
      copyright: value(.withheldCopyright), to: &out)
    appendV1Extra(tweet, fields, shift, isRead: isRead, to: &out)
    return nil
  }

  private mutating func appendV1Author(_ user: JSONValue, to out: inout ByteBuffer) -> String? {
    guard user.isObject else { return nil }
    guard let id = v1ID(user) else { return "a user without an id" }
    out.member("author_id", id: id)
    out.key("author")
    appendV1User(user, to: &out)
    return nil
  }

  /// Appends `,"public_metrics":{…}`. −1 and null mean that X did not know the count.
  private func appendV1Counts(_ tweet: JSONValue, _ fields: Fields<V1TweetKey>, to out: inout ByteBuffer) {
    out.object("public_metrics") { out in
      out.member("retweet_count", count: arena.value(fields, .retweetCount, in: tweet))
      out.member("reply_count", count: arena.value(fields, .replyCount, in: tweet))
      out.member("like_count", count: arena.value(fields, .favoriteCount, in: tweet))
      out.member("quote_count", count: arena.value(fields, .quoteCount, in: tweet))
    }
  }

  private mutating func appendV1Reply(_ tweet: JSONValue, _ fields: Fields<V1TweetKey>, to out: inout ByteBuffer) {
    @inline(__always) func value(_ key: V1TweetKey) -> JSONValue? { arena.value(fields, key, in: tweet) }
    guard
      let user = readID(value(.replyUserIDString), value(.replyUserID))
        ?? readID(value(.toUserIDString), value(.toUserID))
    else { return }
    out.member("in_reply_to_user_id", id: user)
    guard let name = value(.replyScreenName) ?? value(.toUser), name.isString else { return }
    out.object("in_reply_to_user") { out in
      out.member("id", id: user)
      out.member("username", name)
      out.member("name", value(.toUserName))
    }
  }

  /// Appends `,"referenced_tweets":[…]` in v2's order: retweeted, quoted, replied to. A tweet of which only the id is
  /// known has only that.
  private mutating func appendV1References(
    _ tweet: JSONValue, _ fields: Fields<V1TweetKey>, retweeted: V1Retweeted?, isArchived: Bool, depth: Int,
    to out: inout ByteBuffer
  ) -> String? {
    out.array("referenced_tweets") { out in
      let archivedRetweet = isArchived && retweeted == nil ? archivedRetweet(tweet, fields) : nil
      if let archivedRetweet { append(archivedRetweet, to: &out) }
      if let retweeted, let reason = appendV1Reference(retweeted.tweet, retweeted.fields, "retweeted", depth, to: &out)
      {
        return reason
      }
      // A retweet of a quote repeats the quoted tweet, which the retweeted one has as well.
      if let quoted = arena.value(fields, .quotedStatus, in: tweet), retweeted?.tweet["quoted_status"] == nil {
        let quotedFields = arena.gather(quoted, &v1TweetKeys)
        defer { arena.release(quotedFields) }
        if let reason = appendV1Reference(quoted, quotedFields, "quoted", depth, to: &out) { return reason }
      } else if retweeted == nil,
        let quoted = readID(arena.value(fields, .quotedIDString, in: tweet), arena.value(fields, .quotedID, in: tweet))
      {
        out.element { out in
          out.member("type", "quoted")
          out.member("id", id: quoted)
        }
      } else if isArchived, retweeted == nil, archivedRetweet == nil, let quoted = archivedQuote(tweet, fields) {
        out.element { out in
          out.member("type", "quoted")
          out.member("id", quoted)
        }
      }
      if let replied = readID(
        arena.value(fields, .replyStatusIDString, in: tweet), arena.value(fields, .replyStatusID, in: tweet))
      {
        out.element { out in
          out.member("type", "replied_to")
          out.member("id", id: replied)
        }
      }
      return nil
    }
  }

  private mutating func appendV1Reference(
    _ tweet: JSONValue, _ fields: Fields<V1TweetKey>, _ type: StaticString, _ depth: Int, to out: inout ByteBuffer
  ) -> String? {
    guard tweet.isObject else { return "a \(type) tweet that is not an object" }
    guard depth < Self.maximumNesting else { return "tweets within tweets, \(depth) levels deep" }
    return out.element { out in
      out.member("type", type)
      return appendV1(tweet, fields, type: type, depth: depth + 1, to: &out)
    }
  }

  /// Appends `,"geo":{…}`: the place and GeoJSON coordinates (longitude first), as in v2. v1.1's own `geo` is the same
  /// point, latitude first, and counts where it is alone.
  private func appendV1Geo(
    place: JSONValue?, coordinates: JSONValue?, point: JSONValue?, to out: inout ByteBuffer
  ) {
    out.object("geo") { out in
      out.member("place_id", place?["id"])
      if coordinates?.isObject ?? false { out.member("coordinates", coordinates) } else { out.append(point: point) }
      if let place, place.isObject {
        out.appendKnownMembers(of: place, except: "id")
      }
    }
  }

  /// Appends what v2 has no key for, under `extra`, and then the edit history and the display range.
  private func appendV1Extra(
    _ tweet: JSONValue, _ fields: Fields<V1TweetKey>, _ shift: OffsetShift, isRead: Bool, to out: inout ByteBuffer
  ) {
    let edits = arena.value(fields, .editInfo, in: tweet)
    out.object("extra") { out in
      if !isRead {
        append(
          unreadOf: tweet, fields, times: [.createdAt], texts: [.lang], flags: [.possiblySensitive], to: &out)
      }
      arena.appendUnknown(of: fields, in: tweet, to: &out)
      out.member("edit_info", edits)
    }
    // v2 lists the ids of all versions. Archives have the list inside the first version or the edit.
    let versions = (edits?["initial"] ?? edits?["edit"]?["editControlInitial"])?["editTweetIds"]
    out.member("edit_history_tweet_ids", versions)
    let extended = arena.value(fields, .extendedTweet, in: tweet)
    if let range = extended?["display_text_range"] ?? arena.value(fields, .displayRange, in: tweet), range.isArray {
      var ends = range.elements.lazy.compactMap(\.looseInteger).makeIterator()
      if let first = ends.next(), let second = ends.next(), ends.next() == nil {
        out.array("display_text_range") { out in
          out.element(shift(first))
          out.element(shift(second))
        }
      }
    }
  }
}

/// The tweet that a retweet repeats, and its fields.
struct V1Retweeted {
  let tweet: JSONValue
  let fields: Fields<V1TweetKey>
}

/// The names of a v1.1 tweet's members, and those by which the shape of any document is detected.
enum V1TweetKey: Int, ShapeKey {
  case id, idString, createdAt, text, fullText, extendedTweet, displayRange, lang, source, possiblySensitive, user
  case retweetCount, replyCount, favoriteCount, quoteCount, favorited, retweeted, entities, extendedEntities
  case replyUserID, replyUserIDString, replyScreenName, replyStatusID, replyStatusIDString
  case retweetedStatus, quotedStatus, quotedID, quotedIDString, isQuote
  case place, coordinates, geo, matchingRules, truncated, editInfo
  case withheldCountries, withheldScope, withheldCopyright
  /// Of search results before v1.1, whose author is not an object.
  case fromUser, fromUserID, fromUserIDString, fromUserName, fromUserImage, fromUserImageHTTPS
  case toUser, toUserID, toUserIDString, toUserName, searchLanguage
  /// No service sends it; in a record it is tw-post's own word.
  case sameAs
  case mongoID, tw, data, includes, meta, errors, statuses, results, error, screenName, account, spoilerText, visibility
  /// Of messages between people; those whose name begins with `own` are in camel case.
  case sender, senderID, senderName, ownSenderID, recipient, recipientID, ownRecipientID, recipients, eventType
  case conversation, messageCreate, ownMessageCreate, sentAt, chat, ownChat, channel

  var isForDetectionOnly: Bool { rawValue >= Self.mongoID.rawValue }

  var name: StaticString {
    switch self {
    case .id: "id"
    case .idString: "id_str"
    case .createdAt: "created_at"
    case .text: "text"
    case .fullText: "full_text"
    case .extendedTweet: "extended_tweet"
    case .displayRange: "display_text_range"
    case .lang: "lang"
    case .source: "source"
    case .possiblySensitive: "possibly_sensitive"
    case .user: "user"
    case .retweetCount: "retweet_count"
    case .replyCount: "reply_count"
    case .favoriteCount: "favorite_count"
    case .quoteCount: "quote_count"
    case .favorited: "favorited"
    case .retweeted: "retweeted"
    case .entities: "entities"
    case .extendedEntities: "extended_entities"
    case .replyUserID: "in_reply_to_user_id"
    case .replyUserIDString: "in_reply_to_user_id_str"
    case .replyScreenName: "in_reply_to_screen_name"
    case .replyStatusID: "in_reply_to_status_id"
    case .replyStatusIDString: "in_reply_to_status_id_str"
    case .retweetedStatus: "retweeted_status"
    case .quotedStatus: "quoted_status"
    case .quotedID: "quoted_status_id"
    case .quotedIDString: "quoted_status_id_str"
    case .isQuote: "is_quote_status"
    case .place: "place"
    case .coordinates: "coordinates"
    case .geo: "geo"
    case .matchingRules: "matching_rules"
    case .truncated: "truncated"
    case .editInfo: "edit_info"
    case .withheldCountries: "withheld_in_countries"
    case .withheldScope: "withheld_scope"
    case .withheldCopyright: "withheld_copyright"
    case .fromUser: "from_user"
    case .fromUserID: "from_user_id"
    case .fromUserIDString: "from_user_id_str"
    case .fromUserName: "from_user_name"
    case .fromUserImage: "profile_image_url"
    case .fromUserImageHTTPS: "profile_image_url_https"
    case .toUser: "to_user"
    case .toUserID: "to_user_id"
    case .toUserIDString: "to_user_id_str"
    case .toUserName: "to_user_name"
    case .searchLanguage: "iso_language_code"
    case .sameAs: CanonicalAddress.crosspost
    case .mongoID: "_id"
    case .tw: "tw"
    case .data: "data"
    case .includes: "includes"
    case .meta: "meta"
    case .errors: "errors"
    case .statuses: "statuses"
    case .results: "results"
    case .error: "error"
    case .screenName: "screen_name"
    case .account: "account"
    case .spoilerText: "spoiler_text"
    case .visibility: "visibility"
    case .sender: "sender"
    case .senderID: "sender_id"
    case .senderName: "sender_name"
    case .ownSenderID: "senderId"
    case .recipient: "recipient"
    case .recipientID: "recipient_id"
    case .ownRecipientID: "recipientId"
    case .recipients: "recipients"
    case .eventType: "event_type"
    case .conversation: "dm_conversation_id"
    case .messageCreate: "message_create"
    case .ownMessageCreate: "messageCreate"
    case .sentAt: "sentAt"
    case .chat: "chat_id"
    case .ownChat: "convoId"
    case .channel: "channel_id"
    }
  }
}

extension TweetMapper {
  /// Appends `,"withheld":{…}`, as v2 has it, of v1.1's three members.
  /// - Parameters:
  ///   - own: a list of codes; until 2013 a text, `"DE, FR"`.
  ///   - user: the same of the author, whose posts are withheld there too.
  ///   - scope: `status` or `user`.
  func appendWithheld(
    in own: JSONValue?, orOfUser user: JSONValue? = nil, scope: JSONValue?, copyright: JSONValue?,
    to out: inout ByteBuffer
  ) {
    guard own ?? user ?? scope ?? copyright != nil else { return }
    let countries = own?.isEmpty ?? true ? user : own
    out.object("withheld") { out in
      if copyright?.kind == .bool { out.member("copyright", copyright) }
      out.array("country_codes") { out in
        if let list = countries?.string {
          for code in list.split(whereSeparator: { !$0.isLetter }) { out.element(String(code)) }
        } else if let countries {
          for code in countries.elements where code.isString && !code.isBlank { out.element(code) }
        }
      }
      if let scope, scope.isString {
        if scope.equals("status") { out.member("scope", "tweet") } else { out.member("scope", scope) }
      } else if own == nil, user != nil {
        out.member("scope", "user")
      }
    }
  }

  /// Appends the author of a search result before v1.1, whose members are those of the result.
  mutating func appendSearchAuthor(_ tweet: JSONValue, _ fields: Fields<V1TweetKey>, to out: inout ByteBuffer) {
    @inline(__always) func value(_ key: V1TweetKey) -> JSONValue? { arena.value(fields, key, in: tweet) }
    guard let id = readID(value(.fromUserIDString), value(.fromUserID)) else { return }
    out.member("author_id", id: id)
    out.object("author") { out in
      out.member("id", id: id)
      out.member("username", value(.fromUser))
      out.member("name", value(.fromUserName))
      out.member("profile_image_url", value(.fromUserImageHTTPS) ?? value(.fromUserImage))
    }
  }
}
