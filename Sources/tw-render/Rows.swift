import TweetCore
import TweetDisplay

/// Prints the rows of one tweet: wrapped text beside the author's block, and inside frames.
struct Rows: ~Copyable {
  /// Below this many columns the text needs them all.
  private static let narrowest = 32
  /// More rows are not shown of one piece of text.
  private static let most = 2000
  private static let gap = 2

  private let screen: Screen
  private let glyphs: Glyphs
  private var wrap = TextWrap()
  var avatar = Avatar()
  private var width = 80
  /// The next row of the block, or `nil` before it.
  private var avatarRow: Int?
  /// How many frames stand around the text.
  private var frames = 0

  init(_ screen: Screen, _ glyphs: Glyphs) {
    self.screen = screen
    self.glyphs = glyphs
  }

  /// Starts a new tweet on a screen of `width` columns.
  mutating func begin(width: Int) {
    self.width = max(width, 1)
    avatarRow = nil
    frames = 0
  }

  /// From here on rows stand beside the block.
  mutating func startAvatar() { avatarRow = 0 }

  mutating func openFrame() { frames += 1 }
  mutating func closeFrame() { frames -= 1 }

  private var hasAvatar: Bool { width >= Self.narrowest }
  private var textWidth: Int { width - (hasAvatar ? Avatar.columns + Self.gap : 0) - frames * 2 }

  /// Prints `text`, wrapped. Empty lines are kept one at a time, and none at the start and the end.
  /// - Parameter isolates: whether rows with right-to-left letters are kept from reordering what stands beside them;
  ///   not needed where the text has isolates itself.
  mutating func print(_ text: borrowing StyledText, isolates: Bool = false, to output: inout ByteBuffer) {
    let width = textWidth
    let isWhole = text.bytes.withBytes { wrap.wrap($0, width: width, mostLines: Self.most) }
    var lastWasEmpty = true
    var pendingEmpty = false
    for line in wrap.lines {
      if line.end == line.start {
        pendingEmpty = !lastWasEmpty
        continue
      }
      if pendingEmpty { printEmpty(to: &output) }
      (lastWasEmpty, pendingEmpty) = (false, false)
      startRow(to: &output)
      let isIsolated = isolates && Bidi.isRightToLeft(text.view(line.start..<line.end))
      if isIsolated { output.append(Bidi.opening) }
      text.print(line.start..<line.end, on: screen, to: &output)
      if isIsolated { output.append(Bidi.closing) }
      output.append(UInt8(ascii: "\n"))
    }
    if !isWhole {
      startRow(to: &output)
      output.append(glyphs.ellipsis)
      output.append(UInt8(ascii: "\n"))
    }
  }

  private mutating func printEmpty(to output: inout ByteBuffer) {
    // Nothing but a frame or a coloured block is worth the blanks before it.
    if frames > 0 || (hasAvatar && avatarRow == 1 && screen.colours != .none) { startRow(to: &output, isEmpty: true) }
    output.append(UInt8(ascii: "\n"))
  }

  private mutating func startRow(to output: inout ByteBuffer, isEmpty: Bool = false) {
    if hasAvatar {
      if let row = avatarRow {
        avatar.append(row: row, screen.colours, to: &output)
        avatarRow = row + 1
      } else {
        output.append("    ")
      }
      if !isEmpty || frames > 0 { output.append("  ") }
    }
    for frame in 0..<frames {
      if screen.colours != .none { output.append(Ink.dim.sequence) }
      output.append(glyphs.border)
      if screen.colours != .none { output.append(Ink.end) }
      if !isEmpty || frame + 1 < frames { output.append(UInt8(ascii: " ")) }
    }
  }

  /// Ends the tweet: prints what is left of the block.
  mutating func finish(to output: inout ByteBuffer) {
    guard hasAvatar, avatarRow == 1, screen.colours != .none else { return }
    avatar.append(row: 1, screen.colours, to: &output)
    output.append(UInt8(ascii: "\n"))
  }
}
