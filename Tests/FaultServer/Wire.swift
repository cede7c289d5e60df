import Libc

/// One of the two sides has closed the connection.
struct Gone: Error {}

/// The server's side of one connection: sends bytes in pieces and up to a cut, if the script says so.
final class Wire {
  private let descriptor: Int32
  private var isOpen = true
  private var received: [UInt8] = []
  /// Bytes sent at a time; `nil` sends all at once.
  var piece: Int?
  /// Bytes until the connection is cut off.
  var left: Int?

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    // Each piece is to be a segment of its own.
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close() }

  func send(_ bytes: [UInt8]) throws(Gone) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = min(piece ?? .max, left ?? .max, rest.count)
      if count > 0 { try sendAll(rest.prefix(count)) }
      rest = rest.dropFirst(count)
      if let before = left {
        left = before - count
        if before == count {
          // Time for the other side to read what came: a reset takes away what it has not read yet.
          usleep(20_000)
          try reset()
        }
      }
    }
  }

  private func sendAll(_ bytes: ArraySlice<UInt8>) throws(Gone) {
    var rest = bytes
    while !rest.isEmpty {
      guard isOpen else { throw Gone() }
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Gone() }
      rest = rest.dropFirst(count)
    }
  }

  private func write(_ descriptor: Int32, _ base: UnsafeRawPointer?, _ count: Int) -> Int {
    Libc.send(descriptor, base, count, Int32(MSG_NOSIGNAL))
  }

  /// Waits until the other side closes.
  func waitForEnd() {
    while isOpen, receive() {}
  }

  private func receive() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    if count < 0, errno == EINTR { return true }
    guard count > 0 else { return false }
    received += bytes[..<count]
    return true
  }

  /// The next request's head, without its empty line, and its body; `nil` when there is none.
  func request() -> (head: String, body: [UInt8])? {
    while isOpen {
      if let end = headEnd {
        let head = String(decoding: received[..<end], as: UTF8.self)
        let length = header("content-length", of: head).flatMap { Int($0) } ?? 0
        if received.count >= end + 4 + length {
          let body = Array(received[(end + 4)..<(end + 4 + length)])
          received.removeFirst(end + 4 + length)
          return (head, body)
        }
      }
      if !receive() { return nil }
    }
    return nil
  }

  private var headEnd: Int? {
    guard received.count >= 4 else { return nil }
    return (0...(received.count - 4)).first { received[$0..<($0 + 4)].elementsEqual([13, 10, 13, 10]) }
  }

  /// Closes as a program that ends does.
  func close() {
    guard isOpen else { return }
    isOpen = false
    shutdown(descriptor, Int32(SHUT_WR))
    _ = Libc.close(descriptor)
  }

  /// Closes hard (RST) and ends the answer.
  func reset() throws(Gone) {
    if isOpen {
      var hard = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
      isOpen = false
      _ = Libc.close(descriptor)
    }
    throw Gone()
  }
}

/// A field's value in a head; the name in lower case.
func header(_ name: String, of head: String) -> String? {
  for line in head.split(separator: "\r\n").dropFirst() {
    guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name else { continue }
    return String(line[line.index(after: colon)...].drop { $0 == " " })
  }
  return nil
}
