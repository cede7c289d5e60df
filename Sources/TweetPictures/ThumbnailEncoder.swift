import CPictures
import Libc

/// Writes thumbnails as PNG, by libspng (https://libspng.org/docs/api/). It reads nothing but pixels, so it needs no
/// process of its own.
package struct ThumbnailEncoder {
  /// One filter, and zlib's fourth level: photographs get 1 % larger than with libspng's choice of filters for each row
  /// and the sixth level, in two thirds of the time.
  private static let filter = Int32(SPNG_FILTER_CHOICE_PAETH.rawValue)
  private static let level: Int32 = 4

  private let png: tw_png_functions

  /// - Returns: `nil` if libspng is not installed.
  package init?() {
    var png = tw_png_functions()
    guard tw_load_png(&png) else { return nil }
    self.png = png
  }

  /// Writes a PNG with 8 bits a channel, RGB if no pixel is transparent, else RGBA.
  /// - Returns: `nil` if memory is short.
  package func encode(_ pixels: Pixels) -> [UInt8]? {
    guard let encoder = png.spng_ctx_new(Int32(SPNG_CTX_ENCODER.rawValue)) else { return nil }
    defer { png.spng_ctx_free(encoder) }
    let isOpaque = pixels.isOpaque
    let colour = isOpaque ? SPNG_COLOR_TYPE_TRUECOLOR : SPNG_COLOR_TYPE_TRUECOLOR_ALPHA
    var header = spng_ihdr(
      width: UInt32(pixels.width), height: UInt32(pixels.height), bit_depth: 8, color_type: UInt8(colour.rawValue),
      compression_method: 0, filter_method: 0, interlace_method: 0)
    var samples = pixels.bytes
    if isOpaque {
      var end = 0
      for at in stride(from: 0, to: samples.count, by: 4) {
        (samples[end], samples[end + 1], samples[end + 2]) = (samples[at], samples[at + 1], samples[at + 2])
        end += 3
      }
      samples.removeLast(samples.count - end)
    }
    guard png.spng_set_option(encoder, SPNG_ENCODE_TO_BUFFER, 1) == 0,
      png.spng_set_option(encoder, SPNG_FILTER_CHOICE, Self.filter) == 0,
      png.spng_set_option(encoder, SPNG_IMG_COMPRESSION_LEVEL, Self.level) == 0,
      png.spng_set_ihdr(encoder, &header) == 0,
      png.spng_encode_image(
        encoder, samples, samples.count, Int32(SPNG_FMT_PNG.rawValue), Int32(SPNG_ENCODE_FINALIZE.rawValue)) == 0
    else { return nil }
    var (count, status): (Int, Int32) = (0, 0)
    guard let bytes = png.spng_get_png_buffer(encoder, &count, &status), status == 0 else { return nil }
    defer { free(bytes) }
    return Array(UnsafeRawBufferPointer(start: bytes, count: count))
  }
}
