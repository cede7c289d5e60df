import Libc

/// One value of a JSON document: a view over bytes that a ``RecordScanner`` or a ``JSONDocument`` holds.
///
/// It is four words and copies for nothing; it owns nothing, and is valid only until its owner moves on (the scanner's
/// next record, the document's end). The document it lies in was checked whole before a view of it was given out.
package struct JSONValue {
  package let text: UnsafePointer<UInt8>
  package let positions: UnsafePointer<UInt32>
  package let matches: UnsafePointer<UInt32>
  /// Its first byte's number among the structural bytes.
  package let place: UInt32

  package enum Kind: Sendable {
    case object, array, string, number, bool, null
  }

  @inline(__always)
  package var start: UnsafePointer<UInt8> { text + Int(positions[Int(place)]) }

  @inline(__always)
  package func at(_ place: UInt32) -> JSONValue {
    JSONValue(text: text, positions: positions, matches: matches, place: place)
  }

  /// The structural byte behind this value.
  @inline(__always)
  package var next: UInt32 {
    switch start.pointee {
    case UInt8(ascii: "{"), UInt8(ascii: "["): matches[Int(place)] + 1
    default: place + 1
    }
  }

  /// Behind the value's last byte. A string's or scalar's end is the last byte before the next structural one that is
  /// no white space.
  @inline(__always)
  package var end: UnsafePointer<UInt8> {
    switch start.pointee {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      return text + Int(positions[Int(matches[Int(place)])]) + 1
    default:
      return textEnd(before: place + 1)
    }
  }

  /// Behind the last byte before a structural one that is no white space.
  @inline(__always)
  package func textEnd(before place: UInt32) -> UnsafePointer<UInt8> {
    var end = text + Int(positions[Int(place)])
    while end[-1] <= 0x20 { end -= 1 }
    return end
  }

  /// What the first byte says it is.
  package var kind: Kind {
    switch start.pointee {
    case UInt8(ascii: "{"): .object
    case UInt8(ascii: "["): .array
    case UInt8(ascii: "\""): .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
    case UInt8(ascii: "n"): .null
    default: .number
    }
  }

  @inline(__always) package var isObject: Bool { start.pointee == UInt8(ascii: "{") }
  @inline(__always) package var isArray: Bool { start.pointee == UInt8(ascii: "[") }
  @inline(__always) package var isString: Bool { start.pointee == UInt8(ascii: "\"") }
  @inline(__always) package var isNull: Bool { start.pointee == UInt8(ascii: "n") }

  /// Its exact bytes, quotes and brackets included.
  @inline(__always)
  package var raw: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: start, count: end - start)
  }

  /// Its exact bytes as text.
  package var rawText: String { String(decoding: raw, as: UTF8.self) }

  /// A string's bytes between the quotes, escapes as they stand; empty for any other kind.
  @inline(__always)
  package var rawString: UnsafeBufferPointer<UInt8> {
    guard isString else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeBufferPointer(start: start + 1, count: end - start - 2)
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

  /// A string's text, `nil` also when it is empty: records never hold an empty string for "unknown".
  package var nonEmptyString: String? {
    guard let string, !string.isEmpty else { return nil }
    return string
  }

  /// Whether it is a string with just this text.
  @inline(__always)
  package func equals(_ text: StaticString) -> Bool {
    guard isString else { return false }
    return spells(text) || equalsDecoded(text)
  }

  /// Whether the bytes between the quotes are just these, as they stand. Must be a string.
  @inline(__always)
  package func spells(_ text: StaticString) -> Bool {
    let first = start + 1
    let length = text.utf8CodeUnitCount
    // The closing quote is looked at before the bytes: most names differ in length. It may be looked for behind the text,
    // where there are more readable bytes than any name has.
    return first[length] == UInt8(ascii: "\"") && memcmp(first, text.utf8Start, length) == 0
  }

  /// Whether its exact bytes are those of `other`.
  @inline(__always)
  package func hasBytes(of other: JSONValue) -> Bool {
    // Most differ in the first few, and padding follows the last.
    let first = UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
    if first != UnsafeRawPointer(other.start).loadUnaligned(as: UInt32.self) { return false }
    let length = end - start
    return length == other.end - other.start && memcmp(start, other.start, length) == 0
  }

  @inline(never)
  private func equalsDecoded(_ text: StaticString) -> Bool {
    guard rawString.contains(UInt8(ascii: "\\")) else { return false }
    return string?.utf8.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
      ?? false
  }

  /// A whole number that fits 64 bits; `nil` for anything else, a fraction or an exponent included.
  package var integer: Int? {
    kind == .number ? Int(ascii: raw) : nil
  }

  /// ``integer``, or the same in a string: some services send numbers so.
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

  /// The value of the first member of that name; `nil` when there is none or this is no object. Names are compared as
  /// they are spelled: none of ours needs an escape, and no service writes one.
  package subscript(_ key: StaticString) -> JSONValue? {
    guard isObject else { return nil }
    let (name, length) = (key.utf8Start, key.utf8CodeUnitCount)
    let last = matches[Int(place)]
    var place = place &+ 1
    while place < last {
      // Behind any text there are more readable bytes than the longest name has.
      let start = text + Int(positions[Int(place)]) + 1
      if start[length] == UInt8(ascii: "\""), start.pointee == name.pointee, memcmp(start, name, length) == 0 {
        return at(place &+ 2)
      }
      place = at(place &+ 2).next &+ 1
    }
    return nil
  }

  /// The same for a name known only at run time.
  package func member(named key: String) -> JSONValue? {
    for member in members where member.key.string == key { return member.value }
    return nil
  }

  /// Its members in order; none when it is no object.
  @inline(__always)
  package var members: Members {
    Members(object: self)
  }

  /// Its elements in order; none when it is no array.
  @inline(__always)
  package var elements: Elements {
    Elements(array: self)
  }

  /// Whether a string in it, at any depth, is longer than so many bytes. Only long values are gone through.
  package func hasString(longerThan length: Int) -> Bool {
    guard end - start > length else { return false }
    return (place..<next).contains { place in
      Int(positions[Int(place) + 1] - positions[Int(place)]) > length && at(place).isString
    }
  }

  /// Whether it is an object or an array without anything in it.
  package var isEmpty: Bool { (isObject || isArray) && matches[Int(place)] == place + 1 }

  /// How many members or elements it has.
  package var count: Int {
    switch kind {
    case .object: members.reduce(0) { count, _ in count + 1 }
    case .array: elements.reduce(0) { count, _ in count + 1 }
    default: 0
    }
  }

  /// The members of an object, duplicates included.
  package struct Members: Sequence, IteratorProtocol {
    private let view: JSONValue
    private var place: UInt32
    private let last: UInt32

    @inline(__always)
    init(object: JSONValue) {
      view = object
      place = object.place + 1
      last = object.isObject ? object.matches[Int(object.place)] : 0
    }

    @inline(__always)
    package mutating func next() -> (key: JSONValue, value: JSONValue)? {
      guard place < last else { return nil }
      let key = view.at(place)
      let value = view.at(place + 2)
      place = value.next + 1
      return (key, value)
    }
  }

  /// The elements of an array.
  package struct Elements: Sequence, IteratorProtocol {
    private let view: JSONValue
    private var place: UInt32
    private let last: UInt32

    @inline(__always)
    init(array: JSONValue) {
      view = array
      place = array.place + 1
      last = array.isArray ? array.matches[Int(array.place)] : 0
    }

    @inline(__always)
    package mutating func next() -> JSONValue? {
      guard place < last else { return nil }
      let value = view.at(place)
      place = value.next + 1
      return value
    }
  }

  /// The bytes of the one structural part it starts with: a bracket, comma or colon alone, else its exact bytes.
  @inline(__always)
  var part: UnsafeBufferPointer<UInt8> {
    switch start.pointee {
    case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","),
      UInt8(ascii: ":"):
      UnsafeBufferPointer(start: start, count: 1)
    default: raw
    }
  }
}

extension Int {
  /// A decimal number with an optional minus sign and nothing else around it; `nil` when it does not fit.
  package init?(ascii bytes: UnsafeBufferPointer<UInt8>) {
    var at = 0
    let negative = bytes.first == UInt8(ascii: "-")
    if negative { at = 1 }
    guard at < bytes.count else { return nil }
    var result = 0
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
