/// Makes text from outside harmless for a terminal.
///
/// Characters that a terminal would obey or hide are replaced: control characters (C0, DEL, C1, and so every escape
/// sequence), bidirectional overrides and isolates, invisible format characters. What is left draws something, or joins
/// letters and emoji.
@usableFromInline
package enum Printable {
  /// One line for messages, in which hidden characters are shown as `\n`, `\t` or `\u{1b}`.
  ///
  /// - Parameter limit: longer text is cut after this many scalars and ends with "…".
  package static func line(_ text: String, limit: Int = 400) -> String {
    var result = ""
    for (count, scalar) in text.unicodeScalars.enumerated() {
      if count == limit { return result + "…" }
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        if Nature(of: scalar.value) == .plain {
          result.unicodeScalars.append(scalar)
        } else {
          result += "\\u{" + String(scalar.value, radix: 16) + "}"
        }
      }
    }
    return result
  }

  /// Appends lines of records as a terminal may get them: what it would obey or hide is escaped as in JSON, `\u009b`,
  /// and so the same record for a program that reads what was copied. Line ends and tabs stay. What is no UTF-8 becomes
  /// U+FFFD.
  package static func append(escaping lines: ByteView, to output: inout ByteBuffer) {
    var (start, offset) = (0, 0)
    while offset < lines.count {
      let scalar = decodeScalar(lines, at: offset)
      let end = offset + scalar.length
      let isLineEnd = scalar.value == 0x0A || scalar.value == 0x0D && end < lines.count && lines[end] == 0x0A
      let isPlain = isLineEnd || [.plain, .tab].contains(Nature(of: scalar.value)) && scalar.value != 0xFFFD
      if !isPlain {
        output.append(lines.extracting(start..<offset))
        if scalar.value == 0xFFFD { output.append("\u{FFFD}") } else { output.append(escaped: scalar.value) }
        start = end
      }
      offset = end
    }
    output.append(lines.extracting(start..<offset))
  }

  /// What a terminal does with a scalar.
  @usableFromInline
  package enum Nature {
    case plain, newline, tab, control, hidden, tag

    @inlinable @inline(__always)
    package init(of scalar: UInt32) {
      // Most characters that are not ASCII are between these two blocks of format characters.
      if (0x2070...0xFEFE).contains(scalar) {
        self = .plain
      } else {
        self = Self.classify(scalar)
      }
    }

    @usableFromInline static func classify(_ scalar: UInt32) -> Nature {
      switch scalar {
      case 0x09: .tab
      case 0x0A...0x0D, 0x85, 0x2028, 0x2029: .newline
      case 0x00...0x1F, 0x7F...0x9F: .control
      // Soft hyphen, grapheme joiner, direction marks, embeddings, overrides, isolates, invisible operators, byte order
      // mark, annotations.
      case 0xAD, 0x34F, 0x61C, 0x180E, 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x206F, 0xFEFF,
        0xFFF0...0xFFFC, 0xFFFE, 0xFFFF, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE001F, 0xE0080...0xE00FF,
        0xE01F0...0xE0FFF:
        .hidden
      case 0xE0020...0xE007F: .tag
      default: .plain
      }
    }
  }
}
