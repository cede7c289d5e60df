package import TweetCore

extension Printable {
  /// More marks than this on one letter are dropped. Hebrew with cantillation and Tibetan stacks stay below; a flag
  /// emoji's tags are six and an end.
  private static let mostMarks = 8

  /// Appends text for a person to read, with `newline` for each line separator: `\n` keeps the lines, a space makes one of
  /// them. Tabs become spaces, other control characters and bytes that are no UTF-8 U+FFFD; invisible format characters
  /// vanish.
  package static func append(
    _ text: UnsafeBufferPointer<UInt8>, to buffer: inout ByteBuffer, newline: StaticString = " "
  ) {
    var at = 0
    var marks = 0
    var isInFlag = false
    while at < text.count {
      let plain = endOfPlainASCII(text, from: at)
      if plain > at {
        buffer.append(UnsafeBufferPointer(rebasing: text[at..<plain]))
        (at, marks, isInFlag) = (plain, 0, false)
        continue
      }
      let scalar = decodeScalar(text, at: at)
      let start = at
      at += scalar.length
      switch Nature(of: scalar.value) {
      case .plain:
        marks = ScalarClass(of: scalar.value) == .mark ? marks + 1 : 0
        isInFlag = scalar.value == 0x1F3F4
        if marks > mostMarks { continue }
        if scalar.value == 0xFFFD {
          buffer.append("\u{FFFD}")
        } else {
          buffer.append(UnsafeBufferPointer(rebasing: text[start..<at]))
        }
      case .newline:
        if scalar.value == 0x0D, at < text.count, text[at] == 0x0A { at += 1 }
        buffer.append(newline)
        marks = 0
      case .tab: buffer.append(UInt8(ascii: " "))
      case .control: buffer.append("\u{FFFD}")
      case .tag where isInFlag && marks < mostMarks:
        marks += 1
        buffer.append(UnsafeBufferPointer(rebasing: text[start..<at]))
      case .tag, .hidden: continue
      }
    }
  }

  @inline(__always)
  private static func endOfPlainASCII(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var at = start
    while at < text.count, text[at] &- 0x20 < 0x5F { at += 1 }
    return at
  }
}
