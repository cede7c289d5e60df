import Dispatch
import Synchronization
import TweetCLI
import TweetCore

/// The result of one segment of a file.
enum SegmentResult: Sendable {
  /// Its records, to be written in the order of the file.
  case parsed(ParsedSegment)
  /// It depends on what comes before it: the file is read in order from its start on.
  case needsOrder
}

/// A copy of a bad piece of a segment. Its line is counted from the segment's start.
struct HeldBadRecord: Sendable {
  let bytes: [UInt8]
  let line: Int
  let reason: String?

  init(_ piece: BadRecord) {
    (bytes, line, reason) = (Array(piece.bytes), piece.line, piece.reason)
  }
}

/// The records and the bad pieces of one segment.
///
/// It is unchecked Sendable because the compiler cannot see that it has one owner at a time: a worker fills it and passes it
/// on under the queue's lock; the writer writes it and returns it in the same way.
final class ParsedSegment: @unchecked Sendable {
  var output = ByteBuffer(capacity: 2 << 20)
  var bad: [HeldBadRecord] = []
  var good = 0
  var lines = 0
  var summary = ParseSummary()
  /// The offset in the file at which the segment ends.
  var end = 0

  func clear(end: Int) {
    output.removeAll()
    bad.removeAll()
    (good, lines, self.end) = (0, 0, end)
  }
}

/// Distributes the segments of a file to workers, and delivers their results to the writer in the order of the file. The
/// workers are never more than a few segments ahead of the writer.
final class SegmentQueue: Sendable {
  private struct State {
    var next = 0
    var isStopped = false
    var results: [Int: SegmentResult] = [:]
    var spare: [ParsedSegment] = []
  }
  private let count: Int
  private let workers: Int
  private let state = Mutex(State())
  /// Signalled for each result; for each segment that may be started; for each worker that has left. All start at zero,
  /// because libdispatch requires that a semaphore does not end lower than it started.
  private let arrived = DispatchSemaphore(value: 0)
  private let room = DispatchSemaphore(value: 0)
  private let left = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - count: how many segments there are.
  ///   - workers: how many will call ``take()``, each until it gives `nil`, and then ``leave()``.
  init(count: Int, workers: Int) {
    (self.count, self.workers) = (count, workers)
    for _ in 0..<workers * 2 { room.signal() }
  }

  /// Waits until another segment may be started.
  /// - Returns: its number, and memory for its records; `nil` when there are no more.
  func take() -> (number: Int, segment: ParsedSegment)? {
    room.wait()
    let taken: (Int, ParsedSegment)? = state.withLock { state in
      if state.isStopped || state.next == count { return nil }
      state.next += 1
      return (state.next - 1, state.spare.popLast() ?? ParsedSegment())
    }
    if taken == nil { room.signal() }
    return taken
  }

  /// Delivers the result of a segment.
  func finish(_ number: Int, _ result: SegmentResult) {
    state.withLock { $0.results[number] = result }
    arrived.signal()
  }

  /// Records that a worker has ended.
  func leave() { left.signal() }

  /// Waits for a segment's result.
  func result(_ number: Int) -> SegmentResult {
    while true {
      if let result = state.withLock({ $0.results.removeValue(forKey: number) }) { return result }
      arrived.wait()
    }
  }

  /// Returns the memory of a segment that was written, so that another may be started.
  func recycle(_ segment: ParsedSegment) {
    state.withLock { $0.spare.append(segment) }
    room.signal()
  }

  /// Ends the distribution and waits until every worker has left.
  func stop() {
    state.withLock { $0.isStopped = true }
    room.signal()
    for _ in 0..<workers { left.wait() }
  }
}
