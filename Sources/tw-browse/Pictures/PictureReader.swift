import Libc
import TweetCore
import TweetDisplay

/// Reads and draws pictures in a thread of its own: a key never waits for one.
final class PictureReader: Sendable {
  /// How the terminal shows pictures.
  struct Way: Sendable, Equatable {
    let shown: PictureProtocol
    let cell: CellSize
    let isTrueColour: Bool
  }

  private let folder: PictureFolder
  private let requests: Mailbox<(Way, ReservedPicture)>
  private let answers: Mailbox<(Way, ReservedPicture, PictureRenderer.Drawing)>

  /// Starts the thread.
  init(_ folder: PictureFolder) throws(ToolError) {
    self.folder = folder
    requests = try Mailbox(waits: true)
    answers = try Mailbox(waits: false)
    let failure = startThread { [self] in run() }
    if failure != 0 { throw .inputOutput("cannot start a thread: \(describe(errno: failure))") }
  }

  /// For poll(2).
  var descriptor: Int32 { answers.descriptor }

  func ask(_ way: Way, _ place: ReservedPicture) { requests.put((way, place)) }

  /// What was drawn since.
  func takeAnswers() -> [(Way, ReservedPicture, PictureRenderer.Drawing)] { answers.takeAll() }

  private func run() {
    var renderer: (way: Way, renderer: PictureRenderer)?
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
