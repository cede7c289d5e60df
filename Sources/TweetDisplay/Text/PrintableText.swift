package import TweetCore

extension Printable {
  /// More marks on one letter are dropped. Hebrew with cantillation and Tibetan stacks have fewer; the flag of a region
  /// has seven tags.
  private static let mostMarks = 8

  /// Appends text for a person to read. Line separators become `newline`: `\n` keeps the lines, a space makes them one.
  /// Tabs become spaces. Other control characters and bytes that are not UTF-8 become U+FFFD. Invisible format
  /// characters are dropped.
  package static func append(
    _ text: ByteView, to buffer: inout ByteBuffer, newline: StaticString = " "
  ) {
    var offset = 0
    var marks = 0
    var isInFlag = false
    while offset < text.count {
      let plain = endOfPlainASCII(text, from: offset)
      if plain > offset {
        buffer.append(ByteView(rebasing: text[offset..<plain]))
        (offset, marks, isInFlag) = (plain, 0, false)
        continue
      }
      let scalar = decodeScalar(text, at: offset)
      let start = offset
      offset += scalar.length
      switch Nature(of: scalar.value) {
      case .plain:
        marks = ScalarClass(of: scalar.value) == .mark ? marks + 1 : 0
        isInFlag = scalar.value == 0x1F3F4
        if marks > mostMarks { continue }
        if scalar.value == 0xFFFD {
          buffer.append("\u{FFFD}")
        } else {
          buffer.append(ByteView(rebasing: text[start..<offset]))
        }
      case .newline:
        if scalar.value == 0x0D, offset < text.count, text[offset] == 0x0A { offset += 1 }
        buffer.append(newline)
        marks = 0
      case .tab: buffer.append(UInt8(ascii: " "))
      case .control: buffer.append("\u{FFFD}")
      case .tag where isInFlag && marks < mostMarks:
        marks += 1
        buffer.append(ByteView(rebasing: text[start..<offset]))
      case .tag, .hidden: continue
      }
    }
  }

  @inline(__always)
  private static func endOfPlainASCII(_ text: ByteView, from start: Int) -> Int {
    var end = start
    // Eight at a time: a byte from 0x80 on has the highest bit, 0x7F gets it when one is added, and those below 0x20
    // when that is subtracted.
    while end + 8 <= text.count {
      let word = text.word(at: end)
      let others = word | (word &+ 0x0101_0101_0101_0101) | (word &- 0x2020_2020_2020_2020)
      if others & 0x8080_8080_8080_8080 != 0 { break }
      end += 8
    }
    while end < text.count, text[end] &- 0x20 < 0x5F { end += 1 }
    return end
  }
}
