import Foundation
import Synchronization
import TestSupport

/// A server with Mastodon's API that keeps what is posted: a post with a key that it had before is the same post.
final class PostingMastodon: Sendable {
  struct Post: Sendable {
    let id: Int
    let text: String
    let replyTo: String
    let quoteOf: String
    let key: String
    let createdAt: Date
  }

  enum Fault: Sendable {
    /// It takes the post, and its answer does not come.
    case lostAnswer
    /// It takes the post and answers when the test says so.
    case heldAnswer
    /// It is not taken.
    case answer(Int, String)
    case close
  }

  private struct State {
    var posts: [Post] = []
    var deleted: [String] = []
    var faults: [Fault] = []
    /// Loses one answer in so many; 0 for none.
    var loses = 0
    var taken = 0
    /// Seconds between taking a post and the answer.
    var latency = 0.0
  }

  let server: MastodonServer
  private let state: Box

  private final class Box: Sendable {
    let value = Mutex(State())
  }

  /// A version of Mastodon that makes a post once for each key, even if two requests come at once.
  static let newVersion = #"{"version":"4.6.1","api_versions":{"mastodon":10},"configuration":"#

  /// - Parameters:
  ///   - longest: characters of a post.
  ///   - isNew: whether it is of a version that can be trusted with keys.
  ///   - instance: what it says of itself in place of both.
  init(longest: Int = 500, isNew: Bool = false, instance: String? = nil) throws {
    let state = Box()
    self.state = state
    var settings = MastodonServer.Settings()
    settings.posts = 0
    settings.configuration = #"{"statuses":{"max_characters":\#(longest),"characters_reserved_per_url":23}}"#
    settings.instance = instance ?? (isNew ? Self.newVersion + settings.configuration + "}" : nil)
    settings.first = { Self.answer($0, $1, state) }
    server = try MastodonServer(settings)
  }

  var name: String { server.name }
  var base: String { server.server.base }
  var posts: [Post] { state.value.withLock(\.posts) }
  var deleted: [String] { state.value.withLock(\.deleted) }
  /// Requests that make a post.
  var tries: [LoopbackServer.Request] { server.server.requests.filter { $0.target == "POST /api/v1/statuses" } }

  /// Adds posts that the account makes elsewhere.
  func addPosts(_ texts: [String]) {
    state.value.withLock { state in
      for text in texts {
        state.posts.append(
          Post(
            id: 2000 + state.posts.count, text: text, replyTo: "", quoteOf: "", key: "", createdAt: .now))
      }
    }
  }

  func expect(_ faults: [Fault]) { state.value.withLock { $0.faults = faults } }
  /// Loses one answer in so many, and has the others come after some seconds.
  func lose(oneIn count: Int, latency: Double) {
    state.value.withLock { ($0.loses, $0.latency) = (count, latency) }
  }

  private static func answer(_ request: LoopbackServer.Request, _ connection: Connection, _ state: Box) -> Bool {
    let target = String(request.target.split(separator: "?")[0])
    switch target {
    case "POST /api/v1/statuses": take(request, connection, state)
    case "POST /api/v2/media":
      connection.answer(200, #"{"id":"m1","type":"image","url":"https://tea.example/m1.png"}"#)
    case "GET /api/v1/accounts/7/statuses":
      let below = request.parameter("max_id").flatMap { Int($0) } ?? .max
      let posts = state.value.withLock(\.posts).filter { $0.id < below }.suffix(40).reversed().map(status)
      connection.answer(200, "[\(posts.joined(separator: ","))]")
    case let target where target.hasPrefix("GET /api/v1/statuses/"):
      let id = target.split(separator: "/").last.flatMap { Int($0) }
      guard let post = state.value.withLock(\.posts).first(where: { $0.id == id }) else { return false }
      connection.answer(200, status(post))
    case let target where target.hasSuffix("/favourite"): connection.answer(200, MastodonServer.status(1))
    case let target where target.hasPrefix("DELETE /api/v1/statuses/"):
      state.value.withLock { $0.deleted.append(String(target.split(separator: "/").last ?? "")) }
      connection.answer(200, MastodonServer.status(1))
    default: return false
    }
    return true
  }

  private static func take(_ request: LoopbackServer.Request, _ connection: Connection, _ state: Box) {
    let body = LooseJSON(try? JSONSerialization.jsonObject(with: Data(request.body.utf8)))
    let fault = state.value.withLock { state -> Fault? in
      state.taken += 1
      if state.loses > 0, state.taken % state.loses == 0 { return .lostAnswer }
      return state.faults.isEmpty ? nil : state.faults.removeFirst()
    }
    if case .answer(let code, let text) = fault { return connection.answer(code, text) }
    if case .close = fault { return connection.reset() }
    let post = state.value.withLock { state in
      let key = request["Idempotency-Key"] ?? ""
      if let known = state.posts.first(where: { $0.key == key && !key.isEmpty }) { return known }
      let post = Post(
        id: 2000 + state.posts.count, text: body["status"].text, replyTo: body["in_reply_to_id"].text,
        quoteOf: body["quoted_status_id"].text, key: key, createdAt: .now)
      state.posts.append(post)
      return post
    }
    switch fault {
    case .lostAnswer: connection.reset()
    case .heldAnswer: connection.hold()
    default:
      connection.pause(state.value.withLock(\.latency))
      connection.answer(200, status(post))
    }
  }

  private static func status(_ post: Post) -> String {
    let text = post.text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    let reply = post.replyTo.isEmpty ? "null" : "\"\(post.replyTo)\""
    let quote = post.quoteOf.isEmpty ? "null" : #"{"state":"accepted","quoted_status":{"id":"\#(post.quoteOf)"}}"#
    return MastodonServer.status(post.id, content: text, at: post.createdAt.ISO8601Format()).dropLast()
      + #","in_reply_to_id":\#(reply),"quote":\#(quote),"uri":"https://tea.example/users/maja/statuses/\#(post.id)","#
      // What a server might say to hide posts of others.
      + #""same_as":"https://evil.example/1"}"#
  }
}
