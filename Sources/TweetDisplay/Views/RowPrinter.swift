package import TweetCore

/// Prints the rows of blocks on a terminal, or into a file, one below the other.
package struct RowPrinter {
  private let style: TerminalStyle
  private let pictures: (any PictureSource)?

  private var hasColours: Bool { style.colours != .none }

  /// - Parameter pictures: what places pictures on the terminal; `nil` where none are shown.
  package init(_ style: TerminalStyle, _ pictures: (any PictureSource)?) {
    self.style = style
    self.pictures = pictures
  }

  /// Appends all rows of a block, each with a newline.
  package func print(_ block: borrowing BlockRows, to output: inout ByteBuffer) {
    for index in block.rows.indices {
      print(block.rows[index], of: block, to: &output)
      output.append(UInt8(ascii: "\n"))
    }
  }

  /// Appends one row of a block, without a newline.
  package func print(row: Int, of block: borrowing BlockRows, to output: inout ByteBuffer) {
    print(block.rows[row], of: block, to: &output)
  }

  private func print(_ row: BlockRows.Row, of block: borrowing BlockRows, to output: inout ByteBuffer) {
    // All rows of a photo, before anything stands on the first of them.
    if let photo = row.photo, photo.row == 0 {
      for index in photo.indices { makeRoom(for: block.photos[index], to: &output) }
    }
    appendLeft(row, of: block, to: &output)
    for frame in 0..<row.frames {
      if hasColours { output.append(Ink.dim.sequence(style.colours)) }
      output.append(style.glyphs.border)
      if hasColours { output.append(Ink.end) }
      if !isEmpty(row, of: block) || frame + 1 < row.frames { output.append(UInt8(ascii: " ")) }
    }
    if let photo = row.photo {
      for index in photo.indices {
        append(block.photos[index], row: photo.row, to: &output)
        if index + 1 < photo.indices.upperBound { output.append(spaces: BlockLayout.gap) }
      }
    }
    if row.isIsolated { output.append(Bidi.opening) }
    block.text.print(row.text, in: style, to: &output)
    if row.isIsolated { output.append(Bidi.closing) }
  }

  /// Whether nothing is written at the right of the frames: what draws over cells does so from its first row on.
  private func isEmpty(_ row: BlockRows.Row, of block: borrowing BlockRows) -> Bool {
    guard let photo = row.photo else { return row.text.isEmpty }
    return photo.row > 0 && photo.indices.allSatisfy { block.photos[$0].isOverlay }
  }

  // MARK: The author's block

  private func appendLeft(_ row: BlockRows.Row, of block: borrowing BlockRows, to output: inout ByteBuffer) {
    guard let area = block.area else { return }
    let gap = isEmpty(row, of: block) && row.frames == 0 ? 0 : BlockLayout.gap
    switch row.left {
    case .nothing: return
    case .blank: output.append(spaces: area.columns + gap)
    case .author(let number):
      switch block.author {
      case .initials:
        block.initials.append(row: number, of: area, style.colours, to: &output)
        output.append(spaces: gap)
      case .picture(.cells(let rows, let columns)) where number < rows.count:
        output.append(rows[number])
        output.append(spaces: area.columns - columns + gap)
      case .picture(let drawing) where drawing.isOverlay && number < drawing.rows:
        if number == 0 {
          makeRoom(for: drawing, to: &output)
          append(drawing, row: 0, to: &output)
        }
        output.append("\u{1B}[")
        output.append(decimal: area.columns + gap)
        output.append("C")
      case .picture: output.append(spaces: area.columns + gap)
      }
    }
  }

  // MARK: Pictures

  /// Appends a row of a picture; all of it on its first row if it is drawn over cells.
  private func append(_ drawing: PictureDrawing, row: Int, to output: inout ByteBuffer) {
    switch drawing {
    case .cells(let rows, let columns):
      if row < rows.count { output.append(rows[row]) } else { output.append(spaces: columns) }
    case .reserved(let place): output.append(spaces: place.area.columns)
    case .overlay(let sequence, _): if row == 0 { output.append(sequence) }
    case .placed(let placement): if row == 0 { pictures?.append(placement, to: &output) }
    }
  }

  /// Makes the rows of a picture before it is drawn over cells, and the row below, where some terminals leave the
  /// cursor: so nothing scrolls while it is drawn.
  private func makeRoom(for drawing: PictureDrawing, to output: inout ByteBuffer) {
    guard drawing.isOverlay else { return }
    for _ in 0..<drawing.rows { output.append(UInt8(ascii: "\n")) }
    output.append("\u{1B}[")
    output.append(decimal: drawing.rows)
    output.append("A")
  }
}
