import Foundation
import TestSupport
import Testing

/// No input takes time that grows faster than its length, so that nobody can keep a tool busy with a small file.
///
/// What is measured is processor time (getrusage(2), by bash's `time`): instructions would be the same each time, but
/// nothing that every machine has counts them; perf(1) needs a processor that lets it, valgrind(1) takes fifty times as
/// long. So the bound is one that only a square crosses: eight times the input may take 30 times as long (linear: 8,
/// quadratic: 64), in the best of three runs, and only what takes a tenth of a second is looked at (half of one without
/// optimization). The start of the tool, which is in each time, makes the ratio smaller. A tool that takes longer than
/// `mostSeconds` for some hundred thousand bytes is killed, and counts as one that grows.
@Suite(.onOwnThread, .enabled(if: Sanitizer.name == nil, "a sanitizer changes what things cost"))
struct GrowthTests {
  /// Tools built without optimization take twenty times as long, and get a fourth of the input.
  private static let isOptimized = ProcessInfo.processInfo.environment["TW_TEST_TOOLS"]?.isEmpty == false
  /// Bytes of an input, about.
  private static let length = isOptimized ? 240_000 : 80_000
  private static let mostSeconds = 10
  /// What takes less cannot be told from noise.
  private static let leastSeconds = isOptimized ? 0.1 : 0.5
  private static let mostRatio = 30.0

  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// One tool with one input.
  private struct Case {
    let pattern: GrowthPattern
    let command: String
  }

  /// Each case's processor time in seconds, of inputs of a length; `mostSeconds` for one that was killed.
  private func times(of cases: [Case], length: Int) throws -> [Double] {
    var script = "mkdir -p store; ulimit -t \(Self.mostSeconds); ulimit -c 0; TIMEFORMAT='%U %S'\n"
    for (number, one) in cases.enumerated() {
      try home.write("in/\(number)", String(decoding: one.pattern.make(length), as: UTF8.self))
      script += "{ time \(one.command) < in/\(number) > /dev/null 2> /dev/null; } 2>&1; echo $?\n"
    }
    let result = try Tool.shell(script, home: home, timeout: 600)
    let lines = result.lines.filter { !$0.contains("illed") && !$0.contains("CPU") }
    try #require(lines.count == 2 * cases.count, "\(result.output.suffix(2000)) \(result.errors.suffix(2000))")
    return try cases.indices.map { index in
      let status = try #require(Int(lines[2 * index + 1]))
      if status > 128 { return Double(Self.mostSeconds) }
      #expect([0, 1, 65].contains(status), "status \(status): \(cases[index].pattern.name), \(cases[index].command)")
      return lines[2 * index].split(separator: " ").compactMap { Double($0) }.reduce(0, +)
    }
  }

  private func expectNoGrowth(_ cases: [Case]) throws {
    let slow = zip(cases, try times(of: cases, length: Self.length)).filter { $0.1 >= Self.leastSeconds }.map(\.0)
    guard !slow.isEmpty else { return }
    var best = [Double](repeating: .infinity, count: slow.count)
    for _ in 0..<3 {
      let (short, long) = (try times(of: slow, length: Self.length / 8), try times(of: slow, length: Self.length))
      for index in slow.indices {
        let isKilled = long[index] >= Double(Self.mostSeconds)
        best[index] = min(best[index], isKilled ? .infinity : long[index] / max(short[index], 0.001))
      }
      if best.allSatisfy({ $0 < Self.mostRatio }) { return }
    }
    for (one, ratio) in zip(slow, best) {
      #expect(
        ratio < Self.mostRatio, "eight times '\(one.pattern.name)' takes \(ratio) times as long: \(one.command)")
    }
  }

  @Test func documentsOfServices() throws {
    try expectNoGrowth(GrowthPattern.documents.map { Case(pattern: $0, command: "tw-parse") })
    try expectNoGrowth(
      GrowthPattern.documents.filter { $0.name.hasPrefix("users") }.map {
        Case(pattern: $0, command: "tw-parse --users")
      })
  }

  /// Texts, in each shape whose texts are read in another way.
  @Test func textsOfServices() throws {
    let texts = GrowthPattern.Shape.allCases.filter { $0 != .record }.flatMap { GrowthPattern.texts(in: $0) }
    try expectNoGrowth(texts.map { Case(pattern: $0, command: "tw-parse") })
  }

  /// What is no JSON, or much of it.
  @Test func inputsOfAllFilters() throws {
    let commands = ["tw-parse", "tw-render", "tw-linkcheck --offline", "tw-cache add --db store/tw.db"]
    try expectNoGrowth(
      GrowthPattern.inputs.flatMap { input in commands.map { Case(pattern: input, command: $0) } })
  }

  private static let formats = [
    "text --width 20", "text --color always --highlight a --highlight b", "line", "detail --width 20", "csv", "twarc",
    "html", "atom", "json-feed", "markdown", "mbox", "mail --to a@b.example", "site site --yes",
  ]

  @Test(arguments: formats)
  func recordsInEachFormat(_ format: String) throws {
    let patterns = GrowthPattern.texts(in: .record) + GrowthPattern.records
    try expectNoGrowth(patterns.map { Case(pattern: $0, command: "tw-render -f \(format)") })
  }

  /// Heads of pages, their texts, and fields of answers: each address is `/NUMBER/LENGTH`.
  @Test func pagesOfStrangers() throws {
    let server = try LoopbackServer { request in
      let parts = request.path.split(separator: "/").compactMap { Int($0) }
      guard parts.count == 2, GrowthPattern.pages.indices.contains(parts[0]) else { return .answer(404) }
      let body = GrowthPattern.pages[parts[0]].make(parts[1])
      return .answer(200, headers: ["Content-Type: text/html"], body: body)
    }
    let check = "tw-linkcheck --allow-private --no-cache --titles --save pages --get"
    try expectNoGrowth(
      GrowthPattern.pages.enumerated().map { number, page in
        let address = GrowthPattern(page.name) { Array("\(server.base)/\(number)/\($0)\n".utf8) }
        return Case(pattern: address, command: check)
      })
    #expect(server.requests.count >= GrowthPattern.pages.count)
  }

  /// What a person asks the store for.
  @Test func queriesOfTheStore() throws {
    try home.write("store/empty", "")
    let store = try Tool.run(
      "tw-cache", ["add", "--db", "store/tw.db"],
      stdin: ToolInput(GrowthPattern.texts(in: .record)[0].make(1000)), home: home)
    #expect(store.status == 0, "\(store.errors)")
    // An argument has 128 KiB at most (MAX_ARG_STRLEN), and a query of many words is refused sooner.
    for piece in ["a ", "-a ", "(a ", "a OR ", "\"a ", "tag:a ", "author:a,", "(", "-", "\"", "a:", "(a)OR"] {
      var times: [Double] = []
      for count in [4_000, 32_000] {
        let query = String(repeating: piece, count: count / piece.count)
        try home.write("query", query)
        let result = try Tool.shell(
          "ulimit -t 10; TIMEFORMAT='%U %S'; { time tw-cache list --db store/tw.db -- \"$(cat query)\" > o 2> e; } 2>&1",
          home: home)
        times.append(result.output.split { " \n".contains($0) }.compactMap { Double($0) }.reduce(0, +))
      }
      #expect(times[1] < Self.leastSeconds || times[1] / max(times[0], 0.001) < Self.mostRatio, "'\(piece)': \(times)")
    }
  }
}
