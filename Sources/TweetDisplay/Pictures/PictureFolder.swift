import Libc
package import TweetCore

/// The folder of thumbnails that tw-avatar writes: small PNG pictures, each under the key that records have.
package struct PictureFolder: Sendable {
  /// What a picture is for, which bounds its size.
  package enum Kind: Hashable, Sendable {
    case avatar, photo

    /// The most pixels in a row and in a column: what tw-avatar writes.
    var mostPixels: Int { self == .avatar ? 128 : 512 }
  }

  /// Larger files are no thumbnails.
  private static let mostBytes = 2 << 20

  private let path: String

  /// - Parameter path: the folder's; it need not be there.
  package init(_ path: String) { self.path = path }

  /// Whether the folder is there now.
  package var exists: Bool { stat(of: path)?.isFolder == true }

  /// Reads a picture.
  /// - Returns: `nil` if it is not there, or is anything but a whole file of a PNG picture that may be shown: links,
  ///   pipes and pictures of other sizes and kinds are none.
  package func read(_ key: PictureKey, _ kind: Kind) -> SmallPicture? {
    guard let file = Descriptor(Paths.thumbnail(key.name, in: path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
      let status = stat(of: file.number), status.isFile, status.size <= Self.mostBytes
    else { return nil }
    return SmallPicture(png: readBytes(file.number, at: 0, count: status.size), most: kind.mostPixels)
  }
}

/// The key of a picture in records: 64 digits in lower-case hexadecimal (tweet(5)). Nothing else becomes part of a
/// path.
package struct PictureKey: Hashable, Sendable {
  /// The digits, four bits each.
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  /// - Parameter value: the `key` of an `avatar` or `picture` object.
  /// - Returns: `nil` for anything but a key.
  package init?(_ value: JSONValue?) {
    guard let value, value.isString, value.rawString.count == 64 else { return nil }
    for (index, byte) in value.rawString.enumerated() {
      let digit: UInt64
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = UInt64(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = UInt64(byte - UInt8(ascii: "a") + 10)
      default: return nil
      }
      switch index / 16 {
      case 0: words.0 = words.0 << 4 | digit
      case 1: words.1 = words.1 << 4 | digit
      case 2: words.2 = words.2 << 4 | digit
      default: words.3 = words.3 << 4 | digit
      }
    }
  }

  /// The 64 digits.
  package var name: String {
    [words.0, words.1, words.2, words.3].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  package static func == (one: PictureKey, other: PictureKey) -> Bool { one.words == other.words }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
  }
}

/// A PNG picture that may be shown.
package struct SmallPicture: Sendable {
  /// The whole file.
  package let png: [UInt8]
  /// In pixels, above 0.
  package let width, height: Int

  /// - Parameter most: the most pixels in a row and in a column.
  /// - Returns: `nil` for anything but a whole PNG of 8-bit RGB or RGBA (PNG, third edition, §11.2.1).
  package init?(png: [UInt8], most: Int) {
    guard let header = PictureHeader(png), header.format == .png, png.count > 26, png[24] == 8,
      png[25] == 2 || png[25] == 6, header.width <= most, header.height <= most,
      // A file that was cut off does not end with the chunk IEND, which is always the same.
      png.suffix(8) == [0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]
    else { return nil }
    self.png = png
    width = header.width
    height = header.height
  }
}
