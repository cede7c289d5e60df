import TweetCore

/// A tweet's pictures and videos, a row for each: `[video 1:02] what it shows`.
struct MediaRows {
  /// Descriptions are cut at this many columns; X allows 1000 letters.
  private static let widestDescription = 600

  private let tweet: TweetFields

  init(_ tweet: TweetFields) { self.tweet = tweet }

  /// Appends the rows, newlines between them.
  func append(
    room: Int, style: TerminalStyle, locale: ReaderLocale, addresses: inout AddressText, decoder: inout StringDecoder,
    to text: inout StyledText
  ) {
    for media in MediaFields.all(of: tweet) {
      if !text.isEmpty {
        text.append("\n", .plain)
      } else if tweet.isSensitive, tweet.warning == nil {
        text.bytes.append(style.glyphs.caution)
        text.bytes.append(style.glyphs.glue)
        locale.append(.sensitive, to: &text.bytes)
        text.mark(.warning)
        text.append("\n", .plain)
      }
      appendKind(media, style: style, locale: locale, decoder: &decoder, to: &text)
      if let description = media.description {
        text.bytes.append(" ")
        let start = text.count
        Printable.append(decoder.decode(description, limit: 16 << 10), to: &text.bytes)
        text.bytes.cut(from: start, most: Self.widestDescription, ellipsis: style.glyphs.ellipsis)
        text.mark(.dim)
      }
      guard !style.hasLinks, let address = media.address else { continue }
      text.append(" ", .plain)
      addresses.append(address, room: room, to: &text)
    }
  }

  private func appendKind(
    _ media: MediaFields, style: TerminalStyle, locale: ReaderLocale, decoder: inout StringDecoder,
    to text: inout StyledText
  ) {
    text.bytes.append("[")
    if let type = media.type, !media.isGIF {
      if type.equals("photo") {
        locale.append(.photo, to: &text.bytes)
      } else if type.equals("video") {
        locale.append(.video, to: &text.bytes)
      } else {
        Printable.append(decoder.decode(type, limit: 24), to: &text.bytes)
      }
    } else {
      locale.append(.gif, to: &text.bytes)
    }
    if let milliseconds = media.milliseconds {
      text.bytes.append(style.glyphs.glue)
      appendLength(seconds: (milliseconds / 100 + 5) / 10, to: &text.bytes)
    }
    text.bytes.append("]")
    text.mark(.link, linkingTo: decoder.decode(media.address, limit: AddressText.longest))
  }

  /// `0:42`, `1:02:03`.
  private func appendLength(seconds: Int, to buffer: inout ByteBuffer) {
    if seconds >= 3600 {
      buffer.append(decimal: seconds / 3600)
      buffer.append(UInt8(ascii: ":"))
      buffer.append(decimal: seconds / 60 % 60, width: 2)
    } else {
      buffer.append(decimal: seconds / 60)
    }
    buffer.append(UInt8(ascii: ":"))
    buffer.append(decimal: seconds % 60, width: 2)
  }
}
