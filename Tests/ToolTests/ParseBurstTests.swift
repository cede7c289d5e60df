import Foundation
import TestNumbers
import TestSupport
import Testing

/// Plenty of input goes over all cores, whether it comes from a file or from a pipe: what comes out is the same as on
/// one core, and a line of a live pipe comes out before the next one is there.
@Suite(.onOwnThread) struct ParseBurstTests {
  private static func tweet(_ id: Int, _ length: Int = 900) -> String {
    let filler = String(repeating: "x", count: length)
    return #"{"id_str":"\#(id)","text":"\#(filler)","user":{"id_str":"7","screen_name":"ada"}}"#
  }

  private static func context(_ number: Int, _ service: String = "x") -> String {
    ##"{"tw":"context","feed":"#\##(number)","service":"\##(service)","at":"2026-01-01T00:00:00.000Z"}"##
  }

  /// Compares what all ways of reading give. What a broken line is called may depend on what was at hand with it.
  private func compare(_ input: [UInt8], _ home: TemporaryDirectory, noise: inout Chance) throws -> ToolResult {
    try home.write("input", input)
    // Held on one core, tw-parse reads in order.
    let ordered = try Tool.shell(
      "$(command -v taskset >/dev/null && echo taskset -c 0) tw-parse --rejects r1 --summary input", home: home)
    let parallel = try Tool.run("tw-parse", ["--rejects", "r2", "--summary", "input"], home: home)
    let tool = try RunningTool("tw-parse", ["--rejects", "r3", "--summary"], home: home)
    var at = 0
    while at < input.count {
      let length = min(input.count - at, [1, 300, 9000, 65_536, 700_000].randomElement(using: &noise) ?? 1)
      tool.send(ToolInput(Array(input[at..<at + length])))
      at += length
    }
    let piped = try tool.finish()
    func plain(_ errors: String) -> [Substring] {
      errors.replacing("input:", with: "-:").split(separator: "\n").map {
        $0.prefix(upTo: $0.firstRange(of: "bad record: ")?.upperBound ?? $0.endIndex)
      }
    }
    let rejects = try home.read("r1")
    for (name, result, other) in [("file", parallel, "r2"), ("pipe", piped, "r3")] {
      let (isSame, isKept) = (result.stdout == ordered.stdout, try home.read(other) == rejects)
      #expect(isSame && isKept, "\(name)")
      #expect(plain(result.errors) == plain(ordered.errors), "\(name)")
      #expect(result.ending == ordered.ending, "\(name)")
    }
    return ordered
  }

  /// More than enough input for all cores, and no more: these programs are slow as tests build them.
  private static let lines = 5704

