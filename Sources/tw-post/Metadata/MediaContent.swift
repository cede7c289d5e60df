import TweetCore

/// The bytes of a picture or video as they are posted: without what they say about their owner, such as the place where
/// a photo was taken. Pixels and sound stay what they are: nothing is decoded.
enum MediaContent {
  /// All of the file.
  case file
  /// The picture without its metadata.
  case picture([UInt8])
  /// All of the file with some parts filled.
  case patched([Patch])

  struct Patch {
    let range: Range<Int>
    /// As many as the range has, or none for zeroes.
    let bytes: [UInt8]
  }

  /// Most bytes of a picture, which is in memory while it is looked at; no service takes as many.
  private static let largestPicture = 64 << 20

  /// Looks for what is to be removed from a file.
  ///
  /// - Throws: `ToolError.badData` for a file that cannot be understood.
  static func withoutMetadata(_ file: borrowing MediaFile) throws(ToolError) -> MediaContent {
    let found: MediaContent?
    if let video = VideoFormat(rawValue: file.type) {
      found = try (video == .webM ? WebMMetadata.patches(of: file) : MP4Metadata.patches(of: file)).map { .patched($0) }
    } else {
      guard file.size <= largestPicture else { throw .badData("\(file.name) is too large") }
      let bytes = try file.piece(at: 0, length: file.size)
      found = picture(bytes, type: file.type).map { .picture($0) }
    }
    if let found { return found }
    throw .badData(
      "\(file.name) is damaged, or has parts that tw-post does not know, so it may say where it was made: save it anew "
        + "with another program, or send it as it is with --keep-metadata")
  }

  /// A picture without its metadata; `nil` for bytes that cannot be understood.
  static func picture(_ bytes: [UInt8], type: String) -> [UInt8]? {
    switch PictureHeader.Format(rawValue: type) {
    case .jpeg: JPEGMetadata.removed(from: bytes)
    case .png: PNGMetadata.removed(from: bytes)
    case .gif: GIFMetadata.removed(from: bytes)
    case .webp: WebPMetadata.removed(from: bytes)
    case nil: nil
    }
  }

  /// Whether a picture is several that are shown after each other.
  static func moves(_ bytes: [UInt8], type: String) -> Bool {
    switch PictureHeader.Format(rawValue: type) {
    case .gif: GIFMetadata.isAnimated(bytes)
    case .png: PNGMetadata.isAnimated(bytes)
    case .webp: WebPMetadata.isAnimated(bytes)
    case .jpeg, nil: false
    }
  }

  func size(of file: borrowing MediaFile) -> Int {
    if case .picture(let bytes) = self { bytes.count } else { file.size }
  }

  /// Some of the bytes; none from the end on.
  func piece(of file: borrowing MediaFile, at offset: Int, length: Int) throws(ToolError) -> [UInt8] {
    switch self {
    case .file: return try file.piece(at: offset, length: length)
    case .picture(let bytes): return Array(bytes.dropFirst(offset).prefix(length))
    case .patched(let patches):
      var piece = try file.piece(at: offset, length: length)
      for patch in patches {
        let common = patch.range.clamped(to: offset..<offset + piece.count)
        for at in common { piece[at - offset] = patch.bytes.isEmpty ? 0 : patch.bytes[at - patch.range.lowerBound] }
      }
      return piece
    }
  }
}
