import Libc

/// Bytes that grow at the end: what every record is written into.
///
/// It owns its memory and keeps its capacity when emptied, so that one buffer serves a whole run.
package struct ByteBuffer: ~Copyable {
  private var base: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// How many bytes behind the capacity may be read and written over: short pieces are copied without counting, and what
  /// it holds may be indexed text.
  private static let slack = JSONIndex.padding
  /// How many bytes it holds.
  package private(set) var count = 0

  /// An empty buffer with room for `capacity` bytes.
  package init(capacity: Int = 4096) {
    self.capacity = max(capacity, 64)
    base = resized(nil, to: self.capacity + Self.slack)
  }

  deinit { free(base) }

  /// Forgets the contents, keeps the memory.
  package mutating func removeAll() { count = 0 }

  /// Forgets all but the first `length` bytes.
  package mutating func truncate(to length: Int) { count = min(count, length) }

  /// One byte of the contents; `place` is below ``count``.
  @inline(__always)
  package subscript(place: Int) -> UInt8 {
    get { base[place] }
    set { base[place] = newValue }
  }

  /// Makes sure that `extra` more bytes fit without another allocation.
  @inline(__always)
  package mutating func reserve(_ extra: Int) {
    if capacity - count < extra { grow(extra) }
  }

  @inline(never)
  private mutating func grow(_ extra: Int) {
    capacity = max(capacity * 2, count + extra)
    base = resized(base, to: capacity + Self.slack)
  }

  @inline(__always)
  package mutating func append(_ byte: UInt8) {
    reserve(1)
    base[count] = byte
    count += 1
  }

  /// Appends eight bytes, the lowest first.
  @inline(__always)
  package mutating func append(word: UInt64) {
    reserve(8)
    UnsafeMutableRawPointer(base + count).storeBytes(of: word.littleEndian, as: UInt64.self)
    count += 8
  }

  @inline(__always)
  package mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inline(__always)
  package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress else { return }
    reserve(bytes.count)
    memcpy(base + count, start, bytes.count)
    count += bytes.count
  }

  /// Appends bytes of indexed JSON text, behind which there are ``JSONIndex/padding`` readable bytes at least. Most are
  /// few: they are copied without a call.
  @inline(__always)
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

  /// Appends a part of what it holds once more.
  package mutating func append(copyOf range: Range<Int>) {
    reserve(range.count)
    memcpy(base + count, base + range.lowerBound, range.count)
    count += range.count
  }

  /// Disfavoured, or a literal would be taken for a String instead of a StaticString, which costs several times as much.
  @_disfavoredOverload
  package mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  package mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { append($0) }
  }

  /// The number in decimal digits, with a minus sign where it is below zero.
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
    for place in stride(from: count + digits - 1, through: count, by: -1) {
      base[place] = UInt8(ascii: "0") + UInt8(magnitude % 10)
      magnitude /= 10
    }
    count += digits
  }

  /// The number in decimal digits, with leading zeros to at least `width` digits.
  package mutating func append(decimal number: Int, width: Int) {
    var limit = 1
    for _ in 1..<max(width, 1) { limit *= 10 }
    while limit > max(number, 1) && limit > 1 {
      append(UInt8(ascii: "0"))
      limit /= 10
    }
    append(decimal: number)
  }

  /// `text` as a JSON string: in quotes; quotes, backslashes and control characters escaped, all else as it is.
  package mutating func appendJSONString(_ text: String) {
    var text = text
    append(UInt8(ascii: "\""))
    text.withUTF8 { appendJSONEscaped($0) }
    append(UInt8(ascii: "\""))
  }

  /// UTF-8 bytes as the inside of a JSON string, without the quotes around it.
  package mutating func appendJSONEscaped(_ bytes: UnsafeBufferPointer<UInt8>) {
    reserve(bytes.count)
    var run = 0
    for at in bytes.indices {
      let byte = bytes[at]
      if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { continue }
      append(UnsafeBufferPointer(rebasing: bytes[run..<at]))
      run = at + 1
      switch byte {
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\\"): append("\\\\")
      case 0x0A: append("\\n")
      case 0x0D: append("\\r")
      case 0x09: append("\\t")
      default:
        append("\\u00")
        append(hexDigit(byte >> 4))
        append(hexDigit(byte & 15))
      }
    }
    append(UnsafeBufferPointer(rebasing: bytes[run...]))
  }

  /// Removes `length` bytes at the front and moves the rest down.
  package mutating func removeFirst(_ length: Int) {
    let left = count - length
    memmove(base, base + length, left)
    count = left
  }

  /// Lends the bytes; the pointer must not leave `body`.
  @inline(__always)
  package borrowing func withBytes<R, E: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(E) -> R
  ) throws(E) -> R {
    try body(UnsafeBufferPointer(start: base, count: count))
  }

  /// Lends the bytes to be changed in place; the pointer must not leave `body`.
  package mutating func withMutableBytes(_ body: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
    body(UnsafeMutableBufferPointer(start: base, count: count))
  }

  /// A copy of the bytes.
  package var array: [UInt8] { withBytes { Array($0) } }

  /// The bytes read as UTF-8; what is no UTF-8 becomes U+FFFD.
  package var string: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

/// Memory from malloc(3) made larger, or new: the kernel moves large pieces without having them twice. To be freed with
/// free(3).
func resized(_ memory: UnsafeMutablePointer<UInt8>?, to capacity: Int) -> UnsafeMutablePointer<UInt8> {
  // As Swift's own allocations do where there is no memory.
  guard let resized = realloc(memory, capacity) else { fatalError("no memory for \(capacity) bytes") }
  return resized.assumingMemoryBound(to: UInt8.self)
}

@inline(__always)
private func hexDigit(_ value: UInt8) -> UInt8 {
  value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}
