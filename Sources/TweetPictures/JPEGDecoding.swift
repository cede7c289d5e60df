import CPictures

// JPEG, by TurboJPEG (https://libjpeg-turbo.org/Documentation/Documentation).
extension PictureDecoding {
  func decodeJPEG(_ bytes: [UInt8], side: Int) throws(DecodingFault) -> Pixels {
    guard let jpeg else { throw .noLibrary }
    guard let decoder = jpeg.tjInitDecompress() else { throw .notAPicture }
    defer { _ = jpeg.tjDestroy(decoder) }
    var (width, height, sampling, space): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
    guard jpeg.tjDecompressHeader3(decoder, bytes, UInt(bytes.count), &width, &height, &sampling, &space) == 0 else {
      throw .notAPicture
    }
    try Self.check(width: Int(width), height: Int(height))
    let size = scaled(width: Int(width), height: Int(height), side: side, jpeg)
    let isCMYK = space == TJCS_CMYK.rawValue || space == TJCS_YCCK.rawValue
    var pixels = Pixels(width: size.width, height: size.height)
    let status = jpeg.tjDecompress2(
      decoder, bytes, UInt(bytes.count), &pixels.bytes, Int32(size.width), 0, Int32(size.height),
      isCMYK ? TJPF_CMYK.rawValue : TJPF_RGBA.rawValue, TJFLAG_LIMITSCANS)
    // Many cameras write bytes that libjpeg warns of and skips. A picture that ends too early is no whole picture,
    // though for libjpeg that is a warning too ("Premature end of JPEG file", "premature end of data segment").
    if status != 0 {
      let isWarning = jpeg.tjGetErrorCode(decoder) == TJERR_WARNING.rawValue
      let text = jpeg.tjGetErrorStr2(decoder).map { String(cString: $0) } ?? ""
      if !isWarning || text.contains("remature end") { throw .notAPicture }
    }
    if isCMYK { Self.convertFromCMYK(&pixels) }
    return pixels
  }

  /// The smallest size that TurboJPEG can decode to and that is not below the thumbnail's: it takes less time and
  /// memory than the whole picture.
  private func scaled(
    width: Int, height: Int, side: Int, _ jpeg: tw_jpeg_functions
  ) -> (width: Int, height: Int) {
    let wanted = Pixels.fitted(width: width, height: height, side: side)
    var best = (width: width, height: height)
    var count: Int32 = 0
    guard let factors = jpeg.tjGetScalingFactors(&count) else { return best }
    for factor in UnsafeBufferPointer(start: factors, count: Int(count)) {
      let (part, whole) = (Int(factor.num), Int(factor.denom))
      // TJSCALED of turbojpeg.h.
      let size = (width: (width * part + whole - 1) / whole, height: (height * part + whole - 1) / whole)
      if size.width >= wanted.width, size.height >= wanted.height, size.width < best.width { best = size }
    }
    return best
  }

  /// Adobe's programs, the only ones that write CMYK, write it inverted.
  private static func convertFromCMYK(_ pixels: inout Pixels) {
    for at in stride(from: 0, to: pixels.bytes.count, by: 4) {
      let black = Int(pixels.bytes[at + 3])
      for channel in at..<at + 3 { pixels.bytes[channel] = UInt8(Int(pixels.bytes[channel]) * black / 255) }
      pixels.bytes[at + 3] = 255
    }
  }
}
