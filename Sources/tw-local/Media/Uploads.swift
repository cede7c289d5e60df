import TweetCore

/// Uploads of pictures and videos, as both versions of the API do them: all at once, or begun, sent in parts and
/// finished.
extension Service {
  /// Most bytes of a picture, and of an animated GIF: X's limits (docs.x.com, Media best practices).
  private static let maxPicture = 5 << 20
  private static let maxGIF = 15 << 20
  /// Most bytes of a video. X takes 512 MB; here the whole is in memory while it is stored.
  private static let maxVideo = 64 << 20
  /// Most parts of an upload: X's `segment_index` is 0 to 999.
  private static let maxParts = 1000
  /// Longest description, in scalars.
  private static let maxAltText = 1000
  /// How long an animated GIF or a video is processed, in milliseconds: so that clients that wait can be tried.
  private static let processing: Int64 = 1000

  /// Why an upload is refused.
  enum UploadFault: Error {
    case badType(String)
    case tooLarge
    case tooMany
    case noSuchMedia
    case badPart
    case incomplete
    case unrecognised
    case badAltText
    case noBytes

    var message: String {
      switch self {
      case .badType(let type):
        "media type '\(type)' is not image/png, image/jpeg, image/gif, image/webp, video/mp4, video/quicktime or video/webm"
      case .tooLarge: "File size exceeds \(maxPicture) bytes (\(maxGIF) for image/gif, \(maxVideo) for videos)."
      case .tooMany: "Too many uploads that no post has."
      case .noSuchMedia: "Invalid mediaId."
      case .badPart: "The segment is out of range, or the upload is finished or larger than it was to be."
      case .incomplete: "The upload has fewer or more bytes than it was to have."
      case .unrecognised: "Media type unrecognized."
      case .badAltText: "alt_text has more than \(maxAltText) characters."
      case .noBytes: "media parameter is missing."
      }
    }
  }

  /// Most bytes of a file; `nil` for a type that is not taken.
  private static func maxSize(of type: String) -> Int? {
    if VideoFormat(rawValue: type) != nil { return maxVideo }
    return PictureHeader.Format(rawValue: type).map { $0 == .gif ? maxGIF : maxPicture }
  }

  func beginUpload(_ account: LocalAccount, type: String, size: Int) throws -> LocalStore.Media {
    guard let limit = Self.maxSize(of: type) else { throw Problem.upload(.badType(type)) }
    guard size > 0, size <= limit else { throw Problem.upload(.tooLarge) }
    let media = try store.write { () throws(ToolError) in
      try store.newMedia(owner: account, type: type, size: size, now: .now)
    }
    guard let media else { throw Problem.upload(.tooMany) }
    return media
  }

  /// An upload of the user's own.
  func upload(_ id: Int?, of account: LocalAccount) throws -> LocalStore.Media {
    guard let media = try id.flatMap(store.media), media.owner == account.id else { throw Problem.upload(.noSuchMedia) }
    return media
  }

  func append(_ bytes: [UInt8], part: Int?, to media: LocalStore.Media) throws {
    guard let part, (0..<Self.maxParts).contains(part), media.finished == nil, !bytes.isEmpty else {
      throw Problem.upload(.badPart)
    }
    try store.write { () throws(ToolError) in try store.addChunk(bytes, part: part, of: media.id) }
    guard try store.receivedBytes(of: media.id) <= media.size else {
      // Not kept: the store holds no more than was announced.
      try store.write { () throws(ToolError) in try store.addChunk([], part: part, of: media.id) }
      throw Problem.upload(.badPart)
    }
  }

  /// Ends an upload; one that was ended before stays as it is.
  func finishUpload(_ media: LocalStore.Media) throws -> LocalStore.Media {
    guard media.finished == nil else { return media }
    let bytes = try store.chunks(of: media.id)
    guard bytes.count == media.size else { throw Problem.upload(.incomplete) }
    var finished = media
    if let header = PictureHeader(bytes) {
      (finished.type, finished.width, finished.height) = (header.format.rawValue, header.width, header.height)
    } else if let video = VideoFormat(bytes) {
      finished.type = video.rawValue
    } else {
      throw Problem.upload(.unrecognised)
    }
    // What the bytes are may be smaller than what they were said to be.
    guard let limit = Self.maxSize(of: finished.type), bytes.count <= limit else { throw Problem.upload(.tooLarge) }
    finished.finished = .now
    try store.write { [finished] () throws(ToolError) in try store.finish(finished, bytes: bytes) }
    return finished
  }

  /// Uploads a picture all at once.
  func uploadPicture(_ bytes: [UInt8], for account: LocalAccount) throws -> LocalStore.Media {
    guard !bytes.isEmpty else { throw Problem.upload(.noBytes) }
    guard let header = PictureHeader(bytes) else { throw Problem.upload(.unrecognised) }
    let media = try beginUpload(account, type: header.format.rawValue, size: bytes.count)
    try append(bytes, part: 0, to: media)
    return try finishUpload(media)
  }

  func describe(_ media: LocalStore.Media, as text: String) throws {
    guard text.unicodeScalars.count <= Self.maxAltText else { throw Problem.upload(.badAltText) }
    try store.write { () throws(ToolError) in try store.setAltText(text, of: media.id) }
  }

  /// What a client is told to wait for; `nil` for what needs no processing.
  func processing(_ media: LocalStore.Media) -> JSON? {
    guard media.needsProcessing, let finished = media.finished else { return nil }
    let passed = Timestamp.now.milliseconds - finished.milliseconds
    if passed >= Self.processing {
      return ["state": "succeeded", "progress_percent": 100]
    }
    let state = passed < Self.processing / 2 ? "pending" : "in_progress"
    return [
      "state": .string(state), "check_after_secs": 1,
      "progress_percent": .number(max(0, Int(passed * 100 / Self.processing))),
    ]
  }

  /// Whether a post may have an upload.
  func isReady(_ media: LocalStore.Media) -> Bool {
    guard let finished = media.finished else { return false }
    return !media.needsProcessing || Timestamp.now.milliseconds - finished.milliseconds >= Self.processing
  }

  /// The ids of the pictures of a post, or of its video, checked.
  func readyMedia(_ ids: [Int], of account: LocalAccount) throws -> [Int] {
    for id in ids {
      guard let media = try store.media(id), media.owner == account.id, isReady(media) else {
        throw Problem.post(.badMedia)
      }
      // As on X: up to four pictures, or one video.
      guard media.video == nil || ids.count == 1 else { throw Problem.post(.badMedia) }
    }
    return ids
  }
}
