import TweetCLI
import TweetCore
import TweetServices

/// A file as it is posted: without its metadata, and as small as the service wants it.
struct PreparedMedia: ~Copyable {
  private let file: MediaFile
  private let content: MediaContent
  /// The media type of what is posted.
  let type: String
  /// Whether the service shows it as a video.
  let isVideo: Bool
  /// How it was made smaller; `nil` if it was not.
  let change: String?

  /// - Parameters:
  ///   - limits: what the service takes; `nil` where it says that when it has the file.
  ///   - service: its name.
  /// - Throws: `ToolError.noInput` or `ToolError.badData` for a file that cannot be posted.
  init(
    _ media: PostDraft.Media, keepsMetadata: Bool, _ limits: MediaLimits?, service: String
  ) throws(ToolError) {
    let file = try MediaFile(media.source ?? media.path, named: "'\(media.path)'")
    try limits?.check(type: file.type, of: file.name, service: service)
    let content: MediaContent = try keepsMetadata ? .file : .withoutMetadata(file)
    let size = content.size(of: file)
    var (type, change, scaled) = (file.type, String?.none, MediaContent?.none)
    var moves = false
    if let limits {
      let most = limits.largest(ofType: type)
      let bytes = type.hasPrefix("image/") ? try content.piece(of: file, at: 0, length: size) : []
      moves = MediaContent.moves(bytes, type: type)
      if moves, limits.motion == .lost {
        throw .badData(
          "\(file.name) moves, and service '\(service)' shows only its first picture: an MP4 of it, such as ffmpeg "
            + "makes, moves there")
      }
      let header = bytes.isEmpty ? nil : PictureHeader(bytes)
      let mostPixels = limits.mostPixels ?? .max
      if let header, size > most || header.width > mostPixels / header.height {
        let fault =
          size > most
          ? "\(file.name) has \(size) bytes, and service '\(service)' takes \(most)"
          : "\(file.name) has \(header.width) × \(header.height) pixels, and service '\(service)' takes \(mostPixels)"
        if keepsMetadata { throw .badData("\(fault): make it smaller, or leave --keep-metadata out") }
        if type == "image/gif" || moves {
          throw .badData("\(fault): make it smaller; tw-post would only keep its first picture")
        }
        let picture = try PictureScaling.scaled(bytes, named: file.name, most: most, mostPixels: limits.mostPixels)
        (type, scaled) = (picture.type, .picture(picture.bytes))
        change =
          "\(fault): it is posted with \(picture.width) × \(picture.height) pixels in place of "
          + "\(header.width) × \(header.height), as \(picture.bytes.count) bytes of \(picture.type)"
      } else if size > most {
        throw .badData("\(file.name) has \(size) bytes, and service '\(service)' takes \(most): make it smaller")
      }
    }
    self.file = file
    (self.content, self.type, self.change) = (scaled ?? content, type, change)
    isVideo = limits?.isVideo(type: type, moves: moves) ?? type.hasPrefix("video/")
  }

  /// In bytes.
  var size: Int { content.size(of: file) }

  /// Some of the bytes; none from the end on.
  func piece(at offset: Int, length: Int) throws(ToolError) -> [UInt8] {
    try content.piece(of: file, at: offset, length: length)
  }
}

extension PostDraft {
  /// Prepares the files of the post, says which were made smaller, and refuses those that the service does not take.
  ///
  /// - Parameters:
  ///   - limits: what the service takes; `nil` where it says that when it has the files.
  ///   - use: gets each file, and which it is.
  func prepareFiles(
    _ limits: MediaLimits?, keepsMetadata: Bool, service: String,
    _ use: (Int, borrowing PreparedMedia) throws(ToolError) -> Void = { _, _ in }
  ) throws(ToolError) {
    var videos: [Bool] = []
    for (index, media) in media.enumerated() {
      let file = try PreparedMedia(media, keepsMetadata: keepsMetadata, limits, service: service)
      try use(index, file)
      if let change = file.change { Diagnostics.note(change) }
      videos.append(file.isVideo)
    }
    try limits?.check(filesOfOnePost: videos, service: service)
  }
}

extension OutboxFiles {
  /// Copies the files that posts show, and what is in their cards, and says in the drafts what the copies are called.
  ///
  /// - Parameters:
  ///   - cardPicture: that of the first post's card.
  ///   - limits: what the service takes.
  /// - Throws: what ``PreparedMedia`` and ``store(_:of:_:)`` throw.
  func copy(
    filesOf drafts: [PostDraft], cardPicture: [UInt8]?, keepsMetadata: Bool, _ limits: MediaLimits?, service: String
  ) throws(ToolError) -> [PostDraft] {
    var copied = drafts
    for (number, draft) in drafts.enumerated() {
      try draft.prepareFiles(limits, keepsMetadata: keepsMetadata, service: service) {
        (index, file) throws(ToolError) in
        copied[number].media[index].digest = try store(file.size, of: draft.media[index].path) {
          (offset) throws(ToolError) in try file.piece(at: offset, length: 1 << 20)
        }
      }
    }
    if let cardPicture, let path = drafts.first?.card?.picture?.path {
      copied[0].card?.picture?.digest = try store(cardPicture.count, of: path) { (offset) throws(ToolError) in
        Array(cardPicture[offset...])
      }
    }
    return copied
  }
}
