/// One Unicode scalar at the start of some bytes, and its length.
@usableFromInline
package struct DecodedScalar: Equatable {
  @usableFromInline package let value: UInt32
  /// In bytes.
  @usableFromInline package let length: Int

  @inlinable @inline(__always)
  package init(value: UInt32, length: Int) {
    (self.value, self.length) = (value, length)
  }
}

/// Decodes the scalar that starts at `index`. Bytes that are not UTF-8 become U+FFFD, one for each maximal subpart
/// (Unicode, §3.9). The length is at least one byte, and never reaches past the end.
@inlinable @inline(__always)
package func decodeScalar(_ bytes: ByteView, at index: Int) -> DecodedScalar {
  let first = bytes[index]
  if first < 0x80 { return DecodedScalar(value: UInt32(first), length: 1) }
  return decodeMultibyteScalar(bytes, at: index)
}

@usableFromInline
func decodeMultibyteScalar(_ bytes: ByteView, at index: Int) -> DecodedScalar {
  let first = bytes[index]
  // The range of the second byte excludes overlong forms, surrogates and what is above U+10FFFF (Unicode, table 3-7).
  let count: Int
  var allowed: ClosedRange<UInt8> = 0x80...0xBF
  switch first {
  case 0xC2...0xDF: count = 2
  case 0xE0: (count, allowed) = (3, 0xA0...0xBF)
  case 0xED: (count, allowed) = (3, 0x80...0x9F)
  case 0xE1...0xEF: count = 3
  case 0xF0: (count, allowed) = (4, 0x90...0xBF)
  case 0xF4: (count, allowed) = (4, 0x80...0x8F)
  case 0xF1...0xF3: count = 4
  default: return DecodedScalar(value: 0xFFFD, length: 1)
  }
  var value = UInt32(first) & (0x7F >> UInt32(count))
  for offset in 1..<count {
    guard index + offset < bytes.count, allowed.contains(bytes[index + offset]) else {
      return DecodedScalar(value: 0xFFFD, length: offset)
    }
    value = value << 6 | UInt32(bytes[index + offset] & 0x3F)
    allowed = 0x80...0xBF
  }
  return DecodedScalar(value: value, length: count)
}
