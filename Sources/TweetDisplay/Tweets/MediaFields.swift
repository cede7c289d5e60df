package import TweetCore

/// The fields of a picture or video that are shown.
package struct MediaFields {
  /// `photo`, `video`, `animated_gif`, or what else the service says.
  package let type: JSONValue?
  /// What it shows, in the author's words.
  package let description: JSONValue?
  /// How long a video is.
  package let milliseconds: Int?
  /// The key of its picture, as tw-avatar adds it.
  package var picture: JSONValue? { media["picture"]?["key"] }
  private let media: JSONValue

  /// - Parameter media: an element of `attachments.media`.
  package init(_ media: JSONValue) {
    self.media = media
    type = media["type"]
    description = media["alt_text"]?.nonEmpty
    milliseconds = media["duration_ms"]?.looseInteger.flatMap { $0 > 0 ? $0 : nil }
  }

  /// The media of a tweet, in order.
  package static func all(of tweet: TweetFields) -> some Sequence<MediaFields> {
    (tweet.attachments?["media"]?.elements).map { Array($0.lazy.map { MediaFields($0) }) } ?? []
  }

  package var isGIF: Bool { type?.equals("animated_gif") == true }

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
