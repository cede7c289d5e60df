public import Libc

/// A byte array that grows at its end. Every record is written into one.
///
/// It owns its memory and keeps the capacity when it is emptied, so one buffer serves a whole run.
///
/// What writers call for each value is `@inlinable`: without it each call from another module is a call through the
/// symbol table, which costs tw-parse a quarter more instructions.
@usableFromInline
package struct ByteBuffer: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<UInt8>
  @usableFromInline var capacity: Int
  /// How many bytes after the capacity may be read and overwritten: ``append(indexed:count:)`` copies more than it
  /// needs, and the contents may be indexed as JSON.
  private static let slack = JSONIndex.padding
  /// How many bytes it holds.
  @usableFromInline package internal(set) var count = 0

  /// Whether texts that are copied into it have escapes that they do not need. Only then are they looked for.
  @usableFromInline package var removesEscapes = false

  /// An empty buffer with room for `capacity` bytes.
  package init(capacity: Int = 4096) {
    self.capacity = max(capacity, 64)
    base = resized(nil, to: self.capacity + Self.slack)
  }

  deinit { free(base) }

  /// Removes the contents and keeps the memory.
  @inlinable
  package mutating func removeAll() { count = 0 }

  /// Removes all but the first `length` bytes.
  @inlinable
  package mutating func truncate(to length: Int) { count = min(count, length) }

  /// One byte of the contents; `index` is below ``count``.
  @inlinable @inline(__always)
  package subscript(index: Int) -> UInt8 {
    get { base[index] }
    set { base[index] = newValue }
  }

  /// Allocates so that `extra` more bytes fit.
  @inlinable @inline(__always)
  package mutating func reserve(_ extra: Int) {
    if capacity - count < extra { grow(extra) }
  }

  @usableFromInline @inline(never)
  mutating func grow(_ extra: Int) {
    capacity = max(capacity * 2, count + extra)
    base = resized(base, to: capacity + Self.slack)
  }

  /// Exchanges the memory, with the same slack after its capacity; ``count`` stays.
  mutating func exchange(_ memory: inout UnsafeMutablePointer<UInt8>, _ room: inout Int) {
    swap(&base, &memory)
    swap(&capacity, &room)
  }

  /// Appends what `body` writes into room for `length` bytes.
  /// - Parameter body: returns how many bytes it wrote; less than zero for a failure.
  /// - Returns: what `body` returned.
  package mutating func appendUninitialized(
    upTo length: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int
  ) -> Int {
    reserve(length)
    let got = body(UnsafeMutableRawBufferPointer(start: base + count, count: length))
    count += max(0, got)
    return got
  }

  /// Appends one byte.
  @inlinable @inline(__always)
  package mutating func append(_ byte: UInt8) {
    reserve(1)
    base[count] = byte
    count += 1
  }

  /// Appends eight bytes, the lowest first.
  @inlinable @inline(__always)
  package mutating func append(word: UInt64) {
    reserve(8)
    UnsafeMutableRawPointer(base + count).storeBytes(of: word.littleEndian, as: UInt64.self)
    count += 8
  }

  /// Appends a literal's UTF-8.
  @inlinable @inline(__always)
  package mutating func append(_ text: StaticString) {
    append(text.bytes)
  }

  /// Appends a copy of some bytes, which may not be its own.
  @inlinable @inline(__always)
  package mutating func append(_ bytes: ByteView) {
    guard let start = bytes.baseAddress else { return }
    reserve(bytes.count)
    memcpy(base + count, start, bytes.count)
    count += bytes.count
  }

  /// Appends bytes of indexed JSON text, after which at least ``JSONIndex/padding`` bytes can be read. Most pieces are
  /// short; those are copied with two vector moves instead of a call.
  @inlinable @inline(__always)
  package mutating func append(indexed start: UnsafePointer<UInt8>, count length: Int) {
    reserve(length)
    if length <= 32 {
      let source = UnsafeRawPointer(start)
      let target = UnsafeMutableRawPointer(base + count)
      let halves = (
        source.loadUnaligned(as: SIMD16<UInt8>.self), source.loadUnaligned(fromByteOffset: 16, as: SIMD16<UInt8>.self)
      )
      target.storeBytes(of: halves.0, as: SIMD16<UInt8>.self)
      target.storeBytes(of: halves.1, toByteOffset: 16, as: SIMD16<UInt8>.self)
    } else {
      memcpy(base + count, start, length)
    }
    count += length
  }

  /// Appends a copy of a part of its contents.
  package mutating func append(copyOf range: Range<Int>) {
    reserve(range.count)
    memcpy(base + count, base + range.lowerBound, range.count)
    count += range.count
  }

  /// Appends a text's UTF-8. Disfavoured so that a literal is a StaticString, which costs a fraction of a String.
  @_disfavoredOverload
  package mutating func append(_ text: String) {
    text.withBytes { append($0) }
  }

  /// Appends a copy of some bytes.
  @inlinable
  package mutating func append(_ bytes: [UInt8]) {
    bytes.withBytes { append($0) }
  }

  /// Appends a number in decimal digits, with a minus sign when it is below zero.
  package mutating func append(decimal number: Int) {
    reserve(20)
    var magnitude = number.magnitude
    if number < 0 { append(UInt8(ascii: "-")) }
    var digits = 1
    var rest = magnitude
    while rest >= 10 {
      rest /= 10
      digits += 1
    }
    for index in stride(from: count + digits - 1, through: count, by: -1) {
      base[index] = UInt8(ascii: "0") + UInt8(magnitude % 10)
      magnitude /= 10
    }
    count += digits
  }

  /// Appends a number in decimal digits, with leading zeros to at least `width` digits.
  package mutating func append(decimal number: Int, width: Int) {
    var limit = 1
    for _ in 1..<max(width, 1) { limit *= 10 }
    while limit > max(number, 1) && limit > 1 {
      append(UInt8(ascii: "0"))
      limit /= 10
    }
    append(decimal: number)
  }

  /// Appends `text` as a JSON string in quotes. Quotes, backslashes and control characters are escaped, nothing else.
  package mutating func appendJSONString(_ text: String) {
    append(UInt8(ascii: "\""))
    text.withBytes { appendJSONEscaped($0) }
    append(UInt8(ascii: "\""))
  }

  /// Appends UTF-8 bytes as the inside of a JSON string, without its quotes.
  package mutating func appendJSONEscaped(_ bytes: ByteView) {
    reserve(bytes.count)
    var run = 0
    for at in bytes.indices {
      let byte = bytes[at]
      if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { continue }
      append(bytes.extracting(run..<at))
      run = at + 1
      switch byte {
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\\"): append("\\\\")
      case 0x0A: append("\\n")
      case 0x0D: append("\\r")
      case 0x09: append("\\t")
      default:
        append("\\u00")
        append(lowerHex: byte)
      }
    }
    append(bytes.extracting(run...))
  }

  /// Appends the two hexadecimal digits of a byte, in upper case.
  package mutating func append(hex byte: UInt8) {
    let digits: StaticString = "0123456789ABCDEF"
    append(digits.utf8Start[Int(byte >> 4)])
    append(digits.utf8Start[Int(byte & 15)])
  }

  /// The same in lower case.
  package mutating func append(lowerHex byte: UInt8) {
    let digits: StaticString = "0123456789abcdef"
    append(digits.utf8Start[Int(byte >> 4)])
    append(digits.utf8Start[Int(byte & 15)])
  }

  /// Removes the first `length` bytes and moves the others to the front.
  package mutating func removeFirst(_ length: Int) {
    memmove(base, base + length, count - length)
    count -= length
  }

  /// Calls `body` with its bytes; the pointer must not leave `body`.
  @inlinable @inline(__always)
  package borrowing func withBytes<R, E: Error>(
    _ body: (ByteView) throws(E) -> R
  ) throws(E) -> R {
    try body(ByteView(start: base, count: count))
  }

  /// Calls `body` with its bytes, to change them; the pointer must not leave `body`.
  package mutating func withMutableBytes(_ body: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
    body(UnsafeMutableBufferPointer(start: base, count: count))
  }

  /// A copy of the bytes.
  package var array: [UInt8] { withBytes { Array($0) } }

  /// The bytes as text; what is not UTF-8 becomes U+FFFD.
  package var string: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

