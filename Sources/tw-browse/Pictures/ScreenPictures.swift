import TweetCore
import TweetDisplay

/// The pictures of the tweets that are shown: what is known of each, and what stands in its place meanwhile.
///
/// A place has its size before the picture is there, so nothing moves when it comes.
final class ScreenPictures: PictureSource {
  /// The largest that a photo becomes: one alone, one of several.
  private static let largest = (alone: PictureArea(columns: 40, rows: 14), among: PictureArea(columns: 28, rows: 8))
  /// On fewer columns there are no photos.
  private static let narrowest = 16
  /// More drawings are not kept; one has some 20 kB.
  private static let mostKept = 200
  /// More addresses are not remembered.
  private static let mostAddresses = 10_000

  private enum State {
    case asked
    case drawn(PictureRenderer.Drawing)
  }

  /// What the kit's own tool has found out about a picture.
  enum Fetched: Equatable {
    case key(PictureKey)
    /// Why there is none.
    case failure(String)
    /// The service's own picture for people without one.
    case standard
  }

  private let reader: PictureReader
  private let style: TerminalStyle
  private let isTrueColour: Bool
  private(set) var way: PictureWay?
  private var states: [ReservedPicture: State] = [:]
  private var fetched: [String: Fetched] = [:]
  /// Whether something that was laid out is not there.
  private var isIncomplete = false
  /// Whether pictures may be fetched.
  var isOnline = false

  init(_ folder: PictureFolder, _ style: TerminalStyle, isTrueColour: Bool) throws(ToolError) {
    reader = try PictureReader(folder)
    (self.style, self.isTrueColour) = (style, isTrueColour)
  }

  /// For poll(2).
  var descriptor: Int32 { reader.descriptor }

  /// Learns how the terminal shows pictures; `nil` for not at all. What was drawn otherwise is drawn anew.
  func set(_ shown: PictureProtocol?, cell: CellSize) {
    let new = shown.map { PictureWay(shown: $0, cell: cell, isTrueColour: isTrueColour) }
    if new == way { return }
    (way, states) = (new, [:])
  }

  /// Takes what the thread has drawn.
  func takeAnswers() {
    for (way, place, drawing) in reader.takeAnswers() where way == self.way {
      if states.count >= Self.mostKept { states = states.filter { if case .asked = $0.value { true } else { false } } }
      states[place] = .drawn(drawing)
    }
  }

  /// Learns what became of a picture that was fetched.
  func take(_ result: Fetched, of address: String) {
    if fetched.count >= Self.mostAddresses { fetched = [:] }
    fetched[address] = result
    guard case .key(let key) = result else { return }
    // What was missing may be there now.
    states = states.filter { place, state in
      if place.key == key, case .drawn(.missing) = state { return false }
      return true
    }
  }

  /// Nothing will come of an address of which nothing is known.
  func giveUp(_ address: String, _ reason: String) {
    if fetched[address] == nil { take(.failure(reason), of: address) }
  }

  /// Whether what was laid out since the last question has pictures that nobody has fetched.
  func takeIncomplete() -> Bool {
    defer { isIncomplete = false }
    return isIncomplete && isOnline
  }

  /// What is drawn over the cells of a place, and on which of them; `nil` for nothing.
  func overlay(of place: ReservedPicture) -> PictureOverlay? {
    switch states[place] {
    case .drawn(.picture(let picture, let area)): PictureOverlay(content: .kitty(picture), area: area)
    case .drawn(.sequence(let bytes, let area)): PictureOverlay(content: .sequence(bytes), area: area)
    default: nil
    }
  }

  // MARK: For the rows

  var avatarArea: PictureArea? { way == nil ? nil : .avatar }
  var saysWhy: Bool { way == nil || isOnline }

  func drawing(of author: AuthorFields) -> PictureDrawing? { drawing(of: author, in: .avatar) }

  /// What draws an author's picture in so many cells; `nil` for initials.
  func drawing(of author: AuthorFields, in area: PictureArea) -> PictureDrawing? {
    guard way != nil else { return nil }
    let known = author.pictureAddress?.string.flatMap { fetched[$0] }
    let key: PictureKey
    switch known ?? PictureKey(author.picture).map(Fetched.key) {
    case .key(let found)?: key = found
    case .failure?, .standard?: return nil
    case nil:
      if author.pictureAddress != nil { isIncomplete = true }
      return nil
    }
    let place = ReservedPicture(key: key, kind: .avatar, area: area)
    switch state(of: place, mayCome: known == nil && author.pictureAddress != nil) {
    case .asked, .drawn(.missing), .drawn(.failed): return nil
    case .drawn(let drawing): return cells(drawing, in: place) ?? .reserved(place)
    }
  }

