import Foundation
import TestSupport
import Testing
import TweetCore

/// Each field of the records has one JSON type: programs that read them into columns (pyarrow, Polars, DuckDB) take the
/// type of the first, and stop at another one.
@Suite(.onOwnThread) struct ParseTypesTests {
  /// The types of each path, and an example of each.
  private struct Types {
    var known: [String: [String: String]] = [:]
    var records = 0

    mutating func add(_ output: [UInt8], from source: String) throws {
      for line in output.split(separator: UInt8(ascii: "\n")) {
        let document = try JSONDocument(Array(line))
        records += 1
        add(document, document["tw"]?.string ?? "?", source)
      }
    }

    private mutating func add(_ value: JSONDocument, _ path: String, _ source: String) {
      // What is not known is of every type.
      guard value.kind != .null else { return }
      let type = "\(value.kind)"
      if known[path]?[type] == nil { known[path, default: [:]][type] = "\(source): \(value.rawText.prefix(60))" }
      if value.isObject {
        for (key, member) in value.members { add(member, path + "." + (key.string ?? ""), source) }
      } else if value.isArray {
        for element in value.elements { add(element, path + "[]", source) }
      }
    }

    var conflicts: [String] { known.filter { $0.value.count > 1 }.map { "\($0.key): \($0.value)" }.sorted() }
  }

  @Test func madeOnesHaveOneEach() throws {
    var types = Types()
    for name in [
      "counts", "edit-controls", "bluesky-times", "v2-page", "v2-posts", "v1-tweets", "mastodon-statuses",
      "gnip-activities",
    ] {
      try types.add(GoldenCase(tool: "tw-parse", name: name).bytes("stdout"), from: name)
    }
    #expect(types.records > 20 && types.conflicts.isEmpty, "\(types.conflicts.joined(separator: "\n"))")
  }

  /// All recordings, and the bodies of recorded answers.
  @Test(.enabled(if: TestData.isAvailable, "needs the recordings that TW_TEST_DATA names"))
  func recordedOnesHaveOneEach() throws {
    let folder = try #require(TestData.directory)
    let home = try TemporaryDirectory()
    var types = Types()
    for case let path as String in try #require(FileManager.default.enumerator(atPath: folder)) {
      let ending = path.split(separator: ".").last ?? ""
      guard ["json", "jsonl", "ndjson", "js", "http"].contains(ending) else { continue }
      var file = folder + "/" + path
      if path.hasSuffix(".exchanges.ndjson") { file = try home.write("bodies", Self.bodies(of: path)) }
      try types.add(try Tool.run("tw-parse", ["--quiet", file], home: home).stdout, from: path)
    }
    #expect(types.records > 5_000, "\(types.records)")
    #expect(types.conflicts.isEmpty, "\(types.records) records:\n\(types.conflicts.joined(separator: "\n"))")
  }

  private static func bodies(of path: String) throws -> String {
    let lines = String(decoding: try TestData.bytes(path), as: UTF8.self).split(separator: "\n").map(String.init)
    return try JSONObject.list(lines).compactMap { $0["body"] as? String }
      .map { $0.replacing("\r\n", with: "\n") + "\n" }.joined()
  }
}
