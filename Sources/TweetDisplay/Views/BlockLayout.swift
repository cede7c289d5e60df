import TweetCore

/// What stands at the left of a tweet.
package enum AuthorBlocks {
  case none
  /// The author's initials.
  case initials
  /// The author's picture, or the initials if there is none.
  case pictures(any PictureSource)
}

/// Lays out the rows of one block: wraps text beside the author's block and inside frames.
struct BlockLayout: ~Copyable {
  /// On fewer columns there is no block, since the text needs them all.
  private static let narrowestWithBlock = 32
  /// On fewer columns there are initials in place of pictures, which are wider.
  private static let narrowestWithPictures = 40
  /// More rows of one piece of text are not shown.
  private static let mostRows = 2000
  /// Columns between the block and the text.
  static let gap = 2

  private let style: TerminalStyle
  private let blocks: AuthorBlocks
  private var wrap = TextWrap()
  private var width = 80
  /// The cells of the author's block; `nil` for none.
  private var area: PictureArea?
  /// How many rows of the author's block have something in them.
  private var authorRows = 0
  /// Which row of the author's block is next; `nil` above it.
  private var authorRow: Int?
  private var frames = 0

  init(_ style: TerminalStyle, _ blocks: AuthorBlocks) {
    self.style = style
    self.blocks = blocks
  }

  /// Starts a new block.
  /// - Parameter width: of the screen, in columns.
  mutating func begin(width: Int, _ rows: inout BlockRows) {
    self.width = max(width, 1)
    (authorRow, frames, area) = (nil, 0, nil)
    switch blocks {
    case .none: break
    case .initials where width >= Self.narrowestWithBlock: area = InitialsBlock.area
    case .pictures(let pictures) where width >= Self.narrowestWithPictures:
      area = pictures.avatarArea ?? InitialsBlock.area
    case .pictures where width >= Self.narrowestWithBlock: area = InitialsBlock.area
    default: break
    }
    rows.removeAll()
    rows.area = area
  }

  /// Starts the author's block: from here on, rows are beside it.
  /// - Parameter name: printable text.
  mutating func startBlock(of author: AuthorFields, name: ByteView, _ rows: inout BlockRows) {
    authorRow = 0
    guard let area else { return }
    rows.initials.set(author, name: name, isolates: style.isolates)
    authorRows = style.colours == .none ? 1 : area.rows
    guard case .pictures(let pictures) = blocks, area == pictures.avatarArea,
      let drawing = pictures.drawing(of: author)
    else { return }
    rows.author = .picture(drawing)
    authorRows = drawing.rows
  }

  mutating func openFrame() { frames += 1 }
  mutating func closeFrame() { frames -= 1 }

  /// The columns that a row has for text.
  var textWidth: Int { width - (area.map { $0.columns + Self.gap } ?? 0) - frames * 2 }

  /// Adds `text`, wrapped. Of several empty lines one is kept, and none at the start and the end.
  /// - Parameters:
  ///   - isolates: whether rows with right-to-left letters are isolated, so that they do not reorder what is beside
  ///     them;
  ///     not needed if the text has isolates of its own.
  ///   - mostRows: more rows are left out, unless it is one, which would need a row to say so.
  /// - Returns: how many rows were left out.
  @discardableResult
  mutating func add(
    _ text: borrowing StyledText, isolates: Bool = false, mostRows: Int? = nil, to rows: inout BlockRows
  ) -> Int {
    let width = textWidth
    let isWhole = text.bytes.withBytes { wrap.wrap($0, width: width, mostLines: Self.mostRows) }
    let start = rows.text.count
    rows.text.append(text)
    var lastWasEmpty = true
    var pendingEmpty = false
    let most = mostRows.flatMap { wrap.lines.count > $0 + 1 ? $0 : nil } ?? wrap.lines.count
    for line in wrap.lines.prefix(most) {
      if line.end == line.start {
        pendingEmpty = !lastWasEmpty
        continue
      }
      if pendingEmpty { addEmpty(to: &rows) }
      (lastWasEmpty, pendingEmpty) = (false, false)
      let range = start + line.start..<start + line.end
      let isIsolated = isolates && style.isolates && Bidi.isRightToLeft(rows.text.view(range))
      addRow(range, isIsolated: isIsolated, to: &rows)
    }
    if !isWhole, most == wrap.lines.count {
      let end = rows.text.count
      rows.text.append(style.glyphs.ellipsis, .plain)
      addRow(end..<rows.text.count, to: &rows)
    }
    return wrap.lines.count - most
  }

  /// Adds text without newlines on one row, however wide it is: an address that is broken is none any more.
  mutating func addUnbroken(_ text: borrowing StyledText, to rows: inout BlockRows) {
    let start = rows.text.count
    rows.text.append(text)
    addRow(start..<rows.text.count, to: &rows)
  }

  /// Adds the beginning of a text on one row.
  mutating func addBeginning(_ text: borrowing StyledText, ellipsis: StaticString, to rows: inout BlockRows) {
    let width = max(textWidth - ellipsis.columns, 1)
    let isWhole = text.bytes.withBytes { wrap.wrap($0, width: width, mostLines: 1) }
    let start = rows.text.count
    rows.text.append(text)
    let line = wrap.lines.first ?? TextWrap.Line(start: 0, end: 0, width: 0)
    rows.text.truncate(to: start + line.end)
    if !isWhole { rows.text.append(ellipsis, .plain) }
    let range = start + line.start..<rows.text.count
    addRow(range, isIsolated: style.isolates && Bidi.isRightToLeft(rows.text.view(range)), to: &rows)
  }

  /// Adds photos on rows of their own: beside each other where there is room, if no cell may be written twice.
  mutating func add(photos: [PictureDrawing], to rows: inout BlockRows) {
    var start = 0
    while start < photos.count {
      var (end, columns) = (start + 1, photos[start].columns ?? textWidth)
      while end < photos.count, let more = photos[end].columns, columns + Self.gap + more <= textWidth {
        (end, columns) = (end + 1, columns + Self.gap + more)
      }
      let first = rows.photos.count
      rows.photos += photos[start..<end]
      let height = photos[start..<end].map(\.rows).max() ?? 1
      for row in 0..<max(height, 1) { addRow(0..<0, photo: (first..<rows.photos.count, row), to: &rows) }
      start = end
    }
  }

  /// Ends the block: adds the rows of the author's block that the text did not reach.
  mutating func finish(_ rows: inout BlockRows) {
    while hasVisibleAuthorRow { addRow(0..<0, to: &rows) }
  }

  /// Whether something of the author's block, which has begun, is still to come.
  private var hasVisibleAuthorRow: Bool {
    guard area != nil, let row = authorRow, row > 0 else { return false }
    return row < authorRows
  }

  private mutating func addEmpty(to rows: inout BlockRows) {
    if frames > 0 || hasVisibleAuthorRow { return addRow(0..<0, to: &rows) }
    // Where nothing is visible on an empty row, it needs no spaces either.
    rows.rows.append(BlockRows.Row(left: .nothing, frames: 0, text: 0..<0, isIsolated: false, photo: nil))
  }

  private mutating func addRow(
    _ text: Range<Int>, isIsolated: Bool = false, photo: (indices: Range<Int>, row: Int)? = nil,
    to rows: inout BlockRows
  ) {
    let left: BlockRows.Row.Left =
      area == nil ? .nothing : authorRow.map { .author($0) } ?? .blank
    rows.rows.append(BlockRows.Row(left: left, frames: frames, text: text, isIsolated: isIsolated, photo: photo))
    authorRow = authorRow.map { $0 + 1 }
  }
}
