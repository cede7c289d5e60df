import TweetCore

/// X API v2's tweet object: from a page, a stream line or a look-up, or flattened by twarc2. Keys may have the names
/// from before or after the rename of 2026 (tweet, post).
extension TweetMapper {
  /// Appends the tweets of a document with `data`, `includes`, `errors`, `meta` as record lines, and its errors as
  /// notices.
  mutating func mapV2(_ document: JSONValue, data: JSONValue?, into out: inout ByteBuffer) -> String? {
    let included = document["includes"]
    includes.read(included)
    companion = nil
    written.removeAll()
    // Pages of messages have neither.
    let isOfPosts = included?["tweets"] ?? included?["posts"] ?? document["meta"]?["newest_id"] != nil
    let rules = document["matching_rules"]
    let retrieved = retrievedAt(document)
    var reason: String?
    if let data, data.isArray {
      reason = mapEach(of: data, into: &out) { mapper, tweet, out in
        mapper.appendV2Line(tweet, rules: rules, retrieved: retrieved, isPost: isOfPosts, to: &out)
      }
      let read: [StaticString] = ["data", "errors", "matching_rules"]
      appendNotRead(of: document, except: read, service: context.service, to: &out)
    } else if let data {
      reason = appendV2Line(data, rules: rules, retrieved: retrieved, isPost: isOfPosts, to: &out)
      if reason != nil { return reason }
    }
    if let errors = document["errors"] {
      if errors.isArray {
        for error in errors.elements where error.isObject { appendV2Error(error, to: &out) }
      } else {
        // One old endpoint sends its errors as one string.
        appendV2Error(document, to: &out)
      }
    }
    return reason
  }

  /// Appends one bare tweet, such as a flattened one, as a record line.
  mutating func mapV2(line tweet: JSONValue, into out: inout ByteBuffer) -> String? {
    if companion == nil || !state.companion.isOpen {
      companion = state.companion.document()
      if let companion { companion.read { includes.read($0) } } else { includes.read(nil) }
    }
    written.removeAll()
    if companion != nil { out.removesEscapes = true }
    return appendV2Line(
      tweet, rules: tweet["matching_rules"], retrieved: retrievedAt(tweet), isPost: false, to: &out)
  }

  /// `,"retrieved_at":"…"`: the time of the context, else the one that twarc wrote into the document; or nothing.
  private func retrievedAt(_ document: JSONValue) -> [UInt8] {
    if context.isGiven { return context.retrieved }
    guard let time = document["__twarc"]?["retrieved_at"], !time.isBlank else { return context.retrieved }
    var member = ByteBuffer(capacity: 64)
    member.member("retrieved_at", time: time)
    return member.array
  }

  private mutating func appendV2Line(
    _ tweet: JSONValue, rules: JSONValue?, retrieved: [UInt8], isPost: Bool, to out: inout ByteBuffer
  ) -> String? {
    guard tweet.isObject else { return "a tweet that is not an object" }
    let fields = arena.gather(tweet, &v2TweetKeys)
    defer { arena.release(fields) }
    if arena.isThere(fields, .eventType) || arena.isThere(fields, .sender) || arena.isThere(fields, .conversation) {
      leftOut += 1
      return nil
    }
    guard arena.isThere(fields, .text) else {
      // Look-ups of users have the same form. So have those of lists, spaces and rules, which no record holds.
      return tweet["username"] == nil ? "neither a tweet nor a user" : mapV2(user: tweet, into: &out)
    }
    guard isPost || rules != nil || isGivenAsPost || hasSign(tweet, fields) else { return Self.noSign }
    return out.record("tweet") { out in
      appendV2(tweet, fields, depth: 0, rules: rules, retrieved: retrieved, to: &out)
    }
  }

  /// Appends a profile as a `user` record.
  mutating func mapV2(user: JSONValue, into out: inout ByteBuffer) -> String? {
    if RecordMark(user) != .none { return Self.forged }
    guard readID(user["id"]) != nil else { return "a user without an id" }
    out.record("user") { out in
      out.member("service", inside: context.service)
      appendV2Members(of: user, to: &out)
    }
    return nil
  }

