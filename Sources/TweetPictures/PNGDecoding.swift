import CPictures

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
