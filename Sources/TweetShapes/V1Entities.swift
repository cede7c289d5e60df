import TweetCore
import TwitterText

/// The author of the tweet that a retweet repeats. The retweet's text begins with a mention of them.
struct RetweetedAuthor {
  /// The inside of a JSON string.
  let username: ByteView
  /// The inside of a JSON string.
  let id: ByteView?
  let name: JSONValue?

  init(username: ByteView, id: ByteView?, name: JSONValue?) {
    (self.username, self.id, self.name) = (username, id, name)
  }

  /// - Parameter user: a v1.1 user. The result is `nil` when it has no username.
  init?(v1 user: JSONValue) {
    guard let username = user["screen_name"], username.isString else { return nil }
    self.init(username: username.rawString, id: user.v1ID?.idBytes, name: user["name"])
  }

  /// - Parameter user: a v2 user. The result is `nil` when it has no username.
  init?(v2 user: JSONValue) {
    guard let username = user["username"], username.isString else { return nil }
    self.init(username: username.rawString, id: user["id"]?.rawString, name: user["name"])
  }
}

extension ByteBuffer {
  /// Appends a comma and the mention that a retweet's text begins with; nothing for `nil`.
  mutating func append(_ author: RetweetedAuthor?) {
    guard let author else { return }
    // After `RT `. The `@` belongs to the mention.
    element { out in
      out.member("start", 3)
      out.member("end", 4 + author.username.scalarCount)
      out.member("username", inside: author.username)
      if let id = author.id { out.member("id", inside: id) }
      out.member("name", author.name)
    }
  }
}

/// X API v1.1's entities and media in v2's form: `indices` become `start` and `end`, counted in the record's text.
extension TweetMapper {
  /// Appends `,"entities":{…}`; nothing when there are none. A retweet has those of the tweet that it repeats, after
  /// the mention of its author.
  mutating func appendV1Entities(
    _ entities: JSONValue?, retweeted: V1Retweeted?, shift: OffsetShift, to out: inout ByteBuffer
  ) {
    guard let retweeted else { return appendV1Entities(entities, author: nil, shift: shift, to: &out) }
    func value(_ key: V1TweetKey) -> JSONValue? { arena.value(retweeted.fields, key, in: retweeted.tweet) }
    let source = value(.extendedTweet)?["entities"] ?? value(.entities)
    let author = value(.user).flatMap { RetweetedAuthor(v1: $0) }
    appendV1Entities(source, author: author, shift: shift, to: &out)
  }

  /// Appends `,"entities":{…}` of an entities object. When the service sent none, they are found in the text.
  mutating func appendV1Entities(
    _ entities: JSONValue?, author: RetweetedAuthor?, shift: OffsetShift, to out: inout ByteBuffer
  ) {
    guard let entities, entities.isObject else { return appendFoundEntities(author: author, to: &out) }
    let start = out.count
    out.object("entities") { out in
      appendV1EntityArrays(entities, author: author, shift: shift, to: &out)
    }
    if out.count == start, !context.hasKnownEntities { appendFoundEntities(author: author, to: &out) }
  }

  /// Appends `,"entities":{…}` of the entities in the last text (``textRange``); nothing when there are none.
  /// - Parameter author: the author of the tweet that a retweet repeats, for members that the text does not have.
  mutating func appendFoundEntities(author: RetweetedAuthor? = nil, to out: inout ByteBuffer) {
    // A copy: the output may move when it grows.
    foundText.removeAll()
    out.withBytes { foundText.append($0.extracting(textRange)) }
    foundText.withBytes { text in
      foundEntities.append(in: text, to: &out) { start, out in
        // The mention after `RT `.
        guard let author, start == 3 else { return }
        if let id = author.id { out.member("id", inside: id) }
        out.member("name", author.name)
      }
    }
  }

