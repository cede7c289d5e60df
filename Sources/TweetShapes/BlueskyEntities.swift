import TweetCore

/// Converts byte offsets of some UTF-8 text to offsets in Unicode scalars. It counts the scalars once, at every 64th byte.
struct ScalarOffsets {
  private static let blockSize = 64
  private let bytes: UnsafeBufferPointer<UInt8>
  private var blocks: [Int] = []

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    var count = 0
    for at in bytes.indices {
      if at % Self.blockSize == 0 { blocks.append(count) }
      if bytes[at] & 0xC0 != 0x80 { count += 1 }
    }
    if bytes.count % Self.blockSize == 0 { blocks.append(count) }
  }

  /// How many scalars come before `byte`; `nil` outside the text, and inside a scalar.
  func callAsFunction(_ byte: Int) -> Int? {
    guard byte >= 0, byte <= bytes.count, byte == bytes.count || bytes[byte] & 0xC0 != 0x80 else {
      return nil
    }
    var count = blocks[byte / Self.blockSize]
    for at in (byte - byte % Self.blockSize)..<byte where bytes[at] & 0xC0 != 0x80 { count += 1 }
    return count
  }
}

/// Bluesky's facets as entities. Facets count bytes of UTF-8, entities count Unicode scalars.
extension TweetMapper {
  private struct Facet {
    let feature: JSONValue
    /// In bytes of the post's text; `nil` when they are outside it.
    var slice: Range<Int>?
    /// In scalars of the record's text.
    var offsets: Range<Int>?
  }

  /// Appends `,"entities":{…}`; nothing when there are none.
  /// - Parameters:
  ///   - prefix: how many scalars the record's text has before the post's.
  ///   - repostOf: the author of the reposted post, whom that prefix mentions.
  mutating func appendBlueskyEntities(
    of post: BlueskyPost, _ embed: BlueskyEmbed, prefix: Int, repostOf author: JSONValue?,
    to out: inout ByteBuffer
  ) {
    facetText.removeAll()
    facetText.append(
      unescaping: post.record["text"]?.rawString ?? UnsafeBufferPointer(start: nil, count: 0))
    // The pointer stays valid: nothing is appended to the buffer below.
    let text = facetText.withBytes { $0 }
    let facets = facets(of: post.record, text, prefix: prefix)
    let keyStart = out.count
    out.append(",\"entities\":")
    let start = out.count
    appendTags(facets, tags: post.record["tags"], to: &out)
    appendMentions(facets, text, prefix: prefix, repostOf: author, to: &out)
    appendLinks(facets, text, card: embed.external, to: &out)
    out.closeObject(from: start, keyStart: keyStart)
  }

  private func facets(of record: JSONValue, _ text: UnsafeBufferPointer<UInt8>, prefix: Int)
    -> [Facet]
  {
    guard let list = record["facets"], list.isArray, !list.isEmpty else { return [] }
    let scalars = ScalarOffsets(text)
    var facets: [Facet] = []
    for facet in list.elements {
      var slice: Range<Int>?
      var offsets: Range<Int>?
      if let first = facet["index"]?["byteStart"]?.integer,
        let last = facet["index"]?["byteEnd"]?.integer,
        first < last, let start = scalars(first), let end = scalars(last)
      {
        (slice, offsets) = (first..<last, start + prefix..<end + prefix)
      }
      guard let features = facet["features"], features.isArray else { continue }
      for feature in features.elements where feature.isObject {
        facets.append(Facet(feature: feature, slice: slice, offsets: offsets))
      }
    }
    return facets
  }

  private func appendTags(_ facets: [Facet], tags: JSONValue?, to out: inout ByteBuffer) {
    let keyStart = out.count
    out.append(",\"hashtags\":")
    let start = out.count
    for facet in facets {
      guard let tag = facet.feature["tag"], tag.isString, !tag.isBlank else { continue }
      out.append(",")
      let first = out.count
      out.append(facet.offsets)
      out.append(",\"tag\":", tag)
      out.closeObject(from: first, keyStart: first)
    }
    // Tags outside the text.
    if let tags, tags.isArray {
      for tag in tags.elements where tag.isString && !tag.isBlank {
        out.append(",{\"tag\":", tag)
        out.append("}")
      }
    }
    out.closeArray(from: start, keyStart: keyStart)
  }

  /// Appends `,"mentions":[…]`. The handle comes from the text, because a facet has only the DID.
  private func appendMentions(
    _ facets: [Facet], _ text: UnsafeBufferPointer<UInt8>, prefix: Int, repostOf author: JSONValue?,
    to out: inout ByteBuffer
  ) {
    let keyStart = out.count
    out.append(",\"mentions\":")
    let start = out.count
    if prefix > 0, let author {
      out.append(",{\"start\":3,\"end\":")
      out.append(decimal: prefix - 2)
      out.append(",\"username\":", author["handle"])
      out.append(",\"id\":", author["did"])
      out.append(",\"name\":", author["displayName"])
      out.append("}")
    }
    for facet in facets {
      guard let did = facet.feature["did"], did.isString, !did.isBlank else { continue }
      out.append(",")
      let first = out.count
      out.append(facet.offsets)
      if let slice = facet.slice, text[slice.lowerBound] == UInt8(ascii: "@"), slice.count > 1 {
        out.append(",\"username\":\"")
        out.appendJSONEscaped(UnsafeBufferPointer(rebasing: text[slice].dropFirst()))
        out.append("\"")
      }
      out.append(",\"id\":", did)
      out.closeObject(from: first, keyStart: first)
    }
    out.closeArray(from: start, keyStart: keyStart)
  }

  /// Appends `,"urls":[…]`: the links of the text, and the link of the card when it is not one of them.
  private func appendLinks(
    _ facets: [Facet], _ text: UnsafeBufferPointer<UInt8>, card: JSONValue?,
    to out: inout ByteBuffer
  ) {
    let keyStart = out.count
    out.append(",\"urls\":")
    let start = out.count
    var card = card
    for facet in facets {
      guard let address = facet.feature["uri"], address.isString, !address.isBlank else {
        continue
      }
      out.append(",")
      let first = out.count
      out.append(facet.offsets)
      out.append(",\"url\":", address)
      out.append(",\"expanded_url\":", address)
      if let slice = facet.slice {
        out.append(",\"display_url\":\"")
        out.appendJSONEscaped(UnsafeBufferPointer(rebasing: text[slice]))
        out.append("\"")
      }
      if let shown = card, shown["uri"]?.raw.elementsEqual(address.raw) ?? false {
        out.appendCard(shown)
        card = nil
      }
      out.closeObject(from: first, keyStart: first)
    }
    if let card {
      out.append(",{\"url\":", card["uri"])
      out.append(",\"expanded_url\":", card["uri"])
      out.appendCard(card)
      out.append("}")
    }
    out.closeArray(from: start, keyStart: keyStart)
  }
}

extension ByteBuffer {
  fileprivate mutating func append(_ offsets: Range<Int>?) {
    guard let offsets else { return }
    append(",\"start\":")
    append(decimal: offsets.lowerBound)
    append(",\"end\":")
    append(decimal: offsets.upperBound)
  }

  /// Appends the members of a link's card under v2's names.
  fileprivate mutating func appendCard(_ card: JSONValue) {
    append(",\"title\":", card["title"])
    append(",\"description\":", card["description"])
    if let image = card["thumb"], image.isString, !image.isBlank {
      append(",\"images\":[{\"url\":")
      append(image.raw)
      append("}]")
    }
  }
}
