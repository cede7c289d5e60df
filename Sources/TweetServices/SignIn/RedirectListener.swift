import Libc
package import TweetCore
import TweetNet

/// Waits on a port of this machine for the browser that a service sends back after a sign-in (RFC 8252 §7.3).
package struct RedirectListener: ~Copyable {
  private let path: String
  private let sockets: [Int32]
  /// The oldest first.
  private var requests: [Request] = []

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
    if address.host != "localhost" { return [first] }
    if let second = listen(v6: port) { return [first, second] }
    // Browsers ask `::1` first: what the service sends back would go to whoever has the port there.
    guard errno == EADDRINUSE else { return [first] }
    close(first)
    throw busy(port, "[::1]:")
  }

  deinit { for socket in sockets + requests.map(\.connection) { close(socket) } }

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

  /// - Returns: `nil`, with the reason in `errno`, where it cannot; machines without IPv6 are usual.
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
    // A client that leaves again between poll(2) and accept(2) must not make accept wait for the next one.
    _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    // Connections of a login that has just ended do not keep the port.
    var yes: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let size = socklen_t(MemoryLayout<Address>.size)
    let isListening = withUnsafeBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { bind(socket, $0.baseAddress, size) == 0 }
    }
    if isListening, Libc.listen(socket, Int32(mostRequests)) == 0 { return socket }
    let fault = errno
    close(socket)
    errno = fault
    return nil
  }

  private static func busy(_ port: UInt16, _ host: String = "") -> ToolError {
    .tryLater(
      "port \(host)\(port) is in use, perhaps by another 'tw-auth login' that waits: end that one, name another address by "
        + "--redirect-uri, or use --no-browser")
  }

  /// Waits for the browser. Other requests, such as for an icon, are answered with 404.
  ///
  /// A browser opens connections that it may use later, so all are read from at once, and none keeps another waiting.
  ///
  /// - Parameter milliseconds: how long to wait.
  /// - Throws: `ToolError.tryLater` when nobody came, or a signal.
  package mutating func next(within milliseconds: Int) throws(ToolError) -> Redirect {
    let deadline = MonotonicClock.milliseconds + milliseconds
    while true {
      let descriptors = [Interruption.descriptor] + sockets + requests.map(\.connection)
      var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let left = deadline - MonotonicClock.milliseconds
      guard left > 0 else { throw .tryLater("nobody signed in within \(milliseconds / 60_000) minutes") }
      _ = poll(&entries, nfds_t(entries.count), Int32(clamping: left))
      if Interruption.signal != nil { throw .tryLater("interrupted before anybody signed in") }
      let ready = Set(entries.filter { $0.revents != 0 }.map(\.fd))
      // Those that are read from first, since accepting may close the oldest of them.
      for connection in requests.map(\.connection) where ready.contains(connection) {
        if let redirect = read(connection) { return redirect }
      }
      for socket in sockets where ready.contains(socket) { try acceptAll(socket) }
    }
  }

  /// A browser opens six connections to a host at most; more are of other programs.
  private static let mostRequests = 64

  private mutating func acceptAll(_ socket: Int32) throws(ToolError) {
    while true {
      let connection = accept(socket, nil, nil)
      if connection >= 0 {
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        _ = fcntl(connection, F_SETFL, O_NONBLOCK)
        if requests.count == Self.mostRequests { close(requests.removeFirst().connection) }
        requests.append(Request(connection: connection))
        continue
      }
      switch errno {
      // A client that has left before it was accepted.
      case EINTR, ECONNABORTED: continue
      case EMFILE, ENFILE, ENOBUFS, ENOMEM:
        guard !requests.isEmpty else { throw .tryLater("cannot answer the browser: \(describe(errno: errno))") }
        close(requests.removeFirst().connection)
        return
      default: return
      }
    }
  }

  /// Reads what a connection has, and answers and closes it when it is not the redirect.
  private mutating func read(_ connection: Int32) -> Redirect? {
    guard let index = requests.firstIndex(where: { $0.connection == connection }) else { return nil }
    var piece = [UInt8](repeating: 0, count: 4 << 10)
    while !requests[index].isWhole, requests[index].head.count < Self.longestHead {
      let count = recv(connection, &piece, piece.count, 0)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN || errno == EWOULDBLOCK { return nil }
      guard count > 0 else {
        requests.remove(at: index)
        close(connection)
        return nil
      }
      requests[index].head += piece[..<count]
    }
    let request = requests.remove(at: index)
    if request.isWhole, request.target?.path == path {
      return Redirect(PercentEncoding.pairs(request.target?.query ?? ""), connection)
    }
    Self.send("404 Not Found", "Not found", "tw-auth waits here for a sign-in.", to: connection)
    close(connection)
    return nil
  }

  /// Bytes of a request line and its headers; browsers send two thousand.
  private static let longestHead = 64 << 10

  /// A connection whose request has not come, or not all of it.
  private struct Request {
    let connection: Int32
    var head: [UInt8] = []

    /// Whether the empty line after the headers has come. A connection that is closed before all was read is reset, and
    /// the browser may lose the answer by that.
    var isWhole: Bool { head.contains("\r\n\r\n".utf8) || head.contains("\n\n".utf8) }

    /// What a GET asks for; `nil` for any other request.
    var target: (path: String, query: Substring)? {
      let words = String(decoding: head.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self).split(separator: " ")
      guard words.count >= 2, words[0] == "GET" else { return nil }
      let parts = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(parts[0]), parts.count > 1 ? parts[1] : "")
    }
  }

  private static func send(_ status: String, _ title: String, _ text: String, to connection: Int32) {
    let body = """
      <!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>\(title.htmlEscaped)</title>
      <style>body{font:1.1em/1.5 sans-serif;max-width:32em;margin:4em auto;padding:0 1em;color-scheme:light dark}</style>
      <h1>\(title.htmlEscaped)</h1><p>\(text.htmlEscaped)</p></html>
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
}
