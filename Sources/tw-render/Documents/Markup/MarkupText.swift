import TweetCore

extension ByteBuffer {
  /// Appends text of any origin as content, or as an attribute's value in double quotes, of HTML or XML.
  ///
  /// What neither has a spelling for becomes U+FFFD: control characters (XML 1.0 §2.2 has none but tab and line breaks,
  /// HTML calls them errors), and U+FFFE, U+FFFF and the other noncharacters. Direction marks stay: whoever puts text
  /// into a page isolates it. Line breaks of all kinds become `newline`.
  mutating func append(markup text: ByteView, newline: StaticString = "\n") {
    var offset = 0
    while offset < text.count {
      let end = Self.endOfPlain(text, from: offset)
      append(ByteView(rebasing: text[offset..<end]))
      offset = end
      guard offset < text.count else { return }
      let scalar = decodeScalar(text, at: offset)
      let start = offset
      offset += scalar.length
      switch scalar.value {
      case 0x26: append("&amp;")
      case 0x3C: append("&lt;")
      case 0x3E: append("&gt;")
      case 0x22: append("&quot;")
      case 0x0D where offset < text.count && text[offset] == 0x0A: continue
      case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: append(newline)
      case 0x09: append(UInt8(ascii: "\t"))
      case ..<0x20, 0x7F..<0xA0, 0xFDD0...0xFDEF: append("\u{FFFD}")
      case let value where value & 0xFFFE == 0xFFFE: append("\u{FFFD}")
      default: append(ByteView(rebasing: text[start..<offset]))
      }
    }
  }

  /// The end of a run of bytes that stay as they are: no byte of what is escaped or replaced is in it. The lead bytes
  /// are those of U+0080 to U+00BF, U+2000 to U+2FFF, U+F000 to U+FFFF and of what is above.
  @inline(__always)
  private static func endOfPlain(_ text: ByteView, from start: Int) -> Int {
    var end = start
    let isPlain = plainBytes
    while end < text.count, isPlain[Int(text[end])] { end += 1 }
    return end
  }
}

private let plainBytes: [Bool] = (0...255).map { byte in
  switch byte {
  case 0x26, 0x3C, 0x3E, 0x22, 0..<0x20, 0x7F, 0xC2, 0xE2, 0xEF...0xFF: false
  default: true
  }
}
