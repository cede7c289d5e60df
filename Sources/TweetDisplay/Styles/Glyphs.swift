/// The signs and frames that views add to the text of tweets: one column wide, but lock and rule two, or plain ASCII.
package struct Glyphs: Sendable {
  package let retweet, reply, verified, border, separator, newline, ellipsis, update, edit, page, place,
    asked, lock, rule, cursor, unread, branch, lastBranch, loading: StaticString
  package let replies, retweets, quotes, likes: StaticString
  package let ok, bad, warning, music, slow, unknown: StaticString
  package let notice, caution, failure, barFull, barEmpty, openQuote, closeQuote: StaticString
  /// Stands between a sign and what belongs to it: a no-break space where there is one, so that a line never ends
  /// there.
  package let glue: StaticString

  package static let unicode = Glyphs(
    retweet: "↻", reply: "↳", verified: "✓", border: "│", separator: "·", newline: "⏎", ellipsis: "…",
    update: "»", edit: "✎", page: "▸", place: "⌂", asked: "●", lock: "🔒", rule: "──", cursor: "▌", unread: "•",
    branch: "├", lastBranch: "└", loading: "⟳",
    replies: "↩", retweets: "↻", quotes: "❝", likes: "♥",
    ok: "✓", bad: "✗", warning: "⚠", music: "♫", slow: "⏱", unknown: "?",
    notice: "—", caution: "⚠", failure: "✗", barFull: "█", barEmpty: "░", openQuote: "“", closeQuote: "”",
    glue: "\u{A0}")

  package static let ascii = Glyphs(
    retweet: "RT", reply: "->", verified: "*", border: "|", separator: "-", newline: "\\n", ellipsis: "...",
    update: ">>", edit: "(edited)", page: ">", place: "in", asked: "=>", lock: "(private)", rule: "--", cursor: ">",
    unread: "*", branch: "+", lastBranch: "`", loading: "...",
    replies: "re", retweets: "rt", quotes: "qt", likes: "<3",
    ok: "[ok]", bad: "[dead]", warning: "[!]", music: "[music]", slow: "[slow]", unknown: "[?]",
    notice: "--", caution: "!", failure: "x", barFull: "#", barEmpty: ".", openQuote: "\"", closeQuote: "\"",
    glue: " ")
}

extension StaticString {
  /// The terminal columns of a sign from ``Glyphs``, which is ASCII or a single letter.
  package var columns: Int { hasPointerRepresentation && isASCII ? utf8CodeUnitCount : 1 }
}
