import TweetCLI
import TweetCore
import TweetDisplay

/// A text with a cursor in it. It is kept as what is before the cursor and what is after it, so that a letter that
/// joins the one before, such as an accent, needs no count.
struct EditedText: Equatable {
  /// More bytes are not taken: it is far above any post or thread, and all of it fits into a pipe.
  private static let longest = 24 << 10

  private(set) var before = ""
  private(set) var after = ""

  init(_ text: String = "") { insert(text) }

  var text: String { before + after }
  var isEmpty: Bool { before.isEmpty && after.isEmpty }

  /// Puts a text before the cursor. Of what a terminal or a clipboard brings, control characters are left out but for
  /// line ends.
  mutating func insert(_ new: String) {
    let room = Self.longest - before.utf8.count - after.utf8.count
    var used = 0
    for letter in new.replacing("\r\n", with: "\n").replacing("\r", with: "\n").replacing("\t", with: "  ") {
      guard letter == "\n" || letter.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
        continue
      }
      used += letter.utf8.count
      if used > room { return }
      before.append(letter)
    }
  }

  mutating func clear() { (before, after) = ("", "") }

  // MARK: Moving

  mutating func left() { if let letter = before.popLast() { after = String(letter) + after } }
  mutating func right() { if !after.isEmpty { before.append(after.removeFirst()) } }

  mutating func toLineStart() { while let last = before.last, last != "\n" { left() } }
  mutating func toLineEnd() { while let next = after.first, next != "\n" { right() } }
  mutating func toStart() { (before, after) = ("", text) }
  mutating func toEnd() { (before, after) = (text, "") }

  /// Moves to a place in the text, counted in characters.
  mutating func move(to offset: Int) {
    let whole = text
    let index = whole.index(whole.startIndex, offsetBy: offset, limitedBy: whole.endIndex) ?? whole.endIndex
    (before, after) = (String(whole[..<index]), String(whole[index...]))
  }

  // MARK: Removing

  mutating func removeBefore() { _ = before.popLast() }
  mutating func removeAfter() { if !after.isEmpty { after.removeFirst() } }

  mutating func removeWordBefore() {
    while before.last?.isWhitespace == true { before.removeLast() }
    while let last = before.last, !last.isWhitespace { before.removeLast() }
  }

  mutating func removeToLineStart() { while let last = before.last, last != "\n" { before.removeLast() } }

  mutating func removeToLineEnd() {
    if after.first == "\n" { return removeAfter() }
    while let next = after.first, next != "\n" { after.removeFirst() }
  }

  /// Does what a key does in every line that is typed.
  /// - Returns: whether the key is one of those.
  mutating func take(_ key: Key) -> Bool {
    switch key {
    case .backspace: removeBefore()
    case .delete, .control("d"): removeAfter()
    case .left, .control("b"): left()
    case .right, .control("f"): right()
    case .home: toLineStart()
    case .end: toLineEnd()
    case .control("u"): removeToLineStart()
    case .control("k"): removeToLineEnd()
    case .control("w"): removeWordBefore()
    case .character(let letter): insert(String(letter))
    case .paste(let pasted): insert(pasted)
    default: return false
    }
    return true
  }
}

/// A text on rows of so many columns, which are broken after spaces where there are any.
struct WrappedText {
  /// A row: its characters, without the line end, by their offsets in the text.
  struct Row: Equatable {
    let text: String
    let start: Int
    let count: Int
  }

  private(set) var rows: [Row] = []
  /// The cell of the cursor.
  private(set) var cursor = (row: 0, column: 0)

  /// - Parameter width: in columns; at least 2, so that every letter has room.
  init(_ edited: EditedText, width: Int) {
    let width = max(width, 2)
    let place = edited.before.count
    var start = 0
    for line in edited.text.split(separator: "\n", omittingEmptySubsequences: false) {
      append(Array(line), from: start, width)
      start += line.count + 1
    }
    // A cursor at the end of a full row stands at the beginning of the next one, if they are of one line.
    let row = rows.lastIndex { $0.start <= place } ?? 0
    cursor = (row, Self.width(of: rows[row].text.prefix(place - rows[row].start)))
  }

  /// The columns of letters as the terminal shows them.
  static func width(of text: some Collection<Character>) -> Int {
    text.reduce(0) { $0 + width(of: $1) }
  }

  private static func width(of letter: Character) -> Int {
    if let byte = letter.asciiValue, (0x20..<0x7F).contains(byte) { return 1 }
    var shown = ByteBuffer(capacity: 16)
    String(letter).withBytes { Printable.append($0, to: &shown) }
    return shown.withBytes { DisplayWidth.of($0) }
  }

  private mutating func append(_ line: [Character], from offset: Int, _ width: Int) {
    var (start, column, lastSpace) = (0, 0, Int?.none)
    var index = 0
    while index < line.count {
      let wide = Self.width(of: line[index])
      if column + wide > width, index > start {
        let end = lastSpace.map { $0 + 1 } ?? index
        rows.append(Row(text: String(line[start..<end]), start: offset + start, count: end - start))
        (start, column, lastSpace) = (end, Self.width(of: line[end..<index]), nil)
        continue
      }
      if line[index] == " " { lastSpace = index }
      column += wide
      index += 1
    }
    rows.append(Row(text: String(line[start...]), start: offset + start, count: line.count - start))
  }

  /// The place in the text, in characters, of a cell.
  func offset(row: Int, column: Int) -> Int {
    let index = min(max(row, 0), rows.count - 1)
    let row = rows[index]
    var (place, columns) = (0, 0)
    for letter in row.text {
      columns += Self.width(of: letter)
      if columns > column { break }
      place += 1
    }
    // The cell after a row that goes on belongs to the next one.
    let goesOn = index + 1 < rows.count && rows[index + 1].start == row.start + row.count
    return row.start + min(place, goesOn ? max(row.count - 1, 0) : row.count)
  }
}
