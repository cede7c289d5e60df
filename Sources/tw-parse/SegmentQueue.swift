import Dispatch
import Synchronization
import TweetCLI
import TweetCore

/// What became of one segment of a file.
enum SegmentResult: Sendable {
  /// Parsed, to be written in its turn.
  case parsed(ParsedSegment)
  /// Not to be had without what stands before it: reading goes on in order from its start.
  case needsOrder
}

/// A bad piece of a segment, copied out; its line is counted from the segment's start.
struct HeldBadRecord: Sendable {
  let bytes: [UInt8]
  let line: Int
  let reason: String?

  init(_ piece: BadRecord) {
    (bytes, line, reason) = (Array(piece.bytes), piece.line, piece.reason)
  }
}

/// One segment's records and what was bad in it.
///
/// Unchecked, because the compiler cannot see that it has one owner at a time: a worker fills it, hands it over through
/// the queue's lock, and touches it again only after the writer has put it back the same way.
final class ParsedSegment: @unchecked Sendable {
  var output = ByteBuffer(capacity: 2 << 20)
  var bad: [HeldBadRecord] = []
  var good = 0
  var lines = 0
  var summary = ParseSummary()
  /// Where it ends in the file.
  var end = 0

  func clear(end: Int) {
    output.removeAll()
    bad.removeAll()
    (good, lines, self.end) = (0, 0, end)
  }
}

/// Hands segments out to workers, and their results to the writer in the order of the file, never more than a few ahead
/// of it.
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
  /// Signalled for each result; for each segment that may be started; for each worker that has left. All start at nought,
  /// as libdispatch wants a semaphore to end no lower than it started.
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

  /// The next segment's number and memory for it; `nil` when there are no more.
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

  /// Hands over what became of a segment.
  func finish(_ number: Int, _ result: SegmentResult) {
    state.withLock { $0.results[number] = result }
    arrived.signal()
  }

  func leave() { left.signal() }

  /// Waits for a segment's result.
  func result(_ number: Int) -> SegmentResult {
    while true {
      if let result = state.withLock({ $0.results.removeValue(forKey: number) }) { return result }
      arrived.wait()
    }
  }

  /// Gives a written segment back, which makes room for another.
  func recycle(_ segment: ParsedSegment) {
    state.withLock { $0.spare.append(segment) }
    room.signal()
  }

  /// Lets no more segments be started and waits until every worker has left.
  func stop() {
    state.withLock { $0.isStopped = true }
    room.signal()
    for _ in 0..<workers { left.wait() }
  }
}
