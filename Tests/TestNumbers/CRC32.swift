/// The checksum of gzip, ZIP and PNG (RFC 1952, section 8): the tests' own, beside zlib's that the tools use.
package struct CRC32 {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { rest, _ in rest & 1 == 1 ? 0xEDB8_8320 ^ rest >> 1 : rest >> 1 }
  }

  private var rest: UInt32 = .max

  package init() {}

  /// The checksum of what was added so far.
  package var value: UInt32 { ~rest }

  package mutating func add(_ bytes: [UInt8]) {
    for byte in bytes { rest = Self.table[Int((rest ^ UInt32(byte)) & 0xFF)] ^ rest >> 8 }
  }

  package static func of(_ bytes: [UInt8]) -> UInt32 {
    var sum = CRC32()
    sum.add(bytes)
    return sum.value
  }
}
