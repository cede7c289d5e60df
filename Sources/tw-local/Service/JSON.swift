import TweetCore

/// A JSON value to be sent. Answers are built from these, since what is in them depends on the request.
indirect enum JSON: Sendable {
  case string(String)
  case number(Int)
  /// A number with a fraction, as it is written.
  case decimal(String)
  case bool(Bool)
  case null
  case array([JSON])
  /// Members in the order they are written.
  case object(Members)

  typealias Members = [(key: String, value: JSON)]

  /// An id, which X writes as a string.
  static func id(_ id: Int) -> JSON { .string(String(id)) }

  var bytes: [UInt8] {
    var buffer = ByteBuffer()
    append(to: &buffer)
    return buffer.array
  }

  private func append(to buffer: inout ByteBuffer) {
    switch self {
    case .string(let text): buffer.appendJSONString(text)
    case .number(let number): buffer.append(decimal: number)
    case .decimal(let text): buffer.append(text)
    case .bool(let value): buffer.append(value ? "true" : "false" as StaticString)
    case .null: buffer.append("null")
    case .array(let elements):
      buffer.append("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { buffer.append(",") }
        element.append(to: &buffer)
      }
      buffer.append("]")
    case .object(let members):
      buffer.append("{")
      for (index, member) in members.enumerated() {
        if index > 0 { buffer.append(",") }
        buffer.appendJSONString(member.key)
        buffer.append(":")
        member.value.append(to: &buffer)
      }
      buffer.append("}")
    }
  }
}

/// Fixed parts of an answer, as JSON writes them.
extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral text: String) { self = .string(text) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(integerLiteral number: Int) { self = .number(number) }
  init(arrayLiteral elements: JSON...) { self = .array(elements) }
  init(dictionaryLiteral members: (String, JSON)...) { self = .object(members.map { (key: $0.0, value: $0.1) }) }
}
