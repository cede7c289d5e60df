import Libc
import TweetCore
import TweetStore

/// Reads the store in a thread of its own, so that a key is answered while the store is busy.
///
/// Requests are carried out in order. Answers wait until ``takeAnswers()``; ``descriptor`` becomes readable when there
/// are any.
final class StoreReader: Sendable {
  private let path: String
  private let requests: Mailbox<StoreRequest>
  private let answers: Mailbox<StoreAnswer>

  /// Starts the thread.
  /// - Parameter path: of the store, which need not be there yet.
  init(_ path: String) throws(ToolError) {
    self.path = path
    requests = try Mailbox(waits: true)
    answers = try Mailbox(waits: false)
    let failure = startThread { [self] in run() }
    if failure != 0 { throw .inputOutput("cannot start a thread: \(describe(errno: failure))") }
  }

  /// For poll(2).
  var descriptor: Int32 { answers.descriptor }

  /// Asks for something. The answer comes later.
  func ask(_ request: StoreRequest) { requests.put(request) }

  /// The answers that have come since.
  func takeAnswers() -> [StoreAnswer] { answers.takeAll() }

  // MARK: In the thread

  private func run() {
    // They outlive a store that cannot be read for a while.
    var lists: [Int: (source: ListSource, place: Place?)] = [:]
    // Whether the store that is opened next is another one than that before.
    var isAnother = false
    func next() -> [StoreRequest] {
      let taken = requests.takeAll()
      note(taken, &lists)
      return taken
    }
    var asked = next()
    while true {
      do throws(ToolError) {
        if try TweetStore.isThere(path) {
          if isAnother { answers.put(.replaced) }
          isAnother = false
          var session = try StoreSession(try TweetStore(path, .readOnly)) { self.answers.put($0) }
          for (list, source) in lists.sorted(by: { $0.key < $1.key }) {
            try session.carryOut([.open(list: list, source.source, source.place)])
          }
          asked.removeAll { if case .open = $0 { true } else { false } }
          while !isAnother {
            try session.carryOut(asked)
            asked = next()
            isAnother = asked.contains { if case .reopen = $0 { true } else { false } }
          }
          continue
        }
        answers.put(.missing)
      } catch {
        answers.put(.failed(list: nil, error.message ?? ""))
      }
      asked = next()
    }
  }

  /// Keeps the lists that are shown.
  private func note(_ requests: [StoreRequest], _ lists: inout [Int: (source: ListSource, place: Place?)]) {
    for request in requests {
      if case .open(let list, let source, let place) = request { lists[list] = (source, place) }
      if case .close(let list) = request { lists[list] = nil }
    }
  }
}
