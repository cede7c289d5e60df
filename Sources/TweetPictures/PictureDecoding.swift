import CPictures
import TweetCore

/// Why bytes cannot be decoded. The raw value is what the decoder's process answers.
package enum DecodingFault: UInt32, Error {
  /// They are damaged, cut off, or of no format that is decoded here.
  case notAPicture = 1
  /// More pixels or frames than ``PictureDecoding`` allows.
  case tooLarge = 2
  /// The library for the format is not installed.
  case noLibrary = 3
  /// The system does not take the process's rights away, so it decodes nothing.
  case notConfined = 4
}

/// Decodes pictures with the formats' libraries. What it reads was made by strangers, and the libraries are written in
/// C: only ``DecoderProcess`` calls this, which can reach nothing, and fuzz tests.
package struct PictureDecoding {
  /// More pixels than this are refused before any is decoded: a picture that phones make has 12 million, and 25 million
  /// need 100 MB.
  package static let maxPixels = 25_000_000
  /// An animation with more frames is refused. Only the first is decoded.
  package static let maxFrames = 256

  let jpeg: tw_jpeg_functions?
  let png: tw_png_functions?
  let webP: tw_webp_functions?
  let gif: tw_gif_functions?

  /// Loads the libraries, those that are installed.
  package init() {
    var jpeg = tw_jpeg_functions()
    self.jpeg = tw_load_jpeg(&jpeg) ? jpeg : nil
    var png = tw_png_functions()
    self.png = tw_load_png(&png) ? png : nil
    var webP = tw_webp_functions()
    self.webP = tw_load_webp(&webP) ? webP : nil
    var gif = tw_gif_functions()
    self.gif = tw_load_gif(&gif) ? gif : nil
  }

  /// Decodes a whole picture, of an animation the first frame, and makes it smaller.
  /// - Parameter side: no side of the result is longer.
  package func decode(_ bytes: [UInt8], side: Int) throws(DecodingFault) -> Pixels {
    guard let header = PictureHeader(bytes) else { throw .notAPicture }
    try Self.check(width: header.width, height: header.height)
    let pixels =
      switch header.format {
      case .jpeg: try decodeJPEG(bytes, side: side)
      case .png: try decodePNG(bytes)
      case .webp: try decodeWebP(bytes)
      case .gif: try decodeGIF(bytes)
      }
    return pixels.shrunk(to: side)
  }

  /// - Throws: `tooLarge` for more than ``maxPixels``, `notAPicture` for none.
  static func check(width: Int, height: Int) throws(DecodingFault) {
    guard width > 0, height > 0 else { throw .notAPicture }
    // The product of two numbers of 32 bits may be too large for an Int.
    guard height <= maxPixels / width else { throw .tooLarge }
  }
}