  /// Appends the arrays of an entities object, each with a comma and its key before it. Empty ones are left out.
  mutating func appendV1EntityArrays(
    _ entities: JSONValue, author: RetweetedAuthor?, shift: OffsetShift, to out: inout ByteBuffer
  ) {
    let fields = arena.gather(entities, &v1EntitiesKeys)
    defer { arena.release(fields) }
    func value(_ key: V1EntitiesKey) -> JSONValue? { arena.value(fields, key, in: entities) }

    appendEntities("hashtags", value(.hashtags), text: "tag", shift, to: &out)
    appendMentions(value(.mentions), author: author, shift: shift, to: &out)
    appendEntities("cashtags", value(.symbols), text: "tag", shift, to: &out)
    out.array("urls") { out in
      appendElements(value(.urls), text: "tag", shift, to: &out)
      appendMediaLinks(value(.media), shift, to: &out)
    }
    arena.appendUnknown(of: fields, in: entities, to: &out)
  }

  private mutating func appendMentions(
    _ mentions: JSONValue?, author: RetweetedAuthor?, shift: OffsetShift, to out: inout ByteBuffer
  ) {
    out.array("mentions") { out in
      out.append(author)
      appendElements(mentions, text: "text", shift, to: &out)
    }
  }

  private mutating func appendEntities(
    _ key: StaticString, _ array: JSONValue?, text: StaticString, _ shift: OffsetShift, to out: inout ByteBuffer
  ) {
    guard let array, array.isArray, !array.isEmpty else { return }
    out.array(key) { out in appendElements(array, text: text, shift, to: &out) }
  }

  /// Appends entities, each with a comma before it: the keys of v2 in its order, then the others with their exact
  /// bytes.
  private mutating func appendElements(
    _ array: JSONValue?, text: StaticString, _ shift: OffsetShift, to out: inout ByteBuffer
  ) {
    guard let array, array.isArray else { return }
    for entity in array.elements where entity.isObject {
      let fields = arena.gather(entity, &v1EntityKeys)
      @inline(__always) func value(_ key: V1EntityKey) -> JSONValue? { arena.value(fields, key, in: entity) }
      out.element { out in
        out.appendOffsets(value(.indices), shift)
        out.member(text, value(.text))
        out.member("username", value(.screenName))
        if let id = readID(value(.idString), value(.id)) { out.member("id", id: id) }
        out.member("name", value(.name))
        out.member("url", value(.url))
        out.member("expanded_url", value(.expandedURL))
        out.member("display_url", value(.displayURL))
        arena.appendUnknown(of: fields, in: entity, to: &out)
        arena.release(fields)
      }
    }
  }

  /// Appends the links that stand for media. v2 lists them among the other links.
  private func appendMediaLinks(_ media: JSONValue?, _ shift: OffsetShift, to out: inout ByteBuffer) {
    guard let media, media.isArray else { return }
    for item in media.elements where item.isObject {
      out.element { out in
        out.appendOffsets(item["indices"], shift)
        out.member("url", item["url"])
        out.member("expanded_url", item["expanded_url"])
        out.member("display_url", item["display_url"])
        out.appendMediaKey(item)
      }
    }
  }

  /// Appends `,"attachments":{"media_keys":[…],"media":[…]}`; nothing when there is no media.
  mutating func appendV1Attachments(_ entities: JSONValue?, to out: inout ByteBuffer) {
    guard let media = entities?["media"], media.isArray, !media.isEmpty else { return }
    out.object("attachments") { out in
      out.array("media_keys") { out in
        for item in media.elements where item.v1ID != nil {
          out.append(UInt8(ascii: ","))
          out.appendMediaKeyValue(item)
        }
      }
      out.array("media") { out in
        for item in media.elements where item.v1ID != nil { appendV1Media(item, to: &out) }
      }
    }
  }

