/// What a piece of shown text is, which decides its colour and weight.
enum Ink: UInt8 {
  case plain, name, dim, struck, verified, mention, tag, link, good, bad, warning, music, liked, retweeted

  /// The SGR sequence that turns it on: only the sixteen basic colours, whose look people choose in their terminal.
  var sequence: StaticString {
    switch self {
    case .plain: ""
    case .name: "\u{1B}[1m"
    case .dim: "\u{1B}[2m"
    case .struck: "\u{1B}[2;9m"
    case .verified: "\u{1B}[36m"
    case .mention: "\u{1B}[36m"
    case .tag: "\u{1B}[35m"
    case .link: "\u{1B}[4m"
    case .good: "\u{1B}[2;32m"
    case .bad: "\u{1B}[1;31m"
    case .warning: "\u{1B}[33m"
    case .music: "\u{1B}[35m"
    case .liked: "\u{1B}[31m"
    case .retweeted: "\u{1B}[32m"
    }
  }

  /// Turns every ink off.
  static let end: StaticString = "\u{1B}[0m"
}
