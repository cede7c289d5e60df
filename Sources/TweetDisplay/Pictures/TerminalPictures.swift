import Libc
package import TweetCore

/// The pictures of authors and tweets on a terminal.
///
/// What draws a picture is kept, so that the next tweet of an author costs little. The terminal is asked what it can
/// only when there may be a picture.
package final class TerminalPictures: PictureSource {
  /// How it is known what the terminal can.
  package enum Way {
    case known(PictureProtocol)
    /// It is found out when there are pictures. `otherwise` is for terminals that may not be asked, or have no protocol
    /// of their own.
    case automatic(mayAsk: Bool, otherwise: PictureProtocol?)
  }

  /// On a lower screen a picture would not stay beside its text.
  private static let lowestScreen = 8
  /// The largest that a photo becomes.
  private static let largestPhoto = PictureArea(columns: 32, rows: 16)
  /// On fewer columns there are no photos.
  private static let narrowestPhoto = 16
  /// What is kept of sequences, in bytes.
  private static let mostKept = 8 << 20

  private let folder: PictureFolder
  private let way: Way
  private let painter: PicturePainter
  /// What is shown; `nil` as long as nobody was asked, and if the terminal has no pictures.
  private var protocolShown: PictureProtocol?
  private var isDecided = false
  private var cell = CellSize.usual
  private var kitty = KittyPictures()
  private var question: TerminalQuestion?
  private var kept: [PictureKey: PictureDrawing] = [:]
  private var keptBytes = 0

  /// - Parameters:
  ///   - isTrueColour: whether symbols may have colours of 24 bits.
  ///   - note: tells a person what is missing. It is called once at most.
  package init(_ folder: PictureFolder, _ way: Way, isTrueColour: Bool, note: @escaping (String) -> Void) {
    self.folder = folder
    self.way = way
    painter = PicturePainter(isTrueColour: isTrueColour, note: note)
    if case .known(let known) = way {
      (protocolShown, isDecided) = (known, true)
      cell = Self.screen?.cell ?? cell
    }
  }

  // MARK: The terminal

  /// Finds out what the terminal can, if that is not known and there are pictures.
  /// - Parameter tweet: the one that is shown next.
  package func prepare(for tweet: TweetFields) {
    _ = readLateAnswer()
    if !isDecided { prepare(mayHavePicture: tweet.author.picture ?? tweet.retweeted?.author.picture) }
  }

  /// The same for a profile.
  package func prepare(for author: AuthorFields) {
    _ = readLateAnswer()
    if !isDecided { prepare(mayHavePicture: author.picture) }
  }

  private func prepare(mayHavePicture key: JSONValue?) {
    guard case .automatic(let mayAsk, let otherwise) = way, PictureKey(key) != nil || folder.exists else { return }
    isDecided = true
    let screen = Self.screen
    if let screen, screen.rows > 0, screen.rows < Self.lowestScreen { return }
    question = mayAsk ? TerminalQuestion() : nil
    protocolShown = question?.answers.pictures ?? otherwise
    cell = screen?.cell ?? question?.answers.cell ?? cell
    if question?.answers.isComplete == true { question = nil }
  }

  /// Asks the terminal which protocol of its own it has; `nil` if it has none, or does not answer.
  package static func ask() -> PictureProtocol? {
    var question = TerminalQuestion()
    question?.waitForLateAnswer()
    return question?.answers.pictures
  }

  /// Reads what has come of a late answer.
  /// - Returns: the milliseconds after which to call it again; `nil` if no answer is missing.
  package func readLateAnswer() -> Int32? {
    guard question != nil else { return nil }
    let left = question?.readLateAnswer()
    if left == nil { question = nil }
    return left
  }

  /// Leaves the terminal as it was. A late answer is waited for, since a shell would take it for what a person types.
  package func finish() {
    question?.waitForLateAnswer()
    question = nil
  }

  /// Draws all pictures anew, since the screen was cleared.
  package func forget() { kitty.forget() }

  /// The rows of the screen, 0 where that is not known, and the size of its cells.
  private static var screen: (rows: Int, cell: CellSize?)? {
    var size = winsize()
    guard isatty(1) == 1, ioctl(1, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
    guard size.ws_col > 0, size.ws_row > 0 else { return (Int(size.ws_row), nil) }
    return (Int(size.ws_row), CellSize(Int(size.ws_xpixel / size.ws_col), Int(size.ws_ypixel / size.ws_row)))
  }

  // MARK: Pictures

  /// The cells of an author's picture; `nil` if pictures are not shown.
  package var avatarArea: PictureArea? { protocolShown == nil ? nil : .avatar }

  /// A row below says it.
  package var saysWhy: Bool { false }

  /// What draws an author's picture; `nil` if there is none.
  package func drawing(of author: AuthorFields) -> PictureDrawing? {
    guard let shown = protocolShown, let key = PictureKey(author.picture) else { return nil }
    if shown == .kitty { return kittyDrawing(of: key, .avatar, within: .avatar) }
    if let drawing = kept[key] { return drawing }
    guard let drawing = draw(key, .avatar, within: .avatar) else { return nil }
    if keptBytes >= Self.mostKept {
      kept.removeAll()
      keptBytes = 0
    }
    kept[key] = drawing
    keptBytes += drawing.bytes
    return drawing
  }

  /// What draws a photo; `nil` if there is none.
  package func drawing(of media: MediaFields, among count: Int, room: Int) -> PictureDrawing? {
    guard let shown = protocolShown, room >= Self.narrowestPhoto, let key = PictureKey(media.picture) else {
      return nil
    }
    // All of it must be on the screen when it is drawn.
    let most = Self.screen.map { $0.rows > 0 ? $0.rows - 4 : .max } ?? .max
    let area = PictureArea(
      columns: min(Self.largestPhoto.columns, room), rows: max(1, min(Self.largestPhoto.rows, most)))
    return shown == .kitty ? kittyDrawing(of: key, .photo, within: area) : draw(key, .photo, within: area)
  }

  private func kittyDrawing(
    of key: PictureKey, _ kind: PictureFolder.Kind, within area: PictureArea
  ) -> PictureDrawing? {
    kitty.placement(of: key, kind, fit: { area.fitting($0, $1, cell: cell) }) { folder.read(key, kind) }
      .map { .placed($0) }
  }

  /// Appends what shows a placed picture at the cursor.
  package func append(_ placement: KittyPictures.Placement, to output: inout ByteBuffer) {
    kitty.append(placement, to: &output) { folder.read(placement.key, placement.kind) }
  }

  private func draw(_ key: PictureKey, _ kind: PictureFolder.Kind, within area: PictureArea) -> PictureDrawing? {
    guard let shown = protocolShown, let picture = folder.read(key, kind) else { return nil }
    let area = area.fitting(picture.width, picture.height, cell: cell)
    guard shown == .iterm2 else { return painter.paint(picture, shown, on: area, cell: cell) }
    var sequence = ByteBuffer(capacity: picture.png.count * 4 / 3 + 128)
    InlinePicture.append(picture, area, to: &sequence)
    return .overlay(sequence.array, area)
  }
}
