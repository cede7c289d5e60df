public import Libc

/// Bytes that something else owns and keeps, such as a text inside a record: where they are, and how many. Each index
/// and each range is checked, in a release build too, so that a wrong one ends the program and reads nothing else.
///
/// A view is valid as long as its owner neither changes nor ends. It is not `Sendable`, so a function whose result has
/// to be, such as ``JSONDocument/read(_:)``, cannot return one.
@usableFromInline
package struct ByteView: RandomAccessCollection {
  /// Where the bytes begin; `nil` only if there are none.
  @usableFromInline package let baseAddress: UnsafePointer<UInt8>?
  @usableFromInline package let count: Int

  /// - Parameters:
  ///   - start: must be the first of `count` bytes that can be read; may be `nil` if there are none.
  ///   - count: from 0 on.
  @inlinable @inline(__always)
  package init(start: UnsafePointer<UInt8>?, count: Int) {
    assert(count >= 0 && (count == 0 || start != nil))
    self.baseAddress = start
    self.count = count
  }

  /// The bytes of a buffer of the standard library or of C.
  @inlinable @inline(__always)
  package init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.init(start: bytes.baseAddress, count: bytes.count)
  }

  /// A part of other bytes, whose first index is 0.
  @inlinable @inline(__always)
  package init(rebasing part: Slice<ByteView>) {
    self.init(start: part.base.baseAddress.map { $0 + part.startIndex }, count: part.endIndex - part.startIndex)
  }

  /// No bytes.
  @inlinable @inline(__always)
  package static var empty: ByteView { ByteView(start: nil, count: 0) }

  @inlinable @inline(__always) package var startIndex: Int { 0 }
  @inlinable @inline(__always) package var endIndex: Int { count }
  @inlinable @inline(__always) package var isEmpty: Bool { count == 0 }
  @inlinable @inline(__always) package func index(after index: Int) -> Int { index + 1 }
  @inlinable @inline(__always) package func index(before index: Int) -> Int { index - 1 }
  @inlinable @inline(__always) package func index(_ index: Int, offsetBy distance: Int) -> Int { index + distance }
  @inlinable @inline(__always) package func distance(from start: Int, to end: Int) -> Int { end - start }

  @inlinable @inline(__always)
  package subscript(index: Int) -> UInt8 {
    // One comparison for both ends: a negative index is a huge number without its sign.
    guard let baseAddress, UInt(bitPattern: index) < UInt(bitPattern: count) else {
      preconditionFailure("index out of range")
    }
    return baseAddress[index]
  }

  @inlinable @inline(__always)
  package subscript(range: Range<Int>) -> Slice<ByteView> {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "range out of bounds")
    return Slice(base: self, bounds: range)
  }

  /// The bytes of a range, the first of which has the index 0.
  @inlinable @inline(__always)
  package func extracting(_ range: some RangeExpression<Int>) -> ByteView {
    ByteView(rebasing: self[range.relative(to: self)])
  }

  /// The first place of a byte from an index on, found by `memchr`.
  /// - Parameter start: from 0 to `count`.
  @inlinable @inline(__always)
  package func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    precondition(start >= 0 && start <= count, "index out of range")
    guard let baseAddress, let found = memchr(baseAddress + start, Int32(byte), count - start) else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(baseAddress)
  }

  /// Eight bytes as a little-endian number.
  @inlinable @inline(__always)
  package func word(at index: Int) -> UInt64 {
    guard let baseAddress, index >= 0, index <= count - 8 else { preconditionFailure("index out of range") }
    return UInt64(littleEndian: UnsafeRawPointer(baseAddress + index).loadUnaligned(as: UInt64.self))
  }

  /// Thirty-two bytes, to compare all of them at once.
  @inlinable @inline(__always)
  package func block(at index: Int) -> SIMD32<UInt8> {
    guard let baseAddress, index >= 0, index <= count - 32 else { preconditionFailure("index out of range") }
    return UnsafeRawPointer(baseAddress + index).loadUnaligned(as: SIMD32<UInt8>.self)
  }

  /// Whether the bytes begin with a literal's UTF-8.
  @inlinable @inline(__always)
  package func hasPrefix(_ text: StaticString) -> Bool {
    guard count >= text.utf8CodeUnitCount else { return false }
    return ByteView(start: baseAddress, count: text.utf8CodeUnitCount) == text.bytes
  }

  /// Where the bytes stand beside others that are as many: less than 0 before them, 0 if they are the same, else more.
  @inlinable
  package func order(to other: ByteView) -> Int {
    precondition(count == other.count)
    guard let baseAddress, let second = other.baseAddress else { return 0 }
    return Int(memcmp(baseAddress, second, count))
  }

  /// Goes over the bytes without a check for each.
  @usableFromInline
  package struct Iterator: IteratorProtocol {
    @usableFromInline var place: UnsafePointer<UInt8>?
    @usableFromInline let end: UnsafePointer<UInt8>?

    @inlinable @inline(__always)
    init(_ bytes: ByteView) {
      place = bytes.baseAddress
      end = bytes.baseAddress.map { $0 + bytes.count }
    }

    @inlinable @inline(__always)
    package mutating func next() -> UInt8? {
      guard let place, self.place != end else { return nil }
      self.place = place + 1
      return place.pointee
    }
  }

  @inlinable @inline(__always)
  package func makeIterator() -> Iterator { Iterator(self) }

  /// For the edges of C and for the standard library, which copy all bytes at once by it.
  @inlinable @inline(__always)
  package func withContiguousStorageIfAvailable<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R? {
    try body(UnsafeBufferPointer(start: baseAddress, count: count))
  }
}

