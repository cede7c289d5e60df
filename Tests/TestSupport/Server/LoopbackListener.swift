import Foundation
import Synchronization

/// A listening socket on a free loopback port, for tests that say byte by byte what a server answers. Each connection
/// gets a thread of its own.
package final class LoopbackListener: Sendable {
  package let port: Int
  private let door: Door

  /// Whether connections are accepted. The accepting thread looks at it; it must not keep the listener itself alive.
  package final class Door: Sendable {
    private struct State {
      /// The socket that listens; `nil` while connections are refused.
      var listener: Int32?
      var opensAt: Date?
      var isEnded = false
    }
    private let state = Mutex(State())

    /// Refuses connections for some time.
    package func refuse(milliseconds: Int) {
      state.withLock { state in
        guard let listener = state.listener else { return }
        state.opensAt = Date(timeIntervalSinceNow: Double(milliseconds) / 1000)
        state.listener = nil
        // From now on the kernel refuses them, and the accepting thread wakes.
        shutdown(listener, Int32(SHUT_RDWR))
      }
    }

    fileprivate func open(_ listener: Int32) { state.withLock { $0.listener = listener } }
    fileprivate var opensAt: Date? { state.withLock { $0.listener == nil ? $0.opensAt : nil } }
    fileprivate var isEnded: Bool { state.withLock(\.isEnded) }

    fileprivate func end() {
      state.withLock { state in
        state.isEnded = true
        if let listener = state.listener { shutdown(listener, Int32(SHUT_RDWR)) }
      }
    }
  }

  /// - Parameter serve: gets a connection, which is its to close.
  package init(door: Door = Door(), _ serve: @escaping @Sendable (_ connection: Int32) -> Void) throws {
    try WaitingTest.check(for: "a server")
    // Never listens: it keeps the port while connections are refused.
    let reserve = try LoopbackSocket.bound(to: 0)
    let port = try Self.port(of: reserve)
    let first = try Self.listening(on: port)
    (self.port, self.door) = (port, door)
    door.open(first)
    Thread.detachNewThread {
      var listener = first
      while !door.isEnded {
        var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        if poll(&entry, 1, 200) > 0, case let connection = accept(listener, nil, nil), connection >= 0 {
          // Not for programs that other tests start meanwhile: they would hold open what a test closes.
          _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
          Thread.detachNewThread { serve(connection) }
        } else if let time = door.opensAt {
          close(listener)
          Thread.sleep(until: time)
          guard let again = try? Self.listening(on: port) else { fatalError("port \(port) is gone") }
          listener = again
          door.open(again)
        }
      }
      // Closed by nobody else: its number may be another test's listener a moment later, whose connections would then
      // be accepted here.
      close(listener)
      close(reserve)
    }
  }

  deinit { door.end() }

  private static func listening(on port: Int) throws -> Int32 {
    let descriptor = try LoopbackSocket.bound(to: port)
    guard listen(descriptor, 256) == 0 else { throw POSIXError(.EADDRINUSE) }
    return descriptor
  }

  private static func port(of descriptor: Int32) throws -> Int {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isKnown = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
    }
    guard isKnown else { throw POSIXError(.EBADF) }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}