  @Test(arguments: [
    "bad lines", "pretty", "array", "flat", "context", "many contexts", "hidden contexts", "lengths", "owner",
    "no newline", "long line", "pages",
  ])
  func burstsAreReadAsInOrder(_ kind: String) throws {
    var noise = Chance()
    var text = kind == "array" ? "[\n" : ""
    if kind == "owner" { text += #"[{"account":{"accountId":"12","username":"jack"}}]"# + "\n" }
    for number in 0..<Self.lines {
      let line = Self.tweet(number)
      switch kind {
      case "bad lines" where number % 1000 == 999: text += "{\"id_str\":\"cut\n" + line + "\n"
      case "pretty" where number % 500 == 250:
        text += "{\"statuses\":\n[\n" + line + ",\n" + Self.tweet(-number) + "\n]\n}\n"
      case "flat" where number % 500 == 0:
        // A document that is cut before an element is as good as none: with short elements it has too many bad pieces
        // to be held, with long ones few.
        let inner =
          number % 1000 == 0
          ? String(repeating: "{\n\"id_str\":\"5\",\n\"text\":\"inner\"\n},\n", count: 10_000)
          : String(repeating: Self.tweet(5) + ",\n", count: 400)
        text += line.dropLast() + ",\n\"more\":[\n\(inner){}\n]\n}\n"
      case "array": text += line + (number == Self.lines - 1 ? "\n]" : ",\n")
      case "context" where number % 3000 == 0: text += Self.context(number, "local") + "\n" + line + "\n"
      case "many contexts" where number % 3 == 0:
        text += Self.context(number, number % 2 == 0 ? "x" : "test") + "\n" + line + "\n"
      // Neither starts a line that a glance would see.
      case "hidden contexts" where number % 900 == 0: text += line + " " + Self.context(number) + "\n"
      case "hidden contexts" where number % 900 == 450:
        text += "[\n" + Self.context(number) + "\n]\n{\"x\":[\n" + Self.context(-number) + "\n]}\n"
      case "lengths": text += "\(line.utf8.count + 2)\r\n\(line)\r\n"
      case "owner":
        text += #"{"tweet":{"id_str":"\#(number)","full_text":"\#(String(repeating: "y", count: 900))"}}"# + "\n"
      case "long line" where number == 4000:
        let more = String(repeating: "\"\(String(repeating: "x", count: 99_990))\",", count: 70)
        text += line.dropLast() + ",\"more\":[\(more)1]}\n"
      case "pages" where number == 4000:
        let long = String(repeating: "z", count: 900)
        let data = (1...6000).map { #"{"id":"\#($0)","text":"\#(long)","author_id":"5"}"# }
        text += "{\"data\":[\(data.joined(separator: ","))]}\n"
      default: text += line + "\n"
      }
    }
    if kind == "bad lines" { text += "{\"id_str\":\"9999\",\"te" }
    if kind == "no newline" { text.removeLast() }
    let home = try TemporaryDirectory()
    let result = try compare(Array(text.utf8), home, noise: &noise)
    // 0 stands for no post.
    #expect(result.lines.count >= Self.lines - 1)
    let last = Self.lines - 1
    if kind == "owner" { #expect(result.lines.last?.contains(#""url":"https://x.com/jack/status/\#(last)""#) ?? false) }
    if kind == "many contexts" { #expect(result.lines.last?.contains(##""feeds":["#\##(last)"]"##) ?? false) }
  }

  /// Damage of all kinds at random places, in input that arrives in random pieces.
  @Test(arguments: [1, 2, 3, 6])
  func damagedBurstsAreReadAsInOrder(_ seed: Int) throws {
    var noise = Chance(of: "damagedBursts \(seed)")
    var input: [UInt8] = []
    for number in 0..<Self.lines {
      if number % 700 == seed { input += Array((Self.context(number, seed % 2 == 0 ? "x" : "test") + "\n").utf8) }
      if number % 900 == seed, seed % 3 == 0 { input += Array("[\n".utf8) }
      input += Array((Self.tweet(number, Int.random(in: 0...1800, using: &noise)) + "\n").utf8)
      if number % 900 == seed + 5, seed % 3 == 0 { input += Array("]\n".utf8) }
    }
    let pieces = ["\"", "\n", "{", "\n{", "\n{\"a\":1}\n", "}", "\0\0", "\\", "]", "["]
    for _ in 0..<(seed * 6) {
      let at = Int.random(in: 0..<input.count - 10_000, using: &noise)
      switch Int.random(in: 0..<4, using: &noise) {
      case 0: input[at] = UInt8.random(in: 0...255, using: &noise)
      case 1: input.removeSubrange(at..<at + [1, 10, 5000][Int.random(in: 0..<3, using: &noise)])
      case 2: input.insert(contentsOf: Array((pieces.randomElement(using: &noise) ?? "").utf8), at: at)
      default: input.insert(contentsOf: Array(input[at..<at + 3000]), at: at)
      }
    }
    let result = try compare(input, TemporaryDirectory(), noise: &noise)
    #expect(result.lines.count > Self.lines * 3 / 4 && !result.errors.isEmpty)
  }

  /// After a burst a line that comes alone is printed at once, and all before it, however the burst ended.
  @Test(arguments: [0, 1, 400])
  func aLiveLineIsPrintedAfterABurst(_ cut: Int) throws {
    let tool = try RunningTool("tw-parse", ["--only", "tweet,user"])
    let burst = (0..<Self.lines).map {
      #"{"tw":"other","id":"\#($0)","x":"\#(String(repeating: "x", count: 900))"}"# + "\n"
    }
    .joined()
    for round in 1...3 {
      let last = Self.tweet(round) + "\n"
      tool.send(ToolInput(burst + last.dropLast(cut)))
      if cut > 0 { tool.send(ToolInput(String(last.suffix(cut)))) }
      #expect(try #require(try tool.line()).hasPrefix(#"{"tw":"tweet","id":"\#(round)""#))
      for id in 10...12 {
        tool.send(ToolInput(Self.tweet(id) + "\n"))
        #expect(try #require(try tool.line()).hasPrefix(#"{"tw":"tweet","id":"\#(id)""#))
      }
    }
    #expect(try tool.finish().ending == .status(0))
  }

  @Test func aSignalEndsABurst() throws {
    let tool = try RunningTool("tw-parse", ["--only", "user"])
    tool.send(ToolInput(String(repeating: Self.tweet(1) + "\n", count: 40_000)))
    usleep(20_000)
    tool.signal(SIGTERM)
    #expect(try tool.finish().ending == .signal(SIGTERM))
  }

  #if os(Linux)
    @Test func aBurstNeedsLittleMemory() throws {
      let tool = try RunningTool("tw-parse", ["--only", "user"])
      tool.send(ToolInput(String(repeating: Self.tweet(1) + "\n", count: 100_000)))
      tool.send(ToolInput(#"{"did":"did:plc:a","handle":"a.example"}"# + "\n"))
      try tool.waitForLines(1, timeout: 120)
      if let peak = tool.peakMemory { #expect(peak < 64 << 20) }
      #expect(try tool.finish().ending == .status(0))
    }
  #endif
}
