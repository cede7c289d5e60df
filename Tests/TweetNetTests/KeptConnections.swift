import Foundation
import Synchronization
import TestSupport

/// A server that answers the first request of a connection and closes the connection at the second one, which it has
/// read: what a server does whose time for idle connections is over, or that dies at that moment.
final class KeptConnections: Sendable {
  private let listener: LoopbackListener
  private let journal = Journal()

  private final class Journal: Sendable {
    let bodies = Mutex<[String]>([])
  }

  var base: String { "http://127.0.0.1:\(listener.port)/" }

  init() throws {
    listener = try LoopbackListener { [journal] descriptor in
      var count = 0
      var text = ""
      while count < 2 {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let length = recv(descriptor, &bytes, bytes.count, 0)
        guard length > 0 else { break }
        text += String(decoding: bytes[..<length], as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n"), end.upperBound < text.endIndex else { continue }
        let body = String(text[end.upperBound...])
        journal.bodies.withLock { $0.append(body) }
        text = ""
        count += 1
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)
        if count == 1 { _ = send(descriptor, answer, answer.count, Int32(MSG_NOSIGNAL)) }
      }
      close(descriptor)
    }
  }

  /// The bodies of all requests that came whole.
  var bodies: [String] { journal.bodies.withLock { $0 } }
}
