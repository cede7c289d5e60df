import TweetCore

/// What of a picture's Exif data is needed to show it: how it is turned. All else in them, such as the place and the
/// time of a photo, is for its owner.
struct Exif {
  /// Tag 0x0112: 2 to 8. Where it is 1, or missing, the picture is shown as it is stored.
  let orientation: UInt8

  /// - Parameter bytes: a TIFF header and what follows (Exif 2.32 §4.5), `Exif` and two zero bytes before it or not.
  /// - Returns: `nil` if the picture is not turned.
  init?(_ bytes: some Collection<UInt8>) {
    var tiff = Array(bytes.prefix(Self.longest))
    if tiff.starts(with: Self.mark) { tiff.removeFirst(Self.mark.count) }
    let isLittle = tiff.starts(with: [0x49, 0x49, 0x2A, 0])
    guard isLittle || tiff.starts(with: [0x4D, 0x4D, 0, 0x2A]) else { return nil }
    func number(_ count: Int, at start: Int) -> Int? {
      guard start >= 0, start + count <= tiff.count else { return nil }
      let digits = tiff[start..<start + count]
      return isLittle ? digits.reversed().reduce(0) { $0 << 8 | Int($1) } : digits.reduce(0) { $0 << 8 | Int($1) }
    }
    guard let directory = number(4, at: 4), let count = number(2, at: directory) else { return nil }
    for entry in 0..<count {
      let at = directory + 2 + 12 * entry
      guard let tag = number(2, at: at), let kind = number(2, at: at + 2), let value = number(2, at: at + 8) else {
        return nil
      }
      guard tag == 0x0112 else { continue }
      guard kind == 3, (2...8).contains(value) else { return nil }
      orientation = UInt8(value)
      return
    }
    return nil
  }

  /// Exif data that have the orientation and nothing else: one directory of one entry.
  var tiff: [UInt8] {
    [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
  }

  /// What Exif data begin with in a JPEG.
  static let mark: [UInt8] = Array("Exif".utf8) + [0, 0]
  /// Bytes that a segment of a JPEG can have; the orientation comes long before.
  private static let longest = 65_536

  /// How a picture is turned: 2 to 8.
  ///
  /// - Returns: `nil` if it is not, or if the bytes are no picture.
  static func orientation(of picture: [UInt8]) -> Int? {
    guard let header = PictureHeader(picture),
      let clean = MediaContent.picture(picture, type: header.format.rawValue)
    else { return nil }
    // What is left of the data is this, and nothing else begins so.
    let start = Exif(orientation: 1).tiff.prefix(19)
    return clean.withBytes { bytes in
      var at = 0
      while let found = bytes.firstIndex(of: start[0], from: at) {
        if bytes.count - found > start.count, bytes.extracting(found..<found + start.count).elementsEqual(start) {
          return Int(bytes[found + start.count])
        }
        at = found + 1
      }
      return nil
    }
  }

  private init(orientation: UInt8) { self.orientation = orientation }
}
