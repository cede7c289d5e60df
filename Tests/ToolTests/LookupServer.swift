import Foundation
import Synchronization
import TestSupport

/// A web site on a loopback port, for the tools that make requests to strangers' addresses. Each request has a connection
/// and a thread of its own. The test says what is answered, also misbehaviour.
final class LookupServer: Sendable {
  struct Request: Sendable {
    let method: String
    let path: String
    let head: String

    /// A header's value.
    subscript(_ name: String) -> String? {
      head.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
        .map { String($0.dropFirst(name.count + 2)) }
    }
  }

  enum Reply: Sendable {
    case answer(Int, headers: [String] = [], body: [UInt8] = [], after: Double = 0)
    /// Closes the connection without an answer.
    case hangUp
    /// A body that goes on until the client leaves.
    case endless(headers: [String])

    static func page(_ text: String = "", after: Double = 0) -> Reply {
      .answer(200, headers: ["Content-Type: text/html"], body: Array(text.utf8), after: after)
    }
    static func redirect(_ location: String) -> Reply { .answer(302, headers: ["Location: \(location)"]) }
  }

  private let listener: LoopbackListener
  private let log = Log()

  private final class Log: Sendable {
    let requests = Mutex<[String]>([])
    let endlessBytes = Mutex(0)
    /// By the `Host` header.
    let running = Mutex<[String: (now: Int, most: Int)]>([:])

    func begin(_ host: String) {
      running.withLock {
        let now = ($0[host]?.now ?? 0) + 1
        $0[host] = (now, max(now, $0[host]?.most ?? 0))
      }
    }

    func end(_ host: String) { running.withLock { $0[host]?.now -= 1 } }
  }

  init(_ site: @escaping @Sendable (Request) -> Reply) throws {
    listener = try LoopbackListener { [log] client in
      if let request = Self.read(client) {
        log.requests.withLock { $0.append("\(request.method) \(request.path)") }
        let host = request["Host"] ?? ""
        log.begin(host)
        let reply = site(request)
        if case .answer(_, _, _, let delay) = reply, delay > 0 { Thread.sleep(forTimeInterval: delay) }
        // Before the answer: after it the client may send its next request.
        log.end(host)
        Self.send(reply, to: client, withBody: request.method != "HEAD", log)
      }
      // Ends the connection even if a program that was started between accept and fcntl has the descriptor too.
      shutdown(client, Int32(SHUT_RDWR))
      close(client)
    }
  }

  var port: Int { listener.port }
  var base: String { "http://127.0.0.1:\(port)" }
  /// The requests so far, "HEAD /path", in the order in which they came.
  var requests: [String] { log.requests.withLock { $0 } }
  /// How many requests to each host were being answered at the same time, at most.
  var mostAtOnce: [String: Int] { log.running.withLock { $0.mapValues(\.most) } }
  /// How many bytes of endless bodies were sent.
  var endlessBytes: Int { log.endlessBytes.withLock { $0 } }
  /// Allows a tool to reach this server, which has a private address.
  var environment: [String: String] { ["TW_ALLOW_PRIVATE": "127.0.0.1:\(port)"] }

  private static func read(_ client: Int32) -> Request? {
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      var piece = [UInt8](repeating: 0, count: 4096)
      let count = recv(client, &piece, piece.count, 0)
      guard count > 0 else { return nil }
      head += piece[..<count]
    }
    let text = String(decoding: head, as: UTF8.self)
    let words = text.split(separator: " ", maxSplits: 2)
    guard words.count == 3 else { return nil }
    return Request(method: String(words[0]), path: String(words[1]), head: text)
  }

  private static func send(_ reply: Reply, to client: Int32, withBody: Bool, _ log: Log) {
    switch reply {
    case .hangUp: return
    case .answer(let status, let headers, let body, _):
      let fields = headers + ["Content-Length: \(body.count)", "Connection: close"]
      let head = "HTTP/1.1 \(status) x\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n"
      _ = send(Array(head.utf8) + (withBody ? body : []), to: client)
    case .endless(let headers):
      let fields = headers + ["Connection: close"]
      guard send(Array("HTTP/1.1 200 x\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n".utf8), to: client) else {
        return
      }
      let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 65536)
      while send(piece, to: client) { log.endlessBytes.withLock { $0 += piece.count } }
    }
  }

  private static func send(_ bytes: [UInt8], to client: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
