/// The format of a video, as its first bytes say. Nothing of it is decoded. The cases are media types.
package enum VideoFormat: String, Sendable {
  case mp4 = "video/mp4"
  case quickTime = "video/quicktime"
  case webM = "video/webm"

  /// - Parameter bytes: the first twelve, or more.
  /// - Returns: `nil` for any other file.
  package init?(_ bytes: some Collection<UInt8>) {
    let start = Array(bytes.prefix(12))
    if HEIFFormat(start) != nil { return nil }
    // ISO/IEC 14496-12 §4.3: the first box says which brand the file is of. QuickTime's is "qt  ".
    if start.count == 12, start[4..<8].elementsEqual("ftyp".utf8) {
      self = start[8...].starts(with: "qt".utf8) ? .quickTime : .mp4
    } else if start.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
      // RFC 8794 §11.2. Matroska, of which WebM is a part, begins in the same way.
      self = .webM
    } else {
      return nil
    }
  }

  /// The extension of its files.
  package var fileExtension: String {
    switch self {
    case .mp4: "mp4"
    case .quickTime: "mov"
    case .webM: "webm"
    }
  }
}

/// The format of a picture in a file that begins as an MP4 does, as its first bytes say. The cases are what people call
/// these formats.
package enum HEIFFormat: String, Sendable {
  case heic = "HEIC"
  case avif = "AVIF"

  /// - Parameter bytes: the first twelve, or more.
  /// - Returns: `nil` for any other file.
  package init?(_ bytes: some Collection<UInt8>) {
    let start = Array(bytes.prefix(12))
    guard start.count == 12, start[4..<8].elementsEqual("ftyp".utf8) else { return nil }
    switch String(decoding: start[8...], as: UTF8.self) {
    // ISO/IEC 23008-12 §10 and annex B: pictures and rows of pictures, whatever codes them, and those of HEVC.
    case "mif1", "mif2", "msf1", "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs": self = .heic
    // AV1 Image File Format §6.
    case "avif", "avis": self = .avif
    default: return nil
    }
  }
}
