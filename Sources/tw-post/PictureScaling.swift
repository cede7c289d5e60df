import Libc
import TweetCore
import TweetPictures

/// A picture that was made smaller: what it is now.
struct ScaledPicture {
  let bytes: [UInt8]
  /// The media type.
  let type: String
  let width: Int
  let height: Int
}

/// Makes pictures smaller for services that take only small ones. They may come from anywhere, so a ``DecoderProcess``
/// decodes them, which can reach nothing; what is encoded here are pixels.
enum PictureScaling {
  /// Of libjpeg: one at which nobody sees a difference, and one at which few do. A picture loses pixels before it loses
  /// more.
  private static let qualities = [90, 80]
  /// What the next try has of the sides, in quarters.
  private static let step = 3

  /// Makes a picture small enough, and turns it as its Exif data say. It becomes a JPEG, or a PNG where something is
  /// transparent.
  ///
  /// - Parameters:
  ///   - name: what messages call it.
  ///   - most: bytes.
  ///   - mostPixels: `nil` if only bytes count.
  ///   - side: no side of the result is longer.
  /// - Throws: `ToolError.badData` for what is not a picture, moves, or is too large to be decoded;
  ///   `ToolError.cannotCreate` where the libraries are missing.
  static func scaled(
    _ bytes: [UInt8], named name: String, most: Int, mostPixels: Int? = nil, side: Int = DecoderProcess.longestSide
  ) throws(ToolError) -> ScaledPicture {
    guard let header = PictureHeader(bytes) else { throw .badData("\(name) is not a picture") }
    var side = min(side, max(header.width, header.height))
    if let mostPixels, header.width > mostPixels / header.height {
      let (width, height) = (Double(header.width), Double(header.height))
      side = min(side, Int((Double(mostPixels) / (width * height)).squareRoot() * max(width, height)))
    }
    var pixels = try pixels(of: bytes, side: max(1, side), name).turned(by: Exif.orientation(of: bytes) ?? 1)
    let isOpaque = pixels.isOpaque
    while true {
      for quality in isOpaque ? qualities : [0] {
        let encoded = isOpaque ? JPEGEncoder()?.encode(pixels, quality: quality) : ThumbnailEncoder()?.encode(pixels)
        guard let encoded else {
          throw .cannotCreate(
            "\(name) cannot be made smaller: \(isOpaque ? "libturbojpeg" : "libspng") is not installed")
        }
        if encoded.count <= most {
          return ScaledPicture(
            bytes: encoded, type: isOpaque ? "image/jpeg" : "image/png", width: pixels.width, height: pixels.height)
        }
      }
      let side = max(pixels.width, pixels.height)
      guard side > 1 else { throw .badData("\(name) cannot be made small enough") }
      pixels = pixels.shrunk(to: side * step / 4)
    }
  }

  private static func pixels(of bytes: [UInt8], side: Int, _ name: String) throws(ToolError) -> Pixels {
    var decoder = PictureDecoder()
    _ = decoder.enqueue(bytes, side: side)
    while Interruption.signal == nil {
      if let done = decoder.drainFinished().first {
        switch done.result {
        case .success(let pixels): return pixels
        case .failure(.notAPicture): throw .badData("\(name) is damaged or cut off, and cannot be made smaller")
        case .failure(.tooLarge):
          throw .badData(
            "\(name) has more than \(PictureDecoding.maxPixels / 1_000_000) million pixels, and cannot be made smaller here"
          )
        case .failure(.decoderFailed): throw .badData("\(name) cannot be decoded, and so not be made smaller")
        case .failure(.noDecoder):
          throw .cannotCreate("\(name) cannot be made smaller: this machine has no decoder for it")
        }
      }
      var entries = [decoder.descriptor ?? -1, Interruption.descriptor].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      poll(&entries, 2, Int32(decoder.millisecondsLeft ?? 0))
    }
    throw Exchange.interrupted
  }
}
