import Libc
import Synchronization
import TweetCore
import TweetStore

/// Reads the store in a thread of its own, so that a key is answered while the store is busy.
///
/// Requests are carried out in order. Answers wait until ``takeAnswers()``; ``descriptor`` becomes readable when there are any.
final class StoreReader: Sendable {
  private let path: String
  private let requests = Mutex<[StoreRequest]>([])
  private let answers = Mutex<[StoreAnswer]>([])
  private let asked: (reading: Int32, writing: Int32)
  private let answered: (reading: Int32, writing: Int32)

  /// Starts the thread.
  /// - Parameter path: of the store, which need not be there yet.
  init(_ path: String) throws(ToolError) {
    self.path = path
    asked = try makePipe()
    answered = try makePipe()
    _ = fcntl(answered.reading, F_SETFL, O_NONBLOCK)
    let failure = startThread { [self] in run() }
    if failure != 0 { throw .inputOutput("cannot start a thread: \(describe(errno: failure))") }
  }

  /// For poll(2).
  var descriptor: Int32 { answered.reading }

  /// Asks for something. The answer comes later.
  func ask(_ request: StoreRequest) {
    let wasEmpty = requests.withLock { list in
      list.append(request)
      return list.count == 1
    }
    if wasEmpty { Self.wake(asked.writing) }
  }

  /// The answers that have come since.
  func takeAnswers() -> [StoreAnswer] {
    Self.drain(answered.reading)
    return answers.withLock { list in
      defer { list = [] }
      return list
    }
  }

  private func answer(_ answer: StoreAnswer) {
    let wasEmpty = answers.withLock { list in
      list.append(answer)
      return list.count == 1
    }
    if wasEmpty { Self.wake(answered.writing) }
  }

  private func takeRequests() -> [StoreRequest] {
    Self.drain(asked.reading)
    return requests.withLock { list in
      defer { list = [] }
      return list
    }
  }

  private static func wake(_ descriptor: Int32) {
    var byte: UInt8 = 1
    _ = write(descriptor, &byte, 1)
  }

  /// Reads what is there, and waits for something if the descriptor waits.
  private static func drain(_ descriptor: Int32) {
    do throws(ToolError) { _ = try readSome(descriptor, name: "a pipe") } catch { return }
  }

  // MARK: In the thread

  private func run() {
    // They outlive a store that cannot be read for a while.
    var lists: [Int: (source: ListSource, place: Place?)] = [:]
    while true {
      let first = takeRequests()
      note(first, &lists)
      do throws(ToolError) {
        guard try TweetStore.isThere(path) else {
          answer(.missing)
          continue
        }
        var session = try StoreSession(try TweetStore(path, .readOnly)) { self.answer($0) }
        for (list, source) in lists.sorted(by: { $0.key < $1.key }) {
          try session.carryOut([.open(list: list, source.source, source.place)])
        }
        while true {
          let requests = takeRequests()
          note(requests, &lists)
          try session.carryOut(requests)
        }
      } catch {
        answer(.failed(list: nil, error.message ?? ""))
      }
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
