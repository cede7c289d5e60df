import TweetCore

/// A picture or a video of a post, as answers have it: drawn for the demo, or uploaded.
struct PostMedia: Sendable {
  /// The number in v1.1, which is part of its key in v2.
  let number: Int
  /// Below the site's address.
  let path: String
  /// In pixels. A video has the size of its preview, since nothing of it is decoded.
  let width: Int
  let height: Int
  let altText: String
  /// `nil` for a picture.
  let video: VideoFormat?

  /// X's keys begin with 3 for photos, and with 7 for videos.
  var key: String { "\(video == nil ? 3 : 7)_\(number)" }

  /// The path of the picture that is shown in place of the media: of a video, its preview.
  var picturePath: String { video == nil ? path : Self.previewPath(number) }

  /// One of the demo's, by its name.
  init(drawn name: String) {
    number = Photos.mediaNumber(name)
    path = Photos.path(of: name)
    (width, height) = (Photos.width, Photos.height)
    altText = Photos.altText(of: name)
    video = nil
  }

  init(_ media: LocalStore.Media) {
    number = media.id
    path = Self.path(of: media)
    altText = media.altText
    video = media.video
    (width, height) = video == nil ? (media.width, media.height) : (Photos.width, Photos.height)
  }

  static func path(of media: LocalStore.Media) -> String { "/media/\(media.id).\(fileExtension(of: media))" }

  static func previewPath(_ number: Int) -> String { "/media/\(number)-preview.png" }

  static func fileExtension(of media: LocalStore.Media) -> String {
    PictureHeader.Format(rawValue: media.type)?.fileExtension ?? media.video?.fileExtension ?? "bin"
  }
}

extension LocalStore.Media {
  /// `nil` for a picture.
  var video: VideoFormat? { VideoFormat(rawValue: type) }

  /// Whether it is ready only some time after its last byte.
  var needsProcessing: Bool { video != nil || type == PictureHeader.Format.gif.rawValue }
}

extension PostReader {
  /// The pictures and videos of a post, in order.
  func media(of post: Post) throws(ToolError) -> [PostMedia] {
    var all = post.photo.map { [PostMedia(drawn: $0)] } ?? []
    for id in post.media {
      if let media = try store.media(id) { all.append(PostMedia(media)) }
    }
    return all
  }
}

extension Service {
  /// An uploaded picture or video, for the site.
  /// - Parameter file: the last part of its path.
  func uploadedMedia(file: String) throws(ToolError) -> (media: LocalStore.Media, bytes: [UInt8])? {
    guard let id = Int(file.prefix { $0 != "." }), let media = try store.media(id), media.finished != nil,
      PostMedia.path(of: media) == "/media/\(file)", let bytes = try store.mediaBytes(id)
    else { return nil }
    return (media, bytes)
  }

  /// The video whose preview a file is.
  /// - Parameter file: the last part of its path.
  func videoOfPreview(file: String) throws(ToolError) -> LocalStore.Media? {
    guard let id = Int(file.prefix { $0 != "-" }), PostMedia.previewPath(id) == "/media/\(file)",
      let media = try store.media(id), media.finished != nil, media.video != nil
    else { return nil }
    return media
  }
}
