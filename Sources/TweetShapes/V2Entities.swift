import TweetCore

/// X API v2's users and entities.
extension TweetMapper {
  /// Appends a user as a value. One that this document has written before is copied from the output.
  mutating func append(v2User user: JSONValue, to out: inout ByteBuffer) {
    if let range = written.find(user) {
      out.append(copyOf: range)
    } else {
      let start = out.count
      out.object { out in appendV2Members(of: user, to: &out) }
      written.insert(user, at: start..<out.count)
    }
  }

  /// Appends a v2 user's members: the keys that tweet(5) names first, then the others in their order.
  mutating func appendV2Members(of user: JSONValue, to out: inout ByteBuffer) {
    let fields = arena.gather(user, &v2UserKeys)
    defer { arena.release(fields) }
    @inline(__always) func value(_ key: V2UserKey) -> JSONValue? { arena.value(fields, key, in: user) }

    if let id = readID(value(.id)) { out.member("id", id: id) }
    let isRead = out.appendProfile(
      username: value(.username), name: value(.name), image: value(.imageURL), verified: value(.verified),
      protected: value(.protected), description: value(.description), location: value(.location), url: value(.url),
      createdAt: value(.createdAt))
    appendV2UserMetrics(value(.publicMetrics), to: &out)
    if let pinned = readID(value(.pinnedTweet) ?? value(.pinnedPost)) { out.member("pinned_tweet_id", id: pinned) }
    arena.appendUnknown(of: fields, in: user, to: &out)
    if !isRead {
      out.object("extra") { out in
        append(
          unreadOf: user, fields, times: [.createdAt],
          texts: [.username, .name, .imageURL, .description, .location, .url], flags: [.verified, .protected], to: &out)
      }
    }
  }

  /// Appends `,"public_metrics":{…}`. The rename of 2026 changed only the name of the count of posts.
  private func appendV2UserMetrics(_ metrics: JSONValue?, to out: inout ByteBuffer) {
    guard let metrics, metrics.isObject else { return }
    out.object("public_metrics") { out in
      out.member("tweet_count", count: metrics["post_count"])
      out.appendCounts(of: metrics, except: ["post_count"])
    }
  }

  /// Appends `,"entities":{…}`: of a retweet those of the tweet that it repeats, of a long post those of its note.
  /// Other kinds (annotations) come from the post itself, because the text of the note begins with the post's.
  mutating func appendV2Entities(
    _ entities: JSONValue?, note: JSONValue?, original: V2Original?, shift: OffsetShift, to out: inout ByteBuffer
  ) {
    let main = original.map { arena.value($0.fields, .entities, in: $0.tweet) } ?? entities
    let note = original.map { self.note(of: $0) } ?? note
    // The post's own links and tags are those of the shortened text, which ends with a link to the post itself.
    let source = note == nil ? main : note?["entities"]
    func appendFound() {
      appendFoundEntities(author: original.flatMap { RetweetedAuthor(v2: $0.author) }, to: &out)
    }
    if source == nil, main == nil { return appendFound() }
    let start = out.count
    out.object("entities") { out in
      appendV2Array("hashtags", source?["hashtags"], shift, to: &out)
      appendV2Mentions(source?["mentions"], author: original?.author, shift, to: &out)
      appendV2Array("cashtags", source?["cashtags"], shift, to: &out)
      appendV2Array("urls", source?["urls"], shift, to: &out)
      if let main, main.isObject {
        for (key, value) in main.members where value.isArray && !v2EntityNames.contains(where: { key.spells($0) }) {
          appendV2Array(key, value, shift, to: &out)
        }
      }
    }
    if out.count == start, !context.hasKnownEntities { appendFound() }
  }

  private mutating func appendV2Array(
    _ key: StaticString, _ array: JSONValue?, _ shift: OffsetShift, to out: inout ByteBuffer
  ) {
    guard let array, array.isArray, !array.isEmpty else { return }
    out.key(key)
    appendV2Elements(array, shift, to: &out)
  }

