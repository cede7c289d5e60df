import Foundation
import TestSupport
import Testing

/// `tw-cache status`: which sources fail, for people, for programs and for node_exporter.
@Suite(.onOwnThread) struct CacheStatusTests {
  private let home: TemporaryDirectory

  /// Two posts, or a failure while there is a file.
  private static let script = #"""
    [ ! -e "$HOME/broken" ] || { exit 69; }
    id=$(printf %s "$1" | cksum | cut -d ' ' -f 1)
    for number in 1 2; do
      echo '{"tw":"tweet","id":"'$id$number'","service":"test","text":"","author":{"id":"a"}}'
    done
    echo '{"tw":"refresh"}'
    """#
  private static let odd = #"test:a\b"c"#

  init() throws {
    home = try StreamPluginTests.home(Self.script)
    for source in ["test:x", "test:y", "test:z", Self.odd] { #expect(try cache("source", "add", source).status == 0) }
    #expect(try cache("refresh", "-q", "--no-fetch-avatars").status == 0)
    #expect(try cache("source", "pause", "test:z").status == 0)
  }

  private func cache(_ words: String..., now: String? = nil) throws -> ToolResult {
    var environment = StreamPluginTests.environment(home)
    environment["TW_NOW"] = now
    return try Tool.run("tw-cache", words, environment: environment, home: home)
  }

  /// Fails two sources.
  private func fail() throws {
    try home.write("broken", "")
    for source in ["test:y", Self.odd] { #expect(try cache("refresh", "-q", source).status == 69) }
  }

  private func rows(_ result: ToolResult) -> [[String]] {
    result.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
  }

  @Test func aLineASource() throws {
    let sound = try cache("status")
    #expect(sound.ending == .status(0) && sound.errors == "")
    #expect(rows(sound).map { $0[2] } == [Self.odd, "test:x", "test:y", "test:z"])
    #expect(rows(sound).map { $0[3] } == ["ok", "ok", "ok", "paused"])
    for row in rows(sound) {
      #expect(
        row.count == 9 && row[0] == "x" && row[1] == "-" && row[4].hasSuffix("Z") && row[5] == "2" && row[6] == "-")
      #expect((row[7] == "-") == (row[3] == "paused") && row[8] == "-")
    }
    try fail()
    let failing = try cache("status")
    #expect(failing.ending == .status(1) && failing.errors == "")
    #expect(rows(failing).map { $0[2] } == [Self.odd, "test:y", "test:x", "test:z"])
    #expect(rows(failing)[0][3] == "failing" && rows(failing)[0][6].hasSuffix("Z"))
    #expect(rows(failing)[0][8].contains("status 69"), "\(failing.output)")
    // The success before it is still known, and its tweets count for a day.
    #expect(rows(failing)[0][4].hasSuffix("Z") && rows(failing)[0][5] == "2")
    #expect(rows(try cache("status", now: "2199-01-01T00:00:00Z")).map { $0[5] } == ["0", "0", "0", "0"])
    // A paused source is not asked.
    for source in ["test:y", Self.odd] { #expect(try cache("source", "pause", source).status == 0) }
    #expect(try cache("status").ending == .status(0))
  }

  /// What `source list` says of a source, `status` says too.
  @Test func itAgreesWithTheList() throws {
    try fail()
    func states(_ result: ToolResult, _ column: Int, _ error: Int) -> Set<[String]> {
      Set(rows(result).map { [$0[2], $0[column], $0[error]] })
    }
    #expect(try states(cache("status"), 3, 8) == states(cache("source", "list"), 4, 8))
  }

  @Test func programsGetObjects() throws {
    try fail()
    let result = try cache("status", "--format", "json")
    #expect(result.ending == .status(1))
    let objects = try JSONObject.list(result.lines)
    let (first, sound) = (
      try #require(objects.first), try #require(objects.first { $0["source"] as? String == "test:x" })
    )
    #expect(first["source"] as? String == Self.odd && first["state"] as? String == "failing")
    #expect(first["every"] as? Int == 900 && first["new"] as? Int == 2 && first["account"] == nil)
    for key in ["failing_since", "last_success", "refreshed_at", "next_at", "error"] {
      #expect(first[key] is String, "\(key)")
    }
    #expect(sound["failing_since"] == nil && sound["error"] == nil && sound["state"] as? String == "ok")
  }

  /// The parser of Prometheus' own library takes it.
  @Test func prometheusReadsIt() throws {
    let python = try PythonPackage.needed("prometheus_client")
    try fail()
    let result = try cache("status", "--format", "prometheus")
    #expect(result.ending == .status(1))
    let script = """
      import json, sys
      from prometheus_client.parser import text_string_to_metric_families as parse
      families = list(parse(sys.stdin.read()))
      assert len(families) == len({family.name for family in families})
      for family in families:
          assert family.type == "gauge" and family.documentation and family.samples, family
          for sample in family.samples:
              print(json.dumps([sample.name, sample.labels, sample.value]))
      """
    let parsed = try Tool.run(python, ["-c", script], stdin: ToolInput(result.stdout), home: home)
    #expect(parsed.ending == .status(0), "\(parsed.errors)\(result.output)")
    let odd = #"{"service": "x", "account": "", "source": "test:a\\b\"c"}"#
    #expect(parsed.lines.contains(#"["tw_cache_source_failing", \#(odd), 1]"#), "\(parsed.output)")
    #expect(parsed.lines.contains(#"["tw_cache_source_new_tweets", \#(odd), 2]"#))
    #expect(parsed.lines.filter { $0.contains("_failing_since_") }.count == 2)
    #expect(parsed.lines.filter { $0.contains("next_refresh") }.count == 3)
  }

  @Test(.enabled(if: Terminal.isAvailable)) func aTerminalGetsATable() throws {
    try fail()
    let terminal = try Terminal(
      "tw-cache status; echo over: $?", columns: 200, environment: StreamPluginTests.environment(home), home: home)
    let screen = try terminal.wait(for: "over: 1")
    #expect(screen.contains("SERVICE  ACCOUNT  SOURCE") && screen.contains(/now|s ago/), "\(screen)")
    #expect(screen.contains("in 14m") || screen.contains("in 15m"), "\(screen)")
  }

  @Test func withoutSourcesItSaysHowToBegin() throws {
    let empty = try TemporaryDirectory()
    #expect(try Tool.run("tw-cache", ["status"], home: empty).status == 66)
    let tweet = #"{"tw":"tweet","id":"1","service":"x","text":"","author":{"id":"1"}}"# + "\n"
    #expect(try Tool.run("tw-cache", ["add"], stdin: ToolInput(tweet), home: empty).status == 0)
    let result = try Tool.run("tw-cache", ["status"], home: empty)
    #expect(result.ending == .status(0) && result.output == "" && result.errors.contains("tw-cache source add"))
    #expect(try Tool.run("tw-cache", ["status", "--format", "xml"], home: empty).status == 64)
  }
}
