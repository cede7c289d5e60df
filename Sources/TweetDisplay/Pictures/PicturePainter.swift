import TweetCore

/// Draws pictures as sixels and in symbols, by libraries that are loaded for the first one.
final class PicturePainter {
  private let isTrueColour: Bool
  private let note: (String) -> Void
  private var libraries: (decoder: PNGDecoder, canvas: ChafaCanvas)?
  private var isMissing = false

  /// - Parameter note: tells a person which package is missing. It is called once at most.
  init(isTrueColour: Bool, note: @escaping (String) -> Void) {
    self.isTrueColour = isTrueColour
    self.note = note
  }

  /// What draws a picture.
  /// - Parameter shown: sixel, or symbols.
  /// - Returns: `nil` if the file is damaged or a library is missing.
  func paint(
    _ picture: SmallPicture, _ shown: PictureProtocol, on area: PictureArea, cell: CellSize
  ) -> PictureDrawing? {
    let isSixel = shown == .sixel
    guard let (decoder, canvas) = load(isSixel ? .sixel : .symbols(isTrueColour: isTrueColour), cell: cell),
      let pixels = decoder.pixels(of: picture), let text = canvas.draw(pixels, of: picture, on: area)
    else { return nil }
    if isSixel {
      // The cursor is saved and restored (DECSC, DECRC): terminals differ in where a sixel leaves it.
      return .overlay(Array("\u{1B}7".utf8) + text + Array("\u{1B}8".utf8), area)
    }
    let rows = text.split(separator: UInt8(ascii: "\n")).map { Array($0) }
    return rows.count == area.rows ? .cells(rows, columns: area.columns) : nil
  }

  private func load(_ mode: ChafaCanvas.Mode, cell: CellSize) -> (decoder: PNGDecoder, canvas: ChafaCanvas)? {
    if let libraries { return libraries }
    if isMissing { return nil }
    let decoder = PNGDecoder()
    let canvas = ChafaCanvas(mode, cell: cell)
    if let decoder, let canvas {
      libraries = (decoder, canvas)
      return libraries
    }
    isMissing = true
    let packages = [canvas == nil ? "libchafa0" : nil, decoder == nil ? "libspng0" : nil].compactMap { $0 }
    note(
      "pictures cannot be drawn without the package \(packages.joined(separator: " and ")); '--pictures none' shows none"
    )
    return nil
  }
}
