/// Formats of pictures that are recognised, so that people are told what is there, and not decoded.
enum OtherPictureFormat {
  /// The media type that the first bytes show; `nil` for what is not a picture, or of a format that is decoded.
  static func type(of bytes: [UInt8]) -> String? {
    // ISO base media file format (ISO/IEC 14496-12 §4.3): the size of the first box, its name, the brand, its version,
    // and the brands that the file is compatible with.
    if bytes.count >= 12, bytes[4..<8].elementsEqual("ftyp".utf8) {
      let length = min(bytes.count, bytes[..<4].reduce(0) { $0 << 8 | Int($1) }, 256)
      let found = ([8] + stride(from: 16, to: max(16, length - 3), by: 4)).compactMap { at in
        brands[String(decoding: bytes[at..<at + 4], as: UTF8.self)]
      }
      // The general brand says less than one of a coding.
      return found.first { $0 != "image/heif" } ?? found.first
    }
    if let known = starts.first(where: { bytes.starts(with: $0.bytes) }) { return known.type }
    let text = bytes.prefix(1024).drop { $0 <= 0x20 }
    guard text.starts(with: "<svg".utf8) || text.starts(with: "<?xml".utf8) else { return nil }
    return String(decoding: text, as: UTF8.self).contains("<svg") ? "image/svg+xml" : nil
  }

  private static let brands = [
    "avif": "image/avif", "avis": "image/avif", "heic": "image/heic", "heix": "image/heic", "hevc": "image/heic",
    "hevx": "image/heic", "heim": "image/heic", "heis": "image/heic", "hevm": "image/heic", "hevs": "image/heic",
    "mif1": "image/heif", "mif2": "image/heif", "msf1": "image/heif",
  ]

  private static let starts: [(bytes: [UInt8], type: String)] = [
    ([0xFF, 0x0A], "image/jxl"), ([0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20], "image/jxl"),
    ([0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20], "image/jp2"), ([0xFF, 0x4F, 0xFF, 0x51], "image/jp2"),
    ([0x38, 0x42, 0x50, 0x53], "image/vnd.adobe.photoshop"), ([0x49, 0x49, 0xBC], "image/jxr"),
    ([0x71, 0x6F, 0x69, 0x66], "image/qoi"), ([0x42, 0x4D], "image/bmp"), ([0, 0, 1, 0], "image/x-icon"),
    ([0x49, 0x49, 0x2A, 0], "image/tiff"),
    ([0x4D, 0x4D, 0, 0x2A], "image/tiff"),
  ]
}
