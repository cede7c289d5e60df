import Libc
package import TweetCore
import TweetNet

/// Waits on a port of this machine for the browser that a service sends back after a sign-in (RFC 8252 §7.3).
package struct RedirectListener: ~Copyable {
  private let path: String
  private let sockets: [Int32]

  /// A request for the redirect's path. The browser waits until it is answered.
  package struct Redirect: ~Copyable {
    /// The decoded parameters of its query.
    package let parameters: [(name: String, value: String)]
    private let connection: Int32

    fileprivate init(_ parameters: [(name: String, value: String)], _ connection: Int32) {
      self.parameters = parameters
      self.connection = connection
    }

    deinit { close(connection) }

    /// Shows a page to the person.
    ///
    /// - Parameters:
    ///   - title: plain text, as is `text`.
    ///   - isGood: whether the sign-in has worked.
    package func answer(_ title: String, _ text: String, isGood: Bool) {
      RedirectListener.send(isGood ? "200 OK" : "400 Bad Request", title, text, to: connection)
    }
  }

  /// Listens. For `localhost` on both of its addresses.
  ///
  /// - Parameter redirect: `http://127.0.0.1:8080/callback`, or another address on this machine.
  /// - Throws: `ToolError.usage` for an address elsewhere; `ToolError.tryLater` when the port is in use.
  package init(_ redirect: String) throws(ToolError) {
    let address = WebAddress(redirect)
    sockets = try Self.sockets(for: address, redirect)
    path = address?.path ?? "/"
  }

  private static func sockets(for address: WebAddress?, _ redirect: String) throws(ToolError) -> [Int32] {
    guard let address, address.scheme == "http", address.isLoopback else {
      throw .usage(
        "--redirect-uri: '\(redirect)' is not an http address on this machine, so nothing can wait there; "
          + "--no-browser works with any address")
    }
    let port = UInt16(truncatingIfNeeded: address.port)
    if address.host == "::1" {
      guard let socket = listen(v6: port) else { throw busy(port) }
      return [socket]
    }
    let first = try listen(v4: port)
    return [first] + (address.host == "localhost" ? [listen(v6: port)].compactMap { $0 } : [])
  }

  deinit { for socket in sockets { close(socket) } }

  private static func listen(v4 port: UInt16) throws(ToolError) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    guard let socket = listen(AF_INET, &address) else {
      if errno == EADDRINUSE { throw busy(port) }
      throw .tryLater("cannot listen on port \(port): \(describe(errno: errno))")
    }
    return socket
  }

  /// - Returns: `nil` where it cannot; machines without IPv6 are usual.
  private static func listen(v6 port: UInt16) -> Int32? {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_addr = in6addr_loopback
    return listen(AF_INET6, &address)
  }

  private static func listen<Address>(_ family: Int32, _ address: inout Address) -> Int32? {
    let socket = socket(family, streamSocketType, 0)
    guard socket >= 0 else { return nil }
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    // Connections of a login that has just ended do not keep the port.
    var yes: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let size = socklen_t(MemoryLayout<Address>.size)
    let isListening = withUnsafeBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { bind(socket, $0.baseAddress, size) == 0 }
    }
    if isListening, Libc.listen(socket, 8) == 0 { return socket }
    let fault = errno
    close(socket)
    errno = fault
    return nil
  }

  private static func busy(_ port: UInt16) -> ToolError {
    .tryLater(
      "port \(port) is in use, perhaps by another 'tw-auth login' that waits: end that one, name another address by "
        + "--redirect-uri, or use --no-browser")
  }

  /// Waits for the browser. Other requests, such as for an icon, are answered with 404.
  ///
  /// - Parameter milliseconds: how long to wait.
  /// - Throws: `ToolError.tryLater` when nobody came, or a signal.
  package func next(within milliseconds: Int) throws(ToolError) -> Redirect {
    let deadline = MonotonicClock.milliseconds + milliseconds
    while true {
      var entries = (sockets + [Interruption.descriptor]).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let left = deadline - MonotonicClock.milliseconds
      guard left > 0 else { throw .tryLater("nobody signed in within \(milliseconds / 60_000) minutes") }
      _ = poll(&entries, nfds_t(entries.count), Int32(clamping: left))
      if Interruption.signal != nil { throw .tryLater("interrupted before anybody signed in") }
      for entry in entries.dropLast() where entry.revents != 0 {
        let connection = accept(entry.fd, nil, nil)
        guard connection >= 0 else { continue }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        if let redirect = read(connection) { return redirect }
      }
    }
  }

  /// Closes the connection when it is not the redirect.
  private func read(_ connection: Int32) -> Redirect? {
    // A browser opens connections that it may use later; such a one must not keep the others waiting.
    var time = timeval(tv_sec: 2, tv_usec: 0)
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16 << 10)
    while bytes.count < piece.count, !bytes.contains(UInt8(ascii: "\n")) {
      let count = recv(connection, &piece, piece.count, 0)
      if count <= 0 { break }
      bytes += piece[..<count]
    }
    let words = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self).split(separator: " ")
    if words.count >= 2, words[0] == "GET" {
      let parts = words[1].split(separator: "?", maxSplits: 1)
      if parts.first.map(String.init) == path {
        return Redirect(PercentEncoding.pairs(parts.count > 1 ? parts[1] : ""), connection)
      }
    }
    Self.send("404 Not Found", "Not found", "tw-auth waits here for a sign-in.", to: connection)
    close(connection)
    return nil
  }

  private static func send(_ status: String, _ title: String, _ text: String, to connection: Int32) {
    let body = """
      <!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>\(escaped(title))</title>
      <style>body{font:1.1em/1.5 sans-serif;max-width:32em;margin:4em auto;padding:0 1em;color-scheme:light dark}</style>
      <h1>\(escaped(title))</h1><p>\(escaped(text))</p></html>
      """
    let answer = """
      HTTP/1.1 \(status)\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: \(body.utf8.count)\r
      Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r
      Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'\r\n\r\n
      """
    let bytes = Array((answer + body).utf8)
    // A browser that does not read it has gone.
    _ = bytes.withUnsafeBytes { Libc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    shutdown(connection, Int32(SHUT_WR))
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
