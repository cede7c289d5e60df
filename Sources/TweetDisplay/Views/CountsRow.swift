import TweetCore

/// The row of a tweet's counts: `↩ 3  ↻ 12  ♥ 40`.
enum CountsRow {
  /// Appends the counts that are not zero. What the reader has liked or retweeted is coloured.
  static func append(_ tweet: TweetFields, glyphs: Glyphs, to text: inout StyledText) {
    guard tweet.metrics != nil else { return }
    let counts = tweet.counts
    append(counts.replies, glyphs.replies, .dim, glyphs, to: &text)
    let isRetweeted = tweet.viewer?["retweeted"]?.bool == true
    append(counts.retweets, glyphs.retweets, isRetweeted ? .retweeted : .dim, glyphs, to: &text)
    append(counts.quotes, glyphs.quotes, .dim, glyphs, to: &text)
    let isLiked = tweet.viewer?["liked"]?.bool == true
    append(counts.likes, glyphs.likes, isLiked ? .liked : .dim, glyphs, to: &text)
  }

  /// Appends `1234 followers  56 following  789 tweets`, as far as they are known.
  static func append(_ user: UserFields, to text: inout StyledText) {
    let counts: [(Int?, one: StaticString, more: StaticString)] = [
      (user.followers, " follower", " followers"), (user.following, " following", " following"),
      (user.tweets, " tweet", " tweets"),
    ]
    for (count, one, more) in counts {
      guard let count else { continue }
      if !text.isEmpty { text.bytes.append("  ") }
      append(short: count, to: &text.bytes)
      text.bytes.append(count == 1 ? one : more)
      text.mark(.dim)
    }
  }

  private static func append(
    _ count: Int, _ sign: StaticString, _ ink: Ink, _ glyphs: Glyphs, to text: inout StyledText
  ) {
    guard count > 0 else { return }
    if !text.isEmpty { text.append("  ", .dim) }
    text.bytes.append(sign)
    text.bytes.append(glyphs.glue)
    append(short: count, to: &text.bytes)
    text.mark(ink)
  }

  /// `9999`, then `10.0K`, `1.2M`, `3.4B`, rounded down.
  private static func append(short count: Int, to buffer: inout ByteBuffer) {
    let units: [(size: Int, letter: StaticString)] = [(1_000_000_000, "B"), (1_000_000, "M"), (1000, "K")]
    guard count >= 10_000, let unit = units.first(where: { count >= $0.size }) else {
      return buffer.append(decimal: count)
    }
    buffer.append(decimal: count / unit.size)
    buffer.append(UInt8(ascii: "."))
    buffer.append(decimal: count % unit.size / (unit.size / 10))
    buffer.append(unit.letter)
  }
}
