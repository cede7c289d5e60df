import Foundation
import Synchronization
import TestSupport
import Testing

/// A server with Mastodon's API: its timelines have posts of ascending ids, and pages as Mastodon gives them out.
final class MastodonServer: Sendable {
  struct Settings: Sendable {
    /// Of `configuration` in what it says of itself; JSON.
    var configuration = "{}"
    /// The whole of it, in place of Mastodon's.
    var instance: String?
    var posts = 100
    /// Posts of a page, whatever is asked for.
    var pageSize: Int?
    /// Pages in a window, and its seconds; `nil` for no limit.
    var limit: (pages: Int, seconds: Double)?
    /// What it answers before it looks for an answer of its own.
    var first: @Sendable (LoopbackServer.Request, Connection) -> Bool = { _, _ in false }
  }

  let server: LoopbackServer
  private let shared: Shared

  private struct State {
    var posts: [Int]
    var windowEnds = Date.distantPast
    var left = 0
    var refused = 0
  }

  init(_ settings: Settings = Settings()) throws {
    let shared = Shared(settings)
    self.shared = shared
    server = try LoopbackServer { request, connection in
      if !settings.first(request, connection) { shared.answer(request, connection) }
    }
  }

  /// The service's name.
  var name: String { "mastodon:127.0.0.1:\(server.port)" }
  var targets: [String] { server.targets }
  /// Requests that its limit did not allow.
  var refused: Int { shared.state.withLock(\.refused) }

  /// Adds posts that are newer than all others.
  func post(_ count: Int) {
    shared.state.withLock { state in
      let next = (state.posts.last ?? 999) + 1
      state.posts += next..<(next + count)
    }
  }

  /// Runs a tool that works for this server.
  func run(
    _ tool: String, _ arguments: [String], stdin: ToolInput = "", home: TemporaryDirectory, token: String? = nil,
    _ more: [String: String] = [:]
  ) throws -> ToolResult {
    try Tool.run(
      tool, arguments, stdin: stdin, environment: environment(token: token).merging(more) { $1 }, home: home)
  }

  func environment(token: String? = nil) -> [String: String] {
    var variables = ["TW_SERVICE": name]
    variables["TW_TOKEN"] = token
    return variables
  }

  /// A status as Mastodon sends it.
  static func status(_ id: Int, content: String = "tea", at time: String = "2026-11-26T20:00:00.000Z") -> String {
    #"{"id":"\#(id)","created_at":"\#(time)","visibility":"public","content":"<p>\#(content)</p>","#
      + #""url":"https://tea.example/@maja/\#(id)","account":\#(account),"media_attachments":[],"mentions":[],"tags":[]}"#
  }

  /// A notification as Mastodon sends it: somebody has liked a status.
  static func notification(_ id: Int, type: String = "favourite") -> String {
    #"{"id":"\#(id)","type":"\#(type)","created_at":"2026-11-26T21:00:00.000Z","account":"#
      + #"{"id":"8","username":"otto","acct":"otto@milk.example","display_name":"Otto","url":"https://milk.example/@otto"},"#
      + #""status":\#(status(1))}"#
  }

  static let account =
    #"{"id":"7","username":"maja","acct":"maja","display_name":"Maja","url":"https://tea.example/@maja"}"#

