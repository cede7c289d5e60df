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
