import TweetCore

/// A picture of a post, as answers have it: drawn for the demo, or uploaded.
struct Photo: Sendable {
  /// The number in v1.1, which is part of its key in v2.
  let number: Int
  /// Below the site's address.
  let path: String
  let width: Int
  let height: Int
  let altText: String

  var key: String { Self.key(number) }

  static func key(_ number: Int) -> String { "3_\(number)" }

  /// One of the demo's, by its name.
  init(drawn name: String) {
    number = Photos.mediaNumber(name)
    path = Photos.path(of: name)
    (width, height) = (Photos.width, Photos.height)
    altText = Photos.altText(of: name)
  }

  init(_ media: LocalStore.Media) {
    number = media.id
    path = Self.path(of: media)
    (width, height) = (media.width, media.height)
    altText = media.altText
  }

  static func path(of media: LocalStore.Media) -> String { "/media/\(media.id).\(fileExtension(of: media))" }

  static func fileExtension(of media: LocalStore.Media) -> String {
    PictureHeader.Format(rawValue: media.type)?.fileExtension ?? "bin"
  }
}

extension PostReader {
  /// The pictures of a post, in order.
  func photos(of post: Post) throws(ToolError) -> [Photo] {
    var photos = post.photo.map { [Photo(drawn: $0)] } ?? []
    for id in post.media {
      if let media = try store.media(id) { photos.append(Photo(media)) }
    }
    return photos
  }
}

extension Service {
  /// An uploaded picture, for the site.
  /// - Parameter file: the last part of its path.
  func uploadedPicture(file: String) throws(ToolError) -> (media: LocalStore.Media, bytes: [UInt8])? {
    guard let id = Int(file.prefix { $0 != "." }), let media = try store.media(id), media.finished != nil,
      Photo.path(of: media) == "/media/\(file)", let bytes = try store.mediaBytes(id)
    else { return nil }
    return (media, bytes)
  }
}
