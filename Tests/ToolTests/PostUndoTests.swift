import Foundation
import TestNumbers
import TestSupport
import Testing
import TweetCore

@testable import tw_post

/// What is taken back is the last post and no other, and what is for later is sent once, whatever happens to the tool.
@Suite(.onOwnThread) struct PostUndoTests {
  private let home: TemporaryDirectory
  private let service: PostService

  init() throws {
    home = try TemporaryDirectory()
    service = try PostService()
  }

  @discardableResult
  private func post(_ arguments: String..., stdoutPath: String? = nil) throws -> ToolResult {
    try Tool.run("tw-post", arguments, environment: service.environment, home: home, stdoutPath: stdoutPath)
  }

  private var deleted: [String] {
    service.requests.map(\.target).filter { $0.hasPrefix("DELETE ") }.map {
      String($0.split(separator: "/").last ?? "")
    }
  }

  @Test func oneAfterTheOther() throws {
    for text in ["number one", "number two"] { #expect(try post(text).status == 0) }
    #expect(try post("undo").errors.contains("delete 'number two' at local:jack, of "))
    #expect(deleted == [])
    #expect(try post("undo", "--yes").output == #"{"tw":"delete","service":"local","id":"1001","user_id":"7"}"# + "\n")
    #expect(try post("undo", "--yes").status == 0)
    #expect(deleted == ["1001", "1000"])
    let none = try post("undo", "--yes")
    #expect(none.status == 66 && none.errors.contains("there is nothing to take back"))
  }

  @Test func aThreadAsAWhole() throws {
    try post("before it")
    #expect(try post("--thread", "one\n---\ntwo\n---\nthree").lines.count == 3)
    #expect(try post("undo", "--dry-run").lines.filter { $0.hasPrefix("DELETE") }.count == 3)
    #expect(try post("undo", "--yes").lines.count == 3)
    #expect(deleted == ["1003", "1002", "1001"])
  }

  @Test func whatWaitsIsDroppedAndNotSent() throws {
    try post("it is there")
    try post("--later", "it waits")
    let result = try post("undo", "--yes")
    #expect(result.status == 0 && result.errors.contains("not posted, and removed from the outbox: one post"))
    try post("flush")
    #expect(service.posts.map(\.text) == ["it is there"] && deleted == [])
  }

  /// Nobody saw that the post was deleted: who asks again does not mean the one before it.
  @Test func cutOffBeforeItSaidSo() throws {
    for text in ["number one", "number two"] { try post(text) }
    #expect(try post("undo", "--yes", stdoutPath: "/dev/full").status == 74)
    #expect(try post("undo", "--yes").output.contains(#""id":"1001""#))
    #expect(Set(deleted) == ["1001"])
    #expect(try post("undo", "--yes").output.contains(#""id":"1000""#))
  }

  @Test func killedAtAnyMoment() throws {
    for text in ["number one", "number two"] { try post(text) }
    var chance = Chance()
    for _ in 0..<12 {
      let tool = try RunningTool("tw-post", ["undo", "--yes"], environment: service.environment, home: home)
      chance.pause(upTo: 80_000)
      tool.signal(SIGKILL)
      let end = try tool.finish()
      #expect(!deleted.contains("1000"))
      // Who has seen what it did, and asks again, means the post before.
      if case .status = end.ending { break }
      if !end.output.isEmpty { break }
    }
    while !deleted.contains("1001") { try post("undo", "--yes") }
    #expect(!deleted.contains("1000"))
  }

  /// The service has one post of the thread, and has not said which it is: the others stay too.
  @Test func notWhatNobodyCanName() throws {
    try post("--thread", "one\n---\ntwo")
    let outbox = try Outbox(path: home.path + "/.local/share/tw/outbox.db")
    try outbox.set(.done, of: 2, at: .now)
    let result = try post("undo", "--yes")
    #expect(result.status == 66 && result.output.isEmpty && deleted == [], "\(result.errors)")
  }

  /// Said twice, it is two posts.
  @Test func oneOfTwoThatSayTheSame() throws {
    for _ in 0..<2 { #expect(try post("hi!").status == 0) }
    #expect(try post("undo", "--yes").lines.count == 1)
    #expect(deleted == ["1001"])
  }

  /// It may be there: deleting another one would be wrong.
  @Test func notWhileNobodyKnows() throws {
    try post("number one")
    service.expect(posts: [.close])
    let unknown = try RunningTool("tw-post", ["number two"], environment: service.environment, home: home)
    try waitUntil { service.requests.count { $0.target == "POST /2/tweets" } == 2 }
    unknown.signal(SIGKILL)
    _ = try unknown.finish()
    let result = try post("undo", "--yes")
    #expect(result.status == 75 && result.errors.contains("'tw-post flush' finds out"))
    #expect(deleted == [])
  }

  // MARK: --at

  @Test func notBeforeItsTime() throws {
    #expect(try post("--at", "2h", "in two hours").errors.contains("'tw-post flush' sends it from "))
    try post("--at", "3h", "in three hours")
    #expect(try post("flush").output == "" && service.posts.isEmpty)
    let lines = try post("outbox").lines
    #expect(lines.count == 2 && lines.allSatisfy { $0.split(separator: "\t").last?.hasPrefix("for 20") == true })
    try post("--at", "1s", "in a second")
    try waitUntil { try post("flush").lines.count == 1 }
    #expect(service.posts.map(\.text) == ["in a second"])
    #expect(try post("--at", "2020-01-01 10:00", "too late").status == 64)
    let tomorrow = try post("--at", "tomorrow 09:05", "in the morning")
    #expect(tomorrow.errors.contains(/sends it from \d{4}-\d\d-\d\d 09:05 on/), "\(tomorrow.errors)")
    let nextDay = Date().addingTimeInterval(86_400).ISO8601Format().prefix(10)
    #expect(try post("--at", "tomorrow", "at this time").errors.contains("from \(nextDay) "))
  }

  @Test func eachOnceWhoeverIsKilled() throws {
    var chance = Chance()
    for number in 0..<6 { try post("--at", "1s", "post \(number)") }
    usleep(1_100_000)
    for _ in 0..<6 {
      let tool = try RunningTool("tw-post", ["flush"], environment: service.environment, home: home)
      chance.pause(upTo: 300_000)
      tool.signal(SIGKILL)
      _ = try tool.finish()
    }
    let last = try post("flush")
    #expect(last.status == 0, "\(last.errors)")
    #expect(service.posts.map(\.text) == (0..<6).map { "post \($0)" })
  }

  /// The same text now is another post, and does not take the place of the one to come.
  @Test func whatIsForLaterIsNoPostThatWasCutOff() throws {
    try post("--at", "2h", "again and again")
    #expect(try post("again and again").lines.count == 1)
    #expect(try post("outbox").lines.count == 1)
  }

  // MARK: The outbox

  @Test func whatWaitsCanBeReadAndChanged() throws {
    try post("--later", "line one\nline two")
    #expect(try post("outbox", "show", "1").output == "line one\nline two\n")
    var environment = service.environment
    environment["EDITOR"] = "sh -c 'echo another text >\"$1\"' x"
    let edited = try Tool.run("tw-post", ["outbox", "edit", "1"], environment: environment, home: home)
    #expect(edited.status == 0, "\(edited.errors)")
    environment["EDITOR"] = "sh -c 'seq 1 200 >\"$1\"' x"
    let long = try Tool.run("tw-post", ["outbox", "edit", "1"], environment: environment, home: home)
    #expect(long.status == 65 && long.errors.contains("your text is in '"))
    try post("flush")
    #expect(service.posts.map(\.text) == ["another text"])
    #expect(try post("outbox", "edit", "1").status == 66)
  }

  // MARK: Texts

  @Test func lengths() throws {
    #expect(try post("length", "two words").output == "9 of 280\n")
    #expect(try post("length", "https://example.com/" + String(repeating: "a", count: 90)).output == "23 of 280\n")
    let long = try post("length", String(repeating: "日", count: 141))
    #expect(long.output == "282 of 280\n" && long.status == 65)
    // Nobody need be signed in.
    #expect(try Tool.run("tw-post", ["length", "x"]).output == "1 of 280\n")
  }

  @Test func threadsBreakAtMarksAndHaveNumbers() throws {
    try post("--thread", "--number", "one\n---\ntwo")
    #expect(service.posts.map(\.text) == ["one 1/2", "two 2/2"])
    try post("--thread", "--number", "alone")
    #expect(service.posts.last?.text == "alone")
  }
}