  func drawing(of media: MediaFields, among count: Int, room: Int) -> PictureDrawing? {
    guard let way, room >= Self.narrowest, media.kind == .photo || media.pictureAddress != nil else { return nil }
    let address = media.pictureAddress?.string
    let known = address.flatMap { fetched[$0] }
    let largest = count > 1 ? Self.largest.among : Self.largest.alone
    let within = PictureArea(columns: min(largest.columns, room), rows: largest.rows)
    let area = media.size.map { within.fitting($0.width, $0.height, cell: way.cell) } ?? within
    let key: PictureKey
    switch known ?? PictureKey(media.picture).map(Fetched.key) {
    case .key(let found)?: key = found
    case .failure(let reason)?: return box(area, Self.words(reason))
    case .standard?: return box(area, "no picture")
    case nil:
      // Nothing will come: a row says so.
      guard isOnline, address != nil else { return nil }
      if let error = media.pictureError?.string { return box(area, Self.words(error)) }
      isIncomplete = true
      return box(area, nil)
    }
    let place = ReservedPicture(key: key, kind: .photo, area: area)
    switch state(of: place, mayCome: known == nil && address != nil) {
    case .asked: return box(area, nil)
    case .drawn(.missing): return box(area, "not cached")
    case .drawn(.failed(let reason)): return box(area, reason)
    case .drawn(let drawing): return cells(drawing, in: place) ?? .reserved(place)
    }
  }

  func append(_ placement: KittyPictures.Placement, to output: inout ByteBuffer) {}

  /// - Parameter mayCome: whether it can be fetched, and was not.
  private func state(of place: ReservedPicture, mayCome: Bool) -> State {
    if let state = states[place] {
      if case .drawn(.missing) = state, mayCome { isIncomplete = true }
      return state
    }
    guard let way else { return .asked }
    states[place] = .asked
    reader.ask((way, place))
    return .asked
  }

  // MARK: Cells

  /// The cells of a picture in symbols, as many as its place has; `nil` for what is drawn over cells.
  private func cells(_ drawing: PictureRenderer.Drawing, in place: ReservedPicture) -> PictureDrawing? {
    guard case .cells(var rows, let area) = drawing else { return nil }
    let rest = [UInt8](repeating: 0x20, count: max(place.area.columns - area.columns, 0))
    for index in rows.indices { rows[index] += rest }
    while rows.count < place.area.rows { rows.append([UInt8](repeating: 0x20, count: place.area.columns)) }
    return .cells(rows, columns: place.area.columns)
  }

  /// Empty cells with a text in them: why nothing is there; `nil` while it is on its way.
  private func box(_ area: PictureArea, _ reason: String?) -> PictureDrawing {
    var rows: [[UInt8]] = []
    let middle = (area.rows - 1) / 2
    for row in 0..<area.rows {
      var line = ByteBuffer(capacity: area.columns + 16)
      // A line at the left shows where the place is.
      line.append(style.glyphs.border)
      let text = row == middle ? " " + (reason ?? style.glyphs.loading.description) : ""
      text.withBytes { Printable.append($0, to: &line) }
      line.cut(from: 0, most: area.columns, ellipsis: style.glyphs.ellipsis)
      let rest = area.columns - line.withBytes { DisplayWidth.of($0) }
      for _ in 0..<max(rest, 0) { line.append(UInt8(ascii: " ")) }
      let colour = style.colours == .none ? ("", "") : ("\u{1B}[2m", "\u{1B}[0m")
      rows.append(Array(colour.0.utf8) + line.array + Array(colour.1.utf8))
    }
    return .cells(rows, columns: area.columns)
  }

  /// What is said for a code of tw-avatar.
  private static func words(_ code: String) -> String {
    switch code {
    case "no-decoder": "its decoder is missing"
    default: code.split(separator: "-").joined(separator: " ")
    }
  }
}

/// What is drawn over cells of the screen.
struct PictureOverlay {
  enum Content {
    case kitty(SmallPicture)
    /// A sequence that draws it at the cursor.
    case sequence([UInt8])
  }

  let content: Content
  let area: PictureArea
}

/// Reads and draws pictures.
private typealias PictureReader = Worker<
  (PictureWay, ReservedPicture), (PictureWay, ReservedPicture, PictureRenderer.Drawing)
>

/// How the terminal shows pictures.
struct PictureWay: Sendable, Equatable {
  let shown: PictureProtocol
  let cell: CellSize
  let isTrueColour: Bool
}

extension PictureReader {
  fileprivate convenience init(_ folder: PictureFolder) throws(ToolError) {
    try self.init { requests, answers in
      var renderer: (way: PictureWay, renderer: PictureRenderer)?
      while true {
        for (way, place) in requests.takeAll() {
          if renderer?.way != way {
            renderer = (way, PictureRenderer(folder, way.shown, way.cell, isTrueColour: way.isTrueColour))
          }
          if let drawing = renderer?.renderer.draw(place) { answers.put((way, place, drawing)) }
        }
      }
    }
  }
}
