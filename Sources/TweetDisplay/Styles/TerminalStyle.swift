/// What rows may be made of: what the terminal, or whatever else reads the output, can show.
package struct TerminalStyle: Sendable {
  package enum Colours: Sendable {
    case none
    /// The sixteen of every terminal.
    case basic
    /// The 256 whose upper 240 look alike everywhere.
    case many
  }

  package let colours: Colours
  /// Whether links can be made of OSC 8 sequences. Terminals that do not know these sequences show nothing of them, but
  /// the oldest do not even skip them.
  package let hasLinks: Bool
  /// Whether text that runs from right to left is isolated (``Bidi``). In files and pipes the marks would only be in
  /// the way: less(1) shows them, and grep(1) does not find a word that has one in it.
  package let isolates: Bool
  package let glyphs: Glyphs
  /// Words that are highlighted where there are colours.
  package let highlighted: [String]

  /// The same, but addresses stand on the screen.
  package var withoutLinks: TerminalStyle {
    TerminalStyle(colours: colours, hasLinks: false, isolates: isolates, glyphs: glyphs, highlighted: highlighted)
  }

  package init(colours: Colours, hasLinks: Bool, isolates: Bool, glyphs: Glyphs, highlighted: [String] = []) {
    self.colours = colours
    self.hasLinks = hasLinks
    self.isolates = isolates
    self.glyphs = glyphs
    self.highlighted = highlighted
  }
}

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

/// What a piece of shown text is, which decides its colour and weight.
enum Ink: UInt8 {
  case plain, name, dim, struck, verified, mention, tag, link, good, bad, warning, music, liked, retweeted, number

  /// The SGR sequence that turns it on.
  ///
  /// It can be read on a light and on a dark ground. Of the sixteen basic colours only red and magenta can, whatever
  /// terminal it is: yellow on white has a contrast of 1.7 (WCAG 2.1), blue on black of 1.6. Of the 256 those are taken
  /// that have at least 4.3 to black and to white.
  func sequence(_ colours: TerminalStyle.Colours) -> StaticString {
    let isBasic = colours == .basic
    return switch self {
    case .plain: ""
    case .name: "\u{1B}[1m"
    case .dim: "\u{1B}[2m"
    case .struck: "\u{1B}[2;9m"
    case .verified, .mention: isBasic ? "\u{1B}[35m" : "\u{1B}[38;5;30m"
    case .tag, .music: "\u{1B}[35m"
    case .link: "\u{1B}[4m"
    case .good: isBasic ? "\u{1B}[2m" : "\u{1B}[38;5;28m"
    case .bad: "\u{1B}[1;31m"
    case .warning: isBasic ? "\u{1B}[31m" : "\u{1B}[38;5;130m"
    case .liked: "\u{1B}[31m"
    case .retweeted: isBasic ? "\u{1B}[35m" : "\u{1B}[38;5;28m"
    case .number: isBasic ? "\u{1B}[1;35m" : "\u{1B}[1;38;5;130m"
    }
  }

  /// Turns every ink off.
  static let end: StaticString = "\u{1B}[0m"
}