extension ByteView: Hashable {
  @inlinable @inline(__always)
  package static func == (one: ByteView, other: ByteView) -> Bool {
    guard one.count == other.count else { return false }
    // memcmp must not be given a null pointer, not even for no bytes (C11, 7.24.1).
    guard let first = one.baseAddress, let second = other.baseAddress else { return true }
    return memcmp(first, second, one.count) == 0
  }

  @inlinable
  package func hash(into hasher: inout Hasher) { hasher.combine(bytes: self) }
}

extension Hasher {
  /// Adds the bytes, without their count.
  @inlinable
  package mutating func combine(bytes: ByteView) {
    combine(bytes: UnsafeRawBufferPointer(start: bytes.baseAddress, count: bytes.count))
  }
}

extension StaticString {
  /// Its UTF-8.
  @inlinable @inline(__always)
  package var bytes: ByteView { ByteView(start: utf8Start, count: utf8CodeUnitCount) }
}

extension [UInt8] {
  /// Calls `body` with a view of its bytes, which must not leave `body`.
  @inlinable @inline(__always)
  package func withBytes<R, E: Error>(_ body: (ByteView) throws(E) -> R) throws(E) -> R {
    try withUnsafeBufferPointer { bytes throws(E) in try body(ByteView(bytes)) }
  }
}

extension ArraySlice<UInt8> {
  /// Calls `body` with a view of its bytes, which must not leave `body`.
  @inlinable @inline(__always)
  package func withBytes<R, E: Error>(_ body: (ByteView) throws(E) -> R) throws(E) -> R {
    try withUnsafeBufferPointer { bytes throws(E) in try body(ByteView(bytes)) }
  }
}

extension String {
  /// Calls `body` with a view of its UTF-8, which must not leave `body`.
  @inlinable @inline(__always)
  package func withBytes<R>(_ body: (ByteView) -> R) -> R {
    var text = self
    return text.withUTF8 { body(ByteView($0)) }
  }
}

extension UInt8 {
  /// Whether it is one of `0` to `9`.
  @inlinable @inline(__always)
  package var isASCIIDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  /// Whether it is one of `A` to `Z`, `a` to `z` and `0` to `9`.
  package var isASCIILetterOrDigit: Bool { isASCIIDigit || (self | 0x20) &- UInt8(ascii: "a") < 26 }

  /// Whether it may stand in a method of HTTP, or in a field's name (RFC 9110 §5.6.2).
  package var isOfHTTPToken: Bool { isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}

extension ByteView {
  /// Calls `body` with each line, without its newline, in order. Empty lines count; what follows the last newline is a
  /// line only if it is not empty.
  package func forEachLine(_ body: (Self) -> Void) {
    var start = 0
    while start < count {
      let end = firstIndex(of: UInt8(ascii: "\n"), from: start) ?? count
      body(extracting(start..<end))
      start = end + 1
    }
  }
}

extension String {
  /// The index of the first ASCII character of this value. Where a program looks at many texts, most of which have
  /// none, this is much faster than to go through their bytes one by one.
  package func firstIndex(ofASCII byte: UInt8) -> String.Index? {
    withBytes { $0.firstIndex(of: byte, from: 0) }.map { utf8.index(utf8.startIndex, offsetBy: $0) }
  }
}

/// FNV-1a, 64 bits (<http://www.isthe.com/chongo/tech/comp/fnv/>): the same for the same bytes in every run, which
/// Swift's own hashes are not.
@inlinable
package func fingerprint(_ bytes: some Sequence<UInt8>) -> UInt64 {
  bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}
