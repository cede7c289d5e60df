import TweetCore

/// Writes text of any origin as CommonMark 0.31 (<https://spec.commonmark.org/0.31.2/>) that shows just this text: what
/// would be markup there, in GitHub's dialect or in Pandoc's, is escaped.
struct MarkdownText {
  /// What stands before each line: `> ` in a quotation.
  let prefix: StaticString
  private var isAtLineStart = true

  init(prefix: StaticString = "") { self.prefix = prefix }

  /// Appends a piece of a paragraph that may have several lines. A line break is a hard one; an empty line ends the
  /// paragraph.
  mutating func append(_ text: ByteView, to output: inout ByteBuffer) {
    var offset = 0
    while offset < text.count {
      let scalar = decodeScalar(text, at: offset)
      let start = offset
      offset += scalar.length
      switch scalar.value {
      case 0x0D where offset < text.count && text[offset] == 0x0A: continue
      case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: endLine(&output)
      // Spaces at a line's start would make code of it.
      case 0x09, 0x20:
        if !isAtLineStart { output.append(UInt8(ascii: " ")) }
      case ..<0x20, 0x7F..<0xA0, 0xFFFE, 0xFFFF: appendPlain("\u{FFFD}", to: &output)
      case 0x30...0x39 where isAtLineStart, 0x41...0x5A where isAtLineStart, 0x61...0x7A where isAtLineStart:
        offset = appendNumber(text, from: start, to: &output)
      case let value where Self.isMarkup(value) || isAtLineStart && Self.beginsBlock(value):
        output.append(UInt8(ascii: "\\"))
        output.append(UInt8(value))
        isAtLineStart = false
      default:
        output.append(ByteView(rebasing: text[start..<offset]))
        isAtLineStart = false
      }
    }
  }

  /// Says that something else was appended on the line.
  mutating func resume() { isAtLineStart = false }

  private mutating func appendPlain(_ text: StaticString, to output: inout ByteBuffer) {
    output.append(text)
    isAtLineStart = false
  }

  /// A line break is a hard one; a second one ends the paragraph, and more of them say nothing more.
  private mutating func endLine(_ output: inout ByteBuffer) {
    guard !isAtLineStart else { return endParagraph(&output) }
    output.append("\\\n")
    output.append(prefix)
    isAtLineStart = true
  }

  /// Makes the hard break before it an empty line.
  private func endParagraph(_ output: inout ByteBuffer) {
    let length = prefix.utf8CodeUnitCount + 2
    guard output.count >= length, output[output.count - length] == UInt8(ascii: "\\") else { return }
    output.truncate(to: output.count - length)
    output.append("\n")
    output.append(prefix)
    output.append("\n")
    output.append(prefix)
  }

  /// `1.` and `1)` would begin a list; in Pandoc's dialect also `a.` and `iv)`.
  private mutating func appendNumber(
    _ text: ByteView, from start: Int, to output: inout ByteBuffer
  ) -> Int {
    let isDigit = text[start] &- 0x30 < 10
    let end = text[start...].firstIndex { isDigit ? $0 &- 0x30 >= 10 : ($0 | 0x20) &- 0x61 >= 26 } ?? text.count
    output.append(ByteView(rebasing: text[start..<end]))
    let isNumber = isDigit || end - start == 1 || text[start..<end].allSatisfy { "ivxlcdmIVXLCDM".utf8.contains($0) }
    if isNumber, end < text.count, text[end] == UInt8(ascii: ".") || text[end] == UInt8(ascii: ")") {
      output.append(UInt8(ascii: "\\"))
    }
    isAtLineStart = false
    return end
  }

  /// Whether a character may be markup anywhere in a line.
  private static func isMarkup(_ value: UInt32) -> Bool {
    switch value {
    // \ ` * _ [ ] < > & ~ $ | and, in Pandoc's dialect, @ (citations) and ^ (superscripts)
    case 0x5C, 0x60, 0x2A, 0x5F, 0x5B, 0x5D, 0x3C, 0x3E, 0x26, 0x7E, 0x24, 0x7C, 0x40, 0x5E: true
    default: false
    }
  }

  /// Whether it may begin a heading, a list, or a line below a heading.
  private static func beginsBlock(_ value: UInt32) -> Bool {
    // # + - = and, in Pandoc's dialect, : (definitions, divisions), ( of numbers, and % (titles)
    switch value {
    case 0x23, 0x2B, 0x2D, 0x3D, 0x3A, 0x28, 0x25: true
    default: false
    }
  }
}
