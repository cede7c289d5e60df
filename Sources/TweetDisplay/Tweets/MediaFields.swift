package import TweetCore

/// The fields of a picture or video that are shown.
package struct MediaFields {
  package enum Kind {
    case photo, video, gif, audio
    /// What it is, nobody knows, or only later versions do.
    case other

    /// The kit's own word for it.
    package var phrase: Phrase {
      switch self {
      case .photo: .photo
      case .video: .video
      case .gif: .gif
      case .audio: .audio
      case .other: .medium
      }
    }
  }

  package let kind: Kind
  /// What it shows, in the author's words.
  package let description: JSONValue?
  /// How long a video is.
  package let milliseconds: Int?
  /// The key of its picture, as tw-avatar adds it.
  package var picture: JSONValue? { media["picture"]?["key"] }
  /// Why there is no such picture, as tw-avatar says it.
  package var pictureError: JSONValue? { media["picture"]?["error"]?.nonEmpty }
  /// Width and height in pixels, as the service says them; `nil` if it does not.
  package var size: (width: Int, height: Int)? {
    guard let width = media["width"]?.looseInteger, let height = media["height"]?.looseInteger,
      (1...Self.longestSide).contains(width), (1...Self.longestSide).contains(height)
    else { return nil }
    return (width, height)
  }
  /// Where the service has a picture of it: a photo's own address, of all else the preview's.
  package var pictureAddress: JSONValue? {
    (media["type"]?.equals("photo") == true ? media["url"]?.nonEmpty : nil) ?? media["preview_image_url"]?.nonEmpty
  }
  /// A picture with longer sides is none that a service shows.
  private static let longestSide = 1 << 20
  private let media: JSONValue

  /// - Parameter media: an element of `attachments.media`.
  package init(_ media: JSONValue) {
    self.media = media
    kind = media["type"].map { Self.kind($0) } ?? .other
    description = media["alt_text"]?.nonEmpty
    milliseconds = media["duration_ms"]?.looseInteger.flatMap { $0 > 0 ? $0 : nil }
  }

  /// The kind of a `type`: X's and Mastodon's names.
  private static func kind(_ type: JSONValue) -> Kind {
    if type.equals("photo") || type.equals("image") { return .photo }
    if type.equals("video") { return .video }
    if type.equals("animated_gif") || type.equals("gifv") { return .gif }
    return type.equals("audio") ? .audio : .other
  }

  /// Where it can be seen: its own address, else that of a video's best variant, else that of a picture of it.
  package var address: JSONValue? { media["url"]?.nonEmpty ?? bestVariant ?? media["preview_image_url"]?.nonEmpty }

  /// The variant with the highest bit rate; those without one are play lists.
  private var bestVariant: JSONValue? {
    guard let variants = media["variants"] else { return nil }
    var best: (url: JSONValue, rate: Int)?
    for variant in variants.elements {
      let rate = (variant["bit_rate"] ?? variant["bitrate"])?.looseInteger ?? -1
      if let url = variant["url"]?.nonEmpty, rate > best?.rate ?? -2 { best = (url, rate) }
    }
    return best?.url
  }
}
