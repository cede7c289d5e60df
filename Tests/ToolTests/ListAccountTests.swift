import Foundation
import TestSupport
import Testing

/// A list is changed where each of its tweets is, once, and again if that is wanted.
@Suite(.onOwnThread) struct ListAccountTests {
  private let site: CrosspostSite

  init() throws { site = try CrosspostSite() }

  private static func record(_ service: String, _ id: Int) -> String {
    #"{"tw":"tweet","service":"\#(service)","id":"\#(id)","text":"a","author":{"id":"2"}}"# + "\n"
  }

  private var likes: [String] {
    let bodies = site.x.requests.filter { $0.target == "POST /2/users/7/likes" }.map(\.body)
    return bodies.compactMap { body in body.split(separator: "\"").last { $0.allSatisfy(\.isNumber) }.map(String.init) }
  }

  @Test func eachRecordIsChangedAtItsOwnService() throws {
    let list = ToolInput(
      Self.record("x", 41) + Self.record("mastodon:nowhere.example", 40) + Self.record(site.mastodon.name, 42)
        + Self.record("x", 43))
    let unasked = try site.post(["like"], stdin: list)
    #expect(unasked.status == 64 && unasked.errors.contains("like 3 as @jack at x, @maja at "), "\(unasked.errors)")
    let liked = try site.post(["like", "--yes"], stdin: list)
    #expect(liked.status == 1 && liked.lines.count == 3, "\(liked.errors)")
    #expect(liked.errors.contains("line 2: ") && liked.errors.contains("is of service 'mastodon:nowhere.example'"))
    #expect(likes == ["41", "43"])
    #expect(site.mastodon.server.targets.contains("POST /api/v1/statuses/42/favourite"))
    // Whoever names an account means no other.
    let own = try site.post(
      ["--account", "x:jack", "like", "--yes"], stdin: ToolInput(Self.record(site.mastodon.name, 44)))
    #expect(own.status == 1 && !site.mastodon.server.targets.contains("POST /api/v1/statuses/44/favourite"))
  }

  /// What one service cannot do now stops no other.
  @Test func oneServiceThatIsAwayStopsNoOther() throws {
    let site = try CrosspostSite(refusals: ["POST /2/users/7/likes": (429, #"{"title":"Too Many Requests"}"#)])
    let list = ToolInput(Self.record("x", 41) + Self.record(site.mastodon.name, 42))
    let liked = try site.post(["like", "--yes"], stdin: list)
    #expect(liked.status == 75 && liked.lines.count == 1, "\(liked.errors)")
    #expect(site.mastodon.server.targets.contains("POST /api/v1/statuses/42/favourite"))
    #expect(try site.outbox().isEmpty)
  }

  /// It may have been taken back elsewhere.
  @Test func aListCanBeDoneAgain() throws {
    for (options, count) in [([], 2), ([], 2), (["--again"], 4)] {
      let liked = try site.post(["like", "--yes"] + options, stdin: "41\n42\n")
      #expect(liked.status == 0 && likes.count == count, "\(options): \(liked.errors)")
    }
    #expect(try site.post(["like", "--yes"], stdin: "41\n").errors.contains("--again does them too"))
    for words in [["--again", "like", "41"], ["--again", "a text"], ["--again", "undo", "--yes"]] {
      #expect(try site.post(words).status == 64, "\(words)")
    }
  }
}

/// `--to all`, and the setting of what that is.
@Suite(.onOwnThread) struct EverywhereTests {
  private let site: CrosspostSite

  init() throws { site = try CrosspostSite() }

  @Test func allAreTheAccountsInUse() throws {
    #expect(try site.post(["--to", "all", "Hello there"]).status == 0)
    #expect(site.counts == [1, 1, 1])
    try site.changeAccounts { _ in #"{"accounts":[]}"# }
    #expect(try site.post(["--to", "all", "Hello again"]).status == 77)
  }

  @Test func theSettingSaysWhatAllMeans() throws {
    #expect(try Tool.run("tw", ["config", "set", "to", "x,bluesky"], home: site.home).status == 0)
    #expect(try site.post(["--to", "all", "Hello there"]).status == 0)
    #expect(site.counts == [1, 0, 1])
    #expect(try site.post(["--to", "all", "Hello tea"], ["TW_TO": site.mastodon.name]).status == 0)
    #expect(site.counts == [1, 1, 1])
    #expect(try site.post(["--to", "all", "Hello tea"], ["TW_TO": "all"]).status == 78)
  }

  /// Whose account is meant nobody knows.
  @Test func aNameOfSeveralServicesIsNoName() throws {
    try site.changeAccounts {
      $0.replacing("alice.example", with: "bert").replacing(/"name":"(jack|maja)"/) { _ in #""name":"bert""# }
    }
    let used = try Tool.run("tw-auth", ["use", "bert"], environment: site.environment, home: site.home)
    #expect(used.status == 64, "\(used.errors)")
    for name in ["x:bert", "\(site.mastodon.name):bert", "bluesky:bert"] {
      #expect(used.errors.contains("'\(name)'"), "\(used.errors)")
    }
    #expect(try Tool.run("tw-auth", ["use", "x:bert"], home: site.home).status == 0)
  }
}
