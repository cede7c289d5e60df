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
