import Foundation
import TestNumbers
import TestSupport
import Testing
import TweetCore

/// The pipe from a live source to a store, any member of which is killed while somebody posts.
struct KilledPipeline {
  /// What is killed.
  enum Victim: CaseIterable {
    case all, stream, parse, cache
    /// Ctrl-C, which every program of a pipeline gets.
    case interrupt
  }

  let home: TemporaryDirectory
  let environment: [String: String]
  let source: String
  /// Makes a post, and returns its id.
  let post: (_ text: String) throws -> String
  /// How many streams were opened so far, where the service tells. Then each second kill comes when a stream is open.
  var streams: (() -> Int)?

  func start(_ options: String) throws -> RunningTool {
    let pipe =
      "tw-stream \(options) --resume places '\(source)' | tw-parse "
      + "| tw-cache add --new-only --state places >> printed"
    return try RunningTool("/bin/bash", ["-c", pipe], environment: environment, home: home)
  }

  /// The ids of what is in the store, each as often as it is there.
  func stored() throws -> [String] {
    let list = try Tool.run("tw-cache", ["list", "--all-copies", "--quiet", "--limit", "100000"], home: home)
    #expect(list.status == 0, "\(list.errors)")
    return Self.ids(list.output)
  }

  /// The ids of what all runs together have printed as new. A kill may cut the last line of a run.
  func printed() throws -> [String] { try Self.ids(String(decoding: home.read("printed"), as: UTF8.self)) }

  private static func ids(_ text: String) -> [String] {
    text.matches(of: #/\{"tw":"tweet","id":"([^"]+)"/#).map { String($0.1) }
  }

  /// The program that is killed, once it runs; `nil` if that is all of them, or if it has ended.
  private func process(of victim: Victim, in shell: Int32) -> Int32? {
    let program: String
    switch victim {
    case .all, .interrupt: return nil
    case .stream: program = "tw-stream"
    case .parse: program = "tw-parse"
    case .cache: program = "tw-cache"
    }
    // On a busy machine a program may be long in coming.
    let deadline = MonotonicClock.milliseconds + 20_000
    while Foundation.kill(shell, 0) == 0, MonotonicClock.milliseconds < deadline {
      if let process = runningChild(program, of: shell) { return process }
      usleep(1_000)
    }
    return nil
  }

  /// Kills each victim several times, at moments from the start of the programs on, while posts are made.
  /// - Parameter pause: milliseconds between two posts.
  /// - Returns: the ids of the posts.
  func lose(_ options: String, longest: Int, pause: Int = 0) throws -> Set<String> {
    var posted: Set<String> = []
    var kills: [Victim: Int] = [:]
    let hasProcesses = FileManager.default.fileExists(atPath: "/proc/self/stat")
    let victims = hasProcesses ? Victim.allCases : [.all, .interrupt]
    let wanted = 8
    var latest = longest
    var chance = Chance()
    for round in 0..<200 {
      let victim = victims[round % victims.count]
      if victims.allSatisfy({ kills[$0, default: 0] >= wanted }) { break }
      if kills[victim, default: 0] >= wanted { continue }
      let running = try start(options)
      let process = process(of: victim, in: running.processID)
      let end = MonotonicClock.milliseconds + chance.below(latest)
      let opened = round / victims.count % 2 == 0 ? streams?() : nil
      repeat {
        posted.insert(try post("\(round) \(posted.count) #tea"))
        usleep(UInt32(pause) * 1000)
      } while MonotonicClock.milliseconds < end || opened == streams?() && opened != nil
      let isKilled =
        switch victim {
        case .all: Foundation.kill(-running.processID, SIGKILL) == 0
        case .interrupt: Foundation.kill(-running.processID, SIGINT) == 0
        // Its number is not another's: the shell waits for the last one, and a child that has ended keeps it.
        default: process.map { isRunning($0) && Foundation.kill($0, SIGKILL) == 0 } ?? false
        }
      // What has ended by itself was killed too late: the next kill comes sooner.
      if isKilled { kills[victim, default: 0] += 1 } else { latest = max(latest / 2, 1) }
      // What the others leave behind when one is killed ends by itself, or is interrupted.
      if victim != .all { _ = Foundation.kill(-running.processID, SIGTERM) }
      _ = try running.finish()
      posted.insert(try post("between \(round) #tea"))
    }
    for victim in victims { #expect(kills[victim, default: 0] >= wanted, "\(victim) was not killed often enough") }
    return posted
  }

  /// Loses live streams, then expects that a last one brings what is missing, and nothing twice.
  ///
  /// - Parameter beginning: makes something else than a post, where a stream must bring something before its place is
  ///   known.
  func loseLiveStreams(_ options: String = "--fill-gaps", pause: Int = 0, beginning: () -> Void = {}) throws {
    // The first run is over before it brings a post. Its time is kept: the gap begins there.
    let first = try start(options)
    try waitUntil {
      beginning()
      return home.exists("places")
    }
    Foundation.kill(-first.processID, SIGKILL)
    _ = try first.finish()
    let early = try post("between the first two runs #tea")

    let all = try lose(options, longest: 600, pause: pause).union([early])
    let last = try start(options)
    try waitUntil(seconds: 120) { try Set(stored()).count >= all.count }
    Foundation.kill(-last.processID, SIGINT)
    _ = try last.finish()
    let found = try stored()
    #expect(all.subtracting(found) == [], "lost")
    #expect(Set(found).subtracting(all) == [], "never posted")
    #expect(found.count == Set(found).count, "stored twice")
    let told = try printed()
    #expect(told.count == Set(told).count, "told twice as new")
  }
}
