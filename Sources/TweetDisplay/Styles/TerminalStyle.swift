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
