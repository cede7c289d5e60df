import TweetCore

/// Writes JSON as Python's `json.dumps` does by default, so that twarc's users find what they know: ASCII only,
/// `\u00e9`, and a space after each comma and colon. Numbers keep their bytes.
/// <https://docs.python.org/3/library/json.html#json.dumps>
struct PythonJSON: ~Copyable {
  private var text = ByteBuffer()

  /// Appends a value of any kind.
  mutating func append(_ value: JSONValue, to output: inout ByteBuffer) {
    // The tokens of the value, in order: no recursion, however deep it is.
    for node in value.node..<value.next {
      let token = value.at(node)
      switch token.start.pointee {
      case UInt8(ascii: "\""): append(string: token, to: &output)
      case UInt8(ascii: ","): output.append(", ")
      case UInt8(ascii: ":"): output.append(": ")
      case let bracket
      where bracket == UInt8(ascii: "{") || bracket == UInt8(ascii: "}") || bracket == UInt8(ascii: "[")
        || bracket == UInt8(ascii: "]"):
        output.append(bracket)
      default: output.append(token.raw)
      }
    }
  }

  /// Appends a string with its quotes, and `sign` before its first character.
  mutating func append(string value: JSONValue, sign: StaticString = "", to output: inout ByteBuffer) {
    output.append(UInt8(ascii: "\""))
    output.append(sign)
    let raw = value.rawString
    if raw.allSatisfy({ $0 &- 0x20 < 0x5F && $0 != UInt8(ascii: "\\") }) {
      output.append(raw)
    } else {
      text.removeAll()
      text.append(unescaping: raw)
      text.withBytes { Self.append(escaping: $0, to: &output) }
    }
    output.append(UInt8(ascii: "\""))
  }

  private static func append(escaping text: ByteView, to output: inout ByteBuffer) {
    var offset = 0
    while offset < text.count {
      let scalar = decodeScalar(text, at: offset)
      offset += scalar.length
      switch scalar.value {
      case 0x22: output.append("\\\"")
      case 0x5C: output.append("\\\\")
      case 0x20..<0x7F: output.append(UInt8(scalar.value))
      case 0x08: output.append("\\b")
      case 0x09: output.append("\\t")
      case 0x0A: output.append("\\n")
      case 0x0C: output.append("\\f")
      case 0x0D: output.append("\\r")
      case let value where value < 0x10000: append(unit: value, to: &output)
      case let value:
        append(unit: 0xD800 + (value - 0x10000) >> 10, to: &output)
        append(unit: 0xDC00 + (value - 0x10000) & 0x3FF, to: &output)
      }
    }
  }

  /// `\u00e9`.
  private static func append(unit: UInt32, to output: inout ByteBuffer) {
    let digits: StaticString = "0123456789abcdef"
    output.append("\\u")
    for shift in [12, 8, 4, 0] as [UInt32] { output.append(digits.utf8Start[Int(unit >> shift & 15)]) }
  }
}
