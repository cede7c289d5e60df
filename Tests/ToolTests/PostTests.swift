import Foundation
import TestSupport
import Testing

/// tw-post with tw-local.
@Suite(.onOwnThread)
struct PostTests {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func post(_ service: LocalService, _ arguments: [String], stdin: ToolInput = "") throws -> ToolResult {
    try Tool.run("tw-post", arguments, stdin: stdin, environment: service.environment, home: home)
  }

  private func id(_ result: ToolResult) throws -> String {
    #expect(result.status == 0, "\(result.errors)")
    let line = try #require(result.lines.first)
    return LooseJSON(try JSONSerialization.jsonObject(with: Data(line.utf8)))["id"].text
  }

  @Test func postIsARecordThatTheOtherToolsTake() throws {
    let service = try LocalService()
    let result = try Tool.shell(
      "tw-post 'Hello, #world' | tw-cache add | tw-render --format line --color never; tw-cache list --tag world | wc -l",
      environment: service.environment, home: home)
    #expect(result.output.contains("Hello, #world") && result.lines.last?.hasSuffix("1") == true, "\(result.errors)")
    #expect(try service.search("Hello")["data"].array.count == 1)
  }

  @Test func wholeLifeOfAPost() throws {
    let service = try LocalService()
    let first = try id(post(service, ["First!"]))
    let reply = try id(post(service, ["reply", first, "Second"]))
    let quote = try id(post(service, ["quote", "\(service.base)/a/status/\(first)", "-"], stdin: "Third\n"))
    #expect(Set([first, reply, quote]).count == 3)
    for verb in ["like", "retweet", "bookmark"] {
      let done = try post(service, [verb, first])
      #expect(done.status == 0 && done.lines.count == 1, "\(verb): \(done.errors)")
      #expect(done.output.contains("\"viewer\":{"))
      let undone = try post(service, ["un" + verb, first])
      #expect(undone.status == 0 && undone.output.contains(":false}"), "\(undone.errors)")
    }
    let deleted = try post(service, ["delete", reply])
    #expect(deleted.output.hasPrefix(#"{"tw":"delete","service":"local","id":"\#(reply)""#), "\(deleted.errors)")
    #expect(try post(service, ["like", "1"]).status == 69)
    #expect(try post(service, ["like", "x:\(first)"]).status == 64)
  }

  @Test func follows() throws {
    let service = try LocalService(["--demo"])
    let found = try service.search("swift", "expansions=author_id")
    let user = found["includes"]["users"][0]["username"].text
    let followed = try post(service, ["follow", "@\(user)"])
    #expect(followed.status == 0 && followed.output.hasPrefix(#"{"tw":"user""#), "\(followed.errors)")
    #expect(try post(service, ["unfollow", user]).status == 0)
    let unknown = try post(service, ["follow", "nobody_here"])
    #expect(unknown.status == 69 && unknown.errors.contains("nobody_here"), "\(unknown.errors)")
  }

  @Test func manyAreChangedOnce() throws {
    let service = try LocalService(["--fault", "POST /2/users/*/likes=429"])
    let ids = try (0..<5).map { try service.post("post \($0)") }
    let list = ToolInput(ids.joined(separator: "\n") + "\n" + ids[0] + "\nno id\n")
    let unasked = try post(service, ["like"], stdin: list)
    #expect(unasked.status == 64 && unasked.errors.contains("--yes"), "\(unasked.errors)")
    #expect(try post(service, ["like", "--yes"], stdin: list).status == 75)
    let liked = try post(service, ["like", "--yes"], stdin: list)
    #expect(liked.status == 1 && liked.lines.count == 5, "\(liked.errors)")
    let again = try post(service, ["like", "--yes"], stdin: ToolInput(ids.joined(separator: "\n")))
    #expect(again.status == 0 && again.output == "" && again.errors.contains("5 of 5 were done before"))
    // A record keeps what it has.
    let record = #"{"tw":"tweet","id":"\#(ids[1])","service":"local","text":"a","author":{"id":"2"},"own":0.10}"#
    let unliked = try post(service, ["unlike"], stdin: ToolInput(record + "\n"))
    #expect(unliked.output.contains(#""own":0.10,"viewer":{"account""#), "\(unliked.errors)")
  }

  @Test func textsThatCannotBePosted() throws {
    let service = try LocalService()
    let long = try post(service, [String(repeating: "a", count: 280) + "bcd"])
    #expect(long.status == 65 && long.errors.contains("283 of 280; beyond the limit: 'bcd'"), "\(long.errors)")
    #expect(try post(service, ["   "]).status == 65)
    #expect(try post(service, ["-"], stdin: ToolInput([0xFF, 0x41])).status == 65)
    let slip = try post(service, ["outbux"])
    #expect(slip.status == 64 && slip.errors.contains("did you mean 'outbox'"))
    #expect(try post(service, ["--", "like"]).status == 0)
    #expect(try post(service, ["two", "words"]).status == 64)
    #expect(try service.search("like")["data"].array.count == 1)
    let again = try post(service, ["--", "like"])
    #expect(again.status == 69 && again.errors.contains("has this post already"), "\(again.errors)")
  }
}
