import TweetCore

/// The row of a tweet's counts: `↩ 3  ↻ 12  ♥ 40`.
enum CountsRow {
  /// Appends the counts that are not zero. What the reader has liked or retweeted is coloured.
  static func append(_ tweet: TweetFields, style: TerminalStyle, locale: ReaderLocale, to text: inout StyledText) {
    guard tweet.metrics != nil else { return }
    let (counts, glyphs) = (tweet.counts, style.glyphs)
    append(counts.replies, glyphs.replies, .dim, style, locale, to: &text)
    let isRetweeted = tweet.viewer?["retweeted"]?.bool == true
    append(counts.retweets, glyphs.retweets, isRetweeted ? .retweeted : .dim, style, locale, to: &text)
    append(counts.quotes, glyphs.quotes, .dim, style, locale, to: &text)
    let isLiked = tweet.viewer?["liked"]?.bool == true
    append(counts.likes, glyphs.likes, isLiked ? .liked : .dim, style, locale, to: &text)
  }

  /// Appends `1234 followers  56 following  789 tweets`, as far as they are known.
  static func append(_ user: UserFields, style: TerminalStyle, locale: ReaderLocale, to text: inout StyledText) {
    let counts: [(Int?, Phrase)] = [
      (user.followers, .followers), (user.following, .following), (user.tweets, .tweets),
    ]
    for (count, phrase) in counts {
      guard let count else { continue }
      if !text.isEmpty { text.bytes.append("  ") }
      let start = text.count
      locale.append(phrase, count: count, isCompact: true, to: &text.bytes)
      if style.isolates { Bidi.isolate(&text.bytes, from: start) }
      text.mark(.dim)
    }
  }

  private static func append(
    _ count: Int, _ sign: StaticString, _ ink: Ink, _ style: TerminalStyle, _ locale: ReaderLocale,
    to text: inout StyledText
  ) {
    guard count > 0 else { return }
    if !text.isEmpty { text.append("  ", .dim) }
    text.bytes.append(sign)
    text.bytes.append(style.glyphs.glue)
    let start = text.count
    locale.append(compact: count, to: &text.bytes)
    if style.isolates { Bidi.isolate(&text.bytes, from: start) }
    text.mark(ink)
  }
}
