/// Finds hashtags, mentions, cashtags and URLs in text as twitter-text 3 does, for services that send no entities and
/// for texts that are still to be sent.
package enum TextEntities {
  /// The entities of a text, in order, none lying over another: of two that do, the one that starts first stays, a URL
  /// before all else. Hashtags are never parts of URLs, whether or not URLs are asked for.
  /// - Parameter text: UTF-8, with `&`, `<` and `>` as themselves. Wrong bytes count as U+FFFD.
  package static func find(
    in text: UnsafeBufferPointer<UInt8>, _ kinds: TextEntityKinds = .all
  ) -> [TextEntity] {
    let signs = EntitySigns(in: text)
    if signs.isEmpty { return [] }
    var found: [TextEntity] = []
    let tagsWanted = kinds.contains(.hashtags) && signs.mayHoldHash
    if signs.hasDot, kinds.contains(.urls) || tagsWanted {
      var scanner = URLScanner(text)
      while let url = scanner.next() { found.append(url) }
    }
    if kinds.contains(.mentions), signs.mayHoldAt { TagScanner(text).addMentions(to: &found) }
    if tagsWanted { TagScanner(text).addHashtags(to: &found) }
    if kinds.contains(.cashtags), signs.hasDollar { TagScanner(text).addCashtags(to: &found) }
    if found.isEmpty { return [] }
    removeOverlaps(&found)
    if !kinds.contains(.urls) { found.removeAll { $0.kind == .url } }
    countScalars(text, &found)
    return found
  }

  private static func removeOverlaps(_ found: inout [TextEntity]) {
    // Each kind came in its own order; a later one must not pass an earlier one that starts at the same place.
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

  private static func countScalars(_ text: UnsafeBufferPointer<UInt8>, _ found: inout [TextEntity]) {
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

/// Which of the bytes that every entity needs are in a text: most texts are done with after this.
private struct EntitySigns {
  private(set) var hasDot = false
  private(set) var hasDollar = false
  private var hasHash = false
  private var hasAt = false
  /// The first byte of full-width signs, and of other scalars.
  private var hasFullWidth = false

  var isEmpty: Bool { !(hasDot || hasDollar || mayHoldHash || mayHoldAt) }
  var mayHoldHash: Bool { hasHash || hasFullWidth }
  var mayHoldAt: Bool { hasAt || hasFullWidth }

  init(in text: UnsafeBufferPointer<UInt8>) {
    guard let start = UnsafeRawPointer(text.baseAddress) else { return }
    typealias Block = SIMD32<UInt8>
    var (dot, dollar, hash, at, wide) = (
      SIMDMask<SIMD32<Int8>>(), SIMDMask<SIMD32<Int8>>(), SIMDMask<SIMD32<Int8>>(),
      SIMDMask<SIMD32<Int8>>(), SIMDMask<SIMD32<Int8>>()
    )
    var place = 0
    while place + Block.scalarCount <= text.count {
      let block = start.loadUnaligned(fromByteOffset: place, as: Block.self)
      dot .|= block .== Block(repeating: UInt8(ascii: "."))
      dollar .|= block .== Block(repeating: UInt8(ascii: "$"))
      hash .|= block .== Block(repeating: UInt8(ascii: "#"))
      at .|= block .== Block(repeating: UInt8(ascii: "@"))
      wide .|= block .== Block(repeating: 0xEF)
      place += Block.scalarCount
    }
    (hasDot, hasDollar, hasHash, hasAt, hasFullWidth) = (any(dot), any(dollar), any(hash), any(at), any(wide))
    while place < text.count {
      switch text[place] {
      case UInt8(ascii: "."): hasDot = true
      case UInt8(ascii: "$"): hasDollar = true
      case UInt8(ascii: "#"): hasHash = true
      case UInt8(ascii: "@"): hasAt = true
      case 0xEF: hasFullWidth = true
      default: break
      }
      place += 1
    }
  }
}
