import Foundation
import TestSupport
import Testing
import TweetCore
import TweetNet

/// Whether a request that failed may have been sent: what may not be sent twice must know it.
@Suite(.onOwnThread(minutes: 1))
struct UnsentRequestTests {
  /// A listener at `::1` whose queue is full, so that who connects waits; `nil` where there is no IPv6.
  private struct FullListener {
    let port: Int
    private let descriptor: Int32
    private let filler: [Int32]

    init?() {
      let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_addr = in6addr_loopback
      var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
      let isBound = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, length) == 0 && listen(descriptor, 0) == 0 && getsockname(descriptor, $0, &length) == 0
        }
      }
      guard isBound else { return nil }
      self.descriptor = descriptor
      port = Int(UInt16(bigEndian: address.sin6_port))
      // One connection fills the queue; the second one waits, as the transfer will.
      filler = (0..<2).map { _ in
        let client = socket(
          AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        withUnsafePointer(to: &address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(client, $0, length) }
        }
        return client
      }
    }

    /// Accepts what waits, reads the first request that comes, and closes its connection without an answer.
    func loseOneRequest() {
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { return }
        var limit = timeval(tv_sec: 0, tv_usec: 100_000)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(connection, &bytes, bytes.count, 0)
        close(connection)
        if count > 0 { break }
      }
      for client in filler { close(client) }
      close(descriptor)
    }
  }

  /// The first address is slow to answer, so the second is tried and fails; then the first takes the request.
  @Test func anErrorOfASecondAddressDoesNotHideThatTheRequestWasSent() throws {
    guard let listener = FullListener() else { try Test.cancel("needs IPv6") }
    Thread.detachNewThread {
      // libcurl tries the second address after 200 ms.
      usleep(800_000)
      listener.loseOneRequest()
    }
    var request = HTTPRequest(.post, "http://localhost:\(listener.port)/")
    request.body = Array("text".utf8)
    request.addresses = .publicOnly(allowing: [HostPort(host: "::1", port: listener.port)])
    let result = try outcome(of: request).result
    guard case .failure(let error) = result else { throw POSIXError(.EPROTO) }
    #expect(error.kind == .lostConnection && !error.isUnsent, "\(error)")
  }

  @Test func whatWasNotSentIsKnown() throws {
    var refused = HTTPRequest(.post, "http://127.0.0.1:9/")
    refused.body = []
    for request in [refused, HTTPRequest(.get, "http://nobody.invalid/"), HTTPRequest(.get, "gopher://x/")] {
      guard case .failure(let error) = try outcome(of: request).result else { throw POSIXError(.EPROTO) }
      #expect(error.isUnsent, "\(error)")
    }
    let server = try LoopbackServer { _, connection in connection.close() }
    guard case .failure(let lost) = try outcome(of: HTTPRequest(.get, server.base)).result else {
      throw POSIXError(.EPROTO)
    }
    #expect(!lost.isUnsent)
  }
}
