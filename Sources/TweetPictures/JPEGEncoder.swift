import CPictures

/// Writes pictures as JPEG, by TurboJPEG. Like ``ThumbnailEncoder`` it reads nothing but pixels.
package struct JPEGEncoder {
  private let jpeg: tw_jpeg_encoder_functions

  /// - Returns: `nil` if TurboJPEG is not installed.
  package init?() {
    var jpeg = tw_jpeg_encoder_functions()
    guard tw_load_jpeg_encoder(&jpeg) else { return nil }
    self.jpeg = jpeg
  }

  /// Writes a JPEG with half the resolution of colours in both directions, as cameras do. What is transparent is not
  /// kept.
  ///
  /// - Parameter quality: of libjpeg, 1 to 100.
  /// - Returns: `nil` if memory is short.
  package func encode(_ pixels: Pixels, quality: Int) -> [UInt8]? {
    guard let encoder = jpeg.tjInitCompress() else { return nil }
    defer { _ = jpeg.tjDestroy(encoder) }
    var (bytes, count): (UnsafeMutablePointer<UInt8>?, UInt) = (nil, 0)
    defer { jpeg.tjFree(bytes) }
    let status = jpeg.tjCompress2(
      encoder, pixels.bytes, Int32(pixels.width), 0, Int32(pixels.height), TJPF_RGBX.rawValue, &bytes, &count,
      Int32(TJSAMP_420.rawValue), Int32(quality), 0)
    guard status == 0, let bytes else { return nil }
    return Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
  }
}
