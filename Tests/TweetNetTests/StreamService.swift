import Foundation
import Synchronization
import Testing
import TweetCore
import TweetNet
import TweetServices

/// A service that keeps rules as X does, and streams what the test scripts: one closure a connection, in order.
final class StreamService: Sendable {
  typealias Script = @Sendable (Connection) -> Void

  private let rules = Mutex<[(id: String, value: String, tag: String)]>([("7", "cats", "somebody's")])
  private let scripts: [Script]
  private let connections = Atomic<Int>(0)
  private let server = Mutex<LoopbackServer?>(nil)
  private let searches: Searches

  init(_ scripts: Script..., searches: Searches = Searches()) throws {
    self.scripts = scripts
    self.searches = searches
    let made = try LoopbackServer { [weak self] request, connection in self?.serve(request, connection) }
    server.withLock { $0 = made }
  }

  /// Targets of the requests that came, in order.
  var requests: [LoopbackServer.Request] { server.withLock { $0?.requests ?? [] } }
  var values: [String] { rules.withLock { $0.map(\.value) } }
  var access: ServiceAccess {
    let base = server.withLock { $0?.base ?? "" }
    return ServiceAccess(service: "local", base: base, token: Secret("test-token"))
  }

  func addRule(_ value: String, tag: String) { rules.withLock { $0.append(("8", value, tag)) } }

  private func serve(_ request: LoopbackServer.Request, _ connection: Connection) {
    if request.target.contains("/search/recent") { return searches.answer(request, connection) }
    if !request.target.contains("/rules") {
      let number = connections.add(1, ordering: .relaxed).oldValue
      return scripts[min(number, scripts.count - 1)](connection)
    }
    guard let document = try? JSONDocument(request.body) else {
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
            rules.append((String(10 + rules.count), value, tag))
            data.append(#"{"id":"\#(9 + rules.count)","value":"\#(value)","tag":"\#(tag)"}"#)
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

  static func message(_ id: Int, rule: String = "11") -> String {
    #"{"data":{"id":"\#(id)","text":"t"},"matching_rules":[{"id":"\#(rule)","tag":null}]}"# + "\r\n"
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

extension LoopbackServer.Request {
  /// A query parameter's value, as it stands.
  func parameter(_ name: String) -> String? {
    target.split(separator: "?").last?.split(separator: "&").first { $0.hasPrefix(name + "=") }
      .map { String($0.dropFirst(name.count + 1)) }
  }
}

/// One run of a live feed, and what came of it.
struct LiveRun {
  /// The ids of posts and the codes of notices, in order.
  let events: [String]
  let lines: [String]
  /// What ended it before its count was reached.
  let error: ToolError?

  /// The ids of posts, those of pages included.
  var ids: [Int] { events.compactMap { Int($0) } }
  var codes: [String] { events.filter { Int($0) == nil } }

  /// The notice with that code; the first one.
  func notice(_ code: String) -> String? { lines.first { $0.contains("\"code\":\"\(code)\"") } }

  /// Runs the filtered stream of hashtags until it has written `count` posts or failed.
  init(_ service: StreamService, hashtags: [String] = ["swift"], count: Int, options: LiveFeed.Options) throws {
    let stream = FilteredStream(XRequests(service.access), hashtags: hashtags)
    try self.init(LiveFeed(stream, options: options), service, count: count) { _, _, _, _ in }
  }

  /// - Parameter acting: called before each wait with the posts written so far.
  init<F: Feed>(
    _ feed: F, _ service: StreamService, count: Int,
    acting: (Int, inout F, inout TransferLoop, inout FeedWriter) throws -> Void
  ) throws {
    let file = try #require(tmpfile())
    defer { fclose(file) }
    var feed = feed
    var loop = try TransferLoop()
    var writer = FeedWriter(
      OutputQueue(descriptor: fileno(file)), for: service.access, records: true, limit: count
    ) { _ in }
    var failure: ToolError?
    // The suite's time limit ends no test that does not wait for anything.
    let deadline = MonotonicClock.milliseconds + 50_000
    do {
      try feed.begin(in: &loop, to: &writer)
      while writer.remaining != 0 {
        if MonotonicClock.milliseconds > deadline { throw POSIXError(.ETIMEDOUT) }
        try acting(writer.posts, &feed, &loop, &writer)
        let wait = min(1_000, feed.wakesAt.map { max(0, $0 - MonotonicClock.milliseconds) } ?? 1_000)
        for event in try loop.wait(timeoutMilliseconds: wait) { try feed.handle(event, in: &loop, to: &writer) }
        try feed.wake(in: &loop, to: &writer)
      }
    } catch let error as ToolError {
      failure = error
    }
    try feed.close(to: &writer)
    #expect(feed.end(in: &loop) == nil)
    try writer.flush()
    error = failure
    rewind(file)
    let text = String(decoding: FileHandle(fileDescriptor: fileno(file)).readDataToEndOfFile(), as: UTF8.self)
    lines = text.split(separator: "\n").map(String.init)
    events = try lines.flatMap { line in
      let document = try JSONDocument(line)
      let root = document.root
      if let data = root["data"], data.isArray { return data.elements.map { $0["id"]?.string ?? "?" } }
      return [root["code"]?.string ?? root["data"]?["id"]?.string ?? root["feed"]?.string ?? "?"]
    }
  }
}
