import TweetCore

/// A tweet's pictures and videos, a row for each: `[video 1:02] what it shows`.
struct MediaRows {
  /// Descriptions are cut at this many columns; X allows 1000 letters.
  private static let widestDescription = 600
  private static let longestError = 64

  private let parts: TweetParts
  private let foldKey: String?

  /// - Parameter foldKey: what a person presses to see them; `nil` if they are shown.
  init(_ parts: TweetParts, foldKey: String? = nil) { (self.parts, self.foldKey) = (parts, foldKey) }

  /// Appends the rows, newlines between them.
  /// - Parameter namesMissing: whether photos are shown, so that a row says why one is not.
  func append(
    room: Int, style: TerminalStyle, locale: ReaderLocale, namesMissing: Bool = false, addresses: inout AddressText,
    decoder: inout StringDecoder, to text: inout StyledText
  ) {
    for media in parts.media {
      if !text.isEmpty {
        text.append("\n", .plain)
      } else if parts.tweet.isSensitive, parts.tweet.warning == nil {
        text.bytes.append(style.glyphs.caution)
        text.bytes.append(style.glyphs.glue)
        locale.append(.sensitive, to: &text.bytes)
        text.mark(.warning)
        if let foldKey { return text.append(fold: foldKey) }
        text.append("\n", .plain)
      }
      appendKind(media, style: style, locale: locale, decoder: &decoder, to: &text)
      if namesMissing { Self.appendReason(media, locale, &decoder, to: &text) }
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

  /// Appends why a photo is not there.
  private static func appendReason(
    _ media: MediaFields, _ locale: ReaderLocale, _ decoder: inout StringDecoder, to text: inout StyledText
  ) {
    guard media.kind == .photo, media.picture == nil else { return }
    text.bytes.append(" (")
    if let error = media.pictureError {
      Printable.append(decoder.decode(error, limit: longestError), to: &text.bytes)
    } else {
      locale.append(.notFetched, to: &text.bytes)
    }
    text.bytes.append(")")
    text.mark(.warning)
  }

  private func appendKind(
    _ media: MediaFields, style: TerminalStyle, locale: ReaderLocale, decoder: inout StringDecoder,
    to text: inout StyledText
  ) {
    text.bytes.append("[")
    locale.append(media.kind.phrase, to: &text.bytes)
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

extension StyledText {
  /// Appends what stands in place of something folded: ` [x]`.
  mutating func append(fold key: String) {
    bytes.append(" [")
    bytes.append(key)
    append("]", .dim)
  }
}