/// Allocates memory, or makes it larger, with realloc(3): the kernel moves large blocks without holding them twice.
/// - Returns: the memory, which the caller frees with free(3).
func resized(_ memory: UnsafeMutablePointer<UInt8>?, to capacity: Int) -> UnsafeMutablePointer<UInt8> {
  // Swift's own allocations also end the process when there is no memory.
  guard let resized = realloc(memory, capacity) else { fatalError("no memory for \(capacity) bytes") }
  return resized.assumingMemoryBound(to: UInt8.self)
}

extension String {
  /// Bytes as base64 with padding (RFC 4648 §4).
  package init(base64 bytes: [UInt8]) {
    var text = ByteBuffer(capacity: (bytes.count + 2) / 3 * 4)
    text.append(base64: bytes)
    self = text.string
  }

  /// Bytes as hexadecimal digits in lower case, two for each.
  package init(hexadecimal bytes: some Sequence<UInt8>) {
    var digits = ByteBuffer(capacity: 64)
    for byte in bytes { digits.append(lowerHex: byte) }
    self = digits.string
  }
}

extension ByteBuffer {
  /// Appends base64 with padding (RFC 4648 §4).
  package mutating func append(base64 bytes: [UInt8]) {
    let digits: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    let digit = digits.utf8Start
    reserve((bytes.count + 2) / 3 * 4)
    var offset = 0
    while offset < bytes.count {
      let left = bytes.count - offset
      let first = Int(bytes[offset])
      let second = left > 1 ? Int(bytes[offset + 1]) : 0
      let third = left > 2 ? Int(bytes[offset + 2]) : 0
      append(digit[first >> 2])
      append(digit[(first & 3) << 4 | second >> 4])
      append(left > 1 ? digit[(second & 15) << 2 | third >> 6] : UInt8(ascii: "="))
      append(left > 2 ? digit[third & 63] : UInt8(ascii: "="))
      offset += 3
    }
  }
}
