import CPictures

// WebP, by libwebp (https://developers.google.com/speed/webp/docs/api).
extension PictureDecoding {
  func decodeWebP(_ bytes: [UInt8]) throws(DecodingFault) -> Pixels {
    guard let webP else { throw .noLibrary }
    let features = try features(of: bytes, webP)
    let (width, height) = (Int(features.width), Int(features.height))
    guard features.has_animation != 0 else {
      return try bytes.withUnsafeBufferPointer { (data) throws(DecodingFault) in
        try frame(data, width: width, height: height, webP)
      }
    }
    return try bytes.withUnsafeBufferPointer { (data) throws(DecodingFault) in
      try firstFrame(data, width: width, height: height, webP)
    }
  }

  /// - Throws: `notAPicture`, and `tooLarge` for too many pixels.
  private func features(
    of bytes: [UInt8], _ webP: tw_webp_functions
  ) throws(DecodingFault) -> WebPBitstreamFeatures {
    var features = WebPBitstreamFeatures()
    let status = webP.WebPGetFeaturesInternal(bytes, bytes.count, &features, WEBP_DECODER_ABI_VERSION)
    guard status == VP8_STATUS_OK else { throw .notAPicture }
    try Self.check(width: Int(features.width), height: Int(features.height))
    return features
  }

  /// Decodes a still picture that has this size.
  private func frame(
    _ data: UnsafeBufferPointer<UInt8>, width: Int, height: Int, _ webP: tw_webp_functions
  ) throws(DecodingFault) -> Pixels {
    var pixels = Pixels(width: width, height: height)
    let count = pixels.bytes.count
    guard
      webP.WebPDecodeRGBAInto(data.baseAddress, data.count, &pixels.bytes, count, Int32(4 * width)) != nil
    else { throw .notAPicture }
    return pixels
  }

  /// The first frame of an animation, where it is on the canvas.
  private func firstFrame(
    _ data: UnsafeBufferPointer<UInt8>, width: Int, height: Int, _ webP: tw_webp_functions
  ) throws(DecodingFault) -> Pixels {
    var whole = WebPData(bytes: data.baseAddress, size: data.count)
    // Without a place for a state, a file that is cut off has no demuxer.
    guard let demuxer = webP.WebPDemuxInternal(&whole, 0, nil, WEBP_DEMUX_ABI_VERSION) else { throw .notAPicture }
    defer { webP.WebPDemuxDelete(demuxer) }
    guard webP.WebPDemuxGetI(demuxer, WEBP_FF_FRAME_COUNT) <= UInt32(Self.maxFrames) else { throw .tooLarge }
    var found = WebPIterator()
    guard webP.WebPDemuxGetFrame(demuxer, 1, &found) != 0 else { throw .notAPicture }
    defer { webP.WebPDemuxReleaseIterator(&found) }
    let (left, top) = (Int(found.x_offset), Int(found.y_offset))
    let bytes = Array(UnsafeBufferPointer(start: found.fragment.bytes, count: found.fragment.size))
    let features = try features(of: bytes, webP)
    let (frameWidth, frameHeight) = (Int(features.width), Int(features.height))
    guard left >= 0, top >= 0, left + frameWidth <= width, top + frameHeight <= height else { throw .notAPicture }
    let part = try bytes.withUnsafeBufferPointer { (data) throws(DecodingFault) in
      try frame(data, width: frameWidth, height: frameHeight, webP)
    }
    if frameWidth == width, frameHeight == height { return part }
    var canvas = Pixels(width: width, height: height)
    for row in 0..<frameHeight {
      let to = 4 * ((top + row) * width + left)
      let from = 4 * row * frameWidth
      canvas.bytes.replaceSubrange(to..<to + 4 * frameWidth, with: part.bytes[from..<from + 4 * frameWidth])
    }
    return canvas
  }
}
