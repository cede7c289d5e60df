import Libc
import TweetCore
import TwitterText

/// Entities found by twitter-text's rules, for posts whose service sent none.
extension TweetMapper {
  /// The longest text in bytes that is searched, to bound the memory. Services allow some ten thousand characters.
  private static var longestSearched: Int { 256 << 10 }

  /// Appends `,"entities":{…}` of the entities in the last text (``textRange``); nothing when there are none. Only
  /// addresses with a protocol count, because every link that X knows has one.
  /// - Parameter author: the author of the tweet that a retweet repeats, for members that the text does not have.
  mutating func appendFoundEntities(author: RetweetedAuthor? = nil, to out: inout ByteBuffer) {
    let text = textRange
    guard text.count <= Self.longestSearched else { return }
    guard out.withBytes({ UnsafeBufferPointer(rebasing: $0[text]).mayHoldEntities }) else { return }
    foundText.removeAll()
    out.withBytes { foundText.append(unescaping: UnsafeBufferPointer(rebasing: $0[text])) }
    foundText.withBytes { plain in
      let found = TextEntities.find(in: plain).filter { $0.kind != .url || plain.hasProtocol(in: $0.bytes) }
      if found.isEmpty { return }
      let start = out.count + ",\"entities\":".utf8.count
      out.append(",\"entities\":")
      out.append(",\"hashtags\":", ",\"tag\":", found.filter { $0.kind == .hashtag }, of: plain)
      out.append(
        ",\"mentions\":", ",\"username\":", found.filter { $0.kind == .mention || $0.kind == .list }, of: plain,
        author: author)
      out.append(",\"cashtags\":", ",\"tag\":", found.filter { $0.kind == .cashtag }, of: plain)
      out.append(",\"urls\":", ",\"url\":", found.filter { $0.kind == .url }, of: plain)
      out[start] = UInt8(ascii: "{")
      out.append("}")
    }
  }
}

extension ByteBuffer {
  /// Appends one kind of entities with its key; nothing when `found` is empty.
  fileprivate mutating func append(
    _ key: StaticString, _ nameKey: StaticString, _ found: [TextEntity], of text: UnsafeBufferPointer<UInt8>,
    author: RetweetedAuthor? = nil
  ) {
    if found.isEmpty { return }
    append(key)
    let start = count
    for entity in found {
      append(",{\"start\":")
      append(decimal: entity.start)
      append(",\"end\":")
      append(decimal: entity.end)
      append(nameKey)
      append("\"")
      appendJSONEscaped(UnsafeBufferPointer(rebasing: text[entity.name]))
      append("\"")
      // The mention after `RT `.
      if let author, entity.start == 3 {
        if let id = author.id { append(",\"id\":", inside: id) }
        append(",\"name\":", author.name)
      }
      append("}")
    }
    self[start] = UInt8(ascii: "[")
    append("]")
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether JSON-escaped bytes have a character that may be in an entity: `#`, `@`, `$`, `/`, an escape, or the first byte
  /// of a full-width sign.
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
