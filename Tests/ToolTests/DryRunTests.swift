import Foundation
import TestSupport
import Testing

/// `--dry-run` of the commands that have it: nothing changes, here and at the services (`FollowsTests` has that of
/// tw-auth).
@Suite(.onOwnThread) struct DryRunTests {
  private let site: CrosspostSite

  init() throws { site = try CrosspostSite() }

  private func run(_ tool: String, _ arguments: [String], stdin: ToolInput = "") throws -> ToolResult {
    try Tool.run(tool, arguments, stdin: stdin, environment: site.environment, home: site.home)
  }

  /// What is there: files, tweets, queries, writes, and what the services were asked to change.
  private func state() throws -> [String] {
    let root = URL(filePath: site.home.path)
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?.allObjects as? [URL] ?? []
    let names = files.map(\.path).filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
    let stored = [
      try run("tw-cache", ["list"]).output, try run("tw-cache", ["query", "list"]).output,
      try run("tw-post", ["outbox"]).output, "\(site.counts)",
      "\(site.x.requests.count { !$0.target.hasPrefix("GET ") })",
    ]
    return names + stored
  }

  @Test func nothingChanges() throws {
    let tweet = #"{"tw":"tweet","service":"x","id":"20","text":"hi","created_at":"2020-01-01T00:00:00.000Z"}"# + "\n"
    #expect(try run("tw-cache", ["add"], stdin: ToolInput(tweet)).status == 0)
    #expect(try run("tw-cache", ["query", "save", "old", "hi"]).status == 0)
    #expect(try run("tw-post", ["posted before"]).status == 0)
    #expect(try run("tw-post", ["--later", "it waits"]).status == 0)
    try site.home.write("tweets", tweet)
    let before = try state()
    let maja = "\(site.mastodon.name):maja"
    let commands: [(String, [String])] = [
      ("tw-post", ["text that is new"]), ("tw-post", ["--to", site.all, "text that is new"]),
      ("tw-post", ["--thread", "a b\n---\nc d"]), ("tw-post", ["reply", "20", "text"]),
      ("tw-post", ["quote", "20", "text"]), ("tw-post", ["--poll", "a", "--poll", "b", "text of it"]),
      ("tw-post", ["like", "20"]), ("tw-post", ["retweet", "20", "21"]), ("tw-post", ["bookmark", "20"]),
      ("tw-post", ["unlike", "20"]), ("tw-post", ["delete", "20"]), ("tw-post", ["follow", "jill"]),
      ("tw-post", ["undo"]), ("tw-post", ["--account", maja, "--visibility", "direct", "text"]),
      ("tw-cache", ["prune", "--older-than", "1d"]), ("tw-cache", ["forget", "x:20"]),
      ("tw-cache", ["query", "save", "old", "other"]), ("tw-cache", ["query", "remove", "old"]),
      ("tw-render", ["--format", "site", "site", "tweets"]),
    ]
    for (tool, words) in commands {
      let isFirst = ["tw-post", "tw-render"].contains(tool)
      let position = isFirst ? 0 : words.firstIndex { $0.hasPrefix("-") } ?? words.count
      let arguments = words[..<position] + ["--dry-run"] + words[position...]
      let result = try run(tool, Array(arguments))
      #expect(result.status == 0 && !result.output.isEmpty, "\(tool) \(arguments) \(result.errors)")
      #expect(try state() == before, "\(tool) \(arguments)")
    }
  }
}
