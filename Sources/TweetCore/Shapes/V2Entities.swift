/// X API v2's users and entities.
extension TweetMapper {
  /// Appends a v2 user object in the record's order: the keys records name first, then the others as they came.
  mutating func appendV2User(_ user: JSONValue, to out: inout ByteBuffer) {
    let fields = arena.gather(user, v2UserKeys)
    defer { arena.release(fields) }
    func value(_ key: V2UserKey) -> JSONValue? { arena.value(fields, key, in: user) }

    let start = out.count
    out.append(",\"id\":", asString: value(.id))
    out.append(",\"username\":", value(.username))
    out.append(",\"name\":", value(.name))
    out.append(",\"profile_image_url\":", value(.imageURL))
    out.append(",\"verified\":", value(.verified))
    out.append(",\"protected\":", value(.protected))
    out.append(",\"description\":", value(.description))
    out.append(",\"location\":", value(.location))
    out.append(",\"url\":", value(.url))
    out.append(",\"created_at\":", time: value(.createdAt))
    appendV2UserMetrics(value(.publicMetrics), to: &out)
    out.append(",\"pinned_tweet_id\":", value(.pinnedTweet) ?? value(.pinnedPost))
    arena.appendRest(of: fields, in: user, to: &out)
    out.endObject(from: start)
  }

  /// Only the name of the count of posts differs between the spellings.
  private func appendV2UserMetrics(_ metrics: JSONValue?, to out: inout ByteBuffer) {
    guard let metrics, let posts = metrics["post_count"] else {
      out.append(",\"public_metrics\":", metrics)
      return
    }
    out.append(",\"public_metrics\":")
    let start = out.count
    out.append(",\"tweet_count\":", posts)
    out.appendMembers(of: metrics, but: ["post_count"])
    out.closeObject(from: start, keyStart: start)
  }

  /// Appends `,"entities":{…}`: a retweet's are those of what it retweets, a long post's those of its note. Other kinds
  /// (annotations) come from the post itself, whose text a note goes on with.
  mutating func appendV2Entities(
    _ entities: JSONValue?, note: JSONValue?, original: JSONValue?, shift: OffsetShift, to out: inout ByteBuffer
  ) {
    let main = original.map { $0["entities"] } ?? entities
    let note = original.map { $0["note_tweet"] ?? $0["note_post"] } ?? note
    // The post's own links and tags are those of the cut text, its last link one to itself.
    let source = note == nil ? main : note?["entities"]
    if source == nil, main == nil {
      let author = original.flatMap { $0["author"] ?? includes.user($0["author_id"]) }.flatMap {
        RetweetedAuthor(v2: $0)
      }
      return appendFoundEntities(author: author, to: &out)
    }
    let keyStart = out.count
    out.append(",\"entities\":")
    let start = out.count
    appendV2Array("hashtags", source?["hashtags"], shift, to: &out)
    appendV2Mentions(source?["mentions"], original: original, shift, to: &out)
    appendV2Array("cashtags", source?["cashtags"], shift, to: &out)
    appendV2Array("urls", source?["urls"], shift, to: &out)
    if let main, main.isObject {
      for (key, value) in main.members where value.isArray && !v2EntityNames.contains(where: { key.spells($0) }) {
        appendV2Array(key, value, shift, to: &out)
      }
    }
    out.closeObject(from: start, keyStart: keyStart)
  }

  private func appendV2Array(_ key: StaticString, _ array: JSONValue?, _ shift: OffsetShift, to out: inout ByteBuffer) {
    guard let array, array.isArray, !array.isEmpty else { return }
    out.append(",\"")
    out.append(key)
    out.append("\":")
    appendV2Elements(array, shift, to: &out)
  }

  private func appendV2Array(_ key: JSONValue, _ array: JSONValue, _ shift: OffsetShift, to out: inout ByteBuffer) {
    if array.isEmpty { return }
    out.append(",")
    out.append(key.raw)
    out.append(":")
    appendV2Elements(array, shift, to: &out)
  }

  private func appendV2Elements(_ array: JSONValue, _ shift: OffsetShift, to out: inout ByteBuffer) {
    if shift.isNone {
      out.append(array.raw)
      return
    }
    let start = out.count
    for entity in array.elements {
      out.append(UInt8(ascii: ","))
      appendV2Entity(entity, shift, with: nil, to: &out)
    }
    out.closeArray(from: start, keyStart: start)
  }

  /// Mentions get what the includes know of the user behind them, as twarc2's flatten gives it.
  private func appendV2Mentions(
    _ mentions: JSONValue?, original: JSONValue?, _ shift: OffsetShift, to out: inout ByteBuffer
  ) {
    let keyStart = out.count
    out.append(",\"mentions\":")
    let start = out.count
    if let original, let user = original["author"] ?? includes.user(original["author_id"]) {
      out.append(RetweetedAuthor(v2: user))
    }
    if let mentions, mentions.isArray {
      for mention in mentions.elements where mention.isObject {
        out.append(UInt8(ascii: ","))
        let user = out.count < inlineLimit ? includes.user(mention["id"]) : nil
        appendV2Entity(mention, shift, with: user, to: &out)
      }
    }
    out.closeArray(from: start, keyStart: keyStart)
  }

  /// Appends one entity with its offsets moved, and what `user` knows that it does not say itself.
  private func appendV2Entity(
    _ entity: JSONValue, _ shift: OffsetShift, with user: JSONValue?, to out: inout ByteBuffer
  ) {
    let start = out.count
    for (key, value) in entity.members where !value.saysNothing {
      out.append(UInt8(ascii: ","))
      out.append(key.raw)
      out.append(UInt8(ascii: ":"))
      if !shift.isNone, key.spells("start") || key.spells("end"), let offset = value.looseInteger {
        out.append(decimal: shift(offset))
      } else {
        out.append(value.raw)
      }
    }
    if let user {
      for (key, value) in user.members where !value.saysNothing {
        if entity.members.contains(where: { $0.key.raw.elementsEqual(key.raw) }) { continue }
        out.append(UInt8(ascii: ","))
        out.append(UnsafeBufferPointer(start: key.start, count: value.end - key.start))
      }
    }
    out.endObject(from: start)
  }
}

private let v2EntityNames: [StaticString] = ["hashtags", "mentions", "cashtags", "urls"]

enum V2UserKey: Int, ShapeKey {
  case id, username, name, imageURL, verified, protected, description, location, url, createdAt, publicMetrics
  case pinnedTweet, pinnedPost

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
    case .pinnedPost: "pinned_post_id"
    }
  }
}
