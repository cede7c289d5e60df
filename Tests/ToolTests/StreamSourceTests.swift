import Foundation
import TestSupport
import Testing

/// tw-stream's sources that are polled, against tw-local.
@Suite(.onOwnThread(minutes: 3))
struct StreamSourceTests {
  private func demo(_ script: String, home: TemporaryDirectory? = nil) throws -> ToolResult {
    try PipelineTests.demo(script, rate: "0", home: home)
  }

  @Test func everySourceIsReadByEitherAPI() throws {
    let result = try demo(
      """
      for source in home '#opensource' search:swift @gears_n_greens; do
        for api in 2 1.1; do
          tw-stream --once --api $api "$source" | tw-parse --only tweet | wc -l
        done
      done
      tw-stream --once mentions && tw-stream --once --api 1.1 mentions
      """)
    #expect(result.ending == .status(0), "\(result.output)\(result.errors)")
    #expect(result.errors == "")
    let counts = result.lines.prefix(8).compactMap { Int($0.filter(\.isNumber)) }
    #expect(counts.count == 8 && counts.allSatisfy { $0 > 0 }, "\(result.output)")
    #expect(counts[0] == counts[1] && counts[6] == counts[7])
  }

  @Test func postsAreLookedUpAndMissingOnesReported() throws {
    let result = try demo(
      """
      tw-stream --once --all '#opensource' | tw-parse --only tweet > before
      { sed 's/.*"id":"\\([0-9]*\\)","service".*/\\1/' before | head -3; echo 20; echo x; } |
        tw-stream ids:- > raw; echo status $?
      tw-parse --only delete raw
      tw-parse --only tweet raw | wc -l
      """)
    #expect(result.lines.first == "status 1", "\(result.output)\(result.errors)")
    #expect(result.lines.dropFirst().first == #"{"tw":"delete","service":"local","id":"20"}"#)
    #expect(result.lines.last?.contains("3") == true)
    #expect(result.errors.contains("line 5 of ids:- was left out: 'x' is not an id"))
  }

  /// Round by round, with a checkpoint between them, every post comes once, as with one round of all pages.
  @Test func roundsWithACheckpointBringEveryPostOnce() throws {
    let result = try demo(
      """
      tw-stream --once --all home | tw-parse --only tweet | cut -d, -f2 | sort > all
      oldest=$(tw-stream --once --all home | tw-parse --only tweet | tail -1 | sed 's/.*"tweet","id":"\\([0-9]*\\)".*/\\1/')
      grep -v "\\"$oldest\\"" all > wanted
      # The first run knows only the newest post; --since-id is where the others stop.
      for run in 1 2 3 4 5 6 7 8 9; do
        tw-stream --quiet --once --count 9 --since-id $oldest --state places home
      done | tw-parse --only tweet | cut -d, -f2 > pieces
      sort pieces | cmp - wanted && wc -l < wanted
      """)
    #expect(result.ending == .status(0), "\(result.output)\(result.errors)")
    #expect(Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0 > 30)
  }

  /// With the default in place of the option the second round would begin after a minute.
  @Test func roundsFollowEvery() throws {
    let server = try LoopbackServer { _ in .answer(200, #"{"meta":{"result_count":0}}"#) }
    let tool = try RunningTool(
      "tw-stream", ["--every", "400ms", "search:tea"],
      environment: ["TW_SERVICE": "local", "TW_ENDPOINT": server.base, "TW_TOKEN": "t"])
    try tool.waitForLines(4, timeout: 20)
    tool.signal(SIGTERM)
    let lines = try tool.finish().lines
    #expect(lines.count >= 4 && lines.dropFirst().allSatisfy { $0.hasPrefix(#"{"tw":"refresh","feed":"search:tea""#) })
  }

  @Test func aBudgetEndsARunAndIsKeptForTheDay() throws {
    let result = try demo(
      """
      tw-stream --once --budget 12/day --all '#opensource' > /dev/null; echo $?
      tw-stream --once --budget 12/day '#opensource' > /dev/null; echo $?
      tw-stream --once --budget unlimited '#opensource' > /dev/null; echo $?
      """)
    #expect(result.lines == ["75", "75", "0"], "\(result.errors)")
    #expect(result.errors.contains("the budget of 12 posts a day is used up; it opens again at"))
  }

  /// The ids come from a pipe that stays open: what is there is looked up at once.
  @Test func idsOnALivePipeDoNotWaitForAHundred() throws {
    let result = try demo(
      """
      id=$(tw-stream --once '#opensource' | tw-parse --only tweet | head -1 | sed 's/.*"tweet","id":"\\([0-9]*\\)".*/\\1/')
      mkfifo ids
      { echo $id; until grep -q '^{"data"' raw 2> /dev/null; do sleep 0.05; done; } > ids &
      timeout 60 tw-stream ids:- < ids > raw; echo $?
      """)
    #expect(result.lines == ["0"], "\(result.errors)")
  }
}
