import TweetCore

/// Converts byte offsets of some UTF-8 text to offsets in Unicode scalars. It counts the scalars once, at every 64th
/// byte.
struct ScalarOffsets {
  private static let blockSize = 64
  private let bytes: ByteView
  private var blocks: [Int] = []

  init(_ bytes: ByteView) {
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
    var (tag, did, uri): (JSONValue?, JSONValue?, JSONValue?)
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
      unescaping: post.record["text"]?.rawString ?? .empty)
    // The pointer stays valid: nothing is appended to the buffer below.
    let text = facetText.withBytes { $0 }
    let facets = facets(of: post.record, text, prefix: prefix)
    out.object("entities") { out in
      appendTags(facets, tags: post.record["tags"], to: &out)
      appendMentions(facets, text, prefix: prefix, repostOf: author, to: &out)
      appendLinks(facets, text, cards: embed.cards, to: &out)
    }
  }

  private func facets(of record: JSONValue, _ text: ByteView, prefix: Int)
    -> [Facet]
  {
    guard let list = record["facets"], list.isArray, !list.isEmpty else { return oldEntities(of: record, text, prefix) }
    let scalars = ScalarOffsets(text)
    // Facets do not overlap (docs.bsky.app, "Rich text"), but one may have several features. Where the ranges together
    // are longer than this, they are made so that the record becomes many times as long as the post.
    var room = 4 * text.count
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
        room -= slice?.count ?? 0
        facets.append(
          Facet(
            tag: feature["tag"], did: feature["did"], uri: feature["uri"], slice: room < 0 ? nil : slice,
            offsets: room < 0 ? nil : offsets))
      }
    }
    return facets
  }

  /// Longer texts than a post ever had are not gone through for each of their entities.
  private static let longestOldText = 4096

  /// What the oldest posts have for facets, with offsets in UTF-16 (the lexicon app.bsky.feed.post#entity).
  private func oldEntities(of record: JSONValue, _ text: ByteView, _ prefix: Int) -> [Facet] {
    guard let list = record["entities"], list.isArray, text.count <= Self.longestOldText else { return [] }
    let string = String(decoding: text, as: UTF8.self)
    var room = 4 * text.count
    return list.elements.compactMap { (entity) -> Facet? in
      guard let type = entity["type"], let value = entity["value"],
        let first = entity["index"]?["start"]?.integer, let last = entity["index"]?["end"]?.integer, first >= 0,
        first < last, last <= string.utf16.count
      else { return nil }
      room -= last - first
      guard room >= 0,
        let start = string.utf16.index(string.startIndex, offsetBy: first).samePosition(in: string.unicodeScalars),
        let end = string.utf16.index(string.startIndex, offsetBy: last).samePosition(in: string.unicodeScalars)
      else { return nil }
      let scalars = string.unicodeScalars
      let offset = scalars.distance(from: scalars.startIndex, to: start) + prefix
      return Facet(
        tag: nil, did: type.equals("mention") ? value : nil, uri: type.equals("link") ? value : nil,
        slice: string.utf8.distance(
          from: string.startIndex, to: start)..<string.utf8.distance(from: string.startIndex, to: end),
        offsets: offset..<offset + scalars.distance(from: start, to: end))
    }
  }

  private func appendTags(_ facets: [Facet], tags: JSONValue?, to out: inout ByteBuffer) {
    out.array("hashtags") { out in
      for facet in facets {
        guard let tag = facet.tag, tag.isString, !tag.isBlank else { continue }
        out.element { out in
          out.append(offsets: facet.offsets)
          out.member("tag", tag)
        }
      }
      // Tags outside the text.
      if let tags, tags.isArray {
        for tag in tags.elements where tag.isString && !tag.isBlank {
          out.element { $0.member("tag", tag) }
        }
      }
    }
  }

  /// Appends `,"mentions":[…]`. The handle comes from the text, because a facet has only the DID.
  private func appendMentions(
    _ facets: [Facet], _ text: ByteView, prefix: Int, repostOf author: JSONValue?,
    to out: inout ByteBuffer
  ) {
    out.array("mentions") { out in
      if prefix > 0, let author {
        out.element { out in
          out.append(offsets: 3..<prefix - 2)
          out.member("username", author["handle"])
          out.member("id", author["did"])
          out.member("name", author["displayName"])
        }
      }
      for facet in facets {
        guard let did = facet.did, did.isString, !did.isBlank else { continue }
        out.element { out in
          out.append(offsets: facet.offsets)
          if let slice = facet.slice, text[slice.lowerBound] == UInt8(ascii: "@"), slice.count > 1 {
            out.member("username", text: ByteView(rebasing: text[slice].dropFirst()))
          }
          out.member("id", did)
        }
      }
    }
  }

  /// Appends `,"urls":[…]`: the links of the text, and the links of the cards that are not among them.
  private func appendLinks(
    _ facets: [Facet], _ text: ByteView, cards: [BlueskyCard], to out: inout ByteBuffer
  ) {
    out.array("urls") { out in
      var cards = cards
      for facet in facets {
        guard let address = facet.uri, address.isString, !address.isBlank else {
          continue
        }
        out.element { out in
          out.append(offsets: facet.offsets)
          out.member("url", address)
          out.member("expanded_url", address)
          if let slice = facet.slice {
            out.member("display_url", text: text.extracting(slice))
          }
          if let shown = cards.firstIndex(where: { $0.address.elementsEqual(address.rawString) }) {
            cards.remove(at: shown).append(to: &out)
          }
        }
      }
      for card in cards {
        out.element { out in
          out.member("url", inside: card.address)
          out.member("expanded_url", inside: card.address)
          card.append(to: &out)
        }
      }
    }
  }
}

extension ByteBuffer {
  fileprivate mutating func append(offsets: Range<Int>?) {
    member("start", offsets?.lowerBound)
    member("end", offsets?.upperBound)
  }
}
