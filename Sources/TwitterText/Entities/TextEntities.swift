package import TweetCore

/// Finds hashtags, mentions, lists, cashtags and URLs in text as twitter-text 3 does: for services that send no
/// entities, and for texts before they are sent.
package enum TextEntities {
  /// The entities of a text, in order. Of two that overlap, the one that starts first is kept; of two that start
  /// together, the URL. A hashtag within a URL is none, even if `kinds` has no URLs.
  /// - Parameter text: UTF-8 without HTML references (`&`, not `&amp;`). Wrong bytes are read as U+FFFD.
  package static func find(
    in text: ByteView, _ kinds: TextEntityKinds = .all
  ) -> [TextEntity] {
    let signs = EntitySigns(in: text)
    if signs.isEmpty { return [] }
    var found: [TextEntity] = []
    let tagsWanted = kinds.contains(.hashtags) && signs.mayHoldHash
    if signs.hasDot, kinds.contains(.urls) || tagsWanted {
      var scanner = URLScanner(text)
      while let url = scanner.next() { found.append(url) }
    }
    if kinds.contains(.mentions), signs.mayHoldAt { TagScanner(text).appendMentions(to: &found) }
    if tagsWanted { TagScanner(text).appendHashtags(to: &found) }
    if kinds.contains(.cashtags), signs.hasDollar { TagScanner(text).appendCashtags(to: &found) }
    if found.isEmpty { return [] }
    removeOverlaps(&found)
    if !kinds.contains(.urls) { found.removeAll { $0.kind == .url } }
    countScalars(text, &found)
    return found
  }

  private static func removeOverlaps(_ found: inout [TextEntity]) {
    // A stable sort: the kinds were found one after the other, URLs first, each in order.
    let ranked = found.enumerated().sorted {
      ($0.element.bytes.lowerBound, $0.offset) < ($1.element.bytes.lowerBound, $1.offset)
    }
    found.removeAll(keepingCapacity: true)
    var end = 0
    for (_, entity) in ranked where entity.bytes.lowerBound >= end {
      found.append(entity)
      end = entity.bytes.upperBound
    }
  }

  private static func countScalars(_ text: ByteView, _ found: inout [TextEntity]) {
    var at = 0
    var scalars = 0
    func advance(to end: Int) -> Int {
      while at < end {
        // Continuation bytes start no scalar.
        if text[at] & 0xC0 != 0x80 { scalars += 1 }
        at += 1
      }
      return scalars
    }
    for index in found.indices {
      found[index].start = advance(to: found[index].bytes.lowerBound)
      found[index].end = advance(to: found[index].bytes.upperBound)
    }
  }
}

/// Which of the bytes that entities need are in a text. Most texts have none, and need no further search.
private struct EntitySigns {
  private(set) var hasDot = false
  private(set) var hasDollar = false
  private var hasHash = false
  private var hasAt = false
  /// Whether there is the first byte of full-width signs, which other scalars have too.
  private var hasFullWidth = false

  var isEmpty: Bool { !(hasDot || hasDollar || mayHoldHash || mayHoldAt) }
  var mayHoldHash: Bool { hasHash || hasFullWidth }
  var mayHoldAt: Bool { hasAt || hasFullWidth }

  init(in text: ByteView) {
    typealias Block = SIMD32<UInt8>
    var (dot, dollar, hash, at, wide) = (
      SIMDMask<SIMD32<Int8>>(), SIMDMask<SIMD32<Int8>>(), SIMDMask<SIMD32<Int8>>(),
      SIMDMask<SIMD32<Int8>>(), SIMDMask<SIMD32<Int8>>()
    )
    var offset = 0
    while offset + Block.scalarCount <= text.count {
      let block = text.block(at: offset)
      dot .|= block .== Block(repeating: UInt8(ascii: "."))
      dollar .|= block .== Block(repeating: UInt8(ascii: "$"))
      hash .|= block .== Block(repeating: UInt8(ascii: "#"))
      at .|= block .== Block(repeating: UInt8(ascii: "@"))
      wide .|= block .== Block(repeating: 0xEF)
      offset += Block.scalarCount
    }
    (hasDot, hasDollar, hasHash, hasAt, hasFullWidth) = (any(dot), any(dollar), any(hash), any(at), any(wide))
    while offset < text.count {
      switch text[offset] {
      case UInt8(ascii: "."): hasDot = true
      case UInt8(ascii: "$"): hasDollar = true
      case UInt8(ascii: "#"): hasHash = true
      case UInt8(ascii: "@"): hasAt = true
      case 0xEF: hasFullWidth = true
      default: break
      }
      offset += 1
    }
  }
}