  /// Appends an error of the service as a notice: a partial one, which X v2 sends with status 200 beside what it found,
  /// or an answer that is only an error.
  func appendV2Error(_ error: JSONValue, to out: inout ByteBuffer) {
    let type = error["type"]?.string ?? ""
    let code = type.contains("/problems/") ? type.split(separator: "/").last.map(String.init) : nil
    let message = error["detail"] ?? error["message"] ?? error["error"] ?? error["errors"] ?? error["title"]
    let text = message?.string ?? "an error of the service"
    out.notice("warning", code.flatMap(serviceCode) ?? "error", text, service: context.service) { out in
      out.member("error_code", error["code"])
      out.appendNoticeMembers(of: error, except: ["detail", "type", "message", "error", "errors", "code"])
    }
  }

  /// Appends a tweet's members, each with a comma before it. Only the outermost tweet (`depth` 0) gets service, url,
  /// rules and feeds.
  private mutating func appendV2(
    _ tweet: JSONValue, _ fields: Fields<V2TweetKey>, depth: Int, rules: JSONValue?, retrieved: [UInt8],
    to out: inout ByteBuffer
  ) -> String? {
    @inline(__always) func value(_ key: V2TweetKey) -> JSONValue? { arena.value(fields, key, in: tweet) }

    if arena.isThere(fields, .tw) { return Self.forged }
    guard let id = readID(value(.id)) else { return "a tweet without an id" }
    // What the kit itself says of a post, only a file that a person gives has from it.
    func own(_ key: V2TweetKey) -> JSONValue? { context.isGiven ? nil : value(key) }
    let authorID = readID(value(.authorID), value(.author)?["id"])
    let author = value(.author) ?? (out.count < inlineLimit ? includes.user(authorID) : nil)
    out.member("id", id: id)
    if depth == 0 { out.appendServiceAndLink(context, id: id.idBytes, username: author?["username"]?.rawString) }
    var isRead = out.member("created_at", time: value(.createdAt))
    let references = value(.referencedTweets) ?? value(.referencedPosts)
    let note = value(.noteTweet) ?? value(.notePost)
    let original = retweetedOriginal(references)
    defer { if let original { arena.release(original.fields) } }
    let shift = out.string("text") { out in
      let textStart = out.count
      defer { textRange = textStart..<out.count }
      return appendV2Text(value(.text), note: note, original: original, to: &out)
    }
    isRead = out.member("lang", text: value(.lang)) && isRead
    isRead = out.member("source", text: value(.source)) && isRead
    if let conversation = readID(value(.conversationID)) { out.member("conversation_id", id: conversation) }
    isRead = out.member("possibly_sensitive", flag: value(.possiblySensitive)) && isRead
    if let authorID { out.member("author_id", id: authorID) }
    if let author {
      out.key("author")
      append(v2User: author, to: &out)
    } else if let authorID {
      out.object("author") { $0.member("id", id: authorID) }
    }
    appendV2Metrics(value(.publicMetrics), to: &out)
    let viewer = takesViewer ? value(.viewer) : own(.viewer)
    if let viewer { out.member("viewer", viewer) } else if depth == 0 { out.append(context.viewer) }
    appendV2Entities(value(.entities), note: note, original: original, shift: shift, to: &out)
    appendV2Attachments(value(.attachments), to: &out)
    if let replied = readID(value(.replyUserID)) { out.member("in_reply_to_user_id", id: replied) }
    if let user = value(.replyUser) ?? (out.count < inlineLimit ? includes.user(value(.replyUserID)) : nil) {
      out.key("in_reply_to_user")
      append(v2User: user, to: &out)
    }
    if let reason = appendV2References(references, depth: depth, to: &out) { return reason }
    appendV2Geo(value(.geo), to: &out)
    if depth == 0 {
      out.append(matchingRules: rules)
      out.append(context.feeds)
      out.append(retrieved)
    }
    if depth > 0 || context.feeds.isEmpty { out.member("feeds", own(.feeds)) }
    if depth > 0 || retrieved.isEmpty { out.member("retrieved_at", own(.retrievedAt)) }
    out.member("edit_history_tweet_ids", value(.editHistory) ?? value(.postEditHistory))
    appendV2EditControls(value(.editControls), to: &out)
    arena.appendUnknown(of: fields, in: tweet, to: &out)
    out.member("viewers", own(.viewers))
    out.member("deleted_at", own(.deletedAt))
    if isRead {
      appendV2Extra(own(.extra), service: value(.service), url: value(.url), depth: depth, to: &out)
    } else {
      out.object("extra") { out in
        append(
          unreadOf: tweet, fields, times: [.createdAt], texts: [.lang, .source], flags: [.possiblySensitive], to: &out)
        if let extra = own(.extra) { out.appendMembers(of: extra, except: []) }
      }
    }
    return nil
  }

