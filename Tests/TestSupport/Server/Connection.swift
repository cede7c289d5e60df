import Foundation

/// The server's side of one HTTP/1.1 connection: reads requests, and says what the test wants, byte by byte if need be,
/// so that it can also misbehave. Once either side has ended the connection, what is sent goes nowhere.
package final class Connection {
  private let descriptor: Int32
  private let journal: LoopbackServer.Journal
  private let door: LoopbackListener.Door
  var received: [UInt8] = []
  package private(set) var isOpen = true
  /// How many requests have come so far.
  package private(set) var requestCount = 0

  /// Bytes sent at a time; `nil` sends all at once.
  package var pieceSize: Int?
  /// Bytes until the connection is reset.
  package var bytesLeft: Int?

  // MARK: The answer to the present request

  /// Code and reason.
  package var status = ""
  package var fields: [String] = []
  /// Whether a head was sent.
  package private(set) var hasBegun = false
  /// Whether the connection can take another request after this answer.
  private(set) var takesAnother = false
  private var isChunked = true
  private var gzip: StoredGzip?
  /// What it answers, until it begins to.
  private var request: LoopbackServer.Request?
  private var isBodyWanted = true

  init(_ descriptor: Int32, _ journal: LoopbackServer.Journal, _ door: LoopbackListener.Door) {
    self.descriptor = descriptor
    self.journal = journal
    self.door = door
    // Each piece is to be a segment of its own.
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close() }

  // MARK: Requests

  /// The next request; `nil` when there is none.
  func nextRequest() -> LoopbackServer.Request? {
    while isOpen {
      if let request = takeRequest() {
        (status, fields, gzip) = ("200 OK", [], nil)
        (hasBegun, takesAnother, isChunked) = (false, false, true)
        (self.request, isBodyWanted) = (request, request.method != "HEAD")
        requestCount += 1
        journal.began(request)
        return request
      }
      // A TLS handshake, which this server does not speak.
      if received.first == 0x16 || !receive() { return nil }
    }
    return nil
  }

  private func takeRequest() -> LoopbackServer.Request? {
    guard let end = Data(received).firstRange(of: Data("\r\n\r\n".utf8))?.lowerBound else { return nil }
    let head = String(decoding: received[..<end], as: UTF8.self)
    let length = LoopbackServer.Request(head: head, body: "")["Content-Length"].flatMap { Int($0) } ?? 0
    guard received.count >= end + 4 + length else { return nil }
    let body = String(decoding: received[(end + 4)..<(end + 4 + length)], as: UTF8.self)
    received.removeFirst(end + 4 + length)
    return LoopbackServer.Request(head: head, body: body)
  }

  func receive() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    if count < 0, errno == EINTR { return true }
    guard count > 0 else { return false }
    received += bytes[..<count]
    return true
  }

  // MARK: Whole answers

  /// A whole answer, after which the connection ends.
  package func answer(_ code: Int, _ body: String = "", headers: [String] = []) {
    answer(code, Array(body.utf8), headers: headers)
  }

  /// A whole answer, after which the connection ends.
  package func answer(_ code: Int, _ body: [UInt8], headers: [String] = []) {
    status = "\(code) x"
    fields += headers
    sendWhole(body, "Connection: close")
  }

  /// A whole answer with ``status`` and ``fields``, after which the connection takes another request.
  package func answerAndStay(_ body: [UInt8]) {
    sendWhole(body)
    takesAnother = true
  }

  private func sendWhole(_ body: [UInt8], _ lastFields: String...) {
    var body = body
    if var gzip { body = gzip.block(body) + gzip.end() }
    gzip = nil
    fields += ["Content-Length: \(body.count)"] + lastFields
    write(head + (isBodyWanted ? body : []))
    (hasBegun, isChunked) = (true, false)
  }

  private var head: [UInt8] {
    Array("HTTP/1.1 \(status)\r\n\(fields.map { $0 + "\r\n" }.joined())\r\n".utf8)
  }

  // MARK: Streams

  /// The head of a chunked answer, as the stream endpoints send.
  package func startStream() {
    guard !hasBegun else { return }
    hasBegun = true
    fields += ["Content-Type: application/json; charset=utf-8", "Transfer-Encoding: chunked"]
    write(head)
  }

  package func chunk(_ text: String) { chunk(Array(text.utf8)) }

  /// Some of a body whose length is not known before; the first one brings the head.
  package func chunk(_ bytes: [UInt8]) {
    startStream()
    if !bytes.isEmpty { frame(gzip?.block(bytes) ?? bytes) }
  }

  private func frame(_ bytes: [UInt8]) {
    write(isChunked ? Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10] : bytes)
  }

  /// Ends a stream in good order.
  package func endStream() {
    startStream()
    if let tail = gzip?.end() { frame(tail) }
    if isChunked { write(Array("0\r\n\r\n".utf8)) }
  }

  var isCompressed: Bool { gzip != nil }

  /// From here on bodies are compressed.
  package func compress() {
    gzip = StoredGzip()
    fields.append("Content-Encoding: gzip")
  }

  // MARK: Bytes

  package func send(_ text: String) { send(Array(text.utf8)) }

  /// Sends bytes as they are; the head, if there is to be one, is among them.
  package func send(_ bytes: [UInt8]) {
    hasBegun = true
    write(bytes)
  }

  /// From here on chunks too are sent as they are; a head that was not sent yet is left out.
  package func goRaw() { (hasBegun, isChunked) = (true, false) }

  private func write(_ bytes: [UInt8]) {
    // Before the answer: after it the client may send its next request.
    endWaiting()
    var rest = bytes[...]
    while isOpen, !rest.isEmpty {
      let count = min(pieceSize ?? .max, bytesLeft ?? .max, rest.count)
      writeAll(rest.prefix(count))
      rest = rest.dropFirst(count)
      guard let left = bytesLeft else { continue }
      bytesLeft = left - count
      if left == count {
        // Time for the other side to read what came: a reset takes away what it has not read yet.
        usleep(20_000)
        reset()
      }
    }
  }

  private func writeAll(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while isOpen, !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return close() }
      journal.sent(count)
      rest = rest.dropFirst(count)
    }
  }

  // MARK: Silence and ends

  package func pause(_ seconds: Double) { Thread.sleep(forTimeInterval: seconds) }

  /// Waits until the client leaves.
  package func hold() {
    while isOpen, receive() {}
    close()
  }

  /// Refuses other connections for some time.
  package func refuseOthers(milliseconds: Int) { door.refuse(milliseconds: milliseconds) }

  /// Closes as a program that ends does.
  package func close() {
    guard isOpen else { return }
    shutdown(descriptor, Int32(SHUT_RDWR))
    closeDescriptor()
  }

  /// Closes hard (RST), which takes away what the client has not read yet.
  package func reset() {
    guard isOpen else { return }
    var hard = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
    closeDescriptor()
  }

  private func closeDescriptor() {
    endWaiting()
    isOpen = false
    _ = Foundation.close(descriptor)
  }

  private func endWaiting() {
    if let request { journal.isAnswered(request) }
    request = nil
  }
}
