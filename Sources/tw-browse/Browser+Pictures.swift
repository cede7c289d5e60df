import Libc
import TweetCLI
import TweetCore
import TweetDisplay

/// The pictures of what is on the screen.
extension Browser {
  /// Milliseconds after which a terminal that was asked what it shows counts as one that shows nothing of its own.
  private static let patience = 1_000

  /// Finds out how the terminal shows pictures, or begins to.
  func preparePictures() {
    switch look.way {
    case nil: return
    case .known(let shown): setPictures(shown)
    case .automatic(mayAsk: true, otherwise: _): question = (TerminalAnswers(), MonotonicClock.milliseconds)
    case .automatic(mayAsk: false, let otherwise): setPictures(otherwise)
    }
    if question != nil { terminal.ask() }
  }

  /// Reads answers of the terminal, if it was asked.
  /// - Returns: what a person has typed.
  func takeAnswers(from bytes: [UInt8]) -> [UInt8] {
    guard question != nil else { return bytes }
    question?.answers.append(bytes)
    let keys = question?.answers.takeKeys() ?? []
    decidePictures()
    return keys
  }

  /// Decides how pictures are shown when the terminal has answered, or takes too long.
  func decidePictures() {
    guard let (answers, since) = question, case .automatic(_, let otherwise) = look.way else { return }
    guard answers.isComplete || MonotonicClock.milliseconds - since > Self.patience else { return }
    question = nil
    cell = answers.cell
    setPictures(answers.pictures ?? otherwise)
  }

  /// Waits for answers that are under way: a shell would take them for what a person types.
  func awaitAnswers() {
    guard let since = question?.since else { return }
    while let answers = question?.answers, !answers.isComplete {
      let left = since + Self.patience - MonotonicClock.milliseconds
      var entry = pollfd(fd: terminal.descriptor, events: Int16(POLLIN), revents: 0)
      guard left > 0, poll(&entry, 1, Int32(left)) > 0,
        let bytes = try? readSome(terminal.descriptor, name: "the terminal"), !bytes.isEmpty
      else { return }
      question?.answers.append(bytes)
    }
  }

  private func setPictures(_ shown: PictureProtocol?) {
    look.pictures?.set(shown, cell: terminal.cell ?? cell ?? .usual)
  }

  /// After the size of the terminal has changed, that of its letters may have.
  func fitPictures() {
    if let way = look.pictures?.way { setPictures(way.shown) }
  }

  /// What is drawn over the rows that were painted last.
  func overlays(_ pictures: [PlacedPicture]) -> [PictureLayer.Wanted] {
    let rows = layout.body
    return pictures.compactMap { picture in
      look.pictures?.overlay(of: picture.place).map {
        PictureLayer.Wanted(picture: picture, overlay: $0, rows: rows)
      }
    }
  }

  // MARK: Fetching

  /// Has the kit's own tool fetch what is not there of the pictures on the screen: those of the tweet that is read, and
  /// the authors' of the lists. One command of each kind runs; of what was on the screen meanwhile, only what is there
  /// then is asked for.
  func fetchPictures() {
    if painter.lacksPictures, let key = screen.list.selected { fetch([key], withMedia: true) }
    fetch(painter.withoutAvatars, withMedia: false)
  }

  private func fetch(_ keys: [Int], withMedia: Bool) {
    guard !fetches.contains(where: { $0.withMedia == withMedia }) else { return }
    let documents = keys.compactMap { records.entry($0)?.picturedDocument }
    if documents.isEmpty { return }
    do throws(ToolError) {
      var lines: [UInt8] = []
      for document in documents { document.read { lines += Array($0.raw) + [0x0A] } }
      let file = try UnnamedFile.holding(lines)
      let command = try BackgroundCommand(
        [tools.pictures(withMedia: withMedia)], reading: file.descriptor, readsOutput: true)
      fetches.append(AvatarRun(command: command, documents: documents, withMedia: withMedia))
    } catch {
      for document in documents { note(unfetched: document, withMedia: withMedia, error.message ?? "not fetched") }
    }
  }

  /// Takes what the tool has found.
  func readFetched() {
    for (index, fetch) in fetches.enumerated().reversed() {
      let ending = fetch.command.read()
      for line in fetch.command.takeLines() {
        // Its lines are records of the kit.
        guard let record = try? JSONDocument(line) else { continue }
        record.read { note(fetched: $0) }
      }
      guard ending != nil else { continue }
      fetches.remove(at: index)
      let reason = fetch.command.lastWords ?? "not fetched"
      for document in fetch.documents { note(unfetched: document, withMedia: fetch.withMedia, reason) }
    }
  }

  private func note(fetched record: JSONValue) {
    for (address, result) in PictureAddresses(record).found {
      if let result { look.pictures?.take(result, of: address) }
    }
  }

  /// What the tool has said nothing of stays as it is, with a reason.
  private func note(unfetched document: JSONDocument, withMedia: Bool, _ reason: String) {
    document.read { record in
      for (address, _) in PictureAddresses(record, withMedia: withMedia).found {
        look.pictures?.giveUp(address, reason)
      }
    }
  }
}

/// A run of tw-avatar for tweets on the screen.
struct AvatarRun {
  let command: BackgroundCommand
  let documents: [JSONDocument]
  /// Whether photos are fetched as well as authors' pictures.
  let withMedia: Bool
}

/// The addresses of the pictures of a tweet and of those in it, or of a notification, with what tw-avatar has found out
/// about each.
private struct PictureAddresses {
  /// tw-avatar follows so many levels of references.
  private static let deepest = 4

  private(set) var found: [(address: String, result: ScreenPictures.Fetched?)] = []
  private let withMedia: Bool

  init(_ record: JSONValue, withMedia: Bool = true) {
    self.withMedia = withMedia
    if record["tw"]?.equals("notification") == true {
      if let user = record["user"] { add(AuthorFields(user).pictureAddress, user["avatar"]) }
      if let tweet = record["tweet"] { add(tweet, depth: 0) }
    } else {
      add(record, depth: 0)
    }
  }

  private mutating func add(_ tweet: JSONValue, depth: Int) {
    if let author = tweet["author"] {
      add(AuthorFields(author).pictureAddress, author["avatar"])
    }
    if withMedia, let media = tweet["attachments"]?["media"] {
      for medium in media.elements where medium.isObject {
        add(MediaFields(medium).pictureAddress, medium["picture"])
      }
    }
    guard depth < Self.deepest, let references = tweet["referenced_tweets"] else { return }
    for reference in references.elements { add(reference, depth: depth + 1) }
  }

  private mutating func add(_ address: JSONValue?, _ result: JSONValue?) {
    guard let address = address?.string else { return }
    found.append((address, result.flatMap { Self.fetched($0) }))
  }

  private static func fetched(_ result: JSONValue) -> ScreenPictures.Fetched? {
    if let key = PictureKey(result["key"]) { return .key(key) }
    if let error = result["error"]?.string { return .failure(error) }
    return result["default"]?.bool == true ? .standard : nil
  }
}