  /// Appends `,"edit_controls":{…}`. X sent the number of edits as a string for some years.
  private func appendV2EditControls(_ controls: JSONValue?, to out: inout ByteBuffer) {
    guard let controls, controls.isObject, let edits = controls["edits_remaining"], edits.isString else {
      return out.member("edit_controls", controls)
    }
    out.key("edit_controls")
    out.object { out in
      out.member("edits_remaining", count: edits)
      out.appendMembers(of: controls, except: ["edits_remaining"])
    }
  }

  /// Appends `,"extra":{…}`. Other programs add members named `service` and `url` to flattened lines; a record has
  /// members of these names, so theirs go under `extra`.
  private func appendV2Extra(
    _ extra: JSONValue?, service: JSONValue?, url: JSONValue?, depth: Int, to out: inout ByteBuffer
  ) {
    guard depth == 0, service ?? url != nil else {
      out.member("service", service)
      out.member("url", url)
      return out.member("extra", extra)
    }
    out.object("extra") { out in
      out.member("service", service)
      out.member("url", url)
      if let extra { out.appendMembers(of: extra, except: ["service", "url"]) }
    }
  }

  /// The tweet that a retweet repeats, if the document has its text and author. The caller releases its fields.
  private mutating func retweetedOriginal(_ references: JSONValue?) -> V2Original? {
    guard let references, references.isArray else { return nil }
    for reference in references.elements where reference["type"]?.equals("retweeted") ?? false {
      guard let tweet = reference["text"] != nil ? reference : includes.tweet(reference["id"]) else { return nil }
      let fields = arena.gather(tweet, &v2TweetKeys)
      if arena.has(fields, .text, in: tweet),
        let author = arena.value(fields, .author, in: tweet)
          ?? includes.user(arena.value(fields, .authorID, in: tweet)),
        let username = author["username"]
      {
        return V2Original(tweet: tweet, fields: fields, author: author, username: username.rawString)
      }
      arena.release(fields)
      return nil
    }
    return nil
  }

  /// Appends the whole text: of a long post from its note, of a retweet from the tweet that it repeats.
  /// - Returns: how offsets of entities move.
  private func appendV2Text(
    _ text: JSONValue?, note: JSONValue?, original: V2Original?, to out: inout ByteBuffer
  ) -> OffsetShift {
    guard let original else { return out.append(tweetText: (note?["text"] ?? text)?.rawString ?? .empty) }
    out.append("RT @")
    out.append(knownInside: original.username)
    out.append(": ")
    let whole = self.note(of: original)?["text"] ?? arena.value(original.fields, .text, in: original.tweet)
    var shift = out.append(tweetText: whole?.rawString ?? .empty)
    shift.prefix = 6 + original.username.scalarCount
    return shift
  }

