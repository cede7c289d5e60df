/// Formats of pictures that are recognised, so that people are told what is there, and not decoded.
enum OtherPictureFormat {
  /// The media type that the first bytes show; `nil` for what is no picture, or of a format that is decoded.
  static func type(of bytes: [UInt8]) -> String? {
    // ISO base media file format (ISO/IEC 14496-12 §4.3): the size of the first box, its name, and the brand.
    if bytes.count >= 12, bytes[4..<8].elementsEqual("ftyp".utf8) {
      return brands[String(decoding: bytes[8..<12], as: UTF8.self)]
    }
    if let known = starts.first(where: { bytes.starts(with: $0.bytes) }) { return known.type }
    let text = bytes.prefix(1024).drop { $0 <= 0x20 }
    guard text.starts(with: "<svg".utf8) || text.starts(with: "<?xml".utf8) else { return nil }
    return String(decoding: text, as: UTF8.self).contains("<svg") ? "image/svg+xml" : nil
  }

  private static let brands = [
    "avif": "image/avif", "avis": "image/avif", "heic": "image/heic", "heix": "image/heic", "hevc": "image/heic",
    "hevx": "image/heic", "mif1": "image/heif", "msf1": "image/heif",
  ]

  private static let starts: [(bytes: [UInt8], type: String)] = [
    ([0xFF, 0x0A], "image/jxl"), ([0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20], "image/jxl"),
    ([0x42, 0x4D], "image/bmp"), ([0, 0, 1, 0], "image/x-icon"), ([0x49, 0x49, 0x2A, 0], "image/tiff"),
    ([0x4D, 0x4D, 0, 0x2A], "image/tiff"),
  ]
}
