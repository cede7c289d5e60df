import TweetCore

/// Why bytes are not DAG-CBOR, or not what is expected there.
struct CBORFault: Error {
  let reason: String

  static let cutOff = CBORFault(reason: "CBOR that is cut off")
}

/// Reads DAG-CBOR, the form in which AT Protocol stores records (https://ipld.io/specs/codecs/dag-cbor/spec/): RFC 8949
/// with lengths that are always known, keys that are texts, floats of 64 bits, and one tag, 42, for links.
///
/// It never reads outside `bytes`, and no length that it reads makes it allocate.
struct CBORReader {
  /// RFC 8949, 3.1.
  enum Major: UInt8 {
    case unsigned, negative, bytes, text, array, map, tag, simple
  }

  /// The first byte of an item, in its two parts, and the argument, which may be in the bytes after it.
  struct Head {
    let major: Major
    let form: UInt8
    let argument: UInt64

    /// Null, by RFC 8949, 3.3.
    var isNull: Bool { major == .simple && form == 22 }
  }

  /// How deep arrays and maps may nest. Records of Bluesky have about ten levels.
  static let maximumDepth = 64
  /// The tag of a link, whose content is a byte string: a zero byte and a CID.
  private static let linkTag: UInt64 = 42

  let bytes: ByteView
  private(set) var offset = 0

