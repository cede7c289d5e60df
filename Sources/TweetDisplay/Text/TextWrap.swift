import TweetCore

/// Breaks printable text into lines of a width, keeping its own newlines.
///
/// Lines break at spaces, and beside wide letters (CJK, emoji) except where Japanese and Chinese typography forbids it:
/// closing punctuation and small kana start no line, opening brackets end none. Korean breaks at its spaces. What is
/// longer than a line is broken where the line is full. Spaces at a break vanish. One value serves many texts and keeps
/// its memory.
package struct TextWrap {
  /// A line as a range of the text's bytes, and its columns.
  package struct Line: Equatable {
    package var start: Int
    package var end: Int
    package var width: Int
  }

  /// The lines of the text wrapped last.
  package private(set) var lines: [Line] = []

  private var limit = 1
  /// The line being filled: its content so far, and the columns up to here with the spaces behind it.
  private var line = Line(start: 0, end: 0, width: 0)
  private var column = 0
  /// The last place where the line may end, and where the next one would then start.
  private var breakPoint: BreakPoint?
  private var last = BreakClass.space

  private struct BreakPoint {
    var line: Line
    var resume: Int
    var column: Int
  }

  private struct Piece {
    var start: Int
    var end: Int
    var width: Int
    var head: BreakClass
    var tail: BreakClass
    /// Whether it can be cut at any byte: a run of ASCII.
    var isASCII: Bool
  }

  package init() {}

  /// Fills ``lines``. A width below one counts as one; a wide letter goes onto a line of one column although it is wider.
  ///
  /// - Returns: whether all of the text is in them; false when there would have been more than `mostLines`.
  package mutating func wrap(_ text: UnsafeBufferPointer<UInt8>, width: Int, mostLines: Int = .max) -> Bool {
    lines.removeAll(keepingCapacity: true)
    limit = max(width, 1)
    startLine(at: 0)
    var clusters = ClusterReader(text)
    var at = 0
    while at < text.count {
      if lines.count > mostLines { break }
      if text[at] == UInt8(ascii: "\n") {
        lines.append(line)
        at += 1
        startLine(at: at)
        continue
      }
      if text[at] == UInt8(ascii: " "), at + 1 == text.count || text[at + 1] < 0x80 {
        column += 1
        last = .space
        at += 1
        continue
      }
      let end = endOfASCIIWord(text, from: at)
      if end > at {
        place(
          Piece(
            start: at, end: end, width: end - at, head: BreakClass(of: UInt32(text[at])),
            tail: BreakClass(of: UInt32(text[end - 1])), isASCII: true))
        at = end
        continue
      }
      clusters.move(to: at)
      at = placeClusters(&clusters, from: at, in: text)
    }
    if line.end > line.start { lines.append(line) }
    if lines.count <= mostLines { return true }
    lines.removeLast(lines.count - mostLines)
    return false
  }

  private mutating func startLine(at offset: Int) {
    line = Line(start: offset, end: offset, width: 0)
    column = 0
    breakPoint = nil
    last = .space
  }

  /// The end of a run of visible ASCII; its last byte is left out when something that may join it follows.
  @inline(__always)
  private func endOfASCIIWord(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var at = start
    while at < text.count, text[at] &- 0x21 < 0x5E { at += 1 }
    return at > start && at < text.count && text[at] >= 0x80 ? at - 1 : at
  }

  /// Places one space, or all clusters up to the next ASCII; gives where it stopped.
  private mutating func placeClusters(
    _ clusters: inout ClusterReader, from start: Int, in text: UnsafeBufferPointer<UInt8>
  ) -> Int {
    var at = start
    while let cluster = clusters.next() {
      at = cluster.end
      let head = BreakClass(of: cluster.first, width: cluster.width)
      if head == .space {
        column += cluster.width
        last = .space
      } else {
        place(
          Piece(
            start: cluster.start, end: cluster.end, width: cluster.width, head: head, tail: head, isASCII: false))
      }
      if at >= text.count || text[at] < 0x80 { break }
    }
    return at
  }

  private mutating func place(_ whole: Piece) {
    var piece = whole
    if line.end == line.start {
      // Indentation stays unless it fills the line.
      if column + piece.width > limit {
        line = Line(start: piece.start, end: piece.start, width: 0)
        column = 0
      }
    } else if BreakClass.allowsBreak(between: last, and: piece.head) {
      breakPoint = BreakPoint(line: line, resume: piece.start, column: column)
    }
    while column + piece.width > limit {
      if let point = breakPoint {
        lines.append(point.line)
        line = Line(start: point.resume, end: line.end, width: line.width - point.column)
        column -= point.column
        breakPoint = nil
        if point.resume == piece.start { line = Line(start: piece.start, end: piece.start, width: 0) }
      } else if piece.isASCII, column < limit {
        piece = cut(piece, at: limit - column)
      } else if column > 0 {
        lines.append(line)
        startLine(at: piece.start)
      } else {
        break
      }
    }
    line.end = piece.end
    column += piece.width
    line.width = column
    last = piece.tail
  }

  /// Fills the line with the piece's beginning, ends the line and gives the rest.
  private mutating func cut(_ piece: Piece, at columns: Int) -> Piece {
    var rest = piece
    rest.start += columns
    rest.width -= columns
    line.end = rest.start
    line.width = limit
    lines.append(line)
    startLine(at: rest.start)
    return rest
  }
}
