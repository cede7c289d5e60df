import TweetCore

/// The counts that are shown of a tweet, in their order.
enum Metric: CaseIterable {
  case replies, retweets, quotes, likes

  /// By the name of a member of `public_metrics`.
  init?(_ key: JSONValue) {
    if key.equals("reply_count") {
      self = .replies
    } else if key.equals("retweet_count") {
      self = .retweets
    } else if key.equals("quote_count") {
      self = .quotes
    } else if key.equals("like_count") {
      self = .likes
    } else {
      return nil
    }
  }

  private func sign(_ glyphs: Glyphs) -> StaticString {
    switch self {
    case .replies: glyphs.replies
    case .retweets: glyphs.retweets
    case .quotes: glyphs.quotes
    case .likes: glyphs.likes
    }
  }

  /// Appends a tweet's counts that are not zero: `↩ 3  ↻ 12  ♥ 40`. What the reader did themselves is coloured.
  static func append(_ tweet: TweetView, glyphs: Glyphs, to text: inout StyledText) {
    guard let metrics = tweet.metrics else { return }
    var counts = (0, 0, 0, 0)
    for (key, value) in metrics.members {
      guard let metric = Metric(key), let count = value.looseInteger else { continue }
      switch metric {
      case .replies: counts.0 = count
      case .retweets: counts.1 = count
      case .quotes: counts.2 = count
      case .likes: counts.3 = count
      }
    }
    for (metric, count) in [
      (Metric.replies, counts.0), (.retweets, counts.1), (.quotes, counts.2), (.likes, counts.3),
    ] where count > 0 {
      if !text.isEmpty { text.append("  ", .dim) }
      text.bytes.append(metric.sign(glyphs))
      text.bytes.append(glyphs.glue)
      append(short: count, to: &text.bytes)
      text.mark(metric.ink(tweet))
    }
  }

  private func ink(_ tweet: TweetView) -> Ink {
    switch self {
    case .retweets where tweet.viewer?["retweeted"]?.bool == true: .retweeted
    case .likes where tweet.viewer?["liked"]?.bool == true: .liked
    default: .dim
    }
  }

  /// `9999`, then `10.0K`, `1.2M`, `3.4B`, cut off and not rounded up.
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
