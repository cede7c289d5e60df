package import TweetCore

/// The colour of an author's block: the same for the same author in every run.
package struct AuthorColour {
  /// Colours of the 6×6×6 cube (16 + 36 red + 6 green + blue): the 24 that lie farthest apart (CIE Lab) among those
  /// whose contrast (WCAG 2.1) is at least 4.5 to white letters and at least 1.9 to a black screen.
  private static let cube: [UInt8] = [
    20, 22, 23, 25, 26, 27, 28, 29, 55, 59, 60, 88, 89, 90, 93, 94, 97, 98, 128, 131, 160, 161, 162, 163,
  ]
  /// Basic colours with letters that can be read on them: white on red, blue and magenta, black on green, yellow and
  /// cyan.
  private static let basic: [(letters: StaticString, ground: Int)] = [
    ("\u{1B}[1;37;", 41), ("\u{1B}[30;", 42), ("\u{1B}[1;37;", 44), ("\u{1B}[30;", 43), ("\u{1B}[1;37;", 45),
    ("\u{1B}[30;", 46),
  ]

  private let hash: UInt64

  /// - Parameter key: the author's id or name. Its FNV-1a hash picks the colour.
  package init(key: ByteView) {
    let hash = fingerprint(key)
    // FNV mixes the low bits of short, similar keys the least.
    self.hash = hash ^ hash >> 32
  }

  /// The colours of `cube` as red, green and blue (xterm's levels).
  package static var palette: [(red: UInt8, green: UInt8, blue: UInt8)] {
    let levels: [UInt8] = [0, 95, 135, 175, 215, 255]
    return cube.map { number in
      let number = Int(number) - 16
      return (levels[number / 36], levels[number / 6 % 6], levels[number % 6])
    }
  }

  /// Which colour of ``palette`` it is.
  package var number: Int { Int(hash % UInt64(Self.cube.count)) }

  /// Appends the sequence that sets the background of the block, and letters that can be read on it; nothing without
  /// colours.
  func appendBlock(_ colours: TerminalStyle.Colours, to buffer: inout ByteBuffer) {
    switch colours {
    case .none: return
    case .basic:
      let (letters, ground) = Self.basic[Int(hash % UInt64(Self.basic.count))]
      buffer.append(letters)
      buffer.append(decimal: ground)
    case .many:
      buffer.append("\u{1B}[1;38;5;231;48;5;")
      buffer.append(decimal: Int(Self.cube[number]))
    }
    buffer.append(UInt8(ascii: "m"))
  }
}
