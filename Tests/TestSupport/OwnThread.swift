import Foundation
import Synchronization

/// Whether a test may wait where it runs.
enum WaitingTest {
  @TaskLocal fileprivate static var isCurrent = false

  /// Throws on a thread of the testing library's pool, where nobody may wait.
  static func check(for purpose: String) throws {
    let isOnPool = withUnsafeCurrentTask { $0 != nil } && !isCurrent
    guard !isOnPool else {
      throw CocoaError(
        .featureUnsupported, userInfo: [NSLocalizedDescriptionKey: "\(purpose) needs @Suite(.onOwnThread)"])
    }
  }
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
  /// The testing library begins all tests at once, on a pool of one thread a core. A test that waits for a program blocks
  /// such a thread, and with as many of them as cores nothing else moves; meanwhile `.timeLimit` counts for every test of the
  /// run, those included that have not had a thread yet. So tests that wait stay off the pool, and a test's time counts from
  /// when it gets its thread.
  package struct OwnThread: SuiteTrait, TestTrait, TestScoping {
    fileprivate let minutes: Int

    package var isRecursive: Bool { true }

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

    package func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      precondition(!WaitingTest.isCurrent, "a test of a suite that has this trait has it already")
      let lane = await Lanes.shared.take()
      // On the pool, which has room: that is what lanes are for.
      let limit = Task {
        try await Task.sleep(for: .seconds(Double(60 * minutes) * Sanitizer.slowness))
        Issue.record("it has run for \(minutes) minutes")
      }
      defer {
        limit.cancel()
        Lanes.shared.giveBack(lane)
      }
      try await WaitingTest.$isCurrent.withValue(true) {
        try await withTaskExecutorPreference(lane) { try await function() }
      }
    }
  }
#endif

/// The threads for tests that wait. Each serves one test at a time, in the order they ask.
private final class Lanes: Sendable {
  static let shared = Lanes()

  /// More than two cores need: most of these tests wait most of the time.
  static let count = max(8, ProcessInfo.processInfo.activeProcessorCount)

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
