import Dispatch
import Libc
import Synchronization
import TweetCore
import TweetShapes

/// A copy of a bad piece of a segment. Its line is counted from the segment's start.
struct HeldBadRecord: Sendable {
  let bytes: [UInt8]
  let line: Int
  let reason: String?

  init(_ piece: BadRecord) {
    (bytes, line, reason) = (Array(piece.bytes), piece.line, piece.reason)
  }
}

/// A part of an input that is parsed by itself, and then its records and bad pieces.
///
/// It is unchecked Sendable because the compiler cannot see that it has one owner at a time: the reader fills
/// ``source`` and passes it on under the queue's lock; a worker adds the rest, and passes it back by ``isFinished``.
final class Segment: @unchecked Sendable {
  /// Whole lines of the input.
  var source = ByteBuffer(capacity: 2 << 20)
  /// What the documents before say about those of the segment, as far as the reader can see; then what is true after
  /// them.
  var startState = MapperState()
  var endState = MapperState()
  var output = ByteBuffer(capacity: 2 << 20)
  var bad: [HeldBadRecord] = []
  var good = 0
  var lines = 0
  var summary = ParseSummary()
  /// Whether it cannot be parsed by itself: it depends on what comes before or after it.
  var needsOrder = false
  /// Whether a worker is done with it.
  let isFinished = Atomic<Bool>(false)

  /// Prepares it for other records, with the same source.
  func removeRecords() {
    output.removeAll()
    bad.removeAll()
    (good, lines, needsOrder) = (0, 0, false)
  }
}

/// Distributes segments to workers. Which of them are finished is told by a byte in a pipe, so that the reader can wait
/// for that and for more input at the same time.
final class SegmentQueue: Sendable {
  private struct State {
    var waiting: [Segment] = []
    var isStopped = false
  }
  private let state = Mutex(State())
  private let workers: Int
  /// Signalled for each segment that waits, and for each worker when the queue is stopped.
  private let work = DispatchSemaphore(value: 0)
  /// Signalled by each worker that has left.
  private let left = DispatchSemaphore(value: 0)
  /// Becomes readable when a segment is finished.
  let results: Int32
  private let notify: Int32

  /// - Parameter workers: how many will call ``take()``, each until it gives `nil`, and then ``leave()``.
  init(workers: Int) throws(ToolError) {
    self.workers = workers
    (results, notify) = try makePipe()
    for end in [results, notify] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    close(results)
    close(notify)
  }

  func add(_ segment: Segment) {
    segment.isFinished.store(false, ordering: .relaxed)
    state.withLock { $0.waiting.append(segment) }
    work.signal()
  }

  /// Waits for a segment.
  /// - Returns: `nil` when the queue is stopped.
  func take() -> Segment? {
    work.wait()
    return state.withLock { $0.isStopped ? nil : $0.waiting.removeFirst() }
  }

  /// Delivers a segment with its records.
  func finish(_ segment: Segment) {
    segment.isFinished.store(true, ordering: .releasing)
    var byte: UInt8 = 0
    // A full pipe is readable too.
    _ = write(notify, &byte, 1)
  }

  /// Takes the bytes of finished segments out of the pipe.
  func clearResults() {
    var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    while read(results, &bytes, 32) == 32 {}
  }

  /// Records that a worker has ended.
  func leave() { left.signal() }

  /// Drops the segments that wait, and waits until every worker has left.
  func stop() {
    state.withLock { $0.isStopped = true }
    for _ in 0..<workers { work.signal() }
    for _ in 0..<workers { left.wait() }
    // A semaphore must not end lower than it started.
  }
}
