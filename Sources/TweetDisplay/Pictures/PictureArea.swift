/// The cells of a terminal that a picture takes.
package struct PictureArea: Hashable, Sendable {
  /// An author's picture: about as wide as high where a cell is twice as high as wide.
  package static let avatar = PictureArea(columns: 6, rows: 3)

  package let columns, rows: Int

  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }

  /// The cells within these for a picture with the same ratio of width and height, at least one each.
  /// - Parameters:
  ///   - width: of the picture, in pixels.
  ///   - height: of the picture, in pixels.
  ///   - cell: the size of a cell.
  func fitting(_ width: Int, _ height: Int, cell: CellSize) -> PictureArea {
    let scale = min(Double(columns * cell.width) / Double(width), Double(rows * cell.height) / Double(height))
    let wide = (Double(width) * scale / Double(cell.width)).rounded()
    let high = (Double(height) * scale / Double(cell.height)).rounded()
    return PictureArea(columns: min(columns, max(1, Int(wide))), rows: min(rows, max(1, Int(high))))
  }
}

/// The pixels of a terminal's cell.
package struct CellSize: Hashable, Sendable {
  /// Those of DEC's VT340, which terminals that do not say it are likely to imitate.
  package static let usual = CellSize(width: 10, height: 20)

  package let width, height: Int

  private init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// - Returns: `nil` for sizes that no terminal has.
  package init?(_ width: Int, _ height: Int) {
    guard (2...200).contains(width), (4...400).contains(height) else { return nil }
    self.init(width: width, height: height)
  }
}

/// What shows a picture on a terminal.
package enum PictureDrawing {
  /// A sequence that draws over cells from the cursor on, and leaves the cursor where it was. These cells must not be written
  /// on: most terminals then remove the picture.
  case overlay([UInt8], PictureArea)
  /// Letters, a text for each row.
  case cells([[UInt8]], columns: Int)
  /// A picture that the terminal has, or is sent, under an id. It is an overlay too; drawn again, it moves.
  case placed(KittyPictures.Placement)

  var rows: Int {
    switch self {
    case .overlay(_, let area): area.rows
    case .cells(let rows, _): rows.count
    case .placed(let placement): placement.area.rows
    }
  }

  /// Whether it is drawn over cells that must stay empty.
  var isOverlay: Bool {
    if case .cells = self { return false }
    return true
  }

  /// How large its sequences are.
  var bytes: Int {
    switch self {
    case .overlay(let sequence, _): sequence.count
    case .cells(let rows, _): rows.reduce(0) { $0 + $1.count }
    case .placed: 0
    }
  }
}
