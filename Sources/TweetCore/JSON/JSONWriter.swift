/// Writes JSON: an object is what its body writes as members, an array what its body writes as elements.
///
///     line.object {
///       $0.member("id", id)
///       $0.array("tags") { for tag in tags { $0.element(tag) } }
///     }
///
/// Each member and each element begins with a comma; the end of the object or the array makes its first comma the
/// bracket that opens it. So nobody asks whether something is the first. Names are written as they stand: they are
/// ASCII without quotes. What is `nil` is left out with its name.
extension ByteBuffer {
  /// Appends a comma, a name and a colon. The caller appends the value.
  @inlinable @inline(__always)
  package mutating func key(_ name: StaticString) {
    let length = name.utf8CodeUnitCount
    reserve(length + 4)
    base[count] = UInt8(ascii: ",")
    base[count + 1] = UInt8(ascii: "\"")
    (base + count + 2).update(from: name.utf8Start, count: length)
    base[count + length + 2] = UInt8(ascii: "\"")
    base[count + length + 3] = UInt8(ascii: ":")
    count += length + 4
  }

  /// Appends a comma, a name as another document has it, and a colon.
  @inlinable @inline(__always)
  package mutating func key(_ name: JSONValue) {
    append(UInt8(ascii: ","))
    append(name)
    append(UInt8(ascii: ":"))
  }

  /// Appends a value's exact bytes.
  @inlinable @inline(__always)
  package mutating func append(_ value: JSONValue) {
    append(indexed: value.start, count: value.end - value.start)
  }

  /// Appends a member with its exact bytes.
  @inlinable @inline(__always)
  package mutating func append(member name: JSONValue, _ value: JSONValue) {
    append(UInt8(ascii: ","))
    append(indexed: name.start, count: value.end - name.start)
  }

  /// Appends an object as a value.
  @inlinable @inline(__always)
  package mutating func object<Result, E: Error>(_ body: (inout ByteBuffer) throws(E) -> Result) throws(E) -> Result {
    try enclose("{}", orGoBackTo: nil, body)
  }

  /// Appends an array as a value.
  @inlinable @inline(__always)
  package mutating func array<Result, E: Error>(_ body: (inout ByteBuffer) throws(E) -> Result) throws(E) -> Result {
    try enclose("[]", orGoBackTo: nil, body)
  }

  /// Appends a member that is an object; nothing if that has no members.
  @inlinable @inline(__always)
  package mutating func object<Result, E: Error>(
    _ name: StaticString, _ body: (inout ByteBuffer) throws(E) -> Result
  ) throws(E) -> Result {
    let start = count
    key(name)
    return try enclose("{}", orGoBackTo: start, body)
  }

  /// The same for a name as another document has it.
  @inlinable @inline(__always)
  package mutating func object<Result, E: Error>(
    _ name: JSONValue, _ body: (inout ByteBuffer) throws(E) -> Result
  ) throws(E) -> Result {
    let start = count
    key(name)
    return try enclose("{}", orGoBackTo: start, body)
  }

  /// Appends a member that is an array; nothing if that has no elements.
  @inlinable @inline(__always)
  package mutating func array<Result, E: Error>(
    _ name: StaticString, _ body: (inout ByteBuffer) throws(E) -> Result
  ) throws(E) -> Result {
    let start = count
    key(name)
    return try enclose("[]", orGoBackTo: start, body)
  }

  /// - Parameters:
  ///   - brackets: the opening and the closing one.
  ///   - before: the count before the name, which goes with an object or an array that stays empty; `nil` for one that
  ///     stays.
  @inlinable @inline(__always)
  mutating func enclose<Result, E: Error>(
    _ brackets: StaticString, orGoBackTo before: Int?, _ body: (inout ByteBuffer) throws(E) -> Result
  ) throws(E) -> Result {
    let start = count
    let result = try body(&self)
    if count > start {
      base[start] = brackets.utf8Start[0]
      append(brackets.utf8Start[1])
    } else if let before {
      count = before
    } else {
      append(brackets)
    }
    return result
  }

  /// Appends an element that is an object.
  @inlinable @inline(__always)
  package mutating func element<Result, E: Error>(
    _ body: (inout ByteBuffer) throws(E) -> Result
  ) throws(E) -> Result {
    append(UInt8(ascii: ","))
    return try object(body)
  }

  /// Appends a record as a line: an object whose first member is its type, and a newline.
  @inlinable @inline(__always)
  package mutating func record<Result, E: Error>(
    _ type: StaticString, _ body: (inout ByteBuffer) throws(E) -> Result
  ) throws(E) -> Result {
    append("{\"tw\":\"")
    append(type)
    append("\"")
    let result = try body(&self)
    append("}\n")
    return result
  }

  /// Appends a member that is a string.
  /// - Parameter body: appends what is between the quotes, escaped.
  @inlinable @inline(__always)
  package mutating func string<Result, E: Error>(
    _ name: StaticString, _ body: (inout ByteBuffer) throws(E) -> Result
  ) throws(E) -> Result {
    key(name)
    append(UInt8(ascii: "\""))
    let result = try body(&self)
    append(UInt8(ascii: "\""))
    return result
  }

  /// Appends a member that is a string, escaped.
  @_disfavoredOverload
  package mutating func member(_ name: StaticString, _ text: String?) {
    guard let text else { return }
    key(name)
    appendJSONString(text)
  }

  /// Appends a member that is a string of the code, which needs no escapes.
  @inlinable @inline(__always)
  package mutating func member(_ name: StaticString, _ text: StaticString) {
    key(name)
    append(UInt8(ascii: "\""))
    append(text)
    append(UInt8(ascii: "\""))
  }

  /// Appends a member that is a whole number.
  package mutating func member(_ name: StaticString, _ number: Int?) {
    guard let number else { return }
    key(name)
    append(decimal: number)
  }

  /// Appends a member that is `true` or `false`.
  package mutating func member(_ name: StaticString, _ flag: Bool) {
    key(name)
    append(flag ? "true" : "false")
  }

  /// Appends a member that is a time, as RFC 3339 writes it.
  package mutating func member(_ name: StaticString, _ time: Timestamp?) {
    guard let time else { return }
    key(name)
    append(UInt8(ascii: "\""))
    append(time)
    append(UInt8(ascii: "\""))
  }

  /// Appends a member whose value is JSON already.
  package mutating func member(_ name: StaticString, json value: String?) {
    guard let value else { return }
    key(name)
    append(value)
  }

  /// Appends a member whose value is JSON already.
  package mutating func member(_ name: StaticString, json value: ByteView) {
    key(name)
    append(value)
  }

  /// Appends an element with the value's exact bytes.
  package mutating func element(_ value: JSONValue) {
    append(UInt8(ascii: ","))
    append(value)
  }

  /// Appends an element that is a string, escaped.
  package mutating func element(_ text: String) {
    append(UInt8(ascii: ","))
    appendJSONString(text)
  }

  /// Appends an element that is a whole number.
  package mutating func element(_ number: Int) {
    append(UInt8(ascii: ","))
    append(decimal: number)
  }
}