  private mutating func appendV2Array(
    _ key: JSONValue, _ array: JSONValue, _ shift: OffsetShift, to out: inout ByteBuffer
  ) {
    if array.isEmpty { return }
    out.key(key)
    appendV2Elements(array, shift, to: &out)
  }

  private mutating func appendV2Elements(_ array: JSONValue, _ shift: OffsetShift, to out: inout ByteBuffer) {
    if shift.isNone {
      out.append(known: array)
      return
    }
    out.array { out in
      for entity in array.elements { appendV2Entity(entity, shift, with: nil, to: &out) }
    }
  }

  /// Appends `,"mentions":[…]`, each with the members of its user that the includes have, as twarc2's flatten does.
  private mutating func appendV2Mentions(
    _ mentions: JSONValue?, author: JSONValue?, _ shift: OffsetShift, to out: inout ByteBuffer
  ) {
    out.array("mentions") { out in
      out.append(author.flatMap { RetweetedAuthor(v2: $0) })
      if let mentions, mentions.isArray {
        for mention in mentions.elements where mention.isObject {
          let user = out.count < inlineLimit ? includes.user(mention["id"]) : nil
          appendV2Entity(mention, shift, with: user, to: &out)
        }
      }
    }
  }

  /// Appends one entity as an element, with its offsets moved, and the members of `user` that it does not have itself.
  private mutating func appendV2Entity(
    _ entity: JSONValue, _ shift: OffsetShift, with user: JSONValue?, to out: inout ByteBuffer
  ) {
    out.element { out in
      for (key, value) in entity.members where !value.isBlank {
        out.key(key)
        if !shift.isNone, key.spells("start") || key.spells("end"), let offset = value.looseInteger {
          out.append(decimal: shift(offset))
        } else {
          out.append(known: value)
        }
      }
      if let user { append(user, besides: entity, to: &out) }
    }
  }

  /// Appends the members of a user that a mention does not have.
  private mutating func append(_ user: JSONValue, besides mention: JSONValue, to out: inout ByteBuffer) {
    let isUsual = mention.isUsualMention
    if isUsual, let range = written.find(user, variant: Self.inMention) { return out.append(copyOf: range) }
    let start = out.count
    for (key, value) in user.members where !value.isBlank {
      if mention.members.contains(where: { $0.key.hasBytes(of: key) }) { continue }
      out.key(key)
      out.append(known: value)
    }
    if isUsual { written.insert(user, variant: Self.inMention, at: start..<out.count) }
  }

  /// The variant of a user in ``written`` that has only what a usual mention does not have.
  private static var inMention: Int { -1 }
}

extension JSONValue {
  /// Whether it has exactly the members that all mentions of X have.
  fileprivate var isUsualMention: Bool {
    var members = self.members
    for name in usualMentionNames {
      guard let member = members.next(), member.key.spells(name) else { return false }
    }
    return members.next() == nil
  }
}

private let usualMentionNames: [StaticString] = ["start", "end", "username", "id"]

private let v2EntityNames: [StaticString] = ["hashtags", "mentions", "cashtags", "urls"]

enum V2UserKey: Int, ShapeKey {
  case id, username, name, imageURL, verified, protected, description, location, url, createdAt, publicMetrics
  case pinnedTweet, pinnedPost, tw

  var name: StaticString {
    switch self {
    case .id: "id"
    case .username: "username"
    case .name: "name"
    case .imageURL: "profile_image_url"
    case .verified: "verified"
    case .protected: "protected"
    case .description: "description"
    case .location: "location"
    case .url: "url"
    case .createdAt: "created_at"
    case .publicMetrics: "public_metrics"
    case .pinnedTweet: "pinned_tweet_id"
    case .tw: "tw"
    case .pinnedPost: "pinned_post_id"
    }
  }
}
