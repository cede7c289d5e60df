import Libc
import TweetCore

/// Finds emoji that are made of several scalars, which count as one.
enum EmojiSequence {
  private static let joiner: UInt32 = 0x200D
  private static let emojiSelector: UInt32 = 0xFE0F
  /// No sequence on Unicode's list joins more parts.
  private static let mostParts = 6

  /// The end of the emoji that starts at `start`, if it is made of several scalars; `nil` otherwise. An emoji of one
  /// scalar needs no care: it weighs what most scalars weigh.
  static func end(in text: ByteView, from start: Int) -> Int? {
    let first = decodeScalar(text, at: start)
    let next = start + first.length
    guard next < text.count else { return nil }
    if first.value < 0x80 {
      // A quick way for most text.
      return text[next] < 0x80 ? nil : keycapEnd(first.value, in: text, from: next)
    }
    let second = decodeScalar(text, at: next)
    switch second.value {
    case 0x1F1E6...0x1F1FF:
      guard (0x1F1E6...0x1F1FF).contains(first.value) else { return nil }
      let row = EmojiTable.flags[Int(first.value - 0x1F1E6)]
      return row >> (second.value - 0x1F1E6) & 1 == 1 ? next + second.length : nil
    case 0xE0020...0xE007F: return first.value == 0x1F3F4 ? taggedEnd(in: text, from: start) : nil
    case joiner, emojiSelector, 0x1F3FB...0x1F3FF: return joinedEnd(in: text, from: start)
    default: return nil
    }
  }

  private static func keycapEnd(_ first: UInt32, in text: ByteView, from start: Int) -> Int? {
    guard (0x30...0x39).contains(first) || first == 0x23 || first == 0x2A else { return nil }
    var next = decodeScalar(text, at: start)
    var end = start + next.length
    if next.value == emojiSelector, end < text.count {
      next = decodeScalar(text, at: end)
      end += next.length
    }
    return next.value == 0x20E3 ? end : nil
  }

  /// The end of a flag of a region: a black flag and tags.
  private static func taggedEnd(in text: ByteView, from start: Int) -> Int? {
    var key = ByteBuffer(capacity: 64)
    var offset = start
    // The longest are a flag and six tags.
    for _ in 0..<8 where offset < text.count {
      let scalar = decodeScalar(text, at: offset)
      guard offset == start || (0xE0020...0xE007F).contains(scalar.value) else { return nil }
      key.append(text.extracting(offset..<offset + scalar.length))
      offset += scalar.length
      if scalar.value == 0xE007F { return isListed(key) ? offset : nil }
    }
    return nil
  }

  /// The end of the longest sequence on the list, parts with joiners between them; or of the first part with its
  /// selector or skin tone.
  private static func joinedEnd(in text: ByteView, from start: Int) -> Int? {
    var key = ByteBuffer(capacity: 64)
    var longest: Int?
    var end = start
    for number in 0..<mostParts where end < text.count {
      let base = decodeScalar(text, at: end)
      guard base.value >= 0x80, let properties = Unicode.Scalar(base.value)?.properties, properties.isEmoji else {
        break
      }
      key.append(text.extracting(end..<end + base.length))
      end += base.length
      if number > 0, isListed(key) { longest = end }
      if end < text.count, takesSelector(base.value, properties), decodeScalar(text, at: end).value == emojiSelector {
        key.append("\u{FE0F}")
        end += 3
        if number == 0 || isListed(key) { longest = end }
      }
      if end < text.count, properties.isEmojiModifierBase,
        (0x1F3FB...0x1F3FF).contains(decodeScalar(text, at: end).value)
      {
        // The table has the lightest skin tone for all five.
        key.append("\u{1F3FB}")
        end += 4
        if number == 0 || isListed(key) { longest = end }
      }
      guard end < text.count, decodeScalar(text, at: end).value == joiner else { break }
      key.append("\u{200D}")
      end += 3
    }
    return longest
  }

  /// Whether U+FE0F after an emoji is a part of it: if it is text by default, or was in Unicode's early versions. After
  /// any other it counts on its own.
  private static func takesSelector(_ scalar: UInt32, _ properties: Unicode.Scalar.Properties) -> Bool {
    guard properties.isEmojiPresentation else { return true }
    switch scalar {
    case 0x231A, 0x231B, 0x25FD, 0x25FE, 0x2614, 0x2615, 0x2648...0x2653, 0x267F, 0x2693, 0x26A1, 0x26AA, 0x26AB,
      0x26BD, 0x26BE, 0x26C4, 0x26C5, 0x26D4, 0x26EA, 0x26F2, 0x26F3, 0x26F5, 0x26FA, 0x26FD, 0x2757, 0x2B1B, 0x2B1C,
      0x2B50, 0x2B55, 0x1F004, 0x1F21A, 0x1F22F:
      return true
    default: return false
    }
  }

  private static func isListed(_ sequence: borrowing ByteBuffer) -> Bool {
    let table = EmojiTable.sequences.bytes
    var offset = 0
    return sequence.withBytes { wanted in
      // A slash is before every sequence and after the last.
      while let slash = table.firstIndex(of: UInt8(ascii: "/"), from: offset) {
        offset = slash + 1
        let end = offset + wanted.count
        guard end < table.count else { return false }
        if table[end] == UInt8(ascii: "/"), table.extracting(offset..<end) == wanted { return true }
      }
      return false
    }
  }
}
