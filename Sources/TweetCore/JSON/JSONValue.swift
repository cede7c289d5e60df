public import Libc

/// One value of a JSON document: a view of bytes that a ``RecordScanner`` or a ``JSONDocument`` holds.
///
/// It has four words and owns nothing. It is valid only until its owner moves on: until the scanner's next record, or
/// the document's end. The whole document was checked before any view of it was made.
///
/// A *node* is a number in the document's ``JSONIndex``: 0 is the first bracket, colon, comma, opening quote or first
/// byte of a scalar, 1 the next, and so on.
@usableFromInline
package struct JSONValue {
  /// The document's bytes.
  @usableFromInline package let text: UnsafePointer<UInt8>
  /// The byte offset of each node in ``text``.
  @usableFromInline package let offsets: UnsafePointer<UInt32>
  /// For the node of an opening bracket, the node of the bracket that closes it.
  @usableFromInline package let matches: UnsafePointer<UInt32>
  /// The node of the value's first byte.
  @usableFromInline package let node: UInt32

  /// - Parameter node: the node of the value's first byte, in an index of `text` whose grammar was checked.
  @inlinable @inline(__always)
  package init(
    text: UnsafePointer<UInt8>, offsets: UnsafePointer<UInt32>, matches: UnsafePointer<UInt32>, node: UInt32
  ) {
    (self.text, self.offsets, self.matches, self.node) = (text, offsets, matches, node)
  }

  @usableFromInline
  package enum Kind: Sendable {
    case object, array, string, number, bool, null
  }

  /// Its first byte.
  @inlinable @inline(__always)
  package var start: UnsafePointer<UInt8> { text + Int(offsets[Int(node)]) }

  /// The value of the same document whose first byte is this node.
  @inlinable @inline(__always)
  package func at(_ node: UInt32) -> JSONValue {
    JSONValue(text: text, offsets: offsets, matches: matches, node: node)
  }

  /// The node after this value.
  @inlinable @inline(__always)
  package var next: UInt32 {
    switch start.pointee {
    case UInt8(ascii: "{"), UInt8(ascii: "["): matches[Int(node)] + 1
    default: node + 1
    }
  }

  /// The byte after its last one. A string or scalar ends with the last byte before the next node that is not white
  /// space.
  @inlinable @inline(__always)
  package var end: UnsafePointer<UInt8> {
    switch start.pointee {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      return text + Int(offsets[Int(matches[Int(node)])]) + 1
    default:
      return textEnd(before: node + 1)
    }
  }

  /// The byte after the last one before a node that is not white space.
  @inlinable @inline(__always)
  package func textEnd(before node: UInt32) -> UnsafePointer<UInt8> {
    var end = text + Int(offsets[Int(node)])
    while end[-1] <= 0x20 { end -= 1 }
    return end
  }

  /// Its kind, as its first byte tells it.
  @inlinable package var kind: Kind {
    switch start.pointee {
    case UInt8(ascii: "{"): .object
    case UInt8(ascii: "["): .array
    case UInt8(ascii: "\""): .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
    case UInt8(ascii: "n"): .null
    default: .number
    }
  }

  @inlinable @inline(__always) package var isObject: Bool { start.pointee == UInt8(ascii: "{") }
  @inlinable @inline(__always) package var isArray: Bool { start.pointee == UInt8(ascii: "[") }
  @inlinable @inline(__always) package var isString: Bool { start.pointee == UInt8(ascii: "\"") }
  @inlinable @inline(__always) package var isNull: Bool { start.pointee == UInt8(ascii: "n") }

  /// Its exact bytes, quotes and brackets included.
  @inlinable @inline(__always)
  package var raw: ByteView {
    ByteView(start: start, count: end - start)
  }

  /// Its exact bytes as text.
  package var rawText: String { String(decoding: raw, as: UTF8.self) }

  /// A string's bytes between the quotes, escapes as they stand; empty for any other kind.
  @inlinable @inline(__always)
  package var rawString: ByteView {
    guard isString else { return .empty }
    return ByteView(start: start + 1, count: end - start - 2)
  }

  /// The decoded text of a string; `nil` for any other kind.
  package var string: String? {
    guard isString else { return nil }
    let bytes = rawString
    if !bytes.contains(UInt8(ascii: "\\")) { return String(decoding: bytes, as: UTF8.self) }
    var decoded = ByteBuffer(capacity: bytes.count)
    decoded.append(unescaping: bytes)
    return decoded.string
  }

  /// A string's text; `nil` also when it is empty, because records never hold an empty string for "unknown".
  package var nonEmptyString: String? {
    guard let string, !string.isEmpty else { return nil }
    return string
  }

  /// Whether it is a string with exactly this text.
  @inlinable @inline(__always)
  package func equals(_ text: StaticString) -> Bool {
    guard isString else { return false }
    return spells(text) || equalsDecoded(text)
  }

  /// Whether the bytes between the quotes are exactly these, escapes not decoded. It must be a string.
  @inlinable @inline(__always)
  package func spells(_ text: StaticString) -> Bool {
    let first = start + 1
    let length = text.utf8CodeUnitCount
    // The closing quote is compared first, because most names differ in length. This may read past the text's end: the
    // padding there is longer than any name.
    return first[length] == UInt8(ascii: "\"") && memcmp(first, text.utf8Start, length) == 0
  }

  /// Whether its exact bytes are those of `other`.
  @inlinable @inline(__always)
  package func hasBytes(of other: JSONValue) -> Bool {
    if start.pointee != other.start.pointee { return false }
    let length = end - start
    return length == other.end - other.start && memcmp(start, other.start, length) == 0
  }

  @usableFromInline @inline(never)
  func equalsDecoded(_ text: StaticString) -> Bool {
    guard rawString.contains(UInt8(ascii: "\\")) else { return false }
    return string?.utf8.elementsEqual(text.bytes)
      ?? false
  }

  /// A whole number that fits 64 bits; `nil` for anything else, a fraction or an exponent included.
  package var integer: Int? {
    kind == .number ? Int(ascii: raw) : nil
  }

  /// ``integer``, or the same number written in a string, as some services send it.
  package var looseInteger: Int? {
    isString ? Int(ascii: rawString) : integer
  }

  /// A number as a floating-point value.
  package var double: Double? {
    kind == .number ? Double(rawText) : nil
  }

  /// `true` or `false`; `nil` for anything else.
  package var bool: Bool? {
    switch start.pointee {
    case UInt8(ascii: "t"): true
    case UInt8(ascii: "f"): false
    default: nil
    }
  }

  /// The value of the first member of that name; `nil` when there is none or this is not an object. Names are compared
  /// without decoding escapes: none of ours needs one, and no service writes one.
  package subscript(_ key: StaticString) -> JSONValue? {
    guard isObject else { return nil }
    let (name, length) = (key.utf8Start, key.utf8CodeUnitCount)
    let last = matches[Int(node)]
    var node = node &+ 1
    while node < last {
      // This may read past the text's end: the padding there is longer than any name.
      let start = text + Int(offsets[Int(node)]) + 1
      if start[length] == UInt8(ascii: "\""), start.pointee == name.pointee, memcmp(start, name, length) == 0 {
        return at(node &+ 2)
      }
      node = at(node &+ 2).next &+ 1
    }
    return nil
  }

  /// The value of the first member whose decoded name is `key`, for a name known only at run time.
  package func member(named key: String) -> JSONValue? {
    for member in members where member.key.string == key { return member.value }
    return nil
  }

  /// Its members in order; none when it is not an object.
  @inlinable @inline(__always)
  package var members: Members {
    Members(object: self)
  }

  /// Its elements in order; none when it is not an array.
  @inlinable @inline(__always)
  package var elements: Elements {
    Elements(array: self)
  }

  /// Whether a string in it, at any depth, is longer than `length` bytes when its escapes are decoded. Only values
  /// longer than that are searched.
  package func hasString(longerThan length: Int) -> Bool {
    guard end - start > length else { return false }
    return (node..<next).contains { node in
      guard Int(offsets[Int(node) + 1] - offsets[Int(node)]) > length, at(node).isString else { return false }
      let inside = at(node).rawString
      return inside.count > length && JSONEscapes.decodedCount(inside) > length
    }
  }

  /// Whether it is an object without members or an array without elements.
  @inlinable package var isEmpty: Bool { (isObject || isArray) && matches[Int(node)] == node + 1 }

  /// How many members or elements it has.
  package var count: Int {
    switch kind {
    case .object: members.reduce(0) { count, _ in count + 1 }
    case .array: elements.reduce(0) { count, _ in count + 1 }
    default: 0
    }
  }

  /// The members of an object, duplicates included.
  @usableFromInline
  package struct Members: Sequence, IteratorProtocol {
    @usableFromInline let view: JSONValue
    @usableFromInline var node: UInt32
    @usableFromInline let last: UInt32

    @inlinable @inline(__always)
    init(object: JSONValue) {
      view = object
      node = object.node + 1
      last = object.isObject ? object.matches[Int(object.node)] : 0
    }

    @inlinable @inline(__always)
    package mutating func next() -> (key: JSONValue, value: JSONValue)? {
      guard node < last else { return nil }
      let key = view.at(node)
      let value = view.at(node + 2)
      node = value.next + 1
      return (key, value)
    }
  }

  /// The elements of an array.
  @usableFromInline
  package struct Elements: Sequence, IteratorProtocol {
    @usableFromInline let view: JSONValue
    @usableFromInline var node: UInt32
    @usableFromInline let last: UInt32

    @inlinable @inline(__always)
    init(array: JSONValue) {
      view = array
      node = array.node + 1
      last = array.isArray ? array.matches[Int(array.node)] : 0
    }

    @inlinable @inline(__always)
    package mutating func next() -> JSONValue? {
      guard node < last else { return nil }
      let value = view.at(node)
      node = value.next + 1
      return value
    }
  }

  /// The bytes of its first token: one byte for a bracket, comma or colon, else its exact bytes.
  @inline(__always)
  var token: ByteView {
    switch start.pointee {
    case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","),
      UInt8(ascii: ":"):
      ByteView(start: start, count: 1)
    default: raw
    }
  }
}

extension Int {
  /// A decimal number with an optional minus sign and nothing else around it; `nil` when it does not fit.
  package init?(ascii bytes: ByteView) {
    var at = 0
    let negative = bytes.first == UInt8(ascii: "-")
    if negative { at = 1 }
    guard at < bytes.count else { return nil }
    var result = 0
    // Eighteen digits always fit.
    let safe = Swift.min(bytes.count, at + 18)
    while at < safe {
      let digit = bytes[at] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      result = result &* 10 &- Int(digit)
      at += 1
    }
    while at < bytes.count {
      let digit = bytes[at] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      let (tens, overflow) = result.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.subtractingReportingOverflow(Int(digit))
      guard !overflow, !carry else { return nil }
      result = sum
      at += 1
    }
    // Counted downwards, since the smallest number has no positive twin.
    if negative {
      self = result
    } else {
      guard result != .min else { return nil }
      self = -result
    }
  }
}
