import Foundation
import ServiceClients
import Synchronization
import TestSupport
import TweetCore
import TweetNet
import TweetServices

/// A service that keeps rules as X does, and streams what the test scripts: one closure a connection, in order.
final class StreamService: Sendable {
  typealias Script = @Sendable (Connection) -> Void

  private let server: LoopbackServer
  private let shared: Shared

  private final class Shared: Sendable {
    let memory = ServiceMemory(rules: [("7", "cats", "somebody's")])
    let scripts: Mutex<[Script]>
    let connections = Atomic(0)
    let areListsRefused = Atomic(false)

    init(_ scripts: [Script]) { self.scripts = Mutex(scripts) }

    var nextScript: Script {
      let number = connections.add(1, ordering: .relaxed).oldValue
      return scripts.withLock { $0[min(number, $0.count - 1)] }
    }
  }

  init(_ scripts: Script..., searches: Searches = Searches()) throws {
    let shared = Shared(scripts)
    self.shared = shared
    server = try LoopbackServer { request, connection in
      switch request.kind {
      case "search": searches.answer(request, connection)
      case "stream": shared.nextScript(connection)
      case "list" where shared.areListsRefused.load(ordering: .relaxed): connection.answer(503)
      default:
        let (code, body) = shared.memory.rules(request.body)
        connection.answer(code, body)
      }
    }
  }

  /// Sets what all connections bring.
  func script(_ script: @escaping Script) { shared.scripts.withLock { $0 = [script] } }

  var requests: [LoopbackServer.Request] { server.requests }
  var values: [String] { shared.memory.rules.map(\.value) }
  var access: ServiceAccess { ServiceAccess(XAPI.local, base: server.base, token: Secret("test-token")) }

  /// As another program of the app does.
  func removeRule(_ value: String) { shared.memory.changeRules { $0.removeAll { $0.value == value } } }
  func addRule(_ value: String, tag: String) { shared.memory.changeRules { $0.append(("8", value, tag)) } }
  /// Ids by value.
  var ruleIDs: [String: String] { Dictionary(shared.memory.rules.map { ($0.value, $0.id) }) { first, _ in first } }

  /// From now on the service has trouble with lists of rules.
  func refuseLists() { shared.areListsRefused.store(true, ordering: .relaxed) }

  static func message(_ id: Int, rule: String = "11", tag: String? = nil) -> String {
    let tag = tag.map { "\"\($0)\"" } ?? "null"
    return #"{"data":{"id":"\#(id)","text":"t"},"matching_rules":[{"id":"\#(rule)","tag":\#(tag)}]}"# + "\r\n"
  }
}

/// What the search of a ``StreamService`` finds, and when it answers.
final class Searches: Sendable {
  private let memory: ServiceMemory
  private let isOpenNow: Atomic<Bool>
  private let refusals: Mutex<[(code: Int, body: String)]>

  /// - Parameters:
  ///   - isOpen: whether it answers before ``open()``.
  ///   - refusals: its first answers.
  init(pageSize: Int = 100, isOpen: Bool = true, refusals: [(code: Int, body: String)] = []) {
    memory = ServiceMemory(firstID: 0, pageSize: pageSize)
    isOpenNow = Atomic(isOpen)
    self.refusals = Mutex(refusals)
  }

  /// From now on the search finds these posts.
  func publish(_ ids: ClosedRange<Int>) { memory.publish(ids) }

  var isOpen: Bool { isOpenNow.load(ordering: .acquiring) }

  /// Lets it answer.
  func open() { isOpenNow.store(true, ordering: .releasing) }

  fileprivate func answer(_ request: LoopbackServer.Request, _ connection: Connection) {
    while !isOpen { connection.pause(0.01) }
    let refusal = refusals.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    let (code, body) = refusal ?? memory.search(request)
    connection.answer(code, body)
  }
}
