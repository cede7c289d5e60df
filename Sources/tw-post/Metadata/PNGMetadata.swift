/// A PNG is a row of chunks (PNG, third edition, §5).
enum PNGMetadata {
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// What a decoder needs, and what it may use to show the picture: transparency, colours, size, animation (§4.3).
  private static let shown: Set = [
    "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV", "cLLI", "bKGD",
    "hIST", "pHYs", "sPLT", "acTL", "fcTL", "fdAT",
  ]

  /// The same picture without texts, times, other programs' chunks, and what follows the picture's end; of its Exif
  /// data the orientation stays.
  ///
  /// - Returns: `nil` for bytes that are not a whole PNG, or have a chunk without which the picture is another one.
  static func removed(from bytes: [UInt8]) -> [UInt8]? {
    guard bytes.starts(with: signature) else { return nil }
    var kept = signature
    kept.reserveCapacity(bytes.count)
    var (at, hasExif) = (signature.count, false)
    while at + 12 <= bytes.count {
      let length = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length <= bytes.count - at - 12 else { return nil }
      let end = at + 12 + length
      let name = String(decoding: bytes[at + 4..<at + 8], as: UTF8.self)
      guard kept.count > signature.count || name == "IHDR" else { return nil }
      if shown.contains(name) {
        kept += bytes[at..<end]
      } else if name == "eXIf", !hasExif {
        hasExif = true
        if let exif = Exif(bytes[at + 8..<end - 4]) { kept += chunk("eXIf", exif.tiff) }
      } else if bytes[at + 4] & 0x20 == 0 {
        return nil
      }
      if name == "IEND" { return kept }
      at = end
    }
    return nil
  }

  /// Whether it is animated: a chunk before the picture says of how many it is one (§11.3.6.1).
  static func isAnimated(_ bytes: [UInt8]) -> Bool {
    var at = signature.count
    while at + 12 <= bytes.count {
      let name = bytes[at + 4..<at + 8]
      if name.elementsEqual("acTL".utf8) { return bytes[at + 8..<at + 12].reduce(0) { $0 << 8 | Int($1) } > 1 }
      if name.elementsEqual("IDAT".utf8) { return false }
      at += 12 + bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    return false
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let named = Array(name.utf8) + content
    return big(UInt32(content.count)) + named + big(checksum(named))
  }

  private static func big(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  /// CRC-32 bit by bit (annex D): it is computed for 30 bytes.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
  }
}
