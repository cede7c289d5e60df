import CPictures

// GIF, by giflib (https://giflib.sourceforge.net/gif_lib.html).
extension PictureDecoding {
  /// Decodes the first frame, and reads over the others: an animation that is cut off, or has too many frames, is
  /// refused.
  func decodeGIF(_ bytes: [UInt8]) throws(DecodingFault) -> Pixels {
    guard let gif else { throw .noLibrary }
    return try bytes.withUnsafeBufferPointer { (data) throws(DecodingFault) in
      var input = GIFInput(rest: data[...])
      return try withUnsafeMutablePointer(to: &input) { (input) throws(DecodingFault) in
        guard let file = gif.DGifOpen(input, GIFInput.read, nil) else { throw .notAPicture }
        defer { _ = gif.DGifCloseFile(file, nil) }
        return try decode(file, gif)
      }
    }
  }

  private typealias File = UnsafeMutablePointer<GifFileType>

  private func decode(_ file: File, _ gif: tw_gif_functions) throws(DecodingFault) -> Pixels {
    try Self.check(width: Int(file.pointee.SWidth), height: Int(file.pointee.SHeight))
    var picture: Pixels?
    var frames = 0
    var control = GraphicsControlBlock()
    control.TransparentColor = NO_TRANSPARENT_COLOR
    while true {
      var kind = UNDEFINED_RECORD_TYPE
      guard gif.DGifGetRecordType(file, &kind) == GIF_OK else { throw .notAPicture }
      switch kind {
      case IMAGE_DESC_RECORD_TYPE:
        guard gif.DGifGetImageDesc(file) == GIF_OK else { throw .notAPicture }
        frames += 1
        guard frames <= Self.maxFrames else { throw .tooLarge }
        if picture == nil { picture = try frame(file, control, gif) } else { try skipFrame(file, gif) }
      case EXTENSION_RECORD_TYPE:
        try readExtension(file, &control, gif)
      case TERMINATE_RECORD_TYPE:
        guard let picture else { throw .notAPicture }
        return picture
      default:
        throw .notAPicture
      }
    }
  }

  /// Decodes the frame whose description was read, onto a transparent screen. What lies outside of the screen is not
  /// shown.
  private func frame(
    _ file: File, _ control: GraphicsControlBlock, _ gif: tw_gif_functions
  ) throws(DecodingFault) -> Pixels {
    let area = file.pointee.Image
    let (left, top) = (Int(area.Left), Int(area.Top))
    let (width, height) = (Int(area.Width), Int(area.Height))
    try Self.check(width: width, height: height)
    guard left >= 0, top >= 0, let colours = area.ColorMap ?? file.pointee.SColorMap,
      let table = colours.pointee.Colors
    else { throw .notAPicture }
    let palette = UnsafeBufferPointer(start: table, count: Int(colours.pointee.ColorCount))
    var screen = Pixels(width: Int(file.pointee.SWidth), height: Int(file.pointee.SHeight))
    var line = [GifPixelType](repeating: 0, count: width)
    // GIF89a, appendix E: an interlaced frame has every eighth row first, and so on.
    let passes = area.Interlace ? [(0, 8), (4, 8), (2, 4), (1, 2)] : [(0, 1)]
    for (first, step) in passes {
      for row in stride(from: first, to: height, by: step) {
        guard gif.DGifGetLine(file, &line, Int32(width)) == GIF_OK else { throw .notAPicture }
        guard top + row < screen.height else { continue }
        for column in 0..<max(0, min(width, screen.width - left)) {
          let index = Int(line[column])
          if index == Int(control.TransparentColor) || index >= palette.count { continue }
          let at = 4 * ((top + row) * screen.width + left + column)
          screen.bytes[at] = palette[index].Red
          screen.bytes[at + 1] = palette[index].Green
          screen.bytes[at + 2] = palette[index].Blue
          screen.bytes[at + 3] = 255
        }
      }
    }
    return screen
  }

  private func skipFrame(_ file: File, _ gif: tw_gif_functions) throws(DecodingFault) {
    var (size, block): (Int32, UnsafeMutablePointer<GifByteType>?) = (0, nil)
    guard gif.DGifGetCode(file, &size, &block) == GIF_OK else { throw .notAPicture }
    while block != nil {
      guard gif.DGifGetCodeNext(file, &block) == GIF_OK else { throw .notAPicture }
    }
  }

  /// Reads over an extension; what one says about the next frame goes into `control`.
  private func readExtension(
    _ file: File, _ control: inout GraphicsControlBlock, _ gif: tw_gif_functions
  ) throws(DecodingFault) {
    var (kind, block): (Int32, UnsafeMutablePointer<GifByteType>?) = (0, nil)
    guard gif.DGifGetExtension(file, &kind, &block) == GIF_OK else { throw .notAPicture }
    while let bytes = block {
      // The first byte of a block is its length.
      if kind == GRAPHICS_EXT_FUNC_CODE { _ = gif.DGifExtensionToGCB(Int(bytes[0]), bytes + 1, &control) }
      guard gif.DGifGetExtensionNext(file, &block) == GIF_OK else { throw .notAPicture }
    }
  }
}

/// The bytes of a file that giflib has not read.
private struct GIFInput {
  var rest: Slice<UnsafeBufferPointer<UInt8>>

  /// giflib's InputFunc: fills `room` and returns how many bytes it got.
  static let read: InputFunc = { file, room, count in
    guard let input = file?.pointee.UserData?.assumingMemoryBound(to: GIFInput.self), let room, count > 0 else {
      return 0
    }
    let piece = input.pointee.rest.prefix(Int(count))
    for (offset, byte) in piece.enumerated() { room[offset] = byte }
    input.pointee.rest = input.pointee.rest.dropFirst(piece.count)
    return Int32(piece.count)
  }
}
