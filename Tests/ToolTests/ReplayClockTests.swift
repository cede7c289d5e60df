import Testing
import TweetCore

@testable import tw_stream

/// When the lines of a capture are due.
struct ReplayClockTests {
  private static func due(_ lines: [String], speed: Double) throws -> [Int] {
    var clock = ReplayClock(speed: speed)
    return try lines.map { line in
      let document = try JSONDocument(line)
      return document.read { clock.due($0, now: 1000) }
    }
  }

  @Test func timesNeverGoBackwardsAndDoNotDrift() throws {
    #expect(try Self.due(StreamReplayTests.capture, speed: 1) == [1000, 2000, 2500, 2500, 3000, 4000])
    #expect(try Self.due(StreamReplayTests.capture, speed: 10) == [1000, 1100, 1150, 1150, 1200, 1300])
    #expect(try Self.due(StreamReplayTests.capture, speed: .infinity) == Array(repeating: 1000, count: 6))
    let thirds = (0...3000).map { #"{"timestamp_ms":"\#(1_700_000_000_000 + $0)"}"# }
    #expect(try Self.due(thirds, speed: 3).last == 2000)
  }

  @Test func aWrongTimeDelaysAReplayByAnHourAtMost() throws {
    let lines = [
      #"{"id":"1","created_at":"2009-01-01T00:00:00Z"}"#, #"{"id":"2","created_at":"2026-01-01T00:00:00Z"}"#,
    ]
    #expect(try Self.due(lines, speed: 1) == [1000, 3_601_000])
  }

  @Test(arguments: [
    (#"{"tw":"refresh","feed":"x","at":"2026-01-01T00:00:00.250Z"}"#, 250),
    (#"{"tw":"tweet","id":"x","created_at":"2026-01-01T00:00:01.000Z","retrieved_at":"2026-01-02T00:00:00Z"}"#, 1000),
    (#"{"tw":"tweet","id":"x","retrieved_at":"2026-01-01T00:00:02Z"}"#, 2000),
    (#"{"timestamp_ms":"1767225600300","created_at":"Thu Jan 01 00:00:00 +0000 2026","id_str":"1"}"#, 300),
    (#"{"delete":{"status":{"id":1},"timestamp_ms":"1767225600400"}}"#, 400),
    // 2006515462754893824 >> 22 is 2026-01-01T00:00:00.567Z.
    (
      #"{"data":{"id":"\#((1_767_225_600_567 - 1_288_834_974_657) << 22)","created_at":"2026-01-01T00:00:00.000Z"}}"#,
      567
    ),
    (#"{"data":{"id":"\#((1_767_225_600_567 - 1_288_834_974_657) << 22)"}}"#, 567),
    // An id of another service has no time.
    (#"{"id":"115820000000000000","created_at":"2026-01-01T00:00:03.000Z"}"#, 3000),
    (
      #"{"data":[{"id":"1","created_at":"2026-01-01T00:00:05.000Z"},{"id":"2","created_at":"2026-01-01T00:00:04.000Z"}]}"#,
      5000
    ),
  ])
  func eachMessageHasItsTime(_ line: String, _ milliseconds: Int) throws {
    let document = try JSONDocument(line)
    let time = document.read { ReplayClock.time(of: $0) }
    #expect(time?.milliseconds == Int64(1_767_225_600_000 + milliseconds))
  }
}
