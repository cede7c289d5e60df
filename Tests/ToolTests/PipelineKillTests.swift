import Foundation
import TestNumbers
import TestSupport
import Testing
import TweetCore

/// A whole pipeline from a service to a store, of which any part ends at any moment: no post is lost for good.
@Suite(.onOwnThread(minutes: 3)) struct PipelineKillTests: CacheSuite {
  let home: TemporaryDirectory
  private let local: LocalService

  init() throws {
    home = try TemporaryDirectory()
    local = try LocalService(["--rate-limit", "1000000"])
  }

  /// What is killed.
  private enum Victim: CaseIterable {
    case all, stream, parse, cache
    /// Ctrl-C, which every program of a pipeline gets.
    case interrupt
  }

  private static func pipeline(_ options: String) -> String {
    "tw-stream \(options) --resume places '#tea' | tw-parse | tw-cache add --state places > /dev/null"
  }

  private func start(_ options: String) throws -> RunningTool {
    try RunningTool("/bin/bash", ["-c", Self.pipeline(options)], environment: local.environment, home: home)
  }

  private func stored() throws -> Set<String> {
    Set(ids(try Tool.run("tw-cache", ["list", "--limit", "100000"], home: home).lines))
  }

  /// - Returns: whether the victim was still running.
  private func kill(_ victim: Victim, of shell: Int32) -> Bool {
    let program: String
    switch victim {
    case .all: return Foundation.kill(-shell, SIGKILL) == 0
    case .interrupt: return Foundation.kill(-shell, SIGINT) == 0
    case .stream: program = "tw-stream"
    case .parse: program = "tw-parse"
    case .cache: program = "tw-cache"
    }
    guard let process = runningChild(program, of: shell) else { return false }
    return Foundation.kill(process, SIGKILL) == 0
  }

  /// Kills each victim several times, at moments from the start of the programs on, while posts are made.
  private func lose(_ options: String, longest: Int) throws -> (posted: Set<String>, kills: [Victim: Int]) {
    var posted: Set<String> = []
    var kills: [Victim: Int] = [:]
    let hasProcesses = FileManager.default.fileExists(atPath: "/proc/self/stat")
    let victims = hasProcesses ? Victim.allCases : [.all, .interrupt]
    let wanted = 8
    var chance = Chance()
    for round in 0..<200 {
      let victim = victims[round % victims.count]
      if victims.allSatisfy({ kills[$0, default: 0] >= wanted }) { break }
      if kills[victim, default: 0] >= wanted { continue }
      let running = try start(options)
      let end = MonotonicClock.milliseconds + chance.below(longest)
      repeat { posted.insert(try local.post("\(round) \(posted.count) #tea")) } while MonotonicClock.milliseconds < end
      if kill(victim, of: running.processID) { kills[victim, default: 0] += 1 }
      // What the others leave behind when one is killed ends by itself, or is interrupted.
      if victim != .all { _ = Foundation.kill(-running.processID, SIGTERM) }
      _ = try running.finish()
      posted.insert(try local.post("between \(round) #tea"))
    }
    for victim in victims { #expect(kills[victim, default: 0] >= wanted, "\(victim) was not killed often enough") }
    return (posted, kills)
  }

  @Test func aLiveStreamLosesNoPost() throws {
    // The first run is over before it brings a post. Its time is kept: the gap begins there.
    let first = try start("--fill-gaps")
    try waitUntil { home.exists("places") }
    Foundation.kill(-first.processID, SIGKILL)
    _ = try first.finish()
    let early = try local.post("between the first two runs #tea")

    let (posted, _) = try lose("--fill-gaps", longest: 600)
    let last = try start("--fill-gaps")
    let all = posted.union([early])
    try waitUntil(seconds: 120) { try stored().count >= all.count }
    Foundation.kill(-last.processID, SIGINT)
    _ = try last.finish()
    #expect(try all.subtracting(stored()) == [])
    #expect(try stored().subtracting(all) == [])
    try checkStore(store)
  }

  @Test func pollRoundsLoseNoPost() throws {
    // The first round finds nothing. The second goes back to it, further than one page.
    #expect(try start("--once").finish().status == 0)
    var posted = Set(try (0..<120).map { try local.post("early \($0) #tea") })
    posted.formUnion(try lose("--once", longest: 250).posted)
    let last = try start("--once").finish()
    #expect(last.status == 0 && last.errors == "")
    #expect(try posted.subtracting(stored()) == [])
    try checkStore(store)
  }
}
