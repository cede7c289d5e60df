import Foundation
import TestSupport
import Testing

/// Rules of the filtered stream that other clients of the app add and delete meanwhile.
@Suite(.onOwnThread) struct StreamRuleTests {
  private static func start(
    _ service: FaultyService, _ arguments: [String], named name: String = "local"
  ) throws -> RunningTool {
    try RunningTool(
      "tw-stream", arguments + ["#swift"],
      environment: ["TW_SERVICE": name, "TW_ENDPOINT": service.base, "TW_TOKEN": "a-token"])
  }

  /// Deletes a rule as another client does.
  private static func delete(_ id: String, at service: FaultyService) throws {
    let body = "{\"delete\":{\"ids\":[\"\(id)\"]}}"
    let answer = try Tool.run(
      "/usr/bin/env", ["curl", "-sS", "--data", body, service.base + "/2/tweets/search/stream/rules"])
    #expect(answer.output.contains("\"deleted\":1"), "\(answer.output) \(answer.errors)")
  }

  /// With the option our rules stay for the next run, which adds none.
  @Test func rulesCanBeKept() throws {
    let service = try FaultyService("stream\n  live 1..200")
    for run in 1...2 {
      let tool = try Self.start(service, ["--keep-rules"])
      while let line = try tool.line(), !line.contains("\"data\"") {}
      tool.signal(SIGTERM)
      #expect(try tool.finish().ending == .signal(SIGTERM))
      let kinds = service.requests.map(\.kind)
      #expect(kinds.count { $0 == "add" } == 1 && kinds.count { $0 == "stream" } == run && !kinds.contains("delete"))
    }
  }

  /// Our rule is deleted three times, in the middle of connections that break off. All posts come, once.
  @Test func aRuleThatIsDeletedAgainAndAgainCostsNoPost() throws {
    let service = try FaultyService(
      """
      stream
        live 1..20
        reset
      stream
        live 21..40
        reset
      stream
        live 41..60
        reset
      stream
        live 61..80
        keep-alive 0 every 100ms
      """)
    let tool = try Self.start(service, ["--fill-gaps", "--search-lag", "0s", "--count", "80"])
    var (posts, codes): ([Int], [String]) = ([], [])
    var deleted: Set<String> = []
    while let line = try tool.line() {
      for word in StreamRecords.words(line, of: service) {
        if let number = Int(word) { posts.append(number) } else { codes.append(word) }
      }
      // Each is deleted soon after it was added.
      let rule = String(11 + deleted.count)
      if deleted.count < 3, posts.count >= 5 + 20 * deleted.count, deleted.insert(rule).inserted {
        try Self.delete(rule, at: service)
      }
    }
    let result = try tool.finish()
    #expect(result.ending == .status(0), "\(result.errors)")
    #expect(posts.sorted() == Array(1...80))
    #expect(codes.count { $0 == "rule-gone" } == 3, "\(codes)")
    #expect(result.errors.contains("another program has removed rule '#swift'"))
    #expect(service.requests.last?.body.contains("14") == true, "the last rule is removed")
  }

  /// Without --fill-gaps a notice says where posts may be missing, and the stream goes on.
  @Test func withoutBackfillTheGapOfADeletedRuleIsReported() throws {
    let service = try FaultyService(
      """
      stream
        live 1..10
        pause 3s
        reset
      stream
        live 11..40
        keep-alive 0 every 100ms
      """)
    let tool = try Self.start(service, ["--for", "20s"])
    var words: [String] = []
    var isDeleted = false
    while let line = try tool.line() {
      words += StreamRecords.words(line, of: service)
      if words.contains("5"), !isDeleted {
        isDeleted = true
        try Self.delete("11", at: service)
      }
      if words.contains("40") { tool.signal(SIGTERM) }
    }
    _ = try tool.finish()
    #expect(words.contains("rule-gone") && words.contains { $0.hasPrefix("gap(") }, "\(words)")
    #expect(words.last == "40", "\(words)")
  }

  /// What other rules of the app cost is said once.
  @Test func foreignRulesAreToldOnce() throws {
    let service = try FaultyService(
      """
      rule cats somebody's
      rule dogs tw:#dogs 1@elsewhere
      stream
        post 1
        pause 20ms
        reset
      stream
        post 2
        pause 500ms
        post 3
        hold
      """)
    let result = try Self.start(service, ["--count", "3"], named: "x").finish()
    #expect(result.errors.components(separatedBy: "this app has 2 other rules, ").count == 2, "\(result.errors)")
    #expect(result.errors.contains("'dogs': their posts come on this stream too, are billed ($0.005 a post"))
    let notice = try #require(result.lines.first { $0.contains("\"foreign-rules\"") })
    #expect(notice.contains("\"level\":\"warning\"") && notice.contains("\"count\":2"), "\(notice)")
    // After each connection but the first, which follows the set-up.
    #expect(service.requests.map(\.kind).count { $0 == "list" } == 2)
  }
}
