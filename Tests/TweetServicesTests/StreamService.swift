import Foundation
import Synchronization
import TestSupport
import TweetCore
import TweetNet
import TweetServices
import XClient

/// A service that keeps rules as X does, and streams what the test scripts: one closure a connection, in order.
final class StreamService: Sendable {
  typealias Script = @Sendable (Connection) -> Void

  private let rules = Mutex<[(id: String, value: String, tag: String)]>([("7", "cats", "somebody's")])
  private let scripts: Mutex<[Script]>
  private let connections = Atomic<Int>(0)
  private let lastRule = Atomic<Int>(10)
  private let areListsRefused = Atomic<Bool>(false)
  private let server = Mutex<LoopbackServer?>(nil)
  private let searches: Searches

  init(_ scripts: Script..., searches: Searches = Searches()) throws {
    self.scripts = Mutex(scripts)
    self.searches = searches
    let made = try LoopbackServer { [weak self] request, connection in self?.serve(request, connection) }
    server.withLock { $0 = made }
  }

  /// Sets what all connections bring.
  func script(_ script: @escaping Script) { scripts.withLock { $0 = [script] } }

  /// Targets of the requests that came, in order.
  var requests: [LoopbackServer.Request] { server.withLock { $0?.requests ?? [] } }
  var values: [String] { rules.withLock { $0.map(\.value) } }
  var access: ServiceAccess {
    let base = server.withLock { $0?.base ?? "" }
    return ServiceAccess(XAPI.local, base: base, token: Secret("test-token"))
  }

  /// As another program of the app does.
  func removeRule(_ value: String) { rules.withLock { $0.removeAll { $0.value == value } } }
  /// Ids by value.
  var ruleIDs: [String: String] { rules.withLock { Dictionary($0.map { ($0.value, $0.id) }) { first, _ in first } } }

  /// From now on the service has trouble with lists of rules.
  func refuseLists() { areListsRefused.store(true, ordering: .relaxed) }

  func addRule(_ value: String, tag: String) { rules.withLock { $0.append(("8", value, tag)) } }

  private func serve(_ request: LoopbackServer.Request, _ connection: Connection) {
    if request.target.contains("/search/recent") { return searches.answer(request, connection) }
    if !request.target.contains("/rules") {
      let number = connections.add(1, ordering: .relaxed).oldValue
      let scripts = scripts.withLock { $0 }
      return scripts[min(number, scripts.count - 1)](connection)
    }
    guard let document = try? JSONDocument(request.body) else {
      if areListsRefused.load(ordering: .relaxed) { return connection.answer("503 Busy") }
      let list = rules.withLock { $0.map { #"{"id":"\#($0.id)","value":"\#($0.value)","tag":"\#($0.tag)"}"# } }
      return connection.answer("200 OK", #"{"data":[\#(list.joined(separator: ","))]}"#)
    }
    if let add = document.root["add"] {
      var data: [String] = []
      var errors: [String] = []
      for rule in add.elements {
        let (value, tag) = (rule["value"]?.string ?? "", rule["tag"]?.string ?? "")
        rules.withLock { rules in
          if let known = rules.first(where: { $0.value == value }) {
            errors.append(#"{"value":"\#(value)","id":"\#(known.id)","title":"DuplicateRule"}"#)
          } else {
            let id = lastRule.add(1, ordering: .relaxed).newValue
            rules.append((String(id), value, tag))
            data.append(#"{"id":"\#(id)","value":"\#(value)","tag":"\#(tag)"}"#)
          }
        }
      }
      connection.answer(
        "201 Created", #"{"data":[\#(data.joined(separator: ","))],"errors":[\#(errors.joined(separator: ","))]}"#)
    } else {
      let ids = document.root["delete"]?["ids"]?.elements.compactMap { $0.string } ?? []
      rules.withLock { $0.removeAll { ids.contains($0.id) } }
      connection.answer("200 OK", "{}")
    }
  }

  static func message(_ id: Int, rule: String = "11", tag: String? = nil) -> String {
    let tag = tag.map { "\"\($0)\"" } ?? "null"
    return #"{"data":{"id":"\#(id)","text":"t"},"matching_rules":[{"id":"\#(rule)","tag":\#(tag)}]}"# + "\r\n"
  }
}

/// What the search of a ``StreamService`` finds, and when it answers.
final class Searches: Sendable {
  private struct State {
    var published: [Int] = []
    var isOpen = true
    var refusals: [(status: String, body: String)] = []
  }
  private let state = Mutex(State())
  private let pageSize: Int

  /// - Parameters:
  ///   - isOpen: whether it answers before ``open()``.
  ///   - refusals: its first answers.
  init(pageSize: Int = 100, isOpen: Bool = true, refusals: [(status: String, body: String)] = []) {
    self.pageSize = pageSize
    state.withLock {
      $0.isOpen = isOpen
      $0.refusals = refusals
    }
  }

  /// From now on the search finds these posts.
  func publish(_ ids: ClosedRange<Int>) { state.withLock { $0.published += Array(ids) } }

  var isOpen: Bool { state.withLock(\.isOpen) }

  /// Lets it answer.
  func open() { state.withLock { $0.isOpen = true } }

  fileprivate func answer(_ request: LoopbackServer.Request, _ connection: Connection) {
    while !isOpen { connection.pause(0.01) }
    if let refusal = state.withLock({ $0.refusals.isEmpty ? nil : $0.refusals.removeFirst() }) {
      return connection.answer(refusal.status, refusal.body)
    }
    let since = request.parameter("since_id").flatMap { Int($0) } ?? 0
    let until = (request.parameter("next_token") ?? request.parameter("until_id")).flatMap { Int($0) } ?? .max
    let found = state.withLock { $0.published }.filter { $0 > since && $0 < until }.sorted(by: >)
    let page = found.prefix(pageSize)
    let data = page.map { #"{"id":"\#($0)","text":"t"}"# }.joined(separator: ",")
    let next = found.count > page.count ? #","next_token":"\#(page.last ?? 0)""# : ""
    connection.answer(
      "200 OK",
      page.isEmpty
        ? #"{"meta":{"result_count":0}}"#
        : "{\"data\":[\(data)],\n\"includes\":{\"users\":[]},\"meta\":{\"result_count\":\(page.count)\(next)}}")
  }
}
