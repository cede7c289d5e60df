import TweetCore

/// How a piece of text is set, by what it is.
enum Ink: UInt8 {
  case plain, name, dim, verified, mention, tag, link, good, bad, warning, music, liked, retweeted

  /// The SGR sequence that turns it on: only the basic colours, whose look is the person's own choice.
  var sequence: StaticString {
    switch self {
    case .plain: ""
    case .name: "\u{1B}[1m"
    case .dim: "\u{1B}[2m"
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

  /// Turns everything off again.
  static let end: StaticString = "\u{1B}[0m"
}

/// The colour of an author's block: the same for the same author in every run.
struct AuthorColour {
  /// Of the 6×6×6 cube (16 + 36 red + 6 green + blue): the 24 that lie farthest apart (CIE Lab) among those with a contrast
  /// of 4.5 or more to white letters and of 1.9 or more to a black screen (WCAG 2.1).
  static let cube: [UInt8] = [
    20, 22, 23, 25, 26, 27, 28, 29, 55, 59, 60, 88, 89, 90, 93, 94, 97, 98, 128, 131, 160, 161, 162, 163,
  ]
  /// The basic colours with white letters on them: red, green, blue, magenta, cyan.
  static let basic: [UInt8] = [41, 42, 44, 45, 46]

  private let hash: UInt64

  /// - Parameter key: the author's id or name; FNV-1a of it picks the colour.
  init(key: UnsafeBufferPointer<UInt8>) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in key { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    // The low bits of FNV of short, similar keys are the least mixed.
    self.hash = hash ^ hash >> 32
  }

  /// Appends the sequence that sets the block: its background, and bold white letters.
  func appendBlock(_ colours: Screen.Colours, to buffer: inout ByteBuffer) {
    switch colours {
    case .none: return
    case .basic:
      buffer.append("\u{1B}[1;37;")
      buffer.append(decimal: Int(Self.basic[Int(hash % UInt64(Self.basic.count))]))
    case .many:
      buffer.append("\u{1B}[1;38;5;231;48;5;")
      buffer.append(decimal: Int(Self.cube[Int(hash % UInt64(Self.cube.count))]))
    }
    buffer.append(UInt8(ascii: "m"))
  }
}