  private func appendV1Media(_ media: JSONValue, to out: inout ByteBuffer) {
    let isPhoto = media["type"]?.equals("photo") ?? true
    let image = media["media_url_https"] ?? media["media_url"]
    out.element { out in
      out.appendMediaKey(media)
      out.member("type", media["type"])
      out.member(isPhoto ? "url" : "preview_image_url", image)
      out.member("alt_text", media["ext_alt_text"])
      let size = media["original_info"] ?? media["sizes"]?["large"]
      out.member("width", count: size?["width"] ?? size?["w"])
      out.member("height", count: size?["height"] ?? size?["h"])
      if let video = media["video_info"] {
        out.member("duration_ms", count: video["duration_millis"])
        appendVariants(video["variants"], to: &out)
      }
      out.object("extra") { out in
        for (key, value) in media.members where !value.isBlank && !key.isMappedMediaKey {
          out.append(member: key, value)
        }
      }
    }
  }

  /// Appends `,"variants":[…]`. v2 spells `bitrate` with an underscore.
  private func appendVariants(_ variants: JSONValue?, to out: inout ByteBuffer) {
    guard let variants, variants.isArray, !variants.isEmpty else { return }
    out.array("variants") { out in
      for variant in variants.elements where variant.isObject {
        out.element { out in
          out.member("bit_rate", variant["bitrate"])
          for (key, value) in variant.members where !value.isBlank && !key.spells("bitrate") {
            out.append(member: key, value)
          }
        }
      }
    }
  }
}

extension JSONValue {
  /// Whether it is a key of a v1.1 media object that is mapped to a key of v2's.
  fileprivate var isMappedMediaKey: Bool {
    for name in mappedMediaKeys where spells(name) { return true }
    return false
  }
}

private let mappedMediaKeys: [StaticString] = [
  "id", "id_str", "indices", "url", "expanded_url", "display_url", "type", "media_url", "media_url_https",
  "ext_alt_text", "original_info", "video_info",
]

extension ByteBuffer {
  /// Appends `,"start":…,"end":…` of v1.1's `indices`; nothing when they are not two numbers.
  fileprivate mutating func appendOffsets(_ indices: JSONValue?, _ shift: OffsetShift) {
    guard let indices, indices.isArray else { return }
    var ends = indices.elements
    guard let first = ends.next(), let second = ends.next() else { return }
    if shift.isNone, !first.isString, !second.isString {
      key("start")
      append(first)
      key("end")
      append(second)
      return
    }
    guard let start = first.looseInteger, let end = second.looseInteger else { return }
    member("start", shift(start))
    member("end", shift(end))
  }

  fileprivate mutating func appendMediaKey(_ media: JSONValue) {
    guard media.v1ID != nil else { return }
    key("media_key")
    appendMediaKeyValue(media)
  }

  /// Appends the media key that v2 has: a number for the kind (3 photo, 7 video, 16 animated GIF), an underscore, the
  /// id.
  fileprivate mutating func appendMediaKeyValue(_ media: JSONValue) {
    let type = media["type"]
    append(UInt8(ascii: "\""))
    append(type?.equals("video") ?? false ? "7_" : type?.equals("animated_gif") ?? false ? "16_" : "3_")
    if let id = media.v1ID { append(id.idBytes) }
    append(UInt8(ascii: "\""))
  }
}

enum V1EntitiesKey: Int, ShapeKey {
  case hashtags, mentions, symbols, urls, media

  var name: StaticString {
    switch self {
    case .hashtags: "hashtags"
    case .mentions: "user_mentions"
    case .symbols: "symbols"
    case .urls: "urls"
    case .media: "media"
    }
  }
}

enum V1EntityKey: Int, ShapeKey {
  case indices, text, screenName, id, idString, name, url, expandedURL, displayURL

  var name: StaticString {
    switch self {
    case .indices: "indices"
    case .text: "text"
    case .screenName: "screen_name"
    case .id: "id"
    case .idString: "id_str"
    case .name: "name"
    case .url: "url"
    case .expandedURL: "expanded_url"
    case .displayURL: "display_url"
    }
  }
}
