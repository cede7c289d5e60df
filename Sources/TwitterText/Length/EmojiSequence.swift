import Libc
import TweetCore

/// Emoji of more than one scalar, which count as one.
enum EmojiSequence {
  private static let joiner: UInt32 = 0x200D
  private static let emojiSelector: UInt32 = 0xFE0F
  /// No sequence of Unicode's joins more parts than this.
  private static let mostParts = 6

  /// Where the emoji that starts at `start` ends, if it is one of more than one scalar; `nil` otherwise, since one alone
  /// weighs what any scalar outside the listed ranges does.
  static func end(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    let first = decodeScalar(text, at: start)
    let next = start + first.length
    guard next < text.count else { return nil }
    if first.value < 0x80 {
      // Few digits have anything but ASCII behind them.
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

  private static func keycapEnd(_ first: UInt32, in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard (0x30...0x39).contains(first) || first == 0x23 || first == 0x2A else { return nil }
    var next = decodeScalar(text, at: start)
    var end = start + next.length
    if next.value == emojiSelector, end < text.count {
      next = decodeScalar(text, at: end)
      end += next.length
    }
    return next.value == 0x20E3 ? end : nil
  }

  /// A black flag and the tags of a region that has a flag.
  private static func taggedEnd(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    var key = ByteBuffer(capacity: 64)
    var place = start
    // The longest are a flag and six tags.
    for _ in 0..<8 where place < text.count {
      let scalar = decodeScalar(text, at: place)
      guard place == start || (0xE0020...0xE007F).contains(scalar.value) else { return nil }
      key.append(UnsafeBufferPointer(rebasing: text[place..<place + scalar.length]))
      place += scalar.length
      if scalar.value == 0xE007F { return isListed(key) ? place : nil }
    }
    return nil
  }

  /// The longest listed sequence of parts with joiners between them, or the first part with its selector or skin tone.
  private static func joinedEnd(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    var key = ByteBuffer(capacity: 64)
    var longest: Int?
    var end = start
    for number in 0..<mostParts where end < text.count {
      let base = decodeScalar(text, at: end)
      guard base.value >= 0x80, let properties = Unicode.Scalar(base.value)?.properties, properties.isEmoji else {
        break
      }
      key.append(UnsafeBufferPointer(rebasing: text[end..<end + base.length]))
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
        // The table has one for all five.
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

  /// Whether U+FE0F belongs to an emoji before it: to those that are text by default, and to the pictures that were text
  /// once. Behind any other it stands alone, and counts alone.
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
    let table = EmojiTable.sequences
    let end = table.utf8Start + table.utf8CodeUnitCount
    var place = table.utf8Start
    return sequence.withBytes { wanted in
      guard let start = wanted.baseAddress else { return false }
      // A slash stands before every sequence and behind the last.
      while let slash = memchr(place, Int32(UInt8(ascii: "/")), end - place) {
        place = UnsafePointer(slash.assumingMemoryBound(to: UInt8.self)) + 1
        guard end - place > wanted.count else { return false }
        if place[wanted.count] == UInt8(ascii: "/"), memcmp(place, start, wanted.count) == 0 { return true }
      }
      return false
    }
  }
}
