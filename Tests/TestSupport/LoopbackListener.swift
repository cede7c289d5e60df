import Foundation
import Synchronization

/// A listening socket on a free loopback port, for tests that say byte by byte what a server answers. Each connection gets
/// a thread of its own.
package final class LoopbackListener: Sendable {
  package let port: Int
  private let descriptor: Int32
  private let end = End()

  /// What the accepting thread looks at; it must not keep the listener itself alive.
  private final class End: Sendable {
    let isWanted = Atomic(false)
  }

  /// - Parameter serve: gets a connection, which is its to close.
  package init(_ serve: @escaping @Sendable (_ connection: Int32) -> Void) throws {
    try WaitingTest.check(for: "a server")
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    // Not for the tools that other tests start meanwhile: they would hold open what a test closes.
    _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 256) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    guard isBound else { throw POSIXError(.EADDRINUSE) }
    descriptor = listener
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [end] in
      while !end.isWanted.load(ordering: .acquiring) {
        var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, 200) > 0 else { continue }
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { continue }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        Thread.detachNewThread { serve(connection) }
      }
      // Closed by nobody else: its number may be another test's listener a moment later, whose connections would then be
      // accepted here.
      close(listener)
    }
  }

  deinit {
    end.isWanted.store(true, ordering: .releasing)
    shutdown(descriptor, Int32(SHUT_RDWR))
  }
}
