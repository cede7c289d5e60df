package import TweetCore

/// What the pictures and videos of a post may be at a service.
package struct MediaLimits: Sendable, Equatable {
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

  package init(
    types: Set<String>?, largestPicture: Int, largestVideo: Int, mostPixels: Int? = nil, most: Int,
    longestDescription: Int? = nil, mixes: Bool = false
  ) {
    (self.types, self.largestPicture, self.largestVideo) = (types, largestPicture, largestVideo)
    (self.mostPixels, self.most, self.longestDescription, self.mixes) = (mostPixels, most, longestDescription, mixes)
  }

  /// Bytes of a file of that type.
  package func largest(ofType type: String) -> Int { type.hasPrefix("image/") ? largestPicture : largestVideo }

  /// - Throws: `ToolError.badData` for a type that the service does not take.
  package func check(type: String, of name: String, service: String) throws(ToolError) {
    guard let types, !types.contains(type) else { return }
    throw .badData("service '\(service)' takes no \(type), which \(name) is")
  }

  /// - Throws: `ToolError.badData` for files that one post cannot show together.
  package func check(typesOfOnePost types: [String], service: String) throws(ToolError) {
    if !mixes, types.count > 1, types.contains(where: { $0.hasPrefix("video/") }) {
      throw .badData("a post of service '\(service)' shows either one video or up to \(most) pictures")
    }
  }

  /// - Throws: `ToolError.usage` for too many files, or a description that is too long.
  func check(_ media: [PostDraft.Media], service: String) throws(ToolError) {
    if media.count > most {
      throw .usage("a post of service '\(service)' shows at most \(most) pictures, and \(media.count) are given")
    }
    guard let longestDescription else { return }
    for file in media {
      guard let count = file.altText?.count, count > longestDescription else { continue }
      throw .usage(
        "the description of '\(file.path)' has \(count) characters, and service '\(service)' takes "
          + "\(longestDescription)")
    }
  }
}
