import Foundation
import TestSupport
import Testing
import TweetCore

@testable import TweetStore

/// What tests of tw-cache have in common: their own home, made-up records, and a check of the store.
protocol CacheSuite {
  var home: TemporaryDirectory { get }
}

extension CacheSuite {
  var store: String { home.path + "/.local/share/tw/tw.db" }

  /// A tweet record. `second` counts from 2021-11-03T21:30:00Z.
  func tweet(
    _ id: Int, second: Int = 0, text: String = "hello", author: String = "jack", likes: Int? = nil, read: Int? = nil,
    tags: [String] = [], feeds: [String] = [], more: String = ""
  ) -> String {
    var line =
      "{\"tw\":\"tweet\",\"id\":\"\(id)\",\"service\":\"x\",\"created_at\":\"\(time(second))\",\"text\":\"\(text)\""
    line += ",\"author\":{\"id\":\"u\(author)\",\"username\":\"\(author)\",\"name\":\"\(author.uppercased())\"}"
    if let likes { line += ",\"public_metrics\":{\"like_count\":\(likes)}" }
    let entities = tags.map { "{\"start\":0,\"end\":1,\"tag\":\"\($0)\"}" }.joined(separator: ",")
    if !tags.isEmpty { line += ",\"entities\":{\"hashtags\":[\(entities)]}" }
    line += more
    if !feeds.isEmpty { line += ",\"feeds\":[" + feeds.map { "\"\($0)\"" }.joined(separator: ",") + "]" }
    if let read { line += ",\"retrieved_at\":\"\(time(read))\"" }
    return line + "}\n"
  }

  func time(_ second: Int) -> String {
    let minute = 30 + second / 60
    let (hour, rest) = (21 + minute / 60, minute % 60)
    return String(format: "2021-11-%02dT%02d:%02d:%02d.000Z", 3 + hour / 24, hour % 24, rest, second % 60)
  }

  func ids(_ lines: [String]) -> [String] {
    lines.compactMap { line in
      guard let start = line.range(of: "\"id\":\"")?.upperBound else { return nil }
      return String(line[start...].prefix { $0 != "\"" })
    }
  }

  func add(_ input: String, _ options: [String] = []) throws -> ToolResult {
    try Tool.run("tw-cache", ["add"] + options, stdin: ToolInput(input), home: home)
  }

  /// Stores records, fast.
  func put(_ records: String) throws { #expect(try add(records, ["--quiet", "--no-sync"]).status == 0) }

  /// Stores tweets of three likes that say "word number N", the one of the highest number the newest.
  func put(_ numbers: some Sequence<Int>, feeds: [String] = []) throws {
    try put(numbers.map { tweet($0, second: $0, text: "word number \($0)", likes: 3, feeds: feeds) }.joined())
  }

  func cache(_ arguments: String..., stdin: String = "") throws -> ToolResult {
    try Tool.run("tw-cache", arguments, stdin: ToolInput(stdin), environment: ["TW_NOW": time(3600)], home: home)
  }

  func list(_ options: String...) throws -> [String] {
    let result = try Tool.run(
      "tw-cache", ["list", "--quiet"] + options, environment: ["TW_NOW": time(3600)], home: home)
    #expect(result.errors == "" && result.status == 0)
    return ids(result.lines)
  }

  /// Checks the pages of the store, its references, and its full-text index against the texts.
  func checkStore(_ path: String? = nil) throws {
    try TweetStore(path ?? store, .readOnly, showsIncoming: false).check { Issue.record("\($0)") }
  }
}
