import TestNumbers

/// gzip (RFC 1952) whose blocks are stored as they are (RFC 1951, 3.2.4), so that every write can be read at once.
struct StoredGzip {
  private var hasHeader = false
  private var checksum = CRC32()
  private var length: UInt32 = 0

  mutating func block(_ bytes: [UInt8]) -> [UInt8] {
    checksum.add(bytes)
    length &+= UInt32(bytes.count)
    var out = header
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = rest.prefix(0xffff)
      out += [0] + Self.little(UInt16(part.count)) + Self.little(~UInt16(part.count)) + part
      rest = rest.dropFirst(part.count)
    }
    return out
  }

  mutating func end() -> [UInt8] {
    header + [1, 0, 0, 0xff, 0xff] + Self.little(checksum.value) + Self.little(length)
  }

  private var header: [UInt8] {
    mutating get {
      defer { hasHeader = true }
      return hasHeader ? [] : [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]
    }
  }

  private static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
}
