import TweetCore

/// What a line has besides the text: signs before it, and what other forms show below it.
extension TweetLine {
  /// More options of a poll are not named.
  private static let mostOptions = 12
  /// The first words of a tweet that is quoted take at most this many columns.
  private static let widestQuote = 80

  /// Appends a sign, or `[sign words] `.
  mutating func appendMark(_ sign: StaticString, _ phrase: Phrase? = nil) {
    if phrase != nil { text.bytes.append("[") }
    text.bytes.append(sign)
    if let phrase {
      text.bytes.append(style.glyphs.glue)
      locale.append(phrase, to: &text.bytes)
      text.bytes.append("]")
    }
    text.append(" ", .dim)
  }

  mutating func appendWarning() {
    text.bytes.append(style.glyphs.caution)
    text.bytes.append(style.glyphs.glue)
    Printable.append(decoder.decode(parts.tweet.warning), to: &text.bytes, newline: style.glyphs.newline)
    text.mark(.warning)
    if parts.isFolded { return body.appendFold(nil, to: &text) }
    text.bytes.append(" ")
    text.bytes.append(style.glyphs.newline)
    text.append(" ", .dim)
  }

  /// Appends whom the tweet answers, unless the text begins with it.
  mutating func appendReply() {
    guard let (_, username) = parts.reply else { return }
    if parts.text.pieces.first?.place == .addressed || parts.text.pieces.first?.kind == .mention { return }
    text.bytes.append(style.glyphs.reply)
    text.bytes.append(" ")
    if let username {
      names.appendHandle(username, to: &text)
    } else {
      locale.append(.reply, to: &text.bytes)
    }
    text.append(" ", .dim)
  }

  /// Appends `[photo] what it shows` for each of the pictures and videos.
  mutating func appendMedia() {
    for media in parts.media {
      text.append(" ", .plain)
      if parts.tweet.isSensitive, parts.tweet.warning == nil {
        text.bytes.append(style.glyphs.caution)
        text.bytes.append(style.glyphs.glue)
        locale.append(.sensitive, to: &text.bytes)
        text.append(" ", .warning)
      }
      text.bytes.append("[")
      locale.append(media.kind.phrase, to: &text.bytes)
      text.bytes.append("]")
      if style.hasLinks {
        text.mark(.link, linkingTo: decoder.decode(media.address, limit: AddressText.longest))
      } else {
        text.mark(.link)
      }
      guard let description = media.description else { continue }
      text.bytes.append(" ")
      Printable.append(decoder.decode(description, limit: 16 << 10), to: &text.bytes, newline: style.glyphs.newline)
      text.mark(.dim)
    }
  }

  /// Appends `[Tabs 14%, Spaces 86%; 7 votes, closes 2021-11-03 21:30]`.
  mutating func appendPoll() {
    guard let poll = parts.poll(now: .shown) else { return }
    text.bytes.append(" [")
    for (position, option) in poll.options.prefix(Self.mostOptions).enumerated() {
      if position > 0 { text.bytes.append(", ") }
      Printable.append(decoder.decode(option.label, limit: 256), to: &text.bytes, newline: style.glyphs.newline)
      text.bytes.append(" ")
      locale.append(percent: Int((poll.share(of: option) * 100).rounded()), to: &text.bytes)
    }
    text.bytes.append("; ")
    poll.appendState(locale, to: &text.bytes) { end, bytes in
      locale.append(end, as: .iso, now: end, to: &bytes)
    }
    text.append("]", .dim)
  }

  /// Appends whom the tweet quotes, and the first words; of a quote in it too.
  mutating func appendQuote() {
    for quote in parts.quotedTweets {
      text.bytes.append(" ")
      text.bytes.append(style.glyphs.quotes)
      text.bytes.append(style.glyphs.glue)
      text.mark(.dim)
      if let phrase = quote.audience.phrase { appendMark(style.glyphs.lock, phrase) }
      names.appendHandle(of: quote.author, to: &text)
      text.mark(.mention)
      text.append(" ", .plain)
      names.appendExcerpt(quote.headWords, most: Self.widestQuote, to: &text)
      text.mark(.dim)
    }
  }

  /// Appends why the tweet that this one quotes is not there.
  mutating func appendMissingQuote() {
    guard let state = parts.tweet.quoteState else { return }
    text.bytes.append(" [")
    text.bytes.append(style.glyphs.caution)
    text.bytes.append(style.glyphs.glue)
    locale.append(state.phrase, to: &text.bytes)
    text.append("]", .dim)
  }
}
