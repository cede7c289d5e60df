import Foundation

/// Sockets of IPv4 at 127.0.0.1. The tools that tests start do not inherit them: they would keep open what a test has
/// closed.
package enum LoopbackSocket {
  /// A connection to a port, whose recv(2) waits twenty seconds at most. The caller closes it.
  /// - Parameters:
  ///   - source: the last part of the client's address, 127.0.0.SOURCE; where it is not 1, the system must be Linux.
  ///   - receives: bytes that the kernel holds for it; `nil` for the usual.
  package static func connected(to port: Int, from source: UInt8 = 1, receives: Int32? = nil) throws -> Int32 {
    let descriptor = made()
    if var receives {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receives, socklen_t(MemoryLayout<Int32>.size))
    }
    if source != 1 { _ = withAddress(0, host: source) { bind(descriptor, $0, $1) } }
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let result = withAddress(port) { connect(descriptor, $0, $1) }
    guard result == 0 else {
      close(descriptor)
      throw POSIXError(.ECONNREFUSED)
    }
    return descriptor
  }

  /// A socket that has a port, 0 for any free one. The caller closes it.
  static func bound(to port: Int) throws -> Int32 {
    let descriptor = made()
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard withAddress(port, { bind(descriptor, $0, $1) }) == 0 else {
      close(descriptor)
      throw POSIXError(.EADDRINUSE)
    }
    return descriptor
  }

  private static func made() -> Int32 {
    socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  }

  private static func withAddress(
    _ port: Int, host: UInt8 = 1, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = (0x7f00_0000 | UInt32(host)).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }
}
