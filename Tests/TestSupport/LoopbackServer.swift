import Foundation
import Synchronization

/// An HTTP/1.1 server on a loopback port, with a thread for each connection. The test says what it sends, byte by byte, so
/// that it can also misbehave. Every answer closes its connection.
package final class LoopbackServer: Sendable {
  package struct Request: Sendable {
    package var line = ""
    package var head = ""
    package var body = ""
    /// Method and target: "GET /2/x?y=z".
    package var target: String { line.split(separator: " ").prefix(2).joined(separator: " ") }
  }

  private let listener: LoopbackListener
  private let journal = Journal()

  /// What the connections' threads record.
  private final class Journal: Sendable {
    let requests = Mutex<[Request]>([])
  }

  package init(_ serve: @escaping @Sendable (Request, Connection) -> Void) throws {
    listener = try LoopbackListener { [journal] descriptor in
      let connection = Connection(descriptor)
      guard let request = connection.readRequest() else { return connection.close() }
      journal.requests.withLock { $0.append(request) }
      serve(request, connection)
      connection.close()
    }
  }

  package var port: Int { listener.port }
  package var base: String { "http://127.0.0.1:\(port)" }
  package var requests: [Request] { journal.requests.withLock { $0 } }
}

/// The server's side of one connection.
package final class Connection: Sendable {
  private let descriptor: Int32
  private let closed = Mutex(false)

  fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }

  package func send(_ text: String) { send(Array(text.utf8)) }

  package func send(_ bytes: [UInt8]) {
    var bytes = bytes[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { piece in
        Foundation.send(descriptor, piece.baseAddress, piece.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }

  /// A whole answer.
  package func answer(_ status: String, _ body: String = "", headers: [String] = []) {
    let fields = headers + ["Content-Length: \(body.utf8.count)", "Connection: close"]
    send("HTTP/1.1 \(status)\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n\(body)")
  }

  /// The head of a chunked answer, as the stream endpoints send.
  package func startStream() {
    send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
  }

  package func chunk(_ text: String) { chunk(Array(text.utf8)) }

  package func chunk(_ bytes: [UInt8]) {
    send(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8))
  }

  package func endStream() { send("0\r\n\r\n") }

  package func pause(_ seconds: Double) { Thread.sleep(forTimeInterval: seconds) }

  /// Closes with a RST if data is under way.
  package func reset() {
    var hard = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
    end(inOrder: false)
  }

  package func close() { end(inOrder: true) }

  private func end(inOrder: Bool) {
    closed.withLock {
      // Ends the connection even if a program that was started between accept and fcntl has the descriptor too.
      if !$0, inOrder { shutdown(descriptor, Int32(SHUT_RDWR)) }
      if !$0 { Foundation.close(descriptor) }
      $0 = true
    }
  }

  fileprivate func readRequest() -> LoopbackServer.Request? {
    var text = ""
    while true {
      if let end = text.range(of: "\r\n\r\n") {
        let head = String(text[..<end.lowerBound])
        let body = String(text[end.upperBound...])
        let length = head.lowercased().range(of: "content-length: ").flatMap { start in
          Int(head[start.upperBound...].prefix { $0.isNumber })
        }
        if body.utf8.count >= length ?? 0 {
          let line = head.prefix { $0 != "\r\n" }
          return LoopbackServer.Request(line: String(line), head: head, body: body)
        }
      }
      var bytes = [UInt8](repeating: 0, count: 65536)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      guard count > 0 else { return nil }
      text += String(decoding: bytes[..<count], as: UTF8.self)
      // A TLS handshake, which this server does not speak.
      if text.hasPrefix("\u{16}") { return nil }
    }
  }
}

extension LoopbackServer {
  /// The port at the other end of a connection over IPv4; `nil` for all other descriptors.
  package static func port(ofPeer descriptor: Int32) -> Int? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isConnected = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) == 0 }
    }
    return isConnected && address.sin_family == AF_INET ? Int(UInt16(bigEndian: address.sin_port)) : nil
  }
}
