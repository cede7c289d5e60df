/// The format and size of a picture, as its first bytes say. Nothing is decoded: the numbers are read where each format
/// has them.
///
/// The server's `Content-Type` does not count, because it is often wrong and always a stranger's claim.
package struct PictureHeader: Equatable, Sendable {
  /// The formats that are recognised, by their media types.
  package enum Format: String, Sendable {
    case png = "image/png"
    case jpeg = "image/jpeg"
    case gif = "image/gif"
    case webp = "image/webp"

    /// The extension of its files.
    package var fileExtension: String {
      switch self {
      case .png: "png"
      case .jpeg: "jpg"
      case .gif: "gif"
      case .webp: "webp"
      }
    }
  }

  package var format: Format
  /// In pixels, above 0.
  package var width: Int
  /// In pixels, above 0.
  package var height: Int

  /// - Returns: `nil` for anything but a PNG, JPEG, GIF or WebP picture whose size can be read.
  package init?(_ bytes: [UInt8]) {
    let reader = Reader(bytes: bytes)
    guard let found = Self.png(reader) ?? Self.gif(reader) ?? Self.webP(reader) ?? Self.jpeg(reader), found.width > 0,
      found.height > 0
    else { return nil }
    self = found
  }

  private init(_ format: Format, _ width: Int, _ height: Int) {
    self.format = format
    self.width = width
    self.height = height
  }

  /// PNG, third edition, §5.2 and §11.2.1: the IHDR chunk comes first.
  private static func png(_ bytes: Reader) -> PictureHeader? {
    guard bytes.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0), bytes.has("IHDR", at: 12),
      let width = bytes.big(4, at: 16), let height = bytes.big(4, at: 20)
    else { return nil }
    return PictureHeader(.png, width, height)
  }

  /// GIF89a §18: the logical screen's size.
  private static func gif(_ bytes: Reader) -> PictureHeader? {
    guard bytes.has("GIF87a", at: 0) || bytes.has("GIF89a", at: 0), let width = bytes.little(2, at: 6),
      let height = bytes.little(2, at: 8)
    else { return nil }
    return PictureHeader(.gif, width, height)
  }

  /// RFC 9649 §2.5 to §2.7: lossy, lossless and extended files.
  private static func webP(_ bytes: Reader) -> PictureHeader? {
    guard bytes.has("RIFF", at: 0), bytes.has("WEBP", at: 8) else { return nil }
    if bytes.has("VP8X", at: 12), let width = bytes.little(3, at: 24), let height = bytes.little(3, at: 27) {
      return PictureHeader(.webp, width + 1, height + 1)
    }
    if bytes.has("VP8L", at: 12), bytes.has([0x2F], at: 20), let bits = bytes.little(4, at: 21) {
      return PictureHeader(.webp, bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
    }
    if bytes.has("VP8 ", at: 12), bytes.has([0x9D, 0x01, 0x2A], at: 23), let width = bytes.little(2, at: 26),
      let height = bytes.little(2, at: 28)
    {
      return PictureHeader(.webp, width & 0x3FFF, height & 0x3FFF)
    }
    return nil
  }

  /// ITU-T T.81, annex B: marker segments are skipped up to the one that begins a frame.
  private static func jpeg(_ bytes: Reader) -> PictureHeader? {
    guard bytes.has([0xFF, 0xD8, 0xFF], at: 0) else { return nil }
    var at = 2
    while let marker = bytes.big(2, at: at), marker >= 0xFF00 {
      switch marker & 0xFF {
      // Fill bytes, and markers without a segment.
      case 0xFF: at += 1
      case 0x01, 0xD0...0xD8: at += 2
      // The scan begins, or the picture ends, before any frame.
      case 0xD9, 0xDA: return nil
      // Frames. C4, C8 and CC between them are tables.
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
        guard let height = bytes.big(2, at: at + 5), let width = bytes.big(2, at: at + 7) else { return nil }
        return PictureHeader(.jpeg, width, height)
      default:
        guard let length = bytes.big(2, at: at + 2), length >= 2 else { return nil }
        at += 2 + length
      }
    }
    return nil
  }

  private struct Reader {
    let bytes: [UInt8]

    func has(_ wanted: [UInt8], at start: Int) -> Bool {
      bytes.count >= start + wanted.count && bytes[start..<start + wanted.count].elementsEqual(wanted)
    }

    func has(_ wanted: String, at start: Int) -> Bool { has(Array(wanted.utf8), at: start) }

    func big(_ count: Int, at start: Int) -> Int? {
      guard bytes.count >= start + count else { return nil }
      return bytes[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
    }

    func little(_ count: Int, at start: Int) -> Int? {
      guard bytes.count >= start + count else { return nil }
      return bytes[start..<start + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
  }
}
