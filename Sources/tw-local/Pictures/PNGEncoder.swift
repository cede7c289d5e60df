import TweetCore

/// Writes a PNG with a palette (PNG specification, third edition). The pixels are not compressed: the pictures are
/// small and are sent over loopback.
enum PNGEncoder {
  static func encode(_ picture: Raster) -> [UInt8] {
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    // Bit depth 8, colour type 3 (palette), deflate, adaptive filtering, not interlaced.
    let header = bigEndian(UInt32(picture.width)) + bigEndian(UInt32(picture.height)) + [8, 3, 0, 0, 0]
    file += chunk("IHDR", header)
    file += chunk("PLTE", picture.palette.flatMap { [$0.red, $0.green, $0.blue] })
    var rows: [UInt8] = []
    rows.reserveCapacity((picture.width + 1) * picture.height)
    for y in 0..<picture.height {
      rows.append(0)
      rows += picture.pixels[y * picture.width..<(y + 1) * picture.width]
    }
    file += chunk("IDAT", stored(rows))
    file += chunk("IEND", [])
    return file
  }

  private static func chunk(_ type: StaticString, _ data: [UInt8]) -> [UInt8] {
    let named = type.bytes + data
    return bigEndian(UInt32(data.count)) + named + bigEndian(crc(named))
  }

  /// A zlib stream of stored blocks (RFC 1950, RFC 1951 §3.2.4).
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var start = 0
    repeat {
      let end = min(start + 0xFFFF, bytes.count)
      let low = UInt8(truncatingIfNeeded: end - start)
      let high = UInt8((end - start) >> 8)
      stream += [end == bytes.count ? 1 : 0, low, high, ~low, ~high]
      stream += bytes[start..<end]
      start = end
    } while start < bytes.count
    return stream + bigEndian(adler(bytes))
  }

  private static func adler(_ bytes: [UInt8]) -> UInt32 {
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      low = (low + UInt32(byte)) % 65521
      high = (high + low) % 65521
    }
    return high << 16 | low
  }

  private static let crcTable: [UInt32] = (0..<256).map { number in
    (0..<8).reduce(UInt32(number)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
  }

  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(0xFFFF_FFFF) { $0 >> 8 ^ crcTable[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
  }

  private static func bigEndian(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
  }
}
