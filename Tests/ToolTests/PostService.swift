import Foundation
import Synchronization
import TestSupport

/// A service that takes posts, also the same one twice, and answers late: tw-local refuses to take a post twice, and so
/// would hide that a tool sends it twice.
final class PostService: Sendable {
  struct Post: Sendable {
    let id: Int
    let text: String
    let replyTo: String?
    let createdAt: Date

    /// The text with links as X writes them, and what they stand for.
    func shortened() -> (text: String, entities: [[String: Any]]) {
      var (text, entities) = (self.text, [[String: Any]]())
      let link = /(https?:\/\/)?([a-z0-9-]+\.)+(com|org|example)(\/[A-Za-z0-9\/._-]*[A-Za-z0-9\/])?/
      for (index, match) in text.matches(of: link).enumerated().reversed() {
        let written = String(text[match.range])
        let short = "https://t.co/\(id)x\(index)"
        entities.append([
          "url": short, "expanded_url": written.hasPrefix("http") ? written : "http://\(written)", "start": 0, "end": 1,
        ])
        text.replaceSubrange(match.range, with: short)
      }
      return (text, entities)
    }
  }

  /// What a test has it do with a post.
  enum Behaviour: Sendable {
    case answer
    /// It takes the post, and closes the connection.
    case lose
    /// It closes the connection, and takes nothing.
    case close
    case status(Int, String, headers: [String] = [])
  }

  private final class Shared: Sendable {
    let posts = Mutex<[Post]>([])
    let behaviours = Mutex<[Behaviour]>([])
    let pieces = Mutex<[Behaviour]>([])
  }

  private let shared = Shared()
  private let server: LoopbackServer

  /// - Parameters:
  ///   - latency: seconds between taking a post and the answer.
  ///   - behaviours: what happens to the first posts; the others are answered.
  ///   - pieces: the same for pieces of files.
  ///   - refusals: the codes and bodies of other requests that are refused, by the beginning of their targets.
  init(
    latency: Double = 0, _ behaviours: [Behaviour] = [], pieces: [Behaviour] = [],
    refusals: [String: (code: Int, body: String)] = [:]
  ) throws {
    shared.behaviours.withLock { $0 = behaviours }
    shared.pieces.withLock { $0 = pieces }
    server = try LoopbackServer { [shared] request in
      let path = request.target.split(separator: "?")[0]
      if let refusal = refusals.first(where: { request.target.hasPrefix($0.key) })?.value {
        return .answer(refusal.code, refusal.body)
      }
      switch path {
      case "GET /2/users/me":
        return .answer(200, #"{"data":{"id":"7","username":"jack","name":"Jack"}}"#)
      case "GET /2/users/7/tweets":
        return .answer(200, Self.page(shared.posts.withLock { $0 }, request))
      case "POST /2/tweets":
        return Self.take(request, shared, latency)
      case let path where path.hasPrefix("GET /2/users/by/username/"):
        return .answer(200, #"{"data":{"id":"8","username":"jill","name":"Jill"}}"#)
      case "GET /2/tweets":
        let id = request.parameter("ids") ?? ""
        return .answer(200, #"{"data":[{"id":"\#(id)","text":"x","author_id":"8"}]}"#)
      case "POST /2/media/upload/initialize":
        return .answer(200, #"{"data":{"id":"9","media_key":"3_9"}}"#)
      case "POST /2/media/upload/9/append":
        let behaviour = shared.pieces.withLock { $0.isEmpty ? .answer : $0.removeFirst() }
        switch behaviour {
        case .close, .lose: return .hangUp
        case .status(let code, let body, let headers): return .answer(code, body, headers: headers)
        case .answer: return .answer(200, #"{"data":{"expires_at":1}}"#)
        }
      case "POST /2/media/upload/9/finalize":
        let state = #"{"state":"pending","check_after_secs":1}"#
        return .answer(200, #"{"data":{"id":"9","processing_info":\#(state)}}"#)
      case "GET /2/media/upload":
        return .answer(200, #"{"data":{"id":"9","processing_info":{"state":"succeeded"}}}"#)
      default: return .answer(200, #"{"data":{"done":true}}"#)
      }
    }
  }

  var posts: [Post] { shared.posts.withLock { $0 } }
  var requests: [LoopbackServer.Request] { server.requests }
  var environment: [String: String] { ["TW_SERVICE": "local", "TW_ENDPOINT": server.base, "TW_TOKEN": "secret-token"] }

  /// The same service, under the name of one that bills reads and is slow to settle.
  var asX: [String: String] { environment.merging(["TW_SERVICE": "x"]) { $1 } }

  /// Changes what happens to the posts, or the pieces of files, that come from now on.
  func expect(posts: [Behaviour]? = nil, pieces: [Behaviour]? = nil) {
    if let posts { shared.behaviours.withLock { $0 = posts } }
    if let pieces { shared.pieces.withLock { $0 = pieces } }
  }

  private static func take(
    _ request: LoopbackServer.Request, _ shared: Shared, _ latency: Double
  ) -> Answer {
    let behaviour = shared.behaviours.withLock { $0.isEmpty ? .answer : $0.removeFirst() }
    switch behaviour {
    case .close: return .hangUp
    case .status(let code, let body, let headers): return .answer(code, body, headers: headers)
    case .answer, .lose: break
    }
    let body = LooseJSON(try? JSONSerialization.jsonObject(with: Data(request.body.utf8)))
    let id = shared.posts.withLock { posts in
      let reply = body["reply"]["in_reply_to_tweet_id"].text
      posts.append(
        Post(
          id: 1000 + posts.count, text: body["text"].text, replyTo: reply.isEmpty ? nil : reply, createdAt: Date()))
      return posts[posts.count - 1].id
    }
    if case .lose = behaviour { return .hangUp }
    return .answer(201, #"{"data":{"id":"\#(id)","text":"x"}}"#, after: latency)
  }

  /// Adds posts that the account makes elsewhere.
  func addPosts(_ texts: [String], at time: Date = .now) {
    shared.posts.withLock { posts in
      for text in texts { posts.append(Post(id: 1000 + posts.count, text: text, replyTo: nil, createdAt: time)) }
    }
  }

  /// A page as X answers it: newest first, within the bounds, with short links.
  private static func page(_ posts: [Post], _ request: LoopbackServer.Request) -> String {
    let size = request.decoded("max_results").flatMap { Int($0) } ?? 10
    let start = request.decoded("pagination_token").flatMap { Int($0) } ?? 0
    let times = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    let until = request.decoded("end_time").flatMap { try? times.parse($0) }
    let all = posts.reversed().filter { post in until.map { post.createdAt < $0 } ?? true }
    let list = all.dropFirst(start).prefix(size).map { post -> [String: Any] in
      let (text, entities) = post.shortened()
      var object: [String: Any] = [
        "id": String(post.id), "text": text, "created_at": post.createdAt.formatted(times),
        "entities": ["urls": entities],
      ]
      if let id = post.replyTo { object["referenced_tweets"] = [["type": "replied_to", "id": id]] }
      return object
    }
    var meta: [String: Any] = ["result_count": list.count]
    if start + list.count < all.count { meta["next_token"] = String(start + list.count) }
    let page: [String: Any] = ["data": list, "meta": meta]
    let data = try? JSONSerialization.data(withJSONObject: page)
    return String(decoding: data ?? Data(), as: UTF8.self)
  }
}
