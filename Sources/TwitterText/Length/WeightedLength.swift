import TweetCore

/// The length of a text by X's rules, and whether it can be posted.
///
/// Text is counted in normalization form C. Each scalar has a weight, a URL counts 23, and an emoji two, however many
/// scalars it is made of.
package struct WeightedLength: Sendable, Equatable {
  /// Why a text cannot be posted.
  package enum Problem: Sendable, Equatable {
    /// It has only white space.
    case blank
    case tooLong
    /// It has U+FEFF, U+FFFE or U+FFFF.
    case forbiddenScalar
  }

  /// The sum of the weights, rounded down.
  package let weightedLength: Int
  /// The part of the text that can be posted, in Unicode scalars: all of it, or its beginning up to where it is too
  /// long or has a forbidden scalar. Emoji, URLs and letters with their accents are not cut through.
  package let validRange: Range<Int>
  /// Why the text cannot be posted; `nil` if it can.
  package let problem: Problem?

  package var isValid: Bool { problem == nil }

  package init(_ text: String, limits: LengthLimits = .v3) {
    let normalized = NormalizedText(text)
    self = normalized.utf8.withBytes { Self($0, limits, cuts: normalized.cuts) }
  }

  /// - Parameters:
  ///   - text: normalized.
  ///   - cuts: as in ``NormalizedText``.
  private init(_ text: ByteView, _ limits: LengthLimits, cuts: [Int]) {
    var urls = TextEntities.find(in: text, .urls)[...]
    var (offset, scalars, weight) = (0, 0, 0)
    var (valid, isForbidden, isBlank) = (0, false, true)
    while offset < text.count {
      if let url = urls.first, url.bytes.lowerBound == offset {
        urls.removeFirst()
        weight += limits.urlLength * limits.scale
        scalars += url.end - url.start
        (offset, isBlank) = (url.bytes.upperBound, false)
      } else if limits.countsEmojiOnce, let end = EmojiSequence.end(in: text, from: offset) {
        weight += limits.defaultWeight
        while offset < end {
          offset += decodeScalar(text, at: offset).length
          scalars += 1
        }
        isBlank = false
      } else {
        let scalar = decodeScalar(text, at: offset)
        weight += limits.weight(of: scalar.value)
        offset += scalar.length
        scalars += 1
        if ScalarSets.isForbidden(scalar.value) { isForbidden = true }
        if isBlank, !ScalarSets.isSpace(scalar.value) { isBlank = false }
      }
      if !isForbidden, weight <= limits.maximum * limits.scale { valid = scalars }
    }
    weightedLength = weight / limits.scale
    validRange = 0..<(cuts.isEmpty || valid == 0 ? valid : cuts[valid - 1])
    problem =
      isBlank ? .blank : isForbidden ? .forbiddenScalar : weight > limits.maximum * limits.scale ? .tooLong : nil
  }
}

/// How text is weighed. twitter-text 3 has these three, by number.
package struct LengthLimits: Sendable {
  /// The longest text, in units.
  package let maximum: Int
  /// How much weight is one unit.
  package let scale: Int
  /// The length of any URL, in units.
  package let urlLength: Int
  let defaultWeight: Int
  let countsEmojiOnce: Bool
  /// Whether scalars up to U+10FF and some signs weigh half of what others do.
  private let hasLightScalars: Bool

  /// 140; every scalar is one.
  package static let v1 = Self(
    maximum: 140, scale: 1, urlLength: 23, defaultWeight: 1, countsEmojiOnce: false, hasLightScalars: false)
  /// 280; ideographs and others are two.
  package static let v2 = Self(
    maximum: 280, scale: 100, urlLength: 23, defaultWeight: 200, countsEmojiOnce: false, hasLightScalars: true)
  /// 280; ideographs and others are two, and so is any emoji. X counts by this.
  package static let v3 = Self(
    maximum: 280, scale: 100, urlLength: 23, defaultWeight: 200, countsEmojiOnce: true, hasLightScalars: true)

  @inline(__always)
  func weight(of scalar: UInt32) -> Int {
    guard hasLightScalars else { return defaultWeight }
    switch scalar {
    // Latin to Georgian; spaces and joiners; dashes and quotation marks; primes.
    case 0...0x10FF, 0x2000...0x200D, 0x2010...0x201F, 0x2032...0x2037: return 100
    default: return defaultWeight
    }
  }
}

/// A text in Unicode's normalization form C, in which X counts it.
///
/// The standard library does the work, by a property that it has for itself and its tests. The only public way to it is
/// full Foundation (docs/decisions/unicode.md).
struct NormalizedText {
  private(set) var utf8: [UInt8]
  /// For each scalar of ``utf8``, how many scalars of the original text are left if this text is cut after it; a
  /// character that normalizing may have changed is not cut through. Empty if the original was normalized.
  private(set) var cuts: [Int] = []

  init(_ text: String) {
    utf8 = text._nfcCodeUnits
    if text.utf8.elementsEqual(utf8) { return }
    utf8.removeAll(keepingCapacity: true)
    var scalars = 0
    for character in text {
      let normalized = String(character)._nfcCodeUnits
      utf8 += normalized
      // Continuation bytes start no scalar.
      let count = normalized.count { $0 & 0xC0 != 0x80 }
      cuts.append(contentsOf: repeatElement(scalars, count: count - 1))
      scalars += character.unicodeScalars.count
      cuts.append(scalars)
    }
  }
}
