import ServiceClients
import Services
import TestSupport
import Testing
import TweetCore
import TweetNet
import TweetServices

@testable import tw_stream

/// Feeds beside others that go on when they fail.
@Suite(.onOwnThread(minutes: 1)) struct RunningFeedTests {
  /// Fails when it is woken, as often as it is told to.
  private final class Plan {
    var failures: [ToolError]
    var calls: [String] = []
    init(_ failures: [ToolError]) { self.failures = failures }
  }

  private struct Fragile: Feed {
    let plan: Plan
    var wakesAt: Int? { 0 }
    var isOver: Bool { false }
    mutating func begin(in loop: inout TransferLoop, to writer: inout FeedWriter) { plan.calls.append("begin") }
    mutating func handle(_: TransferLoop.Event, in loop: inout TransferLoop, to writer: inout FeedWriter) {}
    mutating func wake(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
      if plan.calls.last == "wake" { return }
      plan.calls.append("wake")
      if !plan.failures.isEmpty { throw plan.failures.removeFirst() }
    }
    mutating func halt(in loop: inout TransferLoop, to writer: inout FeedWriter) { plan.calls.append("halt") }
    mutating func restart(in loop: inout TransferLoop, to writer: inout FeedWriter) { plan.calls.append("restart") }
    mutating func end(in loop: inout TransferLoop) -> ToolError? { nil }
  }

  /// Runs feeds side by side until all are as they should be or one ends the run.
  private func run(_ plans: [Plan], first: Int = 50, until isDone: () -> Bool) throws -> (waits: [String], ToolError?) {
    let access = ServiceAccess(XAPI.local, base: "http://127.0.0.1:1", token: Secret("t"))
    let output = try FeedRun.Output()
    var loop = try TransferLoop()
    var writer = FeedWriter(OutputQueue(descriptor: output.descriptor), for: access, records: true, limit: nil) { _ in }
    let neighbours = RunningFeed.Neighbours(RunningFeed.Waits(first: first, longest: 4 * first))
    var feeds = plans.enumerated().map { RunningFeed(Fragile(plan: $1), of: [.timeline("source\($0)")]) }
    for index in feeds.indices { feeds[index].stand(beside: neighbours) }
    var failure: ToolError?
    do {
      for index in feeds.indices { try feeds[index].begin(in: &loop, to: &writer) }
      let deadline = MonotonicClock.milliseconds + 20_000
      while !isDone(), MonotonicClock.milliseconds < deadline {
        for index in feeds.indices { try feeds[index].wake(in: &loop, to: &writer) }
        _ = try loop.wait(timeoutMilliseconds: 5)
      }
    } catch {
      failure = error
    }
    try writer.flush()
    let waits = output.lines.compactMap { line -> String? in
      guard let document = try? JSONDocument(line), document["code"]?.string == "bad-source" else { return nil }
      let (source, status) = (document["source"]?.string ?? "", document["status"]?.integer ?? 0)
      return "\(source) \(status) \(document["wait"]?.rawText ?? "")"
    }
    return (waits, failure)
  }

  @Test func oneThatFailsIsTriedAgainLaterEachTime() throws {
    let good = Plan([])
    let bad = Plan(Array(repeating: .notAllowed("no"), count: 4))
    let (waits, error) = try run([good, bad]) { bad.calls.count == 14 }
    #expect(error == nil)
    #expect(waits == ["source1 77 0.05", "source1 77 0.1", "source1 77 0.2", "source1 77 0.2"])
    #expect(bad.calls == ["begin"] + Array(repeating: ["wake", "halt", "restart"], count: 4).flatMap { $0 } + ["wake"])
    #expect(good.calls == ["begin", "wake"])
  }

  @Test func whenAllHaveFailedForGoodTheRunEnds() throws {
    let (waits, error) = try run([Plan([.notAllowed("one")]), Plan([.refused("two")])], first: 5000) { false }
    #expect(waits == ["source0 77 5"] && error == .refused("two"))
    // What may pass is waited for.
    let (plans) = [Plan([.tryLater("one")]), Plan([.refused("two")])]
    let (both, none) = try run(plans) { plans.allSatisfy { $0.calls.count == 5 } }
    #expect(both.count == 2 && none == nil)
  }

  @Test func whatIsWrongWithTheOutputEndsAll() throws {
    let (waits, error) = try run([Plan([]), Plan([.readerGone])]) { false }
    #expect(waits == [] && error == .readerGone)
  }
}
