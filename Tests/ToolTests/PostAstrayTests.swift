import Foundation
import TestSupport
import Testing

/// tw-post writes what was meant, as the account that was meant.
@Suite(.onOwnThread) struct PostAstrayTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func post(
    _ service: PostService?, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> ToolResult {
    try Tool.run(
      "tw-post", arguments, environment: (service?.environment ?? [:]).merging(environment) { $1 }, home: home)
  }

  // MARK: Texts that are none

  @Test(arguments: ["help", "list", "status", "login", "redo", "LIKE", "Like", "outbux", "hello", "v2", "dry-run"])
  func aBareWordIsNoPost(_ word: String) throws {
    let service = try PostService()
    for words in [[word], ["--later", word]] {
      let result = try post(service, words)
      #expect(result.ending == .status(64) && result.errors.contains("To post the word: tw-post -- '\(word)'"))
    }
    #expect(service.posts.isEmpty)
    #expect(try post(service, ["--", word]).ending == .status(0))
    #expect(service.posts.map(\.text) == [word])
  }

  @Test(arguments: ["two words", "Hello!", "#swift", "こんにちは", "https://example.com/a", "😀"])
  func aTextIsAPost(_ text: String) throws {
    let service = try PostService()
    #expect(try post(service, [text]).ending == .status(0))
    #expect(service.posts.map(\.text) == [text])
  }

  @Test func anotherCaseOfAVerbIsNamed() throws {
    #expect(try post(nil, ["LIKE"]).errors.contains("did you mean 'like'?"))
  }

  /// What is not UTF-8 would be posted with other characters in its place; no tool takes it.
  @Test(arguments: [
    "tw-post", "tw-cache list --search", "tw-parse", "tw-render", "tw-auth use", "tw-stream", "tw-local --",
  ])
  func wordsThatAreNotUTF8(_ command: String) throws {
    let service = try PostService()
    let result = try Tool.shell("\(command) $'Gr\\xfc\\xdfe an alle'", environment: service.environment, home: home)
    #expect(result.ending == .status(65) && result.errors.contains("is not UTF-8"), "\(result.errors)")
    #expect(service.requests.isEmpty)
  }

  /// `tw` runs programs of others, which may take such words.
  @Test func twPassesWordsOnAsTheyAre() throws {
    try home.program("bin/tw-bytes", "#!/bin/sh\nprintf %s \"$1\" | od -An -tx1\n")
    let result = try Tool.shell(
      "tw bytes $'a\\xfc'", environment: StreamPluginTests.environment(home), home: home)
    #expect(result.output == " 61 fc\n", "\(result.errors)")
  }

  // MARK: Tweets of other services

  @Test(arguments: [
    "https://mastodon.social/@Gargron/109302436954721982",
    "https://mastodon.social/users/Gargron/statuses/109302436954721982",
    "https://x.com.example/jack/status/20", "https://x.com@example.com/jack/status/20",
    "http://127.0.0.1:1/jack/status/20",
  ])
  func anAddressOfAnotherServiceNamesNoTweet(_ address: String) throws {
    let service = try PostService()
    for words in [["like", address], ["reply", address, "so it is"], ["delete", address]] {
      let result = try post(service, words, environment: ["TW_SERVICE": "x"])
      #expect(result.ending == .status(64) && result.errors.contains("not of service 'x'"), "\(result.errors)")
    }
    let list = try Tool.run(
      "tw-post", ["like", "--yes"], stdin: ToolInput("\(address)\n42\n"), environment: service.asX, home: home)
    #expect(list.ending == .status(1) && list.lines.count == 1 && list.errors.contains("line 1: '\(address)'"))
    try home.write("ids", address + "\n")
    let stream = try Tool.run("tw-stream", ["--once", "ids:ids"], environment: service.asX, home: home)
    #expect(!service.requests.contains { $0.target.hasPrefix("GET /2/tweets?ids=") && !$0.target.contains("=42") })
    #expect(stream.output.contains("is a page of") || stream.errors.contains("is a page of"), "\(stream.errors)")
  }

  @Test(arguments: [
    "https://x.com/jack/status/20?s=20", "twitter.com/jack/status/20",
    "https://mobile.twitter.com/jack/status/20/photo/1",
    "https://www.x.com/i/web/status/20", "BASE/jack/status/20", "20", "x:20",
  ])
  func anAddressOfTheServiceNamesATweet(_ address: String) throws {
    let service = try PostService()
    let address = address.replacing("BASE", with: service.environment["TW_ENDPOINT"] ?? "")
    let result = try post(service, ["like", address], environment: ["TW_SERVICE": "x"])
    #expect(result.ending == .status(0), "\(result.errors)")
    #expect(service.requests.contains { $0.target == "POST /2/users/7/likes" && $0.body.contains(#""20""#) })
  }

  // MARK: Accounts

  private func signIn(_ accounts: [(name: String, service: PostService)]) throws {
    let list = accounts.map { name, service in
      #"{"service":"local","name":"\#(name)","base":"\#(service.environment["TW_ENDPOINT"] ?? "")","method":"token","#
        + #""token":"token-of-\#(name)"}"#
    }
    chmod(try home.write(".config/tw/credentials.json", #"{"accounts":[\#(list.joined(separator: ","))]}"#), 0o600)
  }

  private func senders(_ service: PostService) -> [String] {
    service.requests.filter { $0.target == "POST /2/tweets" }.map { request in
      let field = request.head.split(separator: "\r\n").first { $0.hasPrefix("Authorization:") } ?? ""
      return String(field.dropFirst("Authorization: Bearer token-of-".count))
    }
  }

  /// Under cron nobody says `--account`: what waits for any account is sent, by that account.
  @Test func flushSendsForAllAccounts() throws {
    let (service, other) = (try PostService(), try PostService())
    try signIn([("maja", service), ("work", service), ("far", other)])
    let local = ["TW_SERVICE": "local"]
    for (account, text) in [("work", "by work"), ("maja", "by maja"), ("far", "by far"), ("work", "by work again")] {
      #expect(try post(nil, ["--later", "--account", account, text], environment: local).ending == .status(0))
    }
    let list = try post(nil, ["outbox"]).lines.map { $0.split(separator: "\t")[3] }
    #expect(list == ["local:work", "local:maja", "local:far", "local:work"])
    let one = try post(nil, ["--account", "far", "flush"], environment: local)
    #expect(one.ending == .status(0) && one.lines.count == 1, "\(one.errors)")
    #expect(one.errors.contains("2 writes wait for account 'local:work' at"), "\(one.errors)")
    // In the service that is in use, or not.
    let all = try post(nil, ["flush"])
    #expect(all.ending == .status(0) && all.lines.count == 3, "\(all.errors)")
    #expect(service.posts.map(\.text) == ["by maja", "by work", "by work again"])
    #expect(senders(service) == ["maja", "work", "work"] && senders(other) == ["far"])
    #expect(try post(nil, ["flush"]).ending == .status(0))
  }

  @Test func flushSaysWhatItCannotSend() throws {
    let (service, other) = (try PostService(), try PostService([.status(401, "{}")]))
    try signIn([("far", other), ("maja", service), ("work", service)])
    let local = ["TW_SERVICE": "local"]
    for account in ["work", "maja", "far"] {
      #expect(
        try post(nil, ["--later", "--account", account, "by \(account)"], environment: local).ending == .status(0))
    }
    // One signs out, the credential of another one is refused.
    try signIn([("far", other), ("maja", service)])
    let result = try post(nil, ["flush"])
    #expect(result.ending == .status(77) && result.lines.count == 1, "\(result.errors)")
    #expect(result.errors.contains("account 'local:far'"))
    #expect(
      result.errors.contains(
        "1 write waits for account 'local:work' at \(service.environment["TW_ENDPOINT"] ?? ""), which is not signed in")
    )
    #expect(senders(service) == ["maja"])
    // A token of the environment is not that of the account that waits.
    let token = try post(service, ["flush"])
    #expect(token.ending == .status(0) && token.output == "" && token.errors.contains("local:work"), "\(token.errors)")
    #expect(service.posts.map(\.text) == ["by maja"])
  }

  /// An address of the environment is the only one that a flush goes to. What is for later is nobody's fault.
  @Test func anAddressNarrowsAFlush() throws {
    let (service, other) = (try PostService(), try PostService())
    try signIn([("maja", service), ("far", other), ("gone", other)])
    let local = ["TW_SERVICE": "local"]
    for (options, text) in [
      (["--later", "--account", "maja"], "by maja"), (["--later", "--account", "far"], "by far"),
      (["--at", "2h", "--account", "gone"], "in two hours"),
    ] {
      #expect(try post(nil, options + [text], environment: local).ending == .status(0))
    }
    let one = try post(nil, ["flush"], environment: ["TW_ENDPOINT": service.environment["TW_ENDPOINT"] ?? ""])
    #expect(one.ending == .status(0) && one.lines.count == 1 && other.requests.isEmpty, "\(one.errors)")
    try signIn([("maja", service), ("far", other)])
    let all = try post(nil, ["flush"])
    #expect(all.ending == .status(0) && all.lines.count == 1 && other.posts.map(\.text) == ["by far"], "\(all.errors)")
  }

  /// Of ten that flush at once, one sends and prints each write.
  @Test func tenFlushesPrintEachRecordOnce() throws {
    let service = try PostService(latency: 0.02)
    for number in 0..<8 { #expect(try post(service, ["--later", "post \(number)"]).status == 0) }
    let tools = try (0..<10).map { _ in
      try RunningTool("tw-post", ["flush"], environment: service.environment, home: home)
    }
    var lines: [String] = []
    for tool in tools {
      let result = try tool.finish()
      #expect(result.ending == .status(0), "\(result.errors)")
      lines += result.lines
    }
    #expect(service.posts.count == 8 && lines.count == 8 && Set(lines).count == 8, "\(lines.count)")
  }
}