  init(_ bytes: ByteView) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }

  mutating func head() throws(CBORFault) -> Head {
    guard offset < bytes.count else { throw .cutOff }
    let first = bytes[offset]
    offset += 1
    // There are eight, and three bits.
    guard let major = Major(rawValue: first >> 5) else { throw .cutOff }
    let form = first & 0x1F
    switch form {
    case 0..<24: return Head(major: major, form: form, argument: UInt64(form))
    case 24...27: return Head(major: major, form: form, argument: try bigEndian(1 << Int(form - 24)))
    default: throw CBORFault(reason: "CBOR of no known length")
    }
  }

  private mutating func bigEndian(_ length: Int) throws(CBORFault) -> UInt64 {
    guard bytes.count - offset >= length else { throw .cutOff }
    defer { offset += length }
    return bytes[offset..<offset + length].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The content of a byte string or text.
  mutating func content(_ head: Head) throws(CBORFault) -> ByteView {
    guard head.argument <= UInt64(bytes.count - offset) else { throw .cutOff }
    let length = Int(head.argument)
    defer { offset += length }
    return bytes.extracting(offset..<offset + length)
  }

  /// The next item, which must be of this kind.
  mutating func next(_ major: Major) throws(CBORFault) -> Head {
    let head = try head()
    guard head.major == major else { throw CBORFault(reason: "CBOR of another type than is expected") }
    return head
  }

  /// How many elements an array has, or pairs a map. Each takes a byte at least, so a number that the bytes cannot hold
  /// is refused before anybody counts to it.
  mutating func count(of major: Major) throws(CBORFault) -> Int { try count(try next(major)) }

  private func count(_ head: Head) throws(CBORFault) -> Int {
    guard head.argument <= UInt64(bytes.count - offset) else { throw .cutOff }
    return Int(head.argument)
  }

  /// A key of a map.
  mutating func key() throws(CBORFault) -> ByteView { try content(try next(.text)) }

  /// The CID of a link; `nil` for null.
  mutating func link() throws(CBORFault) -> ByteView? {
    let head = try head()
    if head.isNull { return nil }
    guard head.major == .tag else { throw CBORFault(reason: "CBOR of another type than is expected") }
    return try link(head)
  }

  private mutating func link(_ head: Head) throws(CBORFault) -> ByteView {
    guard head.argument == Self.linkTag else { throw CBORFault(reason: "a CBOR tag that is not a link") }
    let content = try content(try next(.bytes))
    guard content.count > 1, content[0] == 0 else { throw CBORFault(reason: "a link that is no CID") }
    return ByteView(rebasing: content.dropFirst())
  }

  mutating func skip(depth: Int = 0) throws(CBORFault) {
    let head = try head()
    switch head.major {
    case .unsigned, .negative, .simple: break
    case .bytes, .text: _ = try content(head)
    case .tag: _ = try link(head)
    case .array, .map:
      guard depth < Self.maximumDepth else { throw CBORFault(reason: "CBOR nested too deep") }
      for _ in 0..<(try count(head)) {
        if head.major == .map { _ = try key() }
        try skip(depth: depth + 1)
      }
    }
  }

  /// Appends the next item as JSON: links and byte strings as AT Protocol writes them, `{"$link":"b…"}` and
  /// `{"$bytes":"…"}` (https://atproto.com/specs/data-model).
  mutating func appendJSON(to out: inout ByteBuffer, depth: Int = 0) throws(CBORFault) {
    let head = try head()
    switch head.major {
    case .unsigned: out.append(String(head.argument))
    case .negative:
      guard head.argument <= UInt64(Int64.max) else { throw CBORFault(reason: "a number below -2^63") }
      out.append(String(-1 - Int64(head.argument)))
    case .bytes:
      out.append("{\"$bytes\":\"")
      out.append(base64: try content(head))
      out.append("\"}")
    case .text: out.appendJSONText(try content(head))
    case .array:
      guard depth < Self.maximumDepth else { throw CBORFault(reason: "CBOR nested too deep") }
      out.append("[")
      for number in 0..<(try count(head)) {
        if number > 0 { out.append(",") }
        try appendJSON(to: &out, depth: depth + 1)
      }
      out.append("]")
    case .map:
      guard depth < Self.maximumDepth else { throw CBORFault(reason: "CBOR nested too deep") }
      out.append("{")
      for number in 0..<(try count(head)) {
        if number > 0 { out.append(",") }
        out.appendJSONText(try key())
        out.append(":")
        try appendJSON(to: &out, depth: depth + 1)
      }
      out.append("}")
    case .tag:
      out.append("{\"$link\":\"")
      out.append(cid: try link(head))
      out.append("\"}")
    case .simple: try appendSimple(head, to: &out)
    }
  }

  /// Appends false, true, null, or a float of 64 bits; RFC 8949, 3.3.
  private func appendSimple(_ head: Head, to out: inout ByteBuffer) throws(CBORFault) {
    switch head.form {
    case 20: out.append("false")
    case 21: out.append("true")
    case 22: out.append("null")
    case 27:
      let number = Double(bitPattern: head.argument)
      guard number.isFinite else { throw CBORFault(reason: "a number that is not finite") }
      out.append("\(number)")
    default: throw CBORFault(reason: "a CBOR value that JSON does not have")
    }
  }
}

extension ByteBuffer {
  /// Appends a JSON string.
  mutating func appendJSONText(_ text: ByteView) {
    append("\"")
    appendJSONEscaped(text)
    append("\"")
  }

  /// Appends a CID as text: multibase's `b`, and base32 in lower case without padding (RFC 4648).
  mutating func append(cid: ByteView) {
    append("b")
    append(cid, bitsOfDigit: 5, digits: base32Digits)
  }

  /// Appends base64 without padding (RFC 4648).
  mutating func append(base64 bytes: ByteView) {
    append(bytes, bitsOfDigit: 6, digits: base64Digits)
  }

  private mutating func append(_ bytes: ByteView, bitsOfDigit bits: Int, digits: [UInt8]) {
    var word = 0
    var held = 0
    for byte in bytes {
      word = (word << 8 | Int(byte)) & 0xFFFF
      held += 8
      while held >= bits {
        held -= bits
        append(digits[word >> held & (1 << bits - 1)])
      }
    }
    if held > 0 { append(digits[word << (bits - held) & (1 << bits - 1)]) }
  }
}

private let base32Digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
private let base64Digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
