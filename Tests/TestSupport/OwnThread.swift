import Foundation
import Synchronization
import TweetCore

/// A test that may wait, while it runs.
final class WaitingTest: Sendable {
  @TaskLocal static var current: WaitingTest?

  let name: String
  /// When it has run for too long, in milliseconds of a clock that only goes forward.
  let end: Int
  private let state = Mutex((isOver: false, tools: Set<Int32>()))

  init(_ name: String, seconds: Double) {
    self.name = name
    end = Self.now + Int(seconds * 1000)
  }

  static var now: Int { Int(DispatchTime.now().uptimeNanoseconds / 1_000_000) }

  /// Whether it has run for too long.
  var isOver: Bool { state.withLock(\.isOver) }

  /// Throws on a thread of the testing library's pool, where nobody may wait.
  static func check(for purpose: String) throws {
    let isOnPool = withUnsafeCurrentTask { $0 != nil } && current == nil
    guard !isOnPool else {
      throw CocoaError(
        .featureUnsupported, userInfo: [NSLocalizedDescriptionKey: "\(purpose) needs @Suite(.onOwnThread)"])
    }
  }

  func started(_ tool: Int32) { state.withLock { _ = $0.tools.insert(tool) } }
  func ended(_ tool: Int32) { state.withLock { _ = $0.tools.remove(tool) } }

  /// Ends what it waits for: its tools are killed, and ``waitUntil(seconds:file:line:_:)`` throws.
  func stop() {
    state.withLock {
      $0.isOver = true
      for tool in $0.tools { kill(-tool, SIGKILL) }
    }
  }
}

/// Looks every second whether a test runs for too long. It stops the test, and if that does not end it, the whole run.
private final class Watch: Sendable {
  static let shared = Watch()

  private let running = Mutex<[ObjectIdentifier: WaitingTest]>([:])

  init() {
    // It lives as long as the process.
    Thread.detachNewThread { [unowned self] in
      while true {
        sleep(1)
        let now = WaitingTest.now
        for test in running.withLock({ $0.values.filter { $0.end < now } }) {
          if !test.isOver { test.stop() }
          guard test.end + 60_000 < now else { continue }
          tell("\u{2718} Test \(test.name) does not end: it is in a loop that waits for nothing. The run ends here.\n")
          _exit(70)
        }
      }
    }
  }

  func begin(_ test: WaitingTest) { running.withLock { $0[ObjectIdentifier(test)] = test } }
  func end(_ test: WaitingTest) { running.withLock { $0[ObjectIdentifier(test)] = nil } }
}

/// Writes a line to standard error at once.
private func tell(_ text: String) {
  text.withBytes { _ = write(2, $0.baseAddress, $0.count) }
}

// `make build` compiles this target too, with Swift's libraries linked statically; this one comes only as a shared one.
#if canImport(Testing)
  package import Testing

  extension Trait where Self == OwnThread {
    /// For tests that wait: for programs, sockets, locks and files.
    ///
    /// - Parameter minutes: how long one test may run. It counts from the test's own start, not from the run's.
    package static func onOwnThread(minutes: Int = 5) -> Self { OwnThread(minutes: minutes) }

    /// For tests that wait, with five minutes for each.
    package static var onOwnThread: Self { .onOwnThread() }
  }

  /// Runs each test on a thread that belongs to it alone while it runs, ``Lanes/count`` tests at a time.
  ///
  /// The testing library begins all tests at once, on a pool of one thread a core. A test that waits for a program
  /// blocks such a thread, and with as many of them as cores nothing else moves; meanwhile `.timeLimit` counts for
  /// every test of the run, those included that have not had a thread yet. So tests that wait stay off the pool, and a
  /// test's time counts from when it gets its thread. It is printed at the test's end, with what the thread computed
  /// itself: `took 1.5 s, computed 0.1: CacheTests/anEmptyStore()`.
  package struct OwnThread: SuiteTrait, TestTrait, TestScoping {
    fileprivate let minutes: Int

    package var isRecursive: Bool { true }

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

    package func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      precondition(WaitingTest.current == nil, "a test of a suite that has this trait has it already")
      let lane = await Lanes.shared.take()
      defer { Lanes.shared.giveBack(lane) }
      let name = test.id.nameComponents.joined(separator: "/")
      try await withTaskExecutorPreference(lane) {
        let current = WaitingTest(name, seconds: Double(60 * minutes) * Sanitizer.slowness)
        let (start, computed) = (WaitingTest.now, ProcessorTime.spent)
        Watch.shared.begin(current)
        defer {
          Watch.shared.end(current)
          let own = (ProcessorTime.spent - computed) / .milliseconds(1)
          tell("took \(Double(WaitingTest.now - start) / 1000) s, computed \(own.rounded() / 1000): \(name)\n")
          if current.isOver { Issue.record("it has run for \(minutes) minutes") }
        }
        try await WaitingTest.$current.withValue(current) { try await function() }
      }
    }
  }
#endif

/// The threads for tests that wait. Each serves one test at a time, in the order they ask.
private final class Lanes: Sendable {
  static let shared = Lanes()

  /// More than two cores need: most of these tests wait most of the time.
  static let count = max(12, ProcessInfo.processInfo.activeProcessorCount)

  private struct State {
    var free = (0..<Lanes.count).map { _ in Lane() }
    var waiting: [CheckedContinuation<Lane, Never>] = []
  }
  private let state = Mutex(State())

  func take() async -> Lane {
    await withCheckedContinuation { continuation in
      let lane = state.withLock { state -> Lane? in
        if let lane = state.free.popLast() { return lane }
        state.waiting.append(continuation)
        return nil
      }
      if let lane { continuation.resume(returning: lane) }
    }
  }

  func giveBack(_ lane: Lane) {
    let next = state.withLock { state -> CheckedContinuation<Lane, Never>? in
      if !state.waiting.isEmpty { return state.waiting.removeFirst() }
      state.free.append(lane)
      return nil
    }
    next?.resume(returning: lane)
  }
}

/// One thread, which runs what the tasks that prefer it have to do, in order.
private final class Lane: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let count = DispatchSemaphore(value: 0)

  init() {
    Thread.detachNewThread { [unowned self] in
      // Lanes live as long as the process.
      while true {
        count.wait()
        let job = jobs.withLock { $0.removeFirst() }
        job.runSynchronously(on: asUnownedTaskExecutor())
      }
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    count.signal()
  }
}
