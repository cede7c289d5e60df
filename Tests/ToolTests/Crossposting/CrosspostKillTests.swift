import Foundation
import Synchronization
import TestNumbers
import TestSupport
import Testing

/// Two networks, lost answers, and a program that is killed: each has its copy once.
@Suite(.onOwnThread(minutes: 40)) struct CrosspostKillTests {
  private let site: CrosspostSite

  init() throws { site = try CrosspostSite() }

  /// - Parameter isNew: whether the Mastodon server can be trusted with keys.
  private init(isNew: Bool) throws { site = try CrosspostSite(isNew: isNew) }

  private var both: String { "bluesky,\(site.mastodon.name)" }

  /// Kills the program once a condition holds.
  private func kill(_ tool: RunningTool, when condition: () throws -> Bool) throws {
    try waitUntil(condition)
    tool.signal(SIGKILL)
    #expect(try tool.finish().ending == .signal(SIGKILL))
  }

  /// The first has taken its copy, and the second has not been asked: both are in the outbox.
  @Test(arguments: ["the same command", "flush"]) func killedAtTheFirst(_ way: String) throws {
    site.bluesky.state.withLock { $0.writeDelay = 30 }
    let tool = try site.start(["--to", both, "Hello there"])
    try kill(tool) { !site.bluesky.records().isEmpty }
    #expect(site.counts == [0, 0, 1])
    let left = try site.outbox()
    #expect(left.map { $0[1] } == ["sending", "queued"] && left.allSatisfy { $0.last == "copy of 1" }, "\(left)")
    site.bluesky.state.withLock { $0.writeDelay = 0 }
    let again = try site.post(way == "flush" ? ["flush"] : ["--to", both, "Hello there"])
    #expect(again.status == 0 && again.lines.count == 2, "\(again.errors)")
    #expect(site.counts == [0, 1, 1])
    #expect(try site.outbox().isEmpty)
  }

  /// The first is done, and the answer of the second is on its way.
  @Test(arguments: ["the same command", "flush"]) func killedAtTheSecond(_ way: String) throws {
    site.mastodon.expect([.heldAnswer])
    let tool = try site.start(["--to", both, "Hello there"])
    try kill(tool) { site.mastodon.posts.count == 1 }
    #expect(site.counts == [0, 1, 1])
    let again = try site.post(way == "flush" ? ["flush"] : ["--to", both, "Hello there"])
    // The record of what was done before is printed by the same command; a flush leaves it to that for a minute.
    #expect(again.status == 0 && again.lines.count == (way == "flush" ? 1 : 2), "\(again.errors)")
    #expect(site.counts == [0, 1, 1] && site.mastodon.tries.count == 1)
  }

  /// A server that knows the key is simply asked again.
  @Test(arguments: ["the same command", "flush"]) func killedAtTheSecondOfANewServer(_ way: String) throws {
    let new = try CrosspostKillTests(isNew: true)
    let site = new.site
    site.mastodon.expect([.heldAnswer])
    let tool = try site.start(["--to", new.both, "Hello there"])
    try kill(tool) { site.mastodon.posts.count == 1 }
    let again = try site.post(way == "flush" ? ["flush"] : ["--to", new.both, "Hello there"])
    #expect(again.status == 0 && again.lines.count == (way == "flush" ? 1 : 2), "\(again.errors)")
    #expect(site.counts == [0, 1, 1] && site.mastodon.tries.count == 2)
    #expect(Set(site.mastodon.tries.map { $0["Idempotency-Key"] }).count == 1)
    #expect(!site.mastodon.server.targets.contains { $0.contains("/accounts/7/statuses") })
  }

  @Test func answersThatAreLostAtBoth() throws {
    site.mastodon.expect([.lostAnswer])
    site.bluesky.state.withLock { $0.faults = [.lostAnswer, .lostAnswer] }
    let posted = try site.post(["--to", both, "Hello there"])
    #expect(posted.status == 0 && posted.lines.count == 2, "\(posted.errors)")
    #expect(site.counts == [0, 1, 1])
  }

  @Test func undoIsKilled() throws {
    #expect(try site.post(["alone at first"]).status == 0)
    #expect(try site.post(["--to", both, "Hello there"]).status == 0)
    site.bluesky.state.withLock { $0.writeDelay = 30 }
    let tool = try site.start(["undo", "--yes"])
    try kill(tool) { site.bluesky.records().isEmpty }
    site.bluesky.state.withLock { $0.writeDelay = 0 }
    let again = try site.post(["undo", "--yes"])
    #expect(again.status == 0 && again.lines.count == 2, "\(again.errors)")
    #expect(site.mastodon.deleted == ["2000"] && !site.x.requests.contains { $0.target.hasPrefix("DELETE") })
  }

  /// How many commands `make crash` kills; in the suite the tests above stand for them.
  private static let rounds = ProcessInfo.processInfo.environment["TW_CROSSPOST_ROUNDS"].flatMap { Int($0) } ?? 0

  @Test(.enabled(if: rounds > 0, "'make crash' kills them"), arguments: [false, true])
  func killedAtAnyMoment(_ isNew: Bool) throws { try CrosspostKillTests(isNew: isNew).killAtAnyMoment(isNew) }

  private func killAtAnyMoment(_ isNew: Bool) throws {
    var chance = Chance()
    var (round, killed, late, half, longestLife) = (0, 0, 0, 0, 200_000)
    site.mastodon.lose(oneIn: 7, latency: 0.1)
    while killed < Self.rounds {
      let group = round..<round + 10
      site.bluesky.state.withLock { state in
        state.writeDelay = 0.1
        state.faults = (0..<chance.below(4)).map { _ in .lostAnswer }
      }
      let homes = try group.map { _ in try copyOfHome() }
      let command = { (number: Int) in ["--to", number % 2 == 0 ? both : reversed, "round \(number)"] }
      func start(_ number: Int, _ home: TemporaryDirectory) throws -> RunningTool {
        try RunningTool("tw-post", command(number), environment: site.environment, home: home)
      }
      let tools = try zip(group, homes).map(start)
      for tool in tools.shuffled(using: &chance) {
        chance.pause(upTo: longestLife)
        tool.signal(SIGKILL)
      }
      let ends = try tools.map { try $0.finish() }
      let (atMastodon, atBluesky) = (Set(site.mastodon.posts.map(\.text)), Set(site.blueskyTexts))
      var again: [RunningTool] = []
      for (index, end) in ends.enumerated() {
        let text = "round \(group.lowerBound + index)"
        if end.ending == .signal(SIGKILL) {
          killed += 1
          let places = [atMastodon, atBluesky].count { $0.contains(text) }
          if places > 0 { late += 1 }
          if places == 1 { half += 1 }
        } else {
          #expect(end.status == 0, "\(end.errors)")
        }
        // Who has seen both records does not say it again.
        if end.lines.count < 2 { again.append(try start(group.lowerBound + index, homes[index])) }
      }
      for tool in again {
        let result = try tool.finish(timeout: 120)
        #expect(result.status == 0 && result.lines.count == 2, "\(result.errors)")
      }
      let taken = ends.indices.count { atBluesky.contains("round \(group.lowerBound + $0)") }
      longestLife = taken < 3 ? min(longestLife * 2, 2_000_000) : taken > 8 ? longestLife / 2 : longestLife
      round = group.upperBound
    }
    let wanted = Set((0..<round).map { "round \($0)" })
    for texts in [site.mastodon.posts.map(\.text), site.blueskyTexts] {
      #expect(texts.count == round && Set(texts) == wanted, "\(texts.count) of \(round)")
    }
    // Some were killed after a copy was made, and some between the two.
    #expect(late > 0 && half > 0)
    let doubled = [site.mastodon.posts.map(\.text), site.blueskyTexts].map { $0.count - Set($0).count }
    let lost = [site.mastodon.posts.map(\.text), site.blueskyTexts].map { wanted.subtracting($0).count }
    print(
      "crosspost\(isNew ? ", keys trusted" : ""): \(killed) killed of \(round), \(late) after a copy was made, \(half) between two copies; "
        + "doubled \(doubled), lost \(lost)")
  }

  private var reversed: String { "\(site.mastodon.name),bluesky" }

  /// A home of the same accounts, with an outbox of its own.
  private func copyOfHome() throws -> TemporaryDirectory {
    let home = try TemporaryDirectory()
    let copied = try Tool.run(
      "/bin/cp", ["-r", site.home.path + "/.config", site.home.path + "/.local", home.path])
    try #require(copied.status == 0, "\(copied.errors)")
    return home
  }
}
