import TweetCore

/// The block where an author's picture would be, in the author's colour, with the initials in it: two rows of four
/// columns, or as many as pictures have; `[JS]` where there are no colours.
struct InitialsBlock: ~Copyable {
  /// The cells of the block where no pictures are shown.
  static let area = PictureArea(columns: 4, rows: 2)

  private var initials = ByteBuffer(capacity: 64)
  private var initialsWidth = 0
  private var colour = AuthorColour(key: ByteView.empty)

  /// Changes the block to that of another author.
  /// - Parameters:
  ///   - name: printable text; the initials are the first letters of its first and last word.
  ///   - isolates: whether letters that run from right to left are isolated.
  mutating func set(_ author: AuthorFields, name: ByteView, isolates: Bool) {
    colour = AuthorColour(key: author.colourKey)
    initials.removeAll()
    initialsWidth = 0
    var first: Range<Int>?
    var last: Range<Int>?
    var isInWord = false
    var clusters = ClusterReader(name)
    while let cluster = clusters.next() {
      let isSpace = cluster.first == 0x20 || cluster.first == 0x3000
      if !isSpace, !isInWord, Self.isLetter(cluster.first) {
        if first == nil { first = cluster.start..<cluster.end } else { last = cluster.start..<cluster.end }
        isInWord = true
      }
      if isSpace { isInWord = false }
    }
    if let first { appendInitial(ByteView(rebasing: name[first])) }
    if let last { appendInitial(ByteView(rebasing: name[last])) }
    if isolates { Bidi.isolate(&initials, from: 0) }
  }

  private mutating func appendInitial(_ letter: ByteView) {
    let width = DisplayWidth.of(letter)
    guard initialsWidth + width <= 2 else { return }
    initialsWidth += width
    if letter.count == 1, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter[0]) {
      initials.append(letter[0] - 0x20)
    } else {
      initials.append(letter)
    }
  }

  /// Letters, digits and emoji; not the signs that people put around their names.
  private static func isLetter(_ value: UInt32) -> Bool {
    if value < 0x80 { return UInt8(value) &- 0x30 < 10 || UInt8(value | 0x20) &- 0x61 < 26 }
    guard let scalar = Unicode.Scalar(value) else { return false }
    return scalar.properties.isAlphabetic || scalar.properties.isEmojiPresentation
  }

  /// Appends a row of the block, or spaces for a row below it.
  borrowing func append(
    row: Int, of area: PictureArea, _ colours: TerminalStyle.Colours, to output: inout ByteBuffer
  ) {
    if row >= area.rows || row > 0 && colours == .none {
      output.append(spaces: area.columns)
    } else if colours == .none {
      output.append("[")
      appendInitials(to: &output)
      output.append("]")
      output.append(spaces: area.columns - 4)
    } else {
      colour.appendBlock(colours, to: &output)
      if row == (area.rows - 1) / 2 {
        let left = (area.columns - 2) / 2
        output.append(spaces: left)
        appendInitials(to: &output)
        output.append(spaces: area.columns - 2 - left)
      } else {
        output.append(spaces: area.columns)
      }
      output.append(Ink.end)
    }
  }

  private borrowing func appendInitials(to output: inout ByteBuffer) {
    initials.withBytes { output.append($0) }
    output.append(spaces: 2 - initialsWidth)
  }
}

extension ByteBuffer {
  mutating func append(spaces count: Int) {
    for _ in 0..<max(count, 0) { append(UInt8(ascii: " ")) }
  }
}
