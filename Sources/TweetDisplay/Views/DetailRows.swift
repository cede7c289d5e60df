import TweetCore

/// What is known of a tweet besides its content, a row for each matter: all counts; the full date, the program that
/// sent it and the place; its versions; its id.
struct DetailRows {
  /// More versions are not named; X allows six.
  private static let mostVersions = 20
  private static let longestName = 256

  private let tweet: TweetFields

  init(_ tweet: TweetFields) { self.tweet = tweet }

  /// Appends the rows, newlines between them.
  func append(to text: inout StyledText, glyphs: Glyphs, locale: ReaderLocale, decoder: inout StringDecoder) {
    appendCounts(to: &text, locale: locale)
    appendOrigin(to: &text, glyphs: glyphs, locale: locale, decoder: &decoder)
    appendVersions(to: &text, locale: locale, decoder: &decoder)
    guard tweet.id != nil else { return }
    startRow(&text)
    text.bytes.append("id ")
    var id = TweetID()
    id.append(tweet, to: &text.bytes)
    text.mark(.dim)
  }

  /// Appends `Wed, Nov 3, 2021, 21:30 · Web App · ⌂ Berlin`, as far as it is known.
  private func appendOrigin(
    to text: inout StyledText, glyphs: Glyphs, locale: ReaderLocale, decoder: inout StringDecoder
  ) {
    let place = tweet.placeName
    guard tweet.createdAt != nil || tweet.source != nil || place != nil else { return }
    startRow(&text)
    let start = text.count
    if let time = tweet.createdAt { locale.appendFull(time, to: &text.bytes) }
    if let source = tweet.source {
      appendSeparator(from: start, glyphs, to: &text)
      Printable.append(decoder.decode(source, limit: Self.longestName), to: &text.bytes)
    }
    if let place {
      appendSeparator(from: start, glyphs, to: &text)
      text.bytes.append(glyphs.place)
      text.bytes.append(glyphs.glue)
      Printable.append(decoder.decode(place, limit: Self.longestName), to: &text.bytes)
    }
    text.mark(.dim)
  }

  private func appendSeparator(from start: Int, _ glyphs: Glyphs, to text: inout StyledText) {
    if text.count == start { return }
    text.bytes.append(" ")
    text.bytes.append(glyphs.separator)
    text.bytes.append(" ")
  }

  /// Appends `3 replies  1 retweet`, the whole numbers of all counts that are not zero.
  private func appendCounts(to text: inout StyledText, locale: ReaderLocale) {
    for (count, phrase) in tweet.counts.words {
      if !text.isEmpty { text.bytes.append("  ") }
      locale.append(phrase, count: count, to: &text.bytes)
    }
    text.mark(.plain)
  }

  /// Appends `versions 20 21 22`, if there are several.
  private func appendVersions(to text: inout StyledText, locale: ReaderLocale, decoder: inout StringDecoder) {
    guard let versions = tweet.versions, versions.elements.prefix(2).reduce(0, { count, _ in count + 1 }) > 1 else {
      return
    }
    startRow(&text)
    locale.append(.versions, to: &text.bytes)
    for version in versions.elements.prefix(Self.mostVersions) {
      text.bytes.append(" ")
      Printable.append(decoder.decode(version, limit: Self.longestName), to: &text.bytes)
    }
    text.mark(.dim)
  }

  private func startRow(_ text: inout StyledText) {
    if !text.isEmpty { text.append("\n", .plain) }
  }
}
