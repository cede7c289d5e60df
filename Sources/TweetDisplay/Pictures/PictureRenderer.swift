package import TweetCore

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

/// A picture by iTerm2's protocol (<https://iterm2.com/documentation-images.html>): the file itself, drawn once.
package enum InlinePicture {
  /// Appends the sequence, within those that save and restore the cursor (DECSC, DECRC): terminals differ in where they
  /// leave it.
  package static func append(_ picture: SmallPicture, _ area: PictureArea, to output: inout ByteBuffer) {
    output.append("\u{1B}7\u{1B}]1337;File=inline=1;size=")
    output.append(decimal: picture.png.count)
    output.append(";width=")
    output.append(decimal: area.columns)
    output.append(";height=")
    output.append(decimal: area.rows)
    output.append(";preserveAspectRatio=0:")
    output.append(base64: picture.png)
    output.append("\u{07}\u{1B}8")
  }
}

/// How a person wants pictures to be shown.
package enum PictureOption: String, CaseIterable, Sendable {
  case auto, kitty, iterm2, sixel, symbols, none

  /// How pictures are shown then; `nil` for not at all.
  package func way(
    _ features: TerminalFeatures, _ colours: TerminalStyle.Colours, isASCII: Bool
  ) -> TerminalPictures.Way? {
    switch self {
    case .none: return nil
    case .kitty: return .known(.kitty)
    case .iterm2: return .known(.iterm2)
    case .sixel: return .known(.sixel)
    case .symbols: return .known(.symbols)
    case .auto: break
    }
    guard features.isTerminal, colours != .none else { return nil }
    let otherwise: PictureProtocol? = colours == .many && !isASCII ? .symbols : nil
    return .automatic(mayAsk: features.mayAsk, otherwise: otherwise)
  }
}
