/// The signs and frames that the renderer adds to the text of tweets: all one column wide, or plain ASCII.
struct Glyphs {
  let retweet, reply, verified, border, separator, newline, ellipsis: StaticString
  let replies, retweets, quotes, likes: StaticString
  let ok, bad, warning, music, slow, unknown: StaticString
  let notice, caution, failure, barFull, barEmpty: StaticString
  /// Between a link and its verdict, so that they stay on one line where there is such a space.
  let glue: StaticString

  static let unicode = Glyphs(
    retweet: "↻", reply: "↳", verified: "✓", border: "│", separator: "·", newline: "⏎", ellipsis: "…",
    replies: "↩", retweets: "↻", quotes: "❝", likes: "♥",
    ok: "✓", bad: "✗", warning: "⚠", music: "♫", slow: "⏱", unknown: "?",
    notice: "—", caution: "⚠", failure: "✗", barFull: "█", barEmpty: "░", glue: "\u{A0}")

  static let ascii = Glyphs(
    retweet: "RT", reply: "->", verified: "*", border: "|", separator: "-", newline: "\\n", ellipsis: "...",
    replies: "re", retweets: "rt", quotes: "qt", likes: "<3",
    ok: "[ok]", bad: "[dead]", warning: "[!]", music: "[music]", slow: "[slow]", unknown: "[?]",
    notice: "--", caution: "!", failure: "x", barFull: "#", barEmpty: ".", glue: " ")
}
