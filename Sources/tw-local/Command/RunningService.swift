import Dispatch

/// The tasks of the service. The main thread starts and stops them; meanwhile it waits for events.
struct RunningService {
  private let service: Service
  private let serving: Task<Void, Never>
  private let posting: Task<Void, Never>

  /// How long streams get to send their last bytes, and how often they are checked.
  private static let streamGrace: Duration = .milliseconds(150)
  private static let checkInterval: Duration = .milliseconds(5)
  /// How long ``stop()`` waits for everything.
  private static let stopLimit: DispatchTimeInterval = .milliseconds(190)

  /// Starts the service and returns when all descriptors that it needs are open, so that a command can be started
  /// safely.
  /// - Parameter clients: most clients at a time.
  init(
    _ service: Service, _ listener: Listener, clients: Int, answers: FaultyAnswers, feed: DemoFeed?, events: EventPipe
  ) {
    self.service = service
    let isReady = DispatchSemaphore(value: 0)
    serving = Task.detached {
      do {
        try await listener.run(
          limit: clients, ready: { isReady.signal() }, answer: { await answers.answer($0, service.answer) },
          streamEnded: { await service.removeStream($0) })
      } catch is CancellationError {
        return
      } catch {
        isReady.signal()
        events.post(.serviceFailed)
      }
    }
    isReady.wait()
    posting = Task.detached { await feed?.run(on: service) }
  }

  /// Sends each stream its last chunk and closes all connections, within a fifth of a second.
  func stop() {
    let isDone = DispatchSemaphore(value: 0)
    let (service, serving) = (service, serving)
    posting.cancel()
    Task.detached {
      await service.finishStreams()
      let limit = ContinuousClock.now + Self.streamGrace
      while await service.hasStreams, ContinuousClock.now < limit {
        try? await Task.sleep(for: Self.checkInterval)
      }
      serving.cancel()
      await serving.value
      isDone.signal()
    }
    _ = isDone.wait(timeout: .now() + Self.stopLimit)
  }
}