  /// The note with the whole text of a long post.
  func note(of original: V2Original) -> JSONValue? {
    arena.value(original.fields, .noteTweet, in: original.tweet)
      ?? arena.value(original.fields, .notePost, in: original.tweet)
  }

  private mutating func appendV2References(
    _ references: JSONValue?, depth: Int, to out: inout ByteBuffer
  ) -> String? {
    guard let references, references.isArray, !references.isEmpty else { return nil }
    guard depth < Self.maximumNesting else { return "tweets within tweets, \(depth) levels deep" }
    return out.array("referenced_tweets") { out in
      for reference in references.elements {
        guard let type = reference["type"], type.isString, let id = readID(reference["id"]) else { continue }
        let reason = out.element { out in
          out.member("type", type)
          return appendV2(reference: reference, id: id, depth: depth, to: &out)
        }
        if let reason { return reason }
      }
      return nil
    }
  }

  /// Appends the members of a tweet that another refers to, or only its id.
  private mutating func appendV2(reference: JSONValue, id: JSONValue, depth: Int, to out: inout ByteBuffer) -> String? {
    let tweet = reference["text"] != nil ? reference : includes.tweet(reference["id"])
    // Included tweets may refer to each other in a circle, so the depth is limited. X sends two levels.
    guard let tweet, depth < 3, out.count < inlineLimit else {
      out.member("id", id: id)
      return nil
    }
    if let range = written.find(tweet, variant: depth + 1) {
      out.append(copyOf: range)
      return nil
    }
    let start = out.count
    let fields = arena.gather(tweet, &v2TweetKeys)
    defer { arena.release(fields) }
    if let reason = appendV2(tweet, fields, depth: depth + 1, rules: nil, retrieved: [], to: &out) { return reason }
    written.insert(tweet, variant: depth + 1, at: start..<out.count)
    return nil
  }
}

/// The tweet that a retweet repeats, its fields, and its author.
struct V2Original {
  let tweet: JSONValue
  let fields: Fields<V2TweetKey>
  let author: JSONValue
  /// The inside of a JSON string.
  let username: ByteView
}

enum V2TweetKey: Int, ShapeKey {
  case type, id, createdAt, text, lang, source, conversationID, possiblySensitive, authorID, author, publicMetrics
  case viewer, entities, attachments, replyUserID, replyUser, referencedTweets, referencedPosts, geo, matchingRules
  case noteTweet, notePost, editHistory, postEditHistory, editControls, service, url, feeds, retrievedAt, extra
  case tw, viewers, deletedAt
  /// Of messages between people.
  case eventType, sender, conversation

  var isForDetectionOnly: Bool { rawValue >= Self.eventType.rawValue }

  var name: StaticString {
    switch self {
    case .type: "type"
    case .id: "id"
    case .createdAt: "created_at"
    case .text: "text"
    case .lang: "lang"
    case .source: "source"
    case .conversationID: "conversation_id"
    case .possiblySensitive: "possibly_sensitive"
    case .authorID: "author_id"
    case .author: "author"
    case .publicMetrics: "public_metrics"
    case .viewer: "viewer"
    case .entities: "entities"
    case .attachments: "attachments"
    case .replyUserID: "in_reply_to_user_id"
    case .replyUser: "in_reply_to_user"
    case .referencedTweets: "referenced_tweets"
    case .referencedPosts: "referenced_posts"
    case .geo: "geo"
    case .matchingRules: "matching_rules"
    case .noteTweet: "note_tweet"
    case .notePost: "note_post"
    case .editHistory: "edit_history_tweet_ids"
    case .postEditHistory: "edit_history_post_ids"
    case .editControls: "edit_controls"
    case .service: "service"
    case .url: "url"
    case .feeds: "feeds"
    case .retrievedAt: "retrieved_at"
    case .extra: "extra"
    case .tw: "tw"
    case .viewers: "viewers"
    case .deletedAt: "deleted_at"
    case .eventType: "event_type"
    case .sender: "sender_id"
    case .conversation: "dm_conversation_id"
    }
  }
}
