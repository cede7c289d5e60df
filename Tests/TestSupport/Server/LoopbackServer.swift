import Foundation
import Synchronization
import TweetCore

/// An HTTP/1.1 server on a loopback port, with a thread for each connection: the one server of all tests. A test gives
/// it what it does with a request, as an ``Answer`` or with the ``Connection`` itself.
package final class LoopbackServer: Sendable {
  private let listener: LoopbackListener
  private let journal = Journal()

  /// - Parameter serve: says something to a request. The connection ends after it, unless it was
  ///   ``Connection/answerAndStay(_:)``.
  package init(_ serve: @escaping @Sendable (Request, Connection) -> Void) throws {
    let door = LoopbackListener.Door()
    listener = try LoopbackListener(door: door) { [journal] descriptor in
      let connection = Connection(descriptor, journal, door)
      while let request = connection.nextRequest() {
        serve(request, connection)
        if !connection.takesAnother { return connection.close() }
      }
      connection.close()
    }
  }

  /// - Parameter site: what is said to a request.
  package convenience init(_ site: @escaping @Sendable (Request) -> Answer) throws {
    try self.init { request, connection in site(request).say(connection) }
  }

  package var port: Int { listener.port }
  package var base: String { "http://127.0.0.1:\(port)" }
  /// Allows a tool to reach this server, which has a private address.
  package var environment: [String: String] { ["TW_ALLOW_PRIVATE": "127.0.0.1:\(port)"] }

  /// The requests so far, in the order in which they came. A request is listed before it is answered.
  package var requests: [Request] { journal.state.withLock(\.requests) }
  /// Their methods and targets: "HEAD /path".
  package var targets: [String] { requests.map(\.target) }
  /// How many requests to each host were waiting for an answer at the same time, at most.
  package var mostAtOnce: [String: Int] { journal.state.withLock { $0.waiting.mapValues(\.most) } }
  /// How many bytes were sent.
  package var sentBytes: Int { journal.state.withLock(\.sentBytes) }

  /// What the connections' threads record.
  final class Journal: Sendable {
    struct State {
      var requests: [Request] = []
      /// By the `Host` field.
      var waiting: [String: (now: Int, most: Int)] = [:]
      var sentBytes = 0
    }
    let state = Mutex(State())

    func began(_ request: Request) {
      let host = request["Host"] ?? ""
      state.withLock {
        $0.requests.append(request)
        let now = ($0.waiting[host]?.now ?? 0) + 1
        $0.waiting[host] = (now, max(now, $0.waiting[host]?.most ?? 0))
      }
    }

    func isAnswered(_ request: Request) { state.withLock { $0.waiting[request["Host"] ?? ""]?.now -= 1 } }
    func sent(_ count: Int) { state.withLock { $0.sentBytes += count } }
  }
}

extension LoopbackServer {
  package struct Request: Sendable {
    package let method: String
    /// The path, with the query.
    package let path: String
    /// Request line and header fields.
    package let head: String
    package let body: String
    /// When it came, in milliseconds of a clock that only goes forward.
    package let at = MonotonicClock.milliseconds

    init(head: String, body: String) {
      let words = head.prefix { $0 != "\r\n" }.split(separator: " ").map(String.init)
      method = words.first ?? ""
      path = words.count > 1 ? words[1] : ""
      self.head = head
      self.body = body
    }

    /// Method and path: "GET /2/x?y=z".
    package var target: String { "\(method) \(path)" }

    /// A header field's value.
    package subscript(_ name: String) -> String? {
      head.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
        .map { String($0.dropFirst(name.count + 2)) }
    }

    /// A parameter of the query as it was sent.
    package func parameter(_ name: String) -> String? {
      let pairs = path.split(separator: "?").dropFirst().first?.split(separator: "&") ?? []
      return pairs.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    /// A parameter of the query, decoded.
    package func decoded(_ name: String) -> String? {
      parameter(name)?.replacing("+", with: " ").removingPercentEncoding
    }
  }
}

/// What a server says to a request.
package struct Answer: Sendable {
  fileprivate let say: @Sendable (Connection) -> Void

  /// A whole answer.
  /// - Parameter seconds: how long it takes.
  package static func answer(
    _ code: Int, headers: [String] = [], body: [UInt8], after seconds: Double = 0
  ) -> Self {
    Answer { connection in
      connection.pause(seconds)
      connection.answer(code, body, headers: headers)
    }
  }

  /// A whole answer.
  package static func answer(
    _ code: Int, _ body: String = "", headers: [String] = [], after seconds: Double = 0
  ) -> Self {
    .answer(code, headers: headers, body: Array(body.utf8), after: seconds)
  }

  package static func page(_ text: String = "", after seconds: Double = 0) -> Self {
    .answer(200, text, headers: ["Content-Type: text/html"], after: seconds)
  }

  package static func redirect(_ location: String) -> Self { .answer(302, headers: ["Location: \(location)"]) }

  /// Closes the connection without an answer.
  package static let hangUp = Answer { $0.close() }

  /// A body that goes on until the client leaves.
  package static func endless(headers: [String]) -> Self {
    Answer { connection in
      connection.send("HTTP/1.1 200 x\r\n\((headers + ["Connection: close"]).joined(separator: "\r\n"))\r\n\r\n")
      let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
      while connection.isOpen { connection.send(piece) }
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
