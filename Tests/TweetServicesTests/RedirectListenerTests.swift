import Foundation
import Libc
import TestSupport
import Testing
import TweetCore
import TweetServices

/// The connections of a browser, and of whatever else finds the port.
@Suite(.onOwnThread) struct RedirectListenerTests {
  private let port: UInt16

  init() throws {
    let free = try LoopbackListener { close($0) }
    port = UInt16(free.port)
  }

  private var redirect: String { "http://127.0.0.1:\(port)/callback" }

  /// Connects, and sends the beginning of a request or all of it.
  private func connection(_ request: String = "") throws -> Int32 {
    let descriptor = try LoopbackSocket.connected(to: Int(port))
    if !request.isEmpty { try #require(send(descriptor, request, request.utf8.count, 0) == request.utf8.count) }
    return descriptor
  }

  /// All that comes until the other end closes; `nil` where it resets the connection.
  private func answer(_ connection: Int32) -> String? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(connection, &piece, piece.count, 0)
      if count < 0 { return nil }
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += piece[..<count]
    }
  }

  private func reset(_ connection: Int32) {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Foundation.linger>.size))
    close(connection)
  }

  /// Another program has the port at `[::1]`: 127.0.0.1 is enough for a redirect there. `localhost` may be either, and
  /// the service's answer would go to that program.
  @Test func aPortThatIsHeldAtOneAddressIsTold() throws {
    let other = socket(AF_INET6, streamSocketType, 0)
    defer { close(other) }
    var (address, yes) = (sockaddr_in6(), Int32(1))
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_addr = in6addr_loopback
    setsockopt(other, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let isHeld = withUnsafeBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { bind(other, $0.baseAddress, socklen_t(bytes.count)) == 0 }
    }
    guard isHeld, listen(other, 1) == 0 else { try Test.cancel("needs IPv6") }
    do {
      var listener = try RedirectListener(redirect)
      let browser = try connection("GET /callback?code=1 HTTP/1.1\r\n\r\n")
      #expect(try listener.next(within: 60_000).parameters.map(\.value) == ["1"])
      close(browser)
    }
    let error = #expect(throws: ToolError.self) { _ = try RedirectListener("http://localhost:\(port)/callback") }
    #expect(error?.status == .tryLater && error?.message?.contains("port [::1]:\(port) is in use") == true)
    #expect(error?.message?.contains("--redirect-uri") == true)
  }

  @Test func noConnectionKeepsTheBrowserWaiting() throws {
    var listener = try RedirectListener(redirect)
    reset(try connection())
    let silent = try (1...10).map { _ in try connection() }
    let begun = try connection("GET /callback?code=1 HTTP/1.1\r\nHost: 127.0.0.1\r\n")
    reset(try connection("GET /"))
    let icon = try connection("GET /favicon.ico HTTP/1.1\r\n\r\n")
    let post = try connection("POST /callback?code=2 HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
    let browser = try connection("GET /callback?code=3 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    do {
      let redirect = try listener.next(within: 60_000)
      #expect(redirect.parameters.map(\.value) == ["3"])
      redirect.answer("Done", "<&>", isGood: true)
    }
    let page = try #require(answer(browser))
    #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n") && page.contains("<h1>Done</h1><p>&lt;&amp;&gt;</p>"))
    for other in [icon, post] { #expect(try #require(answer(other)).hasPrefix("HTTP/1.1 404 Not Found\r\n")) }
    // The slow one is still served.
    try #require(send(begun, "\r\n", 2, 0) == 2)
    do {
      let redirect = try listener.next(within: 60_000)
      #expect(redirect.parameters.map(\.value) == ["1"])
      redirect.answer("Not that one", "", isGood: false)
    }
    #expect(try #require(answer(begun)).hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
    for connection in silent + [browser, begun, icon, post] { close(connection) }
  }

  @Test func theOldestOfTooManyConnectionsGoes() throws {
    var listener = try RedirectListener(redirect)
    let silent = try (1...64).map { _ in try connection() }
    func come() throws {
      let browser = try connection("GET /callback?a=b HTTP/1.1\r\n\r\n")
      let redirect = try listener.next(within: 60_000)
      #expect(redirect.parameters.map(\.value) == ["b"])
      close(browser)
    }
    try come()
    try come()
    #expect(answer(silent[0]) == "")
    for connection in silent { close(connection) }
  }

  /// A head that never ends is not collected for ever.
  @Test func boundsTheHead() throws {
    var listener = try RedirectListener(redirect)
    let endless = try connection("GET /callback?a=1 HTTP/1.1\r\nx: " + String(repeating: "x", count: 65_536))
    let browser = try connection("GET /callback?a=2 HTTP/1.1\r\n\r\n")
    let redirect = try listener.next(within: 60_000)
    #expect(redirect.parameters.map(\.value) == ["2"])
    for connection in [endless, browser] { close(connection) }
  }
}
