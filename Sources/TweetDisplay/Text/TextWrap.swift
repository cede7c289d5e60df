package import TweetCore

/// Breaks printable text into lines of a width. The newlines of the text stay.
///
/// Lines break at spaces, and beside wide letters (CJK, emoji) unless Japanese and Chinese typography forbids it: a
/// line does not start with closing punctuation or small kana, and does not end with an opening bracket. Korean breaks
/// at its spaces. A word that is longer than a line is broken where the line is full. A line is no wider than its width
/// in any terminal (``DisplayWidth/widest(of:)``). Spaces at a break are dropped. One value
/// serves many texts and keeps its memory.
package struct TextWrap {
  /// A line: its range of the text's bytes, and its width in columns.
  package struct Line: Equatable {
    package var start: Int
    package var end: Int
    package var width: Int
  }

  /// The lines of the last text.
  package private(set) var lines: [Line] = []

  private var limit = 1
  /// The line being filled, without the spaces at its end.
  private var line = Line(start: 0, end: 0, width: 0)
  /// The columns of the line being filled, with the spaces at its end.
  private var column = 0
  /// The last offset where the line may break.
  private var breakPoint: BreakPoint?
  private var last = BreakClass.space

  private struct BreakPoint {
    /// The line if it ends here.
    var line: Line
    /// Where the next line would start.
    var next: Int
    /// The columns before it.
    var column: Int
  }

  private struct Piece {
    var start: Int
    var end: Int
    var width: Int
    var head: BreakClass
    var tail: BreakClass
    /// Whether it is all ASCII, and can be cut at any byte.
    var isASCII: Bool
  }

  package init() {}

  /// Sets ``lines`` to those of a text. A width below one counts as one. On a line of one column a wide letter is too
  /// wide.
  ///
  /// - Returns: whether all of the text is in them; false if it has more than `mostLines`.
  package mutating func wrap(_ text: ByteView, width: Int, mostLines: Int = .max) -> Bool {
    lines.removeAll(keepingCapacity: true)
    limit = max(width, 1)
    startLine(at: 0)
    var clusters = ClusterReader(text)
    var offset = 0
    while offset < text.count {
      if lines.count > mostLines { break }
      if text[offset] == UInt8(ascii: "\n") {
        lines.append(line)
        offset += 1
        startLine(at: offset)
        continue
      }
      if text[offset] == UInt8(ascii: " "), offset + 1 == text.count || text[offset + 1] < 0x80 {
        column += 1
        last = .space
        offset += 1
        continue
      }
      let end = endOfASCIIWord(text, from: offset)
      if end > offset {
        append(
          Piece(
            start: offset, end: end, width: end - offset, head: BreakClass(of: UInt32(text[offset])),
            tail: BreakClass(of: UInt32(text[end - 1])), isASCII: true))
        offset = end
        continue
      }
      clusters.move(to: offset)
      offset = appendClusters(&clusters, from: offset, in: text)
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

  /// The end of a run of visible ASCII, without its last byte if what follows may join it.
  @inline(__always)
  private func endOfASCIIWord(_ text: ByteView, from start: Int) -> Int {
    var end = start
    while end < text.count, text[end] &- 0x21 < 0x5E { end += 1 }
    return end > start && end < text.count && text[end] >= 0x80 ? end - 1 : end
  }

  /// Appends all clusters up to the next ASCII to the line, one at least.
  /// - Returns: where it stopped.
  private mutating func appendClusters(
    _ clusters: inout ClusterReader, from start: Int, in text: ByteView
  ) -> Int {
    var end = start
    while let cluster = clusters.next() {
      end = cluster.end
      let head = BreakClass(of: cluster.first, width: cluster.width)
      if head == .space {
        column += cluster.widest
        last = .space
      } else {
        append(
          Piece(
            start: cluster.start, end: cluster.end, width: cluster.widest, head: head, tail: head, isASCII: false))
      }
      if end >= text.count || text[end] < 0x80 { break }
    }
    return end
  }

  /// Appends a piece to the line, and breaks the line where the piece does not fit.
  private mutating func append(_ whole: Piece) {
    var piece = whole
    if line.end == line.start {
      // Indentation is kept if the piece still fits.
      if column + piece.width > limit {
        line = Line(start: piece.start, end: piece.start, width: 0)
        column = 0
      }
    } else if BreakClass.allowsBreak(between: last, and: piece.head) {
      breakPoint = BreakPoint(line: line, next: piece.start, column: column)
    }
    while column + piece.width > limit {
      if let point = breakPoint {
        lines.append(point.line)
        line = Line(start: point.next, end: line.end, width: line.width - point.column)
        column -= point.column
        breakPoint = nil
        if point.next == piece.start { line = Line(start: piece.start, end: piece.start, width: 0) }
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

  /// Fills the line with the beginning of the piece, and ends the line.
  /// - Returns: the rest of the piece.
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
