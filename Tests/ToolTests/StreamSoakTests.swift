import Foundation
import TestNumbers
import TestSupport
import Testing

/// Many losses in a short time: numbered posts over connections that break off at random in every way; some of the
/// posts are made while no connection is open. `make soak` runs it with more of them.
@Suite(.onOwnThread(minutes: 30)) struct StreamSoakTests {
  private static let isLong = setting("SOAK_POSTS") != nil
  /// Nobody waits for the backoff as long as it takes; only a service that is silent may not be faster.
  private static let clock = PreloadedLibrary.compile("moved-clock").map {
    ["LD_PRELOAD": $0, "TW_CLOCK_FASTER": "5"]
  }

  /// Tests that take X's own times: half a minute of silence, and the seconds until the stream brings a post.
  @Test(
    .enabled(if: isLong, "make soak"),
    arguments: [
      (
        "stream\n  post 1\n  keep-alive 4 every 15s\n  post 2\n  hold\nstream\n  post 3\n  hold",
        "context connect 1 2 disconnect reconnect(0) connect gap(2,3) 3", [String]()
      ),
      (
        """
        stream
          post 1
          post 3
          pause 20ms
          away 4..6
          reset
        stream
          pause 8s
          post 2
          hold
        """,
        "context connect 1 3 disconnect reconnect(0) connect 2 gap-filled 4 5 6",
        ["--fill-gaps", "--search-lag", "10s", "--buffer", "1"]
      ),
    ])
  func theServicesTimesAreKept(_ script: String, _ records: String, _ arguments: [String]) throws {
    let service = try FaultyService(script)
    let tool = try RunningTool(
      "tw-stream", arguments + ["#swift"], environment: ["TW_ENDPOINT": service.base, "TW_TOKEN": "t"])
    var words: [String] = []
    while words.count < records.split(separator: " ").count, let line = try tool.line(timeout: 90) {
      words += StreamRecords.words(line, of: service)
    }
    tool.signal(SIGTERM)
    _ = try tool.finish()
    #expect(words.joined(separator: " ") == records)
  }

  private static func setting(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test func everyPostComesOnceAndInOrder() throws {
    let posts = Self.setting("SOAK_POSTS") ?? 5000
    let cuts = Self.setting("SOAK_CUTS") ?? 20
    var chance = Chance()
    let seed = chance.number(in: 1...999_999)
    let service = try FaultyService("stream\n  soak \(posts) cuts \(cuts) seed \(seed)")
    let tool = try RunningTool(
      "tw-stream", ["--quiet", "--fill-gaps", "--search-lag", "0s", "#swift"],
      environment: ["TW_SERVICE": "local", "TW_ENDPOINT": service.base, "TW_TOKEN": "t"].merging(Self.clock ?? [:]) {
        $1
      })
    var words: [String] = []
    var peak: Int?
    while let line = try tool.line(timeout: 60) {
      words += StreamRecords.words(line, of: service)
      if peak == nil, words.last == String(posts) {
        peak = tool.peakMemory ?? 0
        tool.signal(SIGTERM)
      }
    }
    let result = try tool.finish()
    #expect(result.ending == .signal(SIGTERM), "\(result.errors)")
    let numbers = words.compactMap { Int($0) }
    let wrong = zip(numbers, 1...).first { $0 != $1 }
    #expect(wrong == nil, "seed \(seed): post \(wrong?.0 ?? 0) in place of \(wrong?.1 ?? 0)")
    #expect(numbers.count == posts, "seed \(seed)")
    // Each loss is reported, and no other.
    #expect(words.count { $0 == "disconnect" } == cuts, "seed \(seed)")
    #expect(!words.contains { $0.hasPrefix("gap(") }, "seed \(seed): a gap is told although it was filled")
    #expect(service.requests.count { $0.kind == "stream" } == cuts + 1, "seed \(seed)")
    if let peak { #expect(peak < 64 << 20, "seed \(seed): \(peak >> 20) MiB") }
  }
}
