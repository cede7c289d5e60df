import TestNumbers

/// A PNG picture of 8-bit RGBA, not compressed, as any decoder reads it.
package struct PNGPicture {
  package let bytes: [UInt8]

  /// - Parameters:
  ///   - pixel: red, green, blue and alpha of the pixel in a column and row.
  ///   - kind: the colour type that the header says: 6 is RGBA.
  package init(
    _ width: Int, _ height: Int, kind: UInt8 = 6,
    pixel: (Int, Int) -> [UInt8] = { [UInt8($0 & 255), UInt8($1 & 255), 128, 255] }
  ) {
    var rows: [UInt8] = []
    for row in 0..<height {
      rows.append(0)
      for column in 0..<width { rows += pixel(column, row) }
    }
    // RFC 1950 and 1951: blocks that are stored as they are.
    var data: [UInt8] = [0x78, 0x01]
    var offset = 0
    repeat {
      let size = min(65_535, rows.count - offset)
      data.append(offset + size == rows.count ? 1 : 0)
      data += [UInt8(size & 255), UInt8(size >> 8), UInt8(~size & 255), UInt8(~size >> 8 & 255)]
      data += rows[offset..<offset + size]
      offset += size
    } while offset < rows.count
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in rows {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    data += Self.big(high << 16 | low)
    bytes =
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + Self.chunk("IHDR", Self.big(UInt32(width)) + Self.big(UInt32(height)) + [8, kind, 0, 0, 0])
      + Self.chunk("IDAT", data) + Self.chunk("IEND", [])
  }

  private static func big(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - $0 * 8) & 255) } }

  private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    let content = Array(name.utf8) + data
    return big(UInt32(data.count)) + content + big(CRC32.of(content))
  }
}
