import TweetCore

/// Draws the pictures of a folder for a terminal whose protocol is known: for whoever has a thread or a process for
/// that.
package final class PictureRenderer {
  /// What becomes of a picture.
  package enum Drawing: Sendable {
    /// Letters, a text for each row.
    case cells([[UInt8]], PictureArea)
    /// A sequence that draws over cells from the cursor on, and leaves the cursor where it was.
    case sequence([UInt8], PictureArea)
    /// The picture itself, for kitty's protocol.
    case picture(SmallPicture, PictureArea)
    /// There is no thumbnail, or it is none.
    case missing
    /// A package is missing, or the thumbnail is damaged: what to say.
    case failed(String)
  }

  private let folder: PictureFolder
  private let shown: PictureProtocol
  private let cell: CellSize
  private let painter: PicturePainter
  private let fault: Fault

  /// What the painter has said.
  private final class Fault { var text: String? }

  package init(_ folder: PictureFolder, _ shown: PictureProtocol, _ cell: CellSize, isTrueColour: Bool) {
    let fault = Fault()
    (self.folder, self.shown, self.cell, self.fault) = (folder, shown, cell, fault)
    painter = PicturePainter(isTrueColour: isTrueColour) { fault.text = $0 }
  }

  /// Draws a picture within its cells.
  package func draw(_ place: ReservedPicture) -> Drawing {
    guard let picture = folder.read(place.key, place.kind) else { return .missing }
    let area = place.area.fitting(picture.width, picture.height, cell: cell)
    switch shown {
    case .kitty: return .picture(picture, area)
    case .iterm2:
      var sequence = ByteBuffer(capacity: picture.png.count * 4 / 3 + 128)
      InlinePicture.append(picture, area, to: &sequence)
      return .sequence(sequence.array, area)
    case .sixel, .symbols:
      switch painter.paint(picture, shown, on: area, cell: cell) {
      case .cells(let rows, _): return .cells(rows, area)
      case .overlay(let sequence, let area): return .sequence(sequence, area)
      case .placed, .reserved, nil: return .failed(fault.text ?? "damaged")
      }
    }
  }
}
