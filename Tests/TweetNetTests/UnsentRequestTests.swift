import Foundation
import TestSupport
import Testing
import TweetCore
import TweetNet

/// Whether a request that failed may have been sent: what may not be sent twice must know it.
@Suite(.onOwnThread(minutes: 1))
struct UnsentRequestTests {
  /// A listener of this machine whose queue is full, so that who connects waits; `nil` where there is no such address.
  private struct FullListener {
    let port: Int
    private let descriptor: Int32
    private let filler: [Int32]

    init?(_ host: String) {
      var hints = addrinfo()
      hints.ai_flags = AI_NUMERICHOST
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
      var found: UnsafeMutablePointer<addrinfo>?
      guard getaddrinfo(host, nil, &hints, &found) == 0, let found else { return nil }
      defer { freeaddrinfo(found) }
      let (family, type) = (found.pointee.ai_family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue))
      let descriptor = socket(family, type, 0)
      var length = found.pointee.ai_addrlen
      guard let address = found.pointee.ai_addr, bind(descriptor, address, length) == 0, listen(descriptor, 0) == 0,
        getsockname(descriptor, address, &length) == 0
      else { return nil }
      self.descriptor = descriptor
      // The port is at the same place in both families.
      port = Int(UInt16(bigEndian: UnsafeRawPointer(address).load(fromByteOffset: 2, as: UInt16.self)))
      // One connection fills the queue; the second one waits, as the transfer will.
      filler = (0..<2).map { _ in
        let client = socket(family, type | Int32(SOCK_NONBLOCK.rawValue), 0)
        _ = connect(client, address, length)
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

  /// The first address is slow to answer, so the second is tried and fails; then the first takes the request. Which one
  /// is first depends on the machine.
  @Test(arguments: ["::1", "127.0.0.1"])
  func anErrorOfASecondAddressDoesNotHideThatTheRequestWasSent(host: String) throws {
    guard let listener = FullListener(host) else { try Test.cancel("needs IPv6") }
    Thread.detachNewThread {
      // libcurl tries the second address after 200 ms.
      usleep(800_000)
      listener.loseOneRequest()
    }
    var request = HTTPRequest(.post, "http://localhost:\(listener.port)/")
    request.body = Array("text".utf8)
    request.addresses = .publicOnly(allowing: [HostPort(host: host, port: listener.port)])
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
    let server = try LoopbackServer { _ in .hangUp }
    guard case .failure(let lost) = try outcome(of: HTTPRequest(.get, server.base)).result else {
      throw POSIXError(.EPROTO)
    }
    #expect(!lost.isUnsent)
  }
}
