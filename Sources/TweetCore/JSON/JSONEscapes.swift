import Libc

/// Checks the escapes of JSON text, which simdjson's stage 1 does not.
enum JSONEscapes {
  enum Finding {
    case nothing
    /// Half a surrogate pair, `\ud83d` without its other half: valid by JSON's grammar, but not a character.
    case halfPair
    /// An escape that is not JSON.
    case fault
  }

  /// Checks every escape of a document. A backslash outside a string is found by the grammar check.
  static func check(_ bytes: ByteView) -> Finding {
    var hasPlain = false
    return check(bytes, &hasPlain)
  }

  /// - Parameter hasPlain: is set if an escape stands for a character that may need none: `\u00e9`, `\/`.
  static func check(_ bytes: ByteView, _ hasPlain: inout Bool) -> Finding {
    var finding = Finding.nothing
    let isWhole = eachHalfPair(of: bytes, &hasPlain) { _ in finding = .halfPair }
    return isWhole ? finding : .fault
  }

  /// Overwrites every half surrogate pair with `\ufffd`, so that other programs accept what the kit prints.
  static func mend(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
    guard let base = bytes.baseAddress else { return }
    var hasPlain = false
    _ = eachHalfPair(of: ByteView(start: base, count: bytes.count), &hasPlain) { offset in
      (base[offset + 2], base[offset + 3]) = (UInt8(ascii: "f"), UInt8(ascii: "f"))
      (base[offset + 4], base[offset + 5]) = (UInt8(ascii: "f"), UInt8(ascii: "d"))
    }
  }

