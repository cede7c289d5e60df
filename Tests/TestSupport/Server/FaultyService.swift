import Synchronization
import TweetCore

/// A service on a loopback port that misbehaves as its script says.
package final class FaultyService: Sendable {
  private let server: LoopbackServer
  private let memory: ServiceMemory
  private let record = Record()

  private final class Record: Sendable {
    /// How many answers were sent, by kind of request.
    let sent = Mutex<[String: Int]>([:])
    let delivered = Mutex<[String]>([])
  }

  /// - Parameter script: the steps are listed in Script.swift.
  package init(_ text: String) throws {
    let script = try Script(text)
    memory = ServiceMemory(rules: script.rules)
    server = try LoopbackServer { [memory, record] request, connection in
      let exchange = Exchange(request, connection, memory) { line in record.delivered.withLock { $0.append(line) } }
      let answers = script.answers[request.kind] ?? []
      let number = record.sent.withLock { sent in
        defer { sent[request.kind, default: 0] += 1 }
        return sent[request.kind, default: 0]
      }
      exchange.play(answers.isEmpty ? [{ $0.answerAsUsual() }] : answers[min(number, answers.count - 1)])
    }
  }

  package var port: Int { server.port }
  package var base: String { server.base }
  package var requests: [LoopbackServer.Request] { server.requests }
  /// The id of post 0; post 7's is seven more.
  package var firstID: Int { memory.firstID }

  /// What it has delivered so far, by its own count: `posts 17`, `users 3`, `posts -` for one without a readable id.
  package var delivered: [String] { record.delivered.withLock { $0 } }
}

extension LoopbackServer.Request {
  /// `add`, `list`, `delete` (of rules), `stream`, `search`, or the method and the path.
  package var kind: String {
    switch target.prefix(while: { $0 != "?" }) {
    case "GET /2/tweets/search/stream": return "stream"
    case "GET /2/tweets/search/recent": return "search"
    case "GET /2/tweets/search/stream/rules": return "list"
    case "POST /2/tweets/search/stream/rules":
      let document = try? JSONDocument(body)
      return document?["delete"] == nil ? "add" : "delete"
    case let other: return String(other)
    }
  }
}
