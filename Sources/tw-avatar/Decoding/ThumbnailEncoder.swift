import CPictures
import Libc

/// Writes thumbnails as PNG, by libspng (https://libspng.org/docs/api/). It reads nothing but pixels, so it needs no process of
/// its own.
struct ThumbnailEncoder {
  private let png: tw_png_functions

  /// - Returns: `nil` if libspng is not installed.
  init?() {
    var png = tw_png_functions()
    guard tw_load_png(&png) else { return nil }
    self.png = png
  }

  /// Writes a PNG with 8 bits a channel, RGB if no pixel is transparent, else RGBA.
  /// - Returns: `nil` if memory is short.
  func encode(_ pixels: Pixels) -> [UInt8]? {
    guard let encoder = png.spng_ctx_new(Int32(SPNG_CTX_ENCODER.rawValue)) else { return nil }
    defer { png.spng_ctx_free(encoder) }
    let isOpaque = pixels.isOpaque
    let colour = isOpaque ? SPNG_COLOR_TYPE_TRUECOLOR : SPNG_COLOR_TYPE_TRUECOLOR_ALPHA
    var header = spng_ihdr(
      width: UInt32(pixels.width), height: UInt32(pixels.height), bit_depth: 8, color_type: UInt8(colour.rawValue),
      compression_method: 0, filter_method: 0, interlace_method: 0)
    var samples = pixels.bytes
    if isOpaque {
      samples.removeAll(keepingCapacity: true)
      for at in stride(from: 0, to: pixels.bytes.count, by: 4) { samples += pixels.bytes[at..<at + 3] }
    }
    guard png.spng_set_option(encoder, SPNG_ENCODE_TO_BUFFER, 1) == 0, png.spng_set_ihdr(encoder, &header) == 0,
      png.spng_encode_image(
        encoder, samples, samples.count, Int32(SPNG_FMT_PNG.rawValue), Int32(SPNG_ENCODE_FINALIZE.rawValue)) == 0
    else { return nil }
    var (count, status): (Int, Int32) = (0, 0)
    guard let bytes = png.spng_get_png_buffer(encoder, &count, &status), status == 0 else { return nil }
    defer { free(bytes) }
    return Array(UnsafeRawBufferPointer(start: bytes, count: count))
  }
}
