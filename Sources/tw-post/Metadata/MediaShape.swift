import TweetCore

/// How wide and high a picture or video is when it is shown, in pixels.
struct MediaShape {
  let width: Int
  let height: Int

  /// - Returns: `nil` if the file does not say it.
  init?(_ file: borrowing MediaFile, _ bytes: [UInt8]) throws(ToolError) {
    if let header = PictureHeader(bytes) {
      let isOnItsSide = (Exif.orientation(of: bytes) ?? 1) >= 5
      (width, height) = isOnItsSide ? (header.height, header.width) : (header.width, header.height)
      return
    }
    guard VideoFormat(rawValue: file.type).map({ $0 != .webM }) == true, let size = try MP4Metadata.size(of: file)
    else {
      return nil
    }
    self = size
  }

  init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
}
