import Libc
import Synchronization
import TweetCore

/// A thread that is asked for what takes its time: a key never waits for it.
final class Worker<Request: Sendable, Answer: Sendable>: Sendable {
  private let requests: Mailbox<Request>
  private let answers: Mailbox<Answer>

  /// Starts the thread.
  /// - Parameter work: takes requests, which it waits for, and puts answers; it does not return.
  init(_ work: @escaping @Sendable (Mailbox<Request>, Mailbox<Answer>) -> Void) throws(ToolError) {
    let (requests, answers) = (try Mailbox<Request>(waits: true), try Mailbox<Answer>(waits: false))
    (self.requests, self.answers) = (requests, answers)
    let failure = startThread { work(requests, answers) }
    if failure != 0 { throw .inputOutput("cannot start a thread: \(describe(errno: failure))") }
  }

  /// For poll(2): readable when there are answers.
  var descriptor: Int32 { answers.descriptor }

  /// Asks for something. Requests are carried out in order; the answer comes later.
  func ask(_ request: Request) { requests.put(request) }

  /// The answers that have come since.
  func takeAnswers() -> [Answer] { answers.takeAll() }
}

/// What one thread hands to another, in order.
final class Mailbox<Item: Sendable>: Sendable {
  private let items = Mutex<[Item]>([])
  private let pipe: (reading: Int32, writing: Int32)

  /// - Parameter waits: whether ``takeAll()`` waits until there is something.
  init(waits: Bool) throws(ToolError) {
    pipe = try makePipe()
    if !waits { _ = fcntl(pipe.reading, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    close(pipe.reading)
    close(pipe.writing)
  }

  /// For poll(2): readable when there is something.
  var descriptor: Int32 { pipe.reading }

  func put(_ item: Item) {
    let wasEmpty = items.withLock { list in
      list.append(item)
      return list.count == 1
    }
    guard wasEmpty else { return }
    var byte: UInt8 = 1
    _ = write(pipe.writing, &byte, 1)
  }

  /// All that was put in since.
  func takeAll() -> [Item] {
    // A pipe that cannot be read has nothing.
    do throws(ToolError) { _ = try readSome(pipe.reading, name: "a pipe") } catch { return [] }
    return items.withLock { list in
      defer { list = [] }
      return list
    }
  }
}
