package import TweetCore

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
  package func fitting(_ width: Int, _ height: Int, cell: CellSize) -> PictureArea {
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
  /// A sequence that draws over cells from the cursor on, and leaves the cursor where it was. These cells must not be
  /// written on: most terminals then remove the picture.
  case overlay([UInt8], PictureArea)
  /// Letters, a text for each row.
  case cells([[UInt8]], columns: Int)
  /// A picture that the terminal has, or is sent, under an id. It is an overlay too; drawn again, it moves.
  case placed(KittyPictures.Placement)
  /// Empty cells, which whoever prints the rows draws over when it likes.
  case reserved(ReservedPicture)

  var rows: Int {
    switch self {
    case .reserved(let place): place.area.rows
    case .overlay(_, let area): area.rows
    case .cells(let rows, _): rows.count
    case .placed(let placement): placement.area.rows
    }
  }

  /// The columns of what is only letters and spaces, beside which something else may stand; `nil` for what moves the
  /// cursor.
  var columns: Int? {
    switch self {
    case .cells(_, let columns): columns
    case .reserved(let place): place.area.columns
    case .overlay, .placed: nil
    }
  }

  /// Whether it is drawn, with its row, over cells that must stay empty.
  var isOverlay: Bool {
    switch self {
    case .overlay, .placed: true
    case .cells, .reserved: false
    }
  }

  /// How large its sequences are.
  var bytes: Int {
    switch self {
    case .overlay(let sequence, _): sequence.count
    case .cells(let rows, _): rows.reduce(0) { $0 + $1.count }
    case .placed, .reserved: 0
    }
  }
}

/// Cells of a block that stay empty for a picture.
package struct ReservedPicture: Hashable, Sendable {
  package let key: PictureKey
  package let kind: PictureFolder.Kind
  package let area: PictureArea

  package init(key: PictureKey, kind: PictureFolder.Kind, area: PictureArea) {
    (self.key, self.kind, self.area) = (key, kind, area)
  }
}

/// Where cells that are reserved for a picture are.
package struct PlacedPicture: Hashable, Sendable {
  package let place: ReservedPicture
  package let row, column: Int

  /// The same, seen from elsewhere.
  package func moved(byRows rows: Int, columns: Int) -> PlacedPicture {
    PlacedPicture(place: place, row: row + rows, column: column + columns)
  }
}

/// What gives a block the drawings of pictures.
package protocol PictureSource: AnyObject {
  /// The cells of an author's picture; `nil` if pictures are not shown.
  var avatarArea: PictureArea? { get }
  /// Whether a drawing says itself why a picture is not there.
  var saysWhy: Bool { get }
  /// What draws an author's picture; `nil` for initials.
  func drawing(of author: AuthorFields) -> PictureDrawing?
  /// What draws a photo; `nil` for nothing.
  /// - Parameters:
  ///   - count: how many pictures and videos the tweet has.
  ///   - room: the columns of a row.
  func drawing(of media: MediaFields, among count: Int, room: Int) -> PictureDrawing?
  /// Appends what shows a placed picture at the cursor.
  func append(_ placement: KittyPictures.Placement, to output: inout ByteBuffer)
}
