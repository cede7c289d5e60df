import Libc
import TweetCore
import TweetDisplay

/// Finds out how the terminal shows pictures.
final class PictureSetup {
  /// Milliseconds after which a terminal that was asked what it shows counts as one that shows nothing of its own.
  private static let patience = 1_000

  private let look: ScreenStyle
  private let terminal: TerminalScreen
  /// What the terminal was asked, while its answer is awaited, and since when.
  private var question: (answers: TerminalAnswers, since: Int)?
  /// The size of its cells, as it answered.
  private var cell: CellSize?

  init(_ look: ScreenStyle, _ terminal: TerminalScreen) { (self.look, self.terminal) = (look, terminal) }

  /// Finds it out, or begins to.
  func begin() {
    switch look.way {
    case nil: return
    case .known(let shown): set(shown)
    case .automatic(mayAsk: true, otherwise: _):
      question = (TerminalAnswers(), MonotonicClock.milliseconds)
      terminal.ask()
    case .automatic(mayAsk: false, let otherwise): set(otherwise)
    }
  }

  /// Reads answers of the terminal, if it was asked.
  /// - Returns: what a person has typed.
  func take(_ bytes: [UInt8]) -> [UInt8] {
    guard question != nil else { return bytes }
    question?.answers.append(bytes)
    let keys = question?.answers.takeKeys() ?? []
    decide()
    return keys
  }

  /// Decides when the terminal has answered, or takes too long.
  func decide() {
    guard let (answers, since) = question, case .automatic(_, let otherwise) = look.way else { return }
    guard answers.isComplete || MonotonicClock.milliseconds - since > Self.patience else { return }
    question = nil
    cell = answers.cell
    set(answers.pictures ?? otherwise)
  }

  /// Waits for answers that are under way: a shell would take them for what a person types.
  func awaitAnswers() {
    while let since = question?.since {
      let left = since + Self.patience - MonotonicClock.milliseconds
      var entry = pollfd(fd: terminal.descriptor, events: Int16(POLLIN), revents: 0)
      guard left > 0, poll(&entry, 1, Int32(left)) > 0,
        let bytes = try? readSome(terminal.descriptor, name: "the terminal"), !bytes.isEmpty
      else { return }
      _ = take(bytes)
    }
  }

  /// After the size of the terminal has changed, that of its letters may have.
  func fit() { if let way = look.pictures?.way { set(way.shown) } }

  private func set(_ shown: PictureProtocol?) {
    look.pictures?.set(shown, cell: terminal.cell ?? cell ?? .usual)
  }
}
