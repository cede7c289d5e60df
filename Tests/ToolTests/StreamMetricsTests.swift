import Foundation
import TestSupport
import Testing
import TweetCore
import TweetServices

@testable import tw_stream

/// `tw-stream --metrics`: how a long run goes, for people and for node_exporter.
@Suite(.onOwnThread) struct StreamMetricsTests {
  private let home: TemporaryDirectory

  /// Two posts, one of them five seconds old, and a lost connection.
  private static let script = #"""
    now=$(date -u -d '5 seconds ago' +%FT%T.000Z)
    printf '{"tw":"tweet","id":"1","service":"test","created_at":"2026-01-01T00:00:00.000Z","text":"","author":{"id":"a"}}\n'
    printf '{"tw":"tweet","id":"2","service":"test","created_at":"%s","text":"","author":{"id":"a"}}\n' "$now"
    echo '{"tw":"notice","level":"warning","code":"reconnect","message":"m"}'
    """#

  init() throws { home = try StreamPluginTests.home(Self.script) }

  private func stream(_ arguments: String...) throws -> ToolResult {
    try Tool.run("tw-stream", arguments, environment: StreamPluginTests.environment(home), home: home)
  }

  private func text(_ name: String) throws -> String { String(decoding: try home.read(name), as: UTF8.self) }

  private func ledger(_ posts: Int) throws {
    let day = Timestamp.now.rfc3339.prefix(10)
    try home.write(
      ".local/state/tw/ledger",
      #"{"day":"\#(day)","service":"x","app":"KEY","account":"jack","billed":{"posts":\#(posts)}}"# + "\n")
  }

  @Test func recordsAreAppended() throws {
    try ledger(300)
    let file = home.path + "/metrics"
    for run in 1...2 {
      #expect(try stream("--metrics", file, "test:a\"b").ending == .status(0))
      let records = try JSONObject.list(try text("metrics").split(separator: "\n").map(String.init))
      // One at the beginning of a run, and one at its end.
      #expect(records.count == run * 2)
      let last = try #require(records.last)
      #expect(last["tw"] as? String == "metrics" && last["buffered_bytes"] as? Int == 0)
      #expect(last["notices"] as? [String: Int] == ["reconnect": 1])
      let feed = try #require((last["feeds"] as? [[String: Any]])?.first)
      #expect(feed["feed"] as? String == "test:a\"b" && feed["posts"] as? Int == 2)
      #expect((feed["lag"] as? Double).map { 5..<60 ~= $0 } == true, "\(feed)")
      let reads = try #require((last["reads_today"] as? [[String: Any]])?.first)
      #expect(
        reads["posts"] as? Int == 300 && reads["dollars"] as? Double == 1.5 && reads["account"] as? String == "jack")
    }
    // A line that a crash has cut off stays one.
    try home.write("metrics", try text("metrics") + "{\"tw\":")
    #expect(try stream("--metrics", file, "test:x").ending == .status(0))
    #expect(try text("metrics").split(separator: "\n").count == 7)
  }

  @Test func prometheusHasTheLastNumbers() throws {
    try ledger(2)
    let file = home.path + "/tea \"1\".prom"
    // Of a run that was killed long ago.
    let draft = home.path + "/.tea \"1\".prom.12.tmp"
    try home.write(".tea \"1\".prom.12.tmp", "# HELP")
    let then = timeval(tv_sec: 1_000_000, tv_usec: 0)
    utimes(draft, [then, then])
    for _ in 1...2 {
      #expect(try stream("--metrics", file, "--metrics-format", "prometheus", "test:a\"b").ending == .status(0))
    }
    let lines = try text("tea \"1\".prom").split(separator: "\n").map(String.init)
    #expect(lines.contains(#"tw_stream_posts_total{run="tea \"1\"",feed="test:a\"b"} 2"#), "\(lines)")
    #expect(lines.contains(#"tw_stream_notices_total{run="tea \"1\"",code="reconnect"} 1"#))
    #expect(lines.contains(#"tw_stream_reads_today{run="tea \"1\"",service="x",account="jack"} 2"#))
    #expect(lines.contains(#"tw_stream_spent_today_dollars{run="tea \"1\"",service="x",account="jack"} 0.01"#))
    // Each name has its help and its type once, before its values, and is written once.
    var known: Set<String> = []
    for line in lines where line.hasPrefix("# TYPE ") {
      #expect(known.insert(String(line.split(separator: " ")[2])).inserted)
    }
    for line in lines where !line.hasPrefix("#") { #expect(known.contains(String(line.prefix { $0 != "{" }))) }
    // node_exporter runs as another user, and reads each file of the folder whose name ends so.
    var status = stat()
    #expect(stat(file, &status) == 0 && status.st_mode & 0o444 == 0o444)
    let files = try FileManager.default.contentsOfDirectory(atPath: home.path)
    #expect(files.filter { $0.contains("tea") } == ["tea \"1\".prom"])
  }

  /// Only a regular file of ours is replaced or appended to.
  @Test(arguments: ["records", "prometheus"])
  func anotherFileStaysAsItIs(_ format: String) throws {
    let other = format == "records" ? "# HELP tw_stream_x y\n" : "{\"tw\":\"metrics\"}\n"
    mkdir(home.path + "/folder", 0o755)
    mkfifo(home.path + "/pipe", 0o600)
    try home.write("notes", "my notes\n")
    try home.write("other", other)
    for name in ["notes", "other", "folder", "pipe", "no/such/folder"] {
      let result = try stream("--metrics", "\(home.path)/\(name)", "--metrics-format", format, "test:x")
      // Before the first request.
      #expect(result.ending == .status(73) && !result.output.contains("tweet"), "\(name): \(result.errors)")
    }
    #expect(try text("notes") == "my notes\n" && text("other") == other)
    #expect(try stream("--metrics", "/dev/null", "--metrics-format", format, "test:x").ending == .status(73))
    // A link to a file stays a link.
    try home.write("real", "")
    symlink("real", home.path + "/link")
    #expect(try stream("--metrics", home.path + "/link", "--metrics-format", format, "test:x").ending == .status(0))
    #expect(
      try text("real").contains("test:x")
        && (try? FileManager.default.destinationOfSymbolicLink(atPath: home.path + "/link")) == "real")
  }

  /// A stream goes on when its numbers cannot be written any more, and says so once.
  @Test func aFileThatVanishesUnderItIsNoEnd() throws {
    var file = MetricsFile(home.path + "/metrics", .records)
    let counts = WriterCounts()
    try file.write(counts, bufferedBytes: 1)
    #expect(try text("metrics").contains(#""buffered_bytes":1"#))
    // A minute later again, whatever happens.
    #expect((59_000...60_000).contains(file.dueAt - MonotonicClock.milliseconds))
    try home.write("metrics", "somebody's\n")
    for number in 1...2 {
      #expect(throws: ToolError.self) { try file.write(counts, bufferedBytes: 1) }
      #expect(file.isFirstFailure == (number == 1))
    }
    #expect(try text("metrics") == "somebody's\n")
    try home.write("metrics", "")
    try file.write(counts, bufferedBytes: 2)
    #expect(!file.isFirstFailure)
  }

  @Test func itsFormatNeedsAFile() throws {
    #expect(try stream("--metrics-format", "prometheus", "test:x").ending == .status(64))
    #expect(try stream("--metrics", "m", "--metrics-format", "json", "test:x").ending == .status(64))
  }
}
