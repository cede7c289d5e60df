import TweetCore

@testable import tw_post

// Pictures and videos that a person posts.
extension FuzzTarget {
  /// What is left of a picture without its metadata is a picture of the same format, and nothing more is removed
  /// from it. Of a video only bytes that it has are filled.
  static let metadata = FuzzTarget(name: "metadata") { input in
    for format in [PictureHeader.Format.jpeg, .png, .gif, .webp] {
      guard let clean = MediaContent.picture(input, type: format.rawValue) else { continue }
      // The orientation alone may need a few bytes more than it had, and odd parts of a WebP are made even.
      require(clean.count <= 2 * input.count, "\(input.count) bytes have become \(clean.count)")
      require(MediaContent.picture(clean, type: format.rawValue) == clean, "more is removed from \(clean)")
    }
    Scratch.shared.put(input)
    guard let file = try? MediaFile(Scratch.shared.path), VideoFormat(rawValue: file.type) != nil,
      case .patched(let patches) = try? MediaContent.withoutMetadata(file)
    else { return }
    for patch in patches {
      require(patch.range.upperBound <= input.count, "\(patch.range) of \(input.count) bytes")
      require(patch.bytes.isEmpty || patch.bytes.count == patch.range.count, "\(patch)")
    }
  }
}
