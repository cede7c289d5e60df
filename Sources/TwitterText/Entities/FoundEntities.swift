package import TweetCore

/// Writes the entities that twitter-text's rules find in a text as a record has them.
package struct FoundEntities: ~Copyable {
  /// The longest text in bytes that is searched, to bound the memory. Services allow some ten thousand characters.
  private static let longestSearched = 256 << 10

  /// The text without JSON escapes.
  private var plain = ByteBuffer()

  package init() {}

  /// Appends `,"entities":{…}` of the entities in a text; nothing when there are none. Only addresses with a protocol
  /// count, because every link that X knows has one.
  /// - Parameters:
  ///   - text: the inside of a JSON string. It may lie in `out`.
  ///   - appendMore: appends more members of a mention, each with a comma before it, by the offset at which it starts.
  package mutating func append(
    in text: ByteView, to out: inout ByteBuffer,
    moreOfMention appendMore: (_ start: Int, inout ByteBuffer) -> Void = { _, _ in }
  ) {
    guard text.count <= Self.longestSearched, text.mayHoldEntities else { return }
    plain.removeAll()
    plain.append(unescaping: text)
    plain.withBytes { plain in
      let found = TextEntities.find(in: plain).filter { $0.kind != .url || plain.hasProtocol(in: $0.bytes) }
      if found.isEmpty { return }
      out.object("entities") { out in
        out.append("hashtags", "tag", found.filter { $0.kind == .hashtag }, of: plain) { _, _ in }
        let mentions = found.filter { $0.kind == .mention || $0.kind == .list }
        out.append("mentions", "username", mentions, of: plain, more: appendMore)
        out.append("cashtags", "tag", found.filter { $0.kind == .cashtag }, of: plain) { _, _ in }
        out.append("urls", "url", found.filter { $0.kind == .url }, of: plain) { _, _ in }
      }
    }
  }

  /// Whether tw-parse reads the posts of this service itself, and so knows that one of its records without entities has
  /// none: a text of Mastodon may have `#1` in it that is not a hashtag there.
  /// - Parameter service: the inside of a JSON string.
  package static func areKnown(of service: ByteView) -> Bool {
    let names: [StaticString] = ["x", "local", "bluesky"]
    return service.starts(with: "mastodon:".utf8)
      || names.contains { name in name.withUTF8Buffer { service.elementsEqual($0) } }
  }

  /// Appends a `tweet` record to which entities are added that are found in its text, if it has none and its service is
  /// not one of those that tw-parse reads itself. All other bytes stay as they are.
  /// - Returns: `false` for any other record; then nothing is appended.
  package mutating func append(to record: JSONValue, into out: inout ByteBuffer) -> Bool {
    let start = out.count
    guard let place = insertionPoint(in: record), let text = record["text"] else { return false }
    out.append(ByteView(start: record.start, count: place - record.start))
    let found = out.count
    append(in: text.rawString, to: &out)
    guard out.count > found else {
      out.truncate(to: start)
      return false
    }
    out.append(ByteView(start: place, count: record.end - place))
    return true
  }

  /// Where a record's entities belong, after the last of the members that come before them; `nil` for a record that
  /// gets none.
  package func insertionPoint(in record: JSONValue) -> UnsafePointer<UInt8>? {
    guard record["entities"] == nil, record["text"]?.isString ?? false, record["tw"]?.equals("tweet") ?? false,
      !(record["service"].map { $0.isString && Self.areKnown(of: $0.rawString) } ?? false)
    else { return nil }
    var place: UnsafePointer<UInt8>?
    for (key, value) in record.members where Self.namesBefore.contains(where: { key.spells($0) }) { place = value.end }
    return place
  }

  /// The members that tweet(5) has before `entities`.
  private static let namesBefore: [StaticString] = [
    "id", "service", "url", "created_at", "text", "lang", "source", "conversation_id", "possibly_sensitive",
    "author_id", "author", "public_metrics", "viewer",
  ]
}

extension ByteBuffer {
  /// Appends one kind of entities with its key; nothing when `found` is empty.
  fileprivate mutating func append(
    _ key: StaticString, _ nameKey: StaticString, _ found: [TextEntity], of text: ByteView,
    more: (Int, inout ByteBuffer) -> Void
  ) {
    array(key) { out in
      for entity in found {
        out.element { out in
          out.member("start", entity.start)
          out.member("end", entity.end)
          out.string(nameKey) { $0.appendJSONEscaped(text.extracting(entity.name)) }
          more(entity.start, &out)
        }
      }
    }
  }
}

extension ByteView {
  /// Whether JSON-escaped bytes have a character that may be in an entity: `#`, `@`, `$`, `/`, an escape, or the first
  /// byte of a full-width sign.
  fileprivate var mayHoldEntities: Bool {
    contains {
      $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: "/")
        || $0 == UInt8(ascii: "\\") || $0 == 0xEF
    }
  }

  fileprivate func hasProtocol(in range: Range<Int>) -> Bool {
    let start = self[range].prefix(8).map { $0 | 0x20 }
    return start.starts(with: "http://".utf8) || start.starts(with: "https://".utf8)
  }
}
