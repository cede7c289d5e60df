/// A JPEG is a row of segments, and between them the coded picture (ITU-T T.81 annex B).
enum JPEGMetadata {
  /// The same picture without comments and without what applications have added: Exif but for the orientation, XMP,
  /// IPTC, previews, further pictures, and what follows the picture's end. The colour profile stays.
  ///
  /// - Returns: `nil` for bytes that are not a whole JPEG.
  static func removed(from bytes: [UInt8]) -> [UInt8]? {
    guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
    var kept: [UInt8] = [0xFF, 0xD8]
    kept.reserveCapacity(bytes.count)
    var (at, hasScan, hasExif) = (2, false, false)
    while true {
      guard at + 1 < bytes.count, bytes[at] == 0xFF else { return nil }
      let marker = bytes[at + 1]
      // A byte before the marker that fills a gap.
      if marker == 0xFF {
        at += 1
        continue
      }
      if marker == 0xD9 { return hasScan ? kept + [0xFF, 0xD9] : nil }
      guard at + 3 < bytes.count else { return nil }
      let end = at + 2 + Int(bytes[at + 2]) << 8 + Int(bytes[at + 3])
      guard end >= at + 4, end <= bytes.count else { return nil }
      let content = bytes[at + 4..<end]
      switch marker {
      // Tables, frames and their lines, and what says how often the coder begins anew.
      case 0xC0...0xCF, 0xDB...0xDF: kept += bytes[at..<end]
      case 0xDA:
        hasScan = true
        let next = scanEnd(bytes, from: end)
        kept += bytes[at..<next]
        at = next
        continue
      case 0xE0 where content.starts(with: "JFIF\0".utf8) && content.count >= 14:
        // Without its preview, whose size the last two bytes say.
        kept += [0xFF, 0xE0, 0, 16] + content.prefix(12) + [0, 0]
      case 0xE1 where content.starts(with: Exif.mark) && !hasExif:
        hasExif = true
        guard let exif = Exif(content) else { break }
        let data = Exif.mark + exif.tiff
        kept += [0xFF, 0xE1, 0, UInt8(data.count + 2)] + data
      case 0xE2 where content.starts(with: "ICC_PROFILE\0".utf8): kept += bytes[at..<end]
      // Says how colours are coded.
      case 0xEE where content.starts(with: "Adobe".utf8): kept += bytes[at..<end]
      case 0xE0...0xEF, 0xFE: break
      default: return nil
      }
      at = end
    }
  }

  /// Where the next segment begins after coded data, in which 0xFF comes only before 0 and as a mark to begin anew.
  private static func scanEnd(_ bytes: [UInt8], from start: Int) -> Int {
    var at = start
    while at + 1 < bytes.count {
      if bytes[at] == 0xFF, bytes[at + 1] != 0, !(0xD0...0xD7).contains(bytes[at + 1]) { return at }
      at += 1
    }
    return bytes.count
  }
}
