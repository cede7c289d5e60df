/// The signs and frames that views add to the text of tweets: all one column wide, or plain ASCII.
package struct Glyphs: Sendable {
  let retweet, reply, verified, border, separator, newline, ellipsis: StaticString
  let replies, retweets, quotes, likes: StaticString
  let ok, bad, warning, music, slow, unknown: StaticString
  let notice, caution, failure, barFull, barEmpty: StaticString
  /// Stands between a sign and what belongs to it: a no-break space where there is one, so that a line never ends there.
  let glue: StaticString

  package static let unicode = Glyphs(
    retweet: "↻", reply: "↳", verified: "✓", border: "│", separator: "·", newline: "⏎", ellipsis: "…",
    replies: "↩", retweets: "↻", quotes: "❝", likes: "♥",
    ok: "✓", bad: "✗", warning: "⚠", music: "♫", slow: "⏱", unknown: "?",
    notice: "—", caution: "⚠", failure: "✗", barFull: "█", barEmpty: "░", glue: "\u{A0}")

  package static let ascii = Glyphs(
    retweet: "RT", reply: "->", verified: "*", border: "|", separator: "-", newline: "\\n", ellipsis: "...",
    replies: "re", retweets: "rt", quotes: "qt", likes: "<3",
    ok: "[ok]", bad: "[dead]", warning: "[!]", music: "[music]", slow: "[slow]", unknown: "[?]",
    notice: "--", caution: "!", failure: "x", barFull: "#", barEmpty: ".", glue: " ")
}

extension StaticString {
  /// The terminal columns of a sign from ``Glyphs``, which is ASCII or a single letter.
  var columns: Int { hasPointerRepresentation && isASCII ? utf8CodeUnitCount : 1 }
}