  /// How many bytes of UTF-8 ``ByteBuffer/append(unescaping:)`` makes of the inside of a checked string.
  static func decodedCount(_ bytes: ByteView) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    let end = base + bytes.count
    var (at, count) = (base, bytes.count)
    while at < end, let found = memchr(at, Int32(UInt8(ascii: "\\")), end - at) {
      at = UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
      guard let unit = unit(at, end) else {
        (at, count) = (at + 2, count - 1)
        continue
      }
      // Each half of a pair counts as two of its four bytes.
      count -= 6 - (unit < 0x80 ? 1 : unit < 0x800 || unit & 0xF800 == 0xD800 ? 2 : 3)
      at += 6
    }
    return count
  }

  /// Calls `body` with the offset of each half surrogate pair.
  /// - Returns: `false` at the first escape that is not JSON.
  @inline(__always)
  private static func eachHalfPair(of bytes: ByteView, _ hasPlain: inout Bool, _ body: (Int) -> Void) -> Bool {
    guard let base = bytes.baseAddress else { return true }
    let end = base + bytes.count
    var at = base
    while at < end {
      if at.pointee != UInt8(ascii: "\\") {
        guard let found = memchr(at, Int32(UInt8(ascii: "\\")), end - at) else { return true }
        at = UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
      }
      guard at + 1 < end else { return false }
      switch at[1] {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
        UInt8(ascii: "r"), UInt8(ascii: "t"):
        at += 2
      case UInt8(ascii: "/"):
        hasPlain = true
        at += 2
      case UInt8(ascii: "u"):
        hasPlain = true
        guard let unit = unit(at, end) else { return false }
        if unit & 0xF800 != 0xD800 {
          at += 6
        } else if unit & 0xFC00 == 0xD800, let low = self.unit(at + 6, end), low & 0xFC00 == 0xDC00 {
          at += 12
        } else {
          body(at - base)
          at += 6
        }
      default: return false
      }
    }
    return true
  }

  /// The UTF-16 code unit of a `\uXXXX` escape at `at`; `nil` when there is none.
  @inline(__always)
  static func unit(_ at: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> UInt32? {
    guard end - at >= 6, at[0] == UInt8(ascii: "\\"), at[1] == UInt8(ascii: "u") else { return nil }
    var unit: UInt32 = 0
    for index in 2..<6 {
      guard let digit = hexValue(at[index]) else { return nil }
      unit = unit << 4 | digit
    }
    return unit
  }

  /// The highest bits of those of eight bytes that are backslashes; beyond the first one others may be set too.
  @inline(__always)
  fileprivate static func backslashes(in word: UInt64) -> UInt64 {
    let other = word.littleEndian ^ 0x5C5C_5C5C_5C5C_5C5C
    return (other &- 0x0101_0101_0101_0101) & ~other & 0x8080_8080_8080_8080
  }

  /// The code unit of the four digits of a checked escape.
  @inline(__always)
  private static func checkedUnit(_ at: UnsafePointer<UInt8>) -> UInt32 {
    let digits = UnsafeRawPointer(at + 2).loadUnaligned(as: UInt32.self).bigEndian
    // A letter's low four bits are nine below its value.
    let values = digits & 0x0F0F_0F0F + 9 * (digits >> 6 & 0x0101_0101)
    return values >> 12 & 0xF000 | values >> 8 & 0xF00 | values >> 4 & 0xF0 | values & 0xF
  }

  /// Copies a checked `\uXXXX`, or a pair of them, as UTF-8, or as it is where its character needs an escape.
  @inline(__always)
  fileprivate static func copyCharacter(
    _ at: inout UnsafePointer<UInt8>, to: inout UnsafeMutablePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) {
    let unit = checkedUnit(at)
    if unit < 0x20 || unit == UInt32(UInt8(ascii: "\"")) || unit == UInt32(UInt8(ascii: "\\")) {
      for index in 0..<6 { to[index] = at[index] }
      (at, to) = (at + 6, to + 6)
    } else if unit & 0xFC00 == 0xD800, let low = self.unit(at + 6, end), low & 0xFC00 == 0xDC00 {
      encode(0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF, to: &to)
      at += 12
    } else {
      encode(unit, to: &to)
      at += 6
    }
  }

  /// Writes one Unicode scalar as UTF-8, up to four bytes; U+FFFD for a number that is not a scalar.
  @inline(__always)
  fileprivate static func encode(_ value: UInt32, to: inout UnsafeMutablePointer<UInt8>) {
    let scalar = value > 0x10FFFF || value & 0xFFFF_F800 == 0xD800 ? 0xFFFD : value
    @inline(__always) func put(_ byte: UInt32) {
      to.pointee = UInt8(truncatingIfNeeded: byte)
      to += 1
    }
    if scalar < 0x80 { return put(scalar) }
    if scalar < 0x800 {
      put(0xC0 | scalar >> 6)
    } else {
      if scalar < 0x10000 {
        put(0xE0 | scalar >> 12)
      } else {
        put(0xF0 | scalar >> 18)
        put(0x80 | scalar >> 12 & 0x3F)
      }
      put(0x80 | scalar >> 6 & 0x3F)
    }
    put(0x80 | scalar & 0x3F)
  }

  @inline(__always)
  private static func hexValue(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}

extension ByteBuffer {
  /// Appends the inside of a checked JSON string with its escapes decoded to UTF-8.
  package mutating func append(unescaping bytes: ByteView) {
    guard let base = bytes.baseAddress else { return }
    let end = base + bytes.count
    var at = base
    reserve(bytes.count)
    while at < end {
      let next = memchr(at, Int32(UInt8(ascii: "\\")), end - at).map {
        UnsafePointer($0.assumingMemoryBound(to: UInt8.self))
      }
      let found = next ?? end
      append(ByteView(start: at, count: found - at))
      at = found
      if at < end { at += appendEscape(at, end) }
    }
  }

  /// Appends checked JSON with the characters of its strings in UTF-8 that need no escape: not `\n`, `\"` or `\u0000`.
  /// Whole texts are of such escapes in files that other programs have written in ASCII.
  package mutating func append(plain bytes: ByteView) {
    guard var at = bytes.baseAddress else { return }
    let end = at + bytes.count
    // No character is longer than its escape.
    reserve(bytes.count)
    var to = base + count
    if Self.copy(at, bytes.count, to: to) {
      count += bytes.count
      return
    }
    while true {
      Self.copy(&at, to: &to, upToBackslashBefore: end)
      guard end - at >= 2 else { break }
      if at[1] == UInt8(ascii: "u"), end - at >= 6 {
        JSONEscapes.copyCharacter(&at, to: &to, end)
      } else if at[1] == UInt8(ascii: "/") {
        to[0] = UInt8(ascii: "/")
        (at, to) = (at + 2, to + 1)
      } else {
        (to[0], to[1]) = (at[0], at[1])
        (at, to) = (at + 2, to + 2)
      }
    }
    // Checked JSON does not end with a backslash.
    while at < end {
      to.pointee = at.pointee
      (at, to) = (at + 1, to + 1)
    }
    count = to - base
  }

  /// Copies bytes without a backslash, as most values are: in pieces of which the last may overlap the one before.
  /// - Returns: `false` for a few bytes, and where there is one; then what was copied does not count.
  @inline(__always)
  private static func copy(
    _ start: UnsafePointer<UInt8>, _ count: Int, to target: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    let (from, to, size) = (UnsafeRawPointer(start), UnsafeMutableRawPointer(target), MemoryLayout<UInt64>.size)
    guard count >= size else { return false }
    let last = count - size
    var offset = 0
    while true {
      let word = from.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if JSONEscapes.backslashes(in: word) != 0 { return false }
      to.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
      if offset == last { return true }
      offset = min(offset + size, last)
    }
  }

  /// Copies up to the next backslash or the end, eight bytes at a time.
  @inline(__always)
  private static func copy(
    _ at: inout UnsafePointer<UInt8>, to: inout UnsafeMutablePointer<UInt8>,
    upToBackslashBefore end: UnsafePointer<UInt8>
  ) {
    while end - at >= 8 {
      let word = UnsafeRawPointer(at).loadUnaligned(as: UInt64.self)
      UnsafeMutableRawPointer(to).storeBytes(of: word, as: UInt64.self)
      let found = JSONEscapes.backslashes(in: word)
      let length = found == 0 ? 8 : found.trailingZeroBitCount / 8
      (at, to) = (at + length, to + length)
      if found != 0 { return }
    }
    while at < end, at.pointee != UInt8(ascii: "\\") {
      to.pointee = at.pointee
      (at, to) = (at + 1, to + 1)
    }
  }

  /// Appends the character of one escape.
  /// - Returns: the escape's length.
  private mutating func appendEscape(_ at: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Int {
    guard end - at >= 2 else { return 1 }
    switch at[1] {
    case UInt8(ascii: "b"): append(0x08)
    case UInt8(ascii: "f"): append(0x0C)
    case UInt8(ascii: "n"): append(0x0A)
    case UInt8(ascii: "r"): append(0x0D)
    case UInt8(ascii: "t"): append(0x09)
    case UInt8(ascii: "u"):
      let unit = JSONEscapes.unit(at, end) ?? 0xFFFD
      if unit & 0xFC00 == 0xD800, let low = JSONEscapes.unit(at + 6, end), low & 0xFC00 == 0xDC00 {
        append(scalar: 0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF)
        return 12
      }
      append(scalar: unit)
      return 6
    default: append(at[1])
    }
    return 2
  }

  /// Appends one Unicode scalar as an escape of JSON: `\u009b`, two of them beyond U+FFFF.
  package mutating func append(escaped scalar: UInt32) {
    for unit in Unicode.Scalar(scalar).map({ UTF16.encode($0) }).flatMap({ $0 }) ?? UTF16.encodedReplacementCharacter {
      append("\\u")
      append(lowerHex: UInt8(unit >> 8))
      append(lowerHex: UInt8(unit & 0xFF))
    }
  }

  /// Appends one Unicode scalar as UTF-8; U+FFFD for a number that is not a scalar.
  package mutating func append(scalar value: UInt32) {
    reserve(4)
    var to = base + count
    JSONEscapes.encode(value, to: &to)
    count = to - base
  }
}
