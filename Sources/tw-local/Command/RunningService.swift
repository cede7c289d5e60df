import Dispatch

/// The service while it runs, seen from the main thread, which waits for signals and for the command.
struct RunningService {
  private let service: Service
  private let serving: Task<Void, Never>
  private let talking: Task<Void, Never>

  /// Streams get at most this long to send their last bytes, and are looked at this often.
  private static let grace: Duration = .milliseconds(150)
  private static let glance: Duration = .milliseconds(5)
  /// After this the process ends, whatever is still open.
  private static let patience: DispatchTimeInterval = .milliseconds(190)

  /// Starts; returns once every descriptor the server needs is open, so that a command can be started safely.
  init(_ service: Service, _ listener: Listener, feed: DemoFeed?, events: EventPipe) {
    self.service = service
    let isReady = DispatchSemaphore(value: 0)
    serving = Task.detached {
      do {
        try await listener.run(
          ready: { isReady.signal() }, answer: service.answer, ended: { await service.close($0) })
      } catch is CancellationError {
        return
      } catch {
        isReady.signal()
        events.tell(.serviceFailed)
      }
    }
    isReady.wait()
    talking = Task.detached { await feed?.run(on: service) }
  }

  /// Ends streams in good order, closes all connections, within a fifth of a second.
  func stop() {
    let isDone = DispatchSemaphore(value: 0)
    let (service, serving) = (service, serving)
    talking.cancel()
    Task.detached {
      await service.closeStreams()
      let limit = ContinuousClock.now + Self.grace
      while await service.hasStreams, ContinuousClock.now < limit {
        try? await Task.sleep(for: Self.glance)
      }
      serving.cancel()
      await serving.value
      isDone.signal()
    }
    _ = isDone.wait(timeout: .now() + Self.patience)
  }
}
