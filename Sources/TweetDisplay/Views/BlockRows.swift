/// The rows of a tweet, a profile or a note as they stand on a screen of one width: text with its inks and links, the
/// author's block at the left, and the cells of pictures.
///
/// It is a value: ``RowPrinter`` prints it, once or again, all of it or some rows. For another width, the record is
/// laid out anew. One value serves many records and keeps its memory.
package struct BlockRows: ~Copyable {
  /// What stands on a row, from left to right: a part of the author's block, frames, then text or cells of a photo.
  struct Row {
    enum Left {
      /// Nothing, not even spaces: nothing is visible on the row.
      case nothing
      /// Spaces as wide as the author's block, which begins further down.
      case blank
      /// This row of the author's block.
      case author(Int)
    }

    let left: Left
    /// The frames of quoted tweets that the row is in.
    let frames: Int
    /// Bytes of the block's text; empty for none.
    let text: Range<Int>
    /// Whether the text is isolated, so that it does not reorder what is beside it.
    let isIsolated: Bool
    /// Which photos it shows a part of, one beside the other, and which row of them.
    let photo: (indices: Range<Int>, row: Int)?
  }

  /// What is in the author's block.
  enum AuthorCells {
    case initials
    case picture(PictureDrawing)
  }

  var rows: [Row] = []
  /// The text of all rows.
  var text = StyledText()
  /// The photos, in the order of their rows.
  var photos: [PictureDrawing] = []
  /// The cells of the author's block; `nil` for none.
  var area: PictureArea?
  var author = AuthorCells.initials
  var initials = InitialsBlock()

  package init() {}

  /// How many rows there are.
  package var count: Int { rows.count }

  /// A link on a row.
  package struct Link: Equatable {
    /// The words that are linked, as they stand on the row.
    package let words: [UInt8]
    /// The address, with all bytes percent-escaped that are not visible ASCII.
    package let address: [UInt8]
  }

  /// The links on a row, from its first byte to its last. A link that is broken over rows is on each of them.
  package borrowing func links(onRow row: Int) -> [Link] { text.links(in: rows[row].text) }

  /// The cells that are reserved for pictures: rows and columns counted from the block's first cell.
  package var reserved: [PlacedPicture] {
    var found: [PlacedPicture] = []
    for (index, row) in rows.enumerated() {
      if case .author(0) = row.left, case .picture(.reserved(let place)) = author {
        found.append(PlacedPicture(place: place, row: index, column: 0))
      }
      guard let photo = row.photo, photo.row == 0 else { continue }
      var column = (area.map { $0.columns + BlockLayout.gap } ?? 0) + 2 * row.frames
      for number in photo.indices {
        if case .reserved(let place) = photos[number] {
          found.append(PlacedPicture(place: place, row: index, column: column))
        }
        column += (photos[number].columns ?? 0) + BlockLayout.gap
      }
    }
    return found
  }

  /// Makes it empty.
  package mutating func removeAll() {
    rows.removeAll(keepingCapacity: true)
    photos.removeAll(keepingCapacity: true)
    text.removeAll()
    area = nil
    author = .initials
  }
}
