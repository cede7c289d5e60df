import TweetCore

/// Prints the rows of one tweet: wrapped text, beside the author's block and inside frames.
struct RowPrinter: ~Copyable {
  /// On fewer columns there is no block, since the text needs them all.
  private static let narrowestWithBlock = 32
  /// More rows of one piece of text are not shown.
  private static let mostRows = 2000
  /// Columns between the block and the text.
  private static let gap = 2

  private let style: TerminalStyle
  private var wrap = TextWrap()
  private var initials = InitialsBlock()
  private var width = 80
  /// Which row of the block is next; `nil` above the block.
  private var blockRow: Int?
  private var frames = 0

  init(_ style: TerminalStyle) { self.style = style }

  /// Starts a new tweet.
  /// - Parameter width: of the screen, in columns.
  mutating func begin(width: Int) {
    self.width = max(width, 1)
    blockRow = nil
    frames = 0
  }

  /// Starts the author's block: from here on, rows are beside it.
  /// - Parameter name: printable text.
  mutating func startBlock(of author: AuthorFields, name: UnsafeBufferPointer<UInt8>) {
    initials.set(author, name: name, isolates: style.isolates)
    blockRow = 0
  }

  mutating func openFrame() { frames += 1 }
  mutating func closeFrame() { frames -= 1 }

  private var hasBlock: Bool { width >= Self.narrowestWithBlock }
  private var hasColours: Bool { style.colours != .none }
  /// The columns that a row has for text.
  var textWidth: Int { width - (hasBlock ? InitialsBlock.columns + Self.gap : 0) - frames * 2 }

  /// Prints `text`, wrapped. Of several empty lines one is kept, and none at the start and the end.
  /// - Parameter isolates: whether rows with right-to-left letters are isolated, so that they do not reorder what is
  ///   beside them; not needed if the text has isolates of its own.
  mutating func print(_ text: borrowing StyledText, isolates: Bool = false, to output: inout ByteBuffer) {
    let width = textWidth
    let isWhole = text.bytes.withBytes { wrap.wrap($0, width: width, mostLines: Self.mostRows) }
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
      let isIsolated = isolates && style.isolates && Bidi.isRightToLeft(text.view(line.start..<line.end))
      if isIsolated { output.append(Bidi.opening) }
      text.print(line.start..<line.end, in: style, to: &output)
      if isIsolated { output.append(Bidi.closing) }
      output.append(UInt8(ascii: "\n"))
    }
    if !isWhole {
      startRow(to: &output)
      output.append(style.glyphs.ellipsis)
      output.append(UInt8(ascii: "\n"))
    }
  }

  /// Prints text without newlines on one row, however wide it is: an address that is broken is none any more.
  mutating func printUnbroken(_ text: borrowing StyledText, to output: inout ByteBuffer) {
    startRow(to: &output)
    text.print(0..<text.count, in: style, to: &output)
    output.append(UInt8(ascii: "\n"))
  }

  private mutating func printEmpty(to output: inout ByteBuffer) {
    // Only a frame or a coloured block is visible on an empty row; without them it needs no spaces either.
    if frames > 0 || (hasBlock && blockRow == 1 && hasColours) { startRow(to: &output, isEmpty: true) }
    output.append(UInt8(ascii: "\n"))
  }

  private mutating func startRow(to output: inout ByteBuffer, isEmpty: Bool = false) {
    if hasBlock {
      if let row = blockRow {
        initials.append(row: row, style.colours, to: &output)
        blockRow = row + 1
      } else {
        output.append("    ")
      }
      if !isEmpty || frames > 0 { output.append("  ") }
    }
    for frame in 0..<frames {
      if hasColours { output.append(Ink.dim.sequence) }
      output.append(style.glyphs.border)
      if hasColours { output.append(Ink.end) }
      if !isEmpty || frame + 1 < frames { output.append(UInt8(ascii: " ")) }
    }
  }

  /// Ends the tweet: prints the block's second row if the text had only one.
  mutating func finish(to output: inout ByteBuffer) {
    guard hasBlock, blockRow == 1, hasColours else { return }
    initials.append(row: 1, style.colours, to: &output)
    output.append(UInt8(ascii: "\n"))
  }
}
