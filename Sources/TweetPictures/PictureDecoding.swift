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

// PNG, by libspng (https://libspng.org/docs/api/).
extension PictureDecoding {
  func decodePNG(_ bytes: [UInt8]) throws(DecodingFault) -> Pixels {
    guard let png else { throw .noLibrary }
    guard let decoder = png.spng_ctx_new(0) else { throw .notAPicture }
    defer { png.spng_ctx_free(decoder) }
    var header = spng_ihdr()
    let limit = UInt32(Self.maxPixels)
    // Chunks besides the pixels are not used: what is longer than a colour profile may be is refused.
    guard png.spng_set_image_limits(decoder, limit, limit) == 0,
      png.spng_set_chunk_limits(decoder, 4 << 20, 8 << 20) == 0,
      png.spng_set_png_buffer(decoder, bytes, bytes.count) == 0, png.spng_get_ihdr(decoder, &header) == 0
    else { throw .notAPicture }
    try Self.check(width: Int(header.width), height: Int(header.height))
    var pixels = Pixels(width: Int(header.width), height: Int(header.height))
    let status = png.spng_decode_image(
      decoder, &pixels.bytes, pixels.bytes.count, Int32(SPNG_FMT_RGBA8.rawValue), Int32(SPNG_DECODE_TRNS.rawValue))
    guard status == 0 else { throw .notAPicture }
    return pixels
  }
}
