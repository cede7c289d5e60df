package import TweetCore

/// What the pictures and videos of a post may be at a service.
package struct MediaLimits: Sendable, Equatable {
  /// What becomes of a picture that moves: a GIF of several pictures, or a WebP or PNG that is animated.
  package enum Motion: Sendable {
    /// It moves there.
    case kept
    /// Only its first picture is shown.
    case lost
    /// A GIF becomes a video.
    case madeVideo
  }

  /// The media types that it takes; `nil` if it takes all that a post can have.
  package var types: Set<String>?
  /// Bytes of a picture, and of a video.
  package var largestPicture: Int
  package var largestVideo: Int
  /// Pixels of a picture; `nil` if only its bytes count.
  package var mostPixels: Int?
  /// Files of a post.
  package var most: Int
  /// Characters of a description; `nil` for as many as one likes.
  package var longestDescription: Int?
  /// Whether a post can show several videos, or pictures beside them.
  package var mixes: Bool
  package var motion: Motion

  package init(
    types: Set<String>?, largestPicture: Int, largestVideo: Int, mostPixels: Int? = nil, most: Int,
    longestDescription: Int? = nil, mixes: Bool = false, motion: Motion = .kept
  ) {
    (self.types, self.largestPicture, self.largestVideo) = (types, largestPicture, largestVideo)
    (self.mostPixels, self.most, self.longestDescription, self.mixes) = (mostPixels, most, longestDescription, mixes)
    self.motion = motion
  }

  /// Bytes of a file of that type.
  package func largest(ofType type: String) -> Int { type.hasPrefix("image/") ? largestPicture : largestVideo }

  /// - Throws: `ToolError.badData` for a type that the service does not take.
  package func check(type: String, of name: String, service: String) throws(ToolError) {
    guard let types, !types.contains(type) else { return }
    throw .badData("service '\(service)' takes no \(type), which \(name) is")
  }

  /// Whether a file is a video there.
  package func isVideo(type: String, moves: Bool) -> Bool {
    type.hasPrefix("video/") || moves && type == "image/gif" && motion == .madeVideo
  }

  /// - Parameter videos: for each file of the post, whether it is a video there.
  /// - Throws: `ToolError.badData` for files that one post cannot show together.
  package func check(filesOfOnePost videos: [Bool], service: String) throws(ToolError) {
    if !mixes, videos.count > 1, videos.contains(true) {
      let gifs = motion == .madeVideo ? ", and a GIF that moves is a video there" : ""
      throw .badData("a post of service '\(service)' shows either one video or up to \(most) pictures\(gifs)")
    }
  }

  /// - Throws: `ToolError.usage` for too many files, or a description that is too long.
  func check(_ draft: PostDraft, service: String) throws(ToolError) {
    let count = draft.mostMedia
    if count > most {
      throw .usage("a post of service '\(service)' shows at most \(most) pictures, and \(count) are given")
    }
    guard let longestDescription else { return }
    for file in draft.media {
      guard let count = file.altText?.count, count > longestDescription else { continue }
      throw .usage(
        "the description of '\(file.path)' has \(count) characters, and service '\(service)' takes "
          + "\(longestDescription)")
    }
  }
}
