import TweetCore

/// What stands at the left of a tweet.
package enum AuthorBlocks {
  case none
  /// The author's initials.
  case initials
  /// The author's picture, or the initials if there is none.
  case pictures(TerminalPictures)
}

/// Prints the rows of one tweet: wrapped text, beside the author's block and inside frames.
struct RowPrinter: ~Copyable {
  /// On fewer columns there is no block, since the text needs them all.
  private static let narrowestWithBlock = 32
  /// On fewer columns there are initials in place of pictures, which are wider.
  private static let narrowestWithPictures = 40
  /// More rows of one piece of text are not shown.
  private static let mostRows = 2000
  /// Columns between the block and the text.
  private static let gap = 2

  private let style: TerminalStyle
  private let blocks: AuthorBlocks
  private var wrap = TextWrap()
  private var initials = InitialsBlock()
  private var width = 80
  /// The cells of the block; `nil` for none.
  private var area: PictureArea?
  /// What is in the block in place of initials.
  private var picture: PictureDrawing?
  /// Which row of the block is next; `nil` above the block.
  private var blockRow: Int?
  private var frames = 0

  init(_ style: TerminalStyle, _ blocks: AuthorBlocks) {
    self.style = style
    self.blocks = blocks
  }

  /// Starts a new tweet.
  /// - Parameter width: of the screen, in columns.
  mutating func begin(width: Int) {
    self.width = max(width, 1)
    picture = nil
    blockRow = nil
    frames = 0
    area = nil
    switch blocks {
    case .none: break
    case .initials where width >= Self.narrowestWithBlock: area = InitialsBlock.area
    case .pictures(let pictures) where width >= Self.narrowestWithPictures:
      area = pictures.avatarArea ?? InitialsBlock.area
    case .pictures where width >= Self.narrowestWithBlock: area = InitialsBlock.area
    default: break
    }
  }

  /// Starts the author's block: from here on, rows are beside it.
  /// - Parameter name: printable text.
  mutating func startBlock(of author: AuthorFields, name: UnsafeBufferPointer<UInt8>) {
    initials.set(author, name: name, isolates: style.isolates)
    if case .pictures(let pictures) = blocks, area != nil, area == pictures.avatarArea {
      picture = pictures.drawing(of: author.picture)
    }
    blockRow = 0
  }

  mutating func openFrame() { frames += 1 }
  mutating func closeFrame() { frames -= 1 }

  private var hasColours: Bool { style.colours != .none }
  /// The columns that a row has for text.
  var textWidth: Int { width - (area.map { $0.columns + Self.gap } ?? 0) - frames * 2 }

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

  /// Prints a picture on rows of its own.
  mutating func print(_ drawing: PictureDrawing, to output: inout ByteBuffer) {
    switch drawing {
    case .overlay(let sequence, let drawn):
      Self.makeRoom(rows: drawn.rows, to: &output)
      startRow(to: &output)
      output.append(sequence)
      output.append(UInt8(ascii: "\n"))
      for _ in 1..<max(drawn.rows, 1) {
        startRow(to: &output, isEmpty: true)
        output.append(UInt8(ascii: "\n"))
      }
    case .cells(let rows, _):
      for row in rows {
        startRow(to: &output)
        output.append(row)
        output.append(UInt8(ascii: "\n"))
      }
    }
  }

  /// Makes the rows of a picture before it is drawn, and the row below, where some terminals leave the cursor: so nothing
  /// scrolls while it is drawn.
  private static func makeRoom(rows: Int, to output: inout ByteBuffer) {
    for _ in 0..<rows { output.append(UInt8(ascii: "\n")) }
    output.append("\u{1B}[")
    output.append(decimal: rows)
    output.append("A")
  }

  private mutating func printEmpty(to output: inout ByteBuffer) {
    // Where nothing is visible on an empty row, it needs no spaces either.
    if frames > 0 || hasVisibleBlockRow { startRow(to: &output, isEmpty: true) }
    output.append(UInt8(ascii: "\n"))
  }

  // MARK: The block

  /// Whether something of the block, which has begun, is still to come.
  private var hasVisibleBlockRow: Bool {
    guard let area, let row = blockRow, row > 0 else { return false }
    return picture.map { row < $0.rows } ?? (row < area.rows && hasColours)
  }

  private mutating func startRow(to output: inout ByteBuffer, isEmpty: Bool = false) {
    if let area {
      let gap = !isEmpty || frames > 0 ? Self.gap : 0
      if let row = blockRow {
        appendBlock(row: row, of: area, gap: gap, to: &output)
        blockRow = row + 1
      } else {
        output.append(spaces: area.columns + gap)
      }
    }
    for frame in 0..<frames {
      if hasColours { output.append(Ink.dim.sequence) }
      output.append(style.glyphs.border)
      if hasColours { output.append(Ink.end) }
      if !isEmpty || frame + 1 < frames { output.append(UInt8(ascii: " ")) }
    }
  }

  /// Appends a row of the block and the gap after it.
  private func appendBlock(row: Int, of area: PictureArea, gap: Int, to output: inout ByteBuffer) {
    switch picture {
    case .overlay(let sequence, let drawn) where row < drawn.rows:
      if row == 0 {
        Self.makeRoom(rows: drawn.rows, to: &output)
        output.append(sequence)
      }
      output.append("\u{1B}[")
      output.append(decimal: area.columns + gap)
      output.append("C")
    case .cells(let rows, let columns) where row < rows.count:
      output.append(rows[row])
      output.append(spaces: area.columns - columns + gap)
    case nil:
      initials.append(row: row, of: area, style.colours, to: &output)
      output.append(spaces: gap)
    default: output.append(spaces: area.columns + gap)
    }
  }

  /// Ends the tweet: prints the rows of the block that the text did not reach.
  mutating func finish(to output: inout ByteBuffer) {
    while hasVisibleBlockRow {
      startRow(to: &output, isEmpty: true)
      output.append(UInt8(ascii: "\n"))
    }
  }
}
