import Foundation
import TestSupport
import Testing
import TweetCore

@testable import tw_stream

@Suite(.onOwnThread) struct OutputQueueTests {
  private static let line = String(repeating: "0123456789", count: 50)

  private static func write(_ count: Int, to queue: inout OutputQueue) {
    for _ in 0..<count {
      queue.buffer.append(line)
      queue.endLine()
    }
  }

  /// A new pipe: the end to read from, and the end to write to.
  private static func pipe() throws -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    guard Foundation.pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
    return (ends[0], ends[1])
  }

  @Test func whatAReaderDoesNotTakeIsBufferedWithoutWaiting() throws {
    let (reading, writing) = try Self.pipe()
    defer { close(writing) }
    var queue = OutputQueue(descriptor: writing, bound: 1 << 19)
    Self.write(4000, to: &queue)
    try queue.writeAvailable()
    let (held, isFull) = (queue.bufferedBytes, queue.isFull)
    #expect(held > 1 << 19 && held < 4000 * 501 && isFull)
    var seen: [UInt8] = []
    while seen.count < 8000 * 501 {
      if seen.count == 4000 * 501 { Self.write(4000, to: &queue) }
      try queue.writeAvailable()
      var bytes = [UInt8](repeating: 0, count: 10_000)
      let wanted = min(bytes.count, 8000 * 501 - seen.count, seen.count < 4000 * 501 ? 4000 * 501 - seen.count : .max)
      let count = read(reading, &bytes, wanted)
      seen += bytes[..<max(0, count)]
    }
    let left = queue.bufferedBytes
    #expect(left == 0)
    #expect(String(decoding: seen, as: UTF8.self) == String(repeating: Self.line + "\n", count: 8000))
    close(reading)
  }

  @Test func flushWaitsForTheReader() throws {
    let (reading, writing) = try Self.pipe()
    let counted = Thread.Counter()
    Thread.detachNewThread {
      var bytes = [UInt8](repeating: 0, count: 3000)
      while true {
        let count = read(reading, &bytes, bytes.count)
        if count <= 0 { break }
        counted.add(count)
      }
      counted.finish()
    }
    var queue = OutputQueue(descriptor: writing)
    Self.write(4000, to: &queue)
    let left = try queue.flush()
    #expect(left == 0)
    close(writing)
    #expect(counted.wait() == 4000 * 501)
    close(reading)
  }

  @Test func aReaderThatHasGoneEndsIt() throws {
    signal(SIGPIPE, SIG_IGN)
    let (reading, writing) = try Self.pipe()
    defer { close(writing) }
    var queue = OutputQueue(descriptor: writing)
    Self.write(1, to: &queue)
    close(reading)
    var thrown: ToolError?
    do throws(ToolError) { try queue.writeAvailable() } catch { thrown = error }
    #expect(thrown == .readerGone)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "needs /dev/full"))
  func aFullDiskIsReported() throws {
    let full = open("/dev/full", O_WRONLY)
    defer { close(full) }
    var queue = OutputQueue(descriptor: full)
    Self.write(1, to: &queue)
    var thrown: ToolError?
    do throws(ToolError) { try queue.writeAvailable() } catch { thrown = error }
    #expect(thrown == .inputOutput("cannot write to standard output: no space left on device"))
  }
}

extension Thread {
  /// Counts on one thread; another waits for the sum.
  fileprivate final class Counter: @unchecked Sendable {
    // Guarded by the condition.
    private let condition = NSCondition()
    private var sum = 0
    private var isDone = false

    func add(_ count: Int) { condition.withLock { sum += count } }
    func finish() {
      condition.withLock {
        isDone = true
        condition.signal()
      }
    }
    func wait() -> Int {
      condition.withLock {
        while !isDone { condition.wait() }
        return sum
      }
    }
  }
}