  /// The ids of the posts in what a tool has printed, in order.
  static func ids(_ result: ToolResult) -> [Int] {
    result.lines.compactMap { line in
      guard !line.hasPrefix(#"{"tw":"#) || line.hasPrefix(#"{"tw":"tweet"#) else { return nil }
      return line.firstMatch(of: /"id":"(\d+)","(created|service)/).flatMap { Int($0.1) }
    }
  }

  private final class Shared: Sendable {
    let state: Mutex<State>
    let settings: Settings

    init(_ settings: Settings) {
      state = Mutex(State(posts: Array(1000..<(1000 + settings.posts))))
      self.settings = settings
    }

    func answer(_ request: LoopbackServer.Request, _ connection: Connection) {
      let path = String(request.target.split(separator: "?")[0])
      switch path {
      case "GET /api/v2/instance":
        connection.answer(
          200,
          settings.instance
            ?? #"{"version":"4.5.2","api_versions":{"mastodon":7},"configuration":\#(settings.configuration)}"#)
      case "GET /api/v1/accounts/lookup", "GET /api/v1/accounts/verify_credentials":
        connection.answer(200, MastodonServer.account)
      case "GET /api/v1/lists": connection.answer(200, #"[{"id":"3","title":"Tea"},{"id":"4","title":"Milk"}]"#)
      case "POST /api/v1/apps": connection.answer(200, #"{"client_id":"cid","client_secret":"shh"}"#)
      case "POST /oauth/token":
        connection.answer(200, #"{"access_token":"t0k","token_type":"Bearer","scope":"read write","created_at":1}"#)
      case "POST /oauth/revoke": connection.answer(200, "{}")
      case "GET /api/v1/notifications": page(request, connection, of: { MastodonServer.notification($0) })
      case let path where path.hasPrefix("GET /api/v1/timelines/") || path.hasSuffix("/statuses"):
        page(request, connection)
      default: connection.answer(404, #"{"error":"Record not found"}"#)
      }
    }

    private func page(
      _ request: LoopbackServer.Request, _ connection: Connection,
      of element: (Int) -> String = { MastodonServer.status($0) }
    ) {
      let (ids, fields) = state.withLock { state -> ([Int]?, [String]) in
        var fields: [String] = []
        if let limit = settings.limit {
          if Date.now > state.windowEnds {
            (state.windowEnds, state.left) = (Date(timeIntervalSinceNow: limit.seconds), limit.pages)
          }
          state.left -= 1
          fields = [
            "X-RateLimit-Limit: \(limit.pages)", "X-RateLimit-Remaining: \(max(0, state.left))",
            "X-RateLimit-Reset: \(state.windowEnds.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true)))Z",
          ]
          if state.left < 0 {
            state.refused += 1
            return (nil, fields)
          }
        }
        var posts = state.posts
        let bound = { (name: String) in request.parameter(name).flatMap { Int($0) } }
        let size = settings.pageSize ?? min(40, bound("limit") ?? 20)
        if let below = bound("max_id") { posts.removeAll { $0 >= below } }
        if let above = bound("min_id") { return (posts.filter { $0 > above }.prefix(size).reversed(), fields) }
        if let above = bound("since_id") { posts.removeAll { $0 <= above } }
        return (posts.suffix(size).reversed(), fields)
      }
      guard let ids else { return connection.answer(429, #"{"error":"Too many requests"}"#, headers: fields) }
      connection.answer(200, "[" + ids.map(element).joined(separator: ",") + "]", headers: fields)
    }
  }
}

extension MastodonServer {
  /// Ids, notices' codes and other events of a run of tw-stream, in order.
  func words(_ arguments: [String], status: Int32 = 0, home: TemporaryDirectory) throws -> [String] {
    let result = try run("tw-stream", arguments, home: home, token: "t0k")
    #expect(result.status == status, "\(result.errors)")
    return result.lines.compactMap { line in
      if line.hasPrefix(#"{"tw":"context""#) || line.hasPrefix(#"{"tw":"refresh""#) { return nil }
      // It may be tried again at once.
      if line.contains(#""code":"reconnect""#) { return nil }
      if let code = line.firstMatch(of: /"code":"([a-z-]+)"/) { return String(code.1) }
      let event = line.firstMatch(of: /"event":"([a-z.]+)"/).map { String($0.1) + " " } ?? ""
      let id = line.firstMatch(of: /"id":"(\d+)"/) ?? line.firstMatch(of: /"payload":"(\d+)"/)
      return event.replacing("update ", with: "") + (id.map { String($0.1) } ?? line)
    }
  }
}
