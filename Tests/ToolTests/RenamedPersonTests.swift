import Foundation
import Services
import Synchronization
import TestSupport
import Testing
import TweetCore
import TweetNet
import TweetServices

@testable import ServiceClients

/// A source of a person follows the account, not the name: after a new name, and when somebody else has the old one.
@Suite(.onOwnThread(minutes: 2)) struct RenamedPersonTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// Who has which name, and the posts: X and a server of Mastodon in one.
  private final class Accounts: Sendable {
    /// By their names.
    let ids = Mutex<[String: String]>(["carol": "11"])
    let posts = Mutex<[(id: Int, author: String)]>([])

    func post(_ id: Int, by author: String) { posts.withLock { $0.append((id, author)) } }

    func answer(_ request: LoopbackServer.Request) -> Answer {
      let path = request.path.split(separator: "?")[0].split(separator: "/").map(String.init)
      let ids = ids.withLock { $0 }
      func user(_ id: String?) -> Answer {
        guard let id, let name = ids.first(where: { $0.value == id })?.key else {
          return path[0] == "2"
            ? .answer(200, #"{"errors":[{"title":"Not Found Error","detail":"Could not find user"}]}"#)
            : .answer(404, #"{"error":"Record not found"}"#)
        }
        let json = #"{"id":"\#(id)","username":"\#(name)","acct":"\#(name)","name":"N","display_name":"N","url":"u"}"#
        return .answer(200, path[0] == "2" ? #"{"data":\#(json)}"# : json)
      }
      if path.starts(with: ["2", "users", "by", "username"]) { return user(ids[path[4]]) }
      if path.last == "lookup" { return user(ids[request.parameter("acct") ?? ""]) }
      guard path.last == "tweets" || path.last == "statuses" else { return user(path.last) }
      let id = path[path.count - 2]
      let name = ids.first { $0.value == id }?.key ?? "gone"
      let bound = (request.parameter("since_id") ?? request.parameter("min_id")).flatMap { Int($0) } ?? 0
      let end = (request.parameter("until_id") ?? request.parameter("max_id")).flatMap { Int($0) } ?? .max
      let mine = posts.withLock { $0 }.filter { $0.author == id && $0.id > bound && $0.id < end }.sorted {
        $0.id > $1.id
      }
      if path[0] == "2" {
        let time = "2026-01-02T00:00:00.000Z"
        let data = mine.map { #"{"id":"\#($0.id)","text":"p","author_id":"\#(id)","created_at":"\#(time)"}"# }
        let author = #"{"id":"\#(id)","username":"\#(name)","name":"N"}"#
        return .answer(
          200,
          #"{"data":[\#(data.joined(separator: ","))],"includes":{"users":[\#(author)]},"#
            + #""meta":{"result_count":\#(mine.count)}}"#)
      }
      let list = mine.map { post in
        #"{"id":"\#(post.id)","created_at":"2026-01-02T00:00:00.000Z","visibility":"public","content":"p","#
          + #""account":{"id":"\#(id)","username":"\#(name)","acct":"\#(name)","url":"u"},"media_attachments":[],"#
          + #""url":"u/\#(post.id)","mentions":[],"tags":[]}"#
      }
      return .answer(200, "[\(list.joined(separator: ","))]")
    }
  }

  private func run(_ words: [String], _ environment: [String: String]) throws -> ToolResult {
    try Tool.run("tw-cache", words, environment: environment, home: home)
  }

  private func follow(_ accounts: Accounts, _ environment: [String: String], first: Int) throws {
    func refresh() throws -> ToolResult { try run(["refresh", "--no-fetch-avatars", "@carol"], environment) }
    func stored() throws -> [String] { ids(try run(["list", "--quiet"], environment).lines).sorted() }
    accounts.post(first, by: "11")
    #expect(try run(["source", "add", "@carol"], environment).status == 0)
    let before = try refresh()
    #expect(before.errors == "" && before.status == 0)
    #expect(try run(["source", "list"], environment).output.hasSuffix("\t11\n"))
    // Another name: said once.
    accounts.ids.withLock { $0 = ["carol_new": "11"] }
    accounts.post(first + 1, by: "11")
    let renamed = try refresh()
    #expect(renamed.errors.contains("'user:carol': @carol is now @carol_new"), "\(renamed.errors)")
    #expect(renamed.status == 0)
    #expect(try run(["source", "list"], environment).output.hasSuffix("\t11 @carol_new\n"))
    accounts.post(first + 2, by: "11")
    #expect(try refresh().errors == "")
    // Somebody else has the old one: said once, and not followed.
    accounts.ids.withLock { $0 = ["carol_new": "11", "carol": "22"] }
    accounts.post(first + 3, by: "11")
    accounts.post(first + 4, by: "22")
    let taken = try refresh()
    #expect(taken.errors.contains("the name @carol is somebody else now (22)") && taken.status == 0, "\(taken.errors)")
    accounts.post(first + 5, by: "22")
    accounts.post(first + 6, by: "11")
    #expect(try refresh().errors == "")
    #expect(try stored() == [0, 1, 2, 3, 6].map { String(first + $0) })
    #expect(try run(["log", "@carol"], environment).output.contains("@carol is now @carol_new"))
    // The account is gone: whoever has its name now is not followed either.
    accounts.ids.withLock { $0 = ["carol": "22"] }
    let gone = try refresh()
    #expect(gone.status == 69 && gone.errors.contains("is somebody else now, and the account"), "\(gone.errors)")
    #expect(try stored().count == 5)
  }

  @Test func anAccountOfXIsFollowedByItsId() throws {
    let accounts = Accounts()
    let server = try LoopbackServer { accounts.answer($0) }
    try follow(
      accounts, ["TW_SERVICE": "local", "TW_ENDPOINT": server.base, "TW_TOKEN": "a-token"],
      first: 1_900_000_000_000_000_000)
    // As long as the name is the account's, nothing more is asked than before.
    #expect(server.targets[0].hasPrefix("GET /2/users/by/username/carol"))
    #expect(server.targets[1].hasPrefix("GET /2/users/11/tweets"))
  }

  @Test func anAccountOfMastodonIsFollowedByItsId() throws {
    let accounts = Accounts()
    let server = try LoopbackServer { accounts.answer($0) }
    try follow(accounts, ["TW_SERVICE": "mastodon:127.0.0.1:\(server.port)"], first: 1000)
  }

  /// Both at once: between two rounds the account has got another name, and somebody else the old one.
  @Test func bothAreSaidAtOnce() throws {
    let accounts = Accounts()
    let server = try LoopbackServer { accounts.answer($0) }
    let environment = ["TW_SERVICE": "local", "TW_ENDPOINT": server.base, "TW_TOKEN": "a-token"]
    accounts.post(1_900_000_000_000_000_001, by: "11")
    #expect(try run(["refresh", "--no-fetch-avatars", "@carol"], environment).status == 0)
    accounts.ids.withLock { $0 = ["carol_new": "11", "carol": "22"] }
    accounts.post(1_900_000_000_000_000_002, by: "22")
    let taken = try run(["refresh", "--no-fetch-avatars", "@carol"], environment)
    #expect(
      taken.errors.contains("the name @carol is somebody else now (22)")
        && taken.errors.contains("@carol is now @carol_new"), "\(taken.errors)")
    #expect(try run(["list"], environment).lines.count == 1)
    // tw-stream by itself keeps it too.
    let state = home.path + "/places"
    func stream() throws -> ToolResult {
      try Tool.run("tw-stream", ["--once", "--state", state, "@carol"], environment: environment, home: home)
    }
    accounts.ids.withLock { $0 = ["carol": "11"] }
    #expect(try stream().output.contains(#""author_id":"11""#))
    accounts.ids.withLock { $0 = ["carol": "22"] }
    let other = try stream()
    #expect(other.ending == .status(69) && !other.output.contains(#""author_id":"22""#), "\(other.output)")
  }

  /// What is asked of Bluesky, and what it means.
  @Test func anAccountOfBlueskyIsFollowedByItsDID() throws {
    let requests = BlueskyRequests(ServiceAccess(anonymous: BlueskyAPI(), base: "https://h.example", caFile: nil))
    func answer(_ body: String, _ status: Int = 200) -> HTTPResponse {
      HTTPResponse(status: status, body: Array(body.utf8), url: "https://h.example/xrpc")
    }
    func actor(_ request: HTTPRequest?) -> String { String(request?.url.split(separator: "=").last ?? "") }
    var first = try #require(BlueskyPages(requests, .named("user", "carol.example")))
    #expect(actor(first.lookUp) == "carol.example")
    _ = try first.readLookUp(answer(#"{"did":"did:plc:c","handle":"carol.example"}"#))
    #expect(first.lookUp == nil && first.person?.person?.id == "did:plc:c" && first.lookUpNotice == nil)
    #expect(first.page(PageRange()).url.contains("actor=did%3Aplc%3Ac"))
    var next = try #require(BlueskyPages(requests, .named("user", "carol.example")))
    next.person?.resume(first.person?.person)
    #expect(next.reads(refusedLookUp: answer("{}", 400)) && !first.reads(refusedLookUp: answer("{}", 500)))
    _ = try next.readLookUp(answer(#"{"error":"InvalidRequest","message":"Profile not found"}"#, 400))
    #expect(actor(next.lookUp) == "did%3Aplc%3Ac")
    _ = try next.readLookUp(answer(#"{"did":"did:plc:c","handle":"new.example"}"#))
    #expect(next.lookUp == nil && next.lookUpNotice?.message == "@carol.example is now @new.example")
    // A DID is not a name.
    #expect(try #require(BlueskyPages(requests, .named("user", "did:plc:c"))).lookUp == nil)
  }
}
