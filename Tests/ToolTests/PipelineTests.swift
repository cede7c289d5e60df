import Foundation
import TestSupport
import Testing

/// The tools joined by pipes, as users join them, against a service on this machine.
@Suite(.onOwnThread(minutes: 3))
struct PipelineTests {
  /// Runs a shell script against the service of `tw-local --demo`.
  static func demo(
    _ script: String, rate: String = "50", environment: [String: String] = [:], home: TemporaryDirectory? = nil
  ) throws -> ToolResult {
    try Tool.run(
      "tw-local", ["--demo", "--rate", rate, "--", "bash", "-o", "pipefail", "-c", script], environment: environment,
      home: home, timeout: 120)
  }

  @Test func aPipelinePrintsATimeline() throws {
    let home = try TemporaryDirectory()
    let result = try Self.demo(
      """
      tw-stream --for 60s --count 12 '#swift' '#opensource' | tee raw | tw-parse | tee parsed | tw-cache add |
        tw-avatar | tw-linkcheck | tee enriched | tw-render --color never
      """, home: home)
    #expect(result.ending == .status(0), "\(result.errors)")
    #expect(result.errors == "")
    let enriched = try lines(home, "enriched")
    let tweets = enriched.filter { $0.hasPrefix(#"{"tw":"tweet""#) }
    #expect(Set(tweets.map { $0.prefix { $0 != "," } }).count == 1)
    #expect(try lines(home, "raw").filter { $0.hasPrefix(#"{"data""#) }.count == 12)
    #expect(try lines(home, "parsed").filter { $0.hasPrefix(#"{"tw":"tweet""#) }.count == 12)
    #expect(tweets.contains { $0.contains(#""avatar":{"key":""#) })
    #expect(result.output.contains("@"))
    #expect(result.output.contains(" · "))
    // The service's data, the store, settings and state were all in a folder that is removed.
    let left = try FileManager.default.contentsOfDirectory(atPath: home.path)
    #expect(left.sorted() == ["enriched", "parsed", "raw"])
  }

  @Test func linksGetVerdictsAndKinds() throws {
    let result = try Self.demo(
      """
      tw-stream --once '#opensource' '#music' '@gears_n_greens' | tw-parse | tw-linkcheck
      """, rate: "0")
    #expect(result.ending == .status(0), "\(result.errors)")
    for finding in [#""verdict":"ok""#, #""verdict":"dead""#, #""link_kind":"music""#, #""redirects":3"#] {
      #expect(result.output.contains(finding))
    }
  }

  @Test func toolsAcceptTheirOwnOutput() throws {
    let result = try Self.demo(
      """
      tw-stream --once 'search:#opensource' | tw-parse > once && tw-parse < once > twice && cmp once twice &&
        tw-cache add < once > added && cmp once added
      """, rate: "0")
    #expect(result.ending == .status(0), "\(result.output)\(result.errors)")
  }

  @Test func whatWasPrintedIsOnDisk() throws {
    let home = try TemporaryDirectory()
    // Each round kills tw-cache in the middle of its work. What it had printed must be in the store afterwards. A busy
    // service may count the last round's stream as still open, which ends tw-stream with 75: then it is started again.
    let result = try Self.demo(
      """
      touch printed
      mkfifo parsed
      for round in 1 2 3 4 5; do
        until tw-stream --for 60s '#swift' '#opensource' '#music'; do sleep 0.1; done | tw-parse > parsed &
        tw-cache add < parsed >> printed &
        cache=$!
        while [ "$(grep -c '^{"tw":"tweet"' printed)" -lt $((round * 4)) ]; do sleep 0.05; done
        kill -9 $cache
        wait
      done 2> /dev/null
      tw-cache list > stored || exit 3
      grep -o '^{"tw":"tweet","id":"[0-9]*"' printed | sort -u > printed.ids
      grep -o '^{"tw":"tweet","id":"[0-9]*"' stored | sort -u > stored.ids
      comm -23 printed.ids stored.ids
      """, rate: "100", home: home)
    #expect(result.output == "")
    #expect(result.ending == .status(0), "\(result.errors)")
    #expect(try lines(home, "printed.ids").count >= 20)
  }

  @Test(arguments: ["tw-parse", "tw-cache add", "tw-avatar", "tw-linkcheck", "tw-render"])
  func aReaderThatLeavesEndsAllQuietly(_ tool: String) throws {
    let result = try Self.demo(
      "tw-stream --for 60s '#swift' '#opensource' | tw-parse | \(tool) | head -n 1 > /dev/null; echo ${PIPESTATUS[*]}")
    #expect(result.output == "0 0 0 0\n")
    #expect(result.errors == "")
  }

  @Test(arguments: ["tw-parse", "tw-cache add", "tw-avatar", "tw-linkcheck", "tw-render"])
  func aFullDiskIsReported(_ tool: String) throws {
    let record = #"{"tw":"tweet","id":"1","service":"x","text":"hello","author":{"id":"2","username":"a"}}"#
    let words = tool.split(separator: " ").map(String.init)
    let result = try Tool.run(
      words[0], Array(words.dropFirst()), stdin: ToolInput(record + "\n"), stdoutPath: "/dev/full")
    #expect(result.ending == .status(74))
    #expect(result.errors == "\(words[0]): cannot write to standard output: no space left on device\n")
  }

  @Test func aWrongTokenIsRefused() throws {
    for source in ["'#swift'", "--once 'search:tea'"] {
      let result = try Self.demo("TW_TOKEN=wrong tw-stream \(source)", rate: "0")
      #expect(result.ending == .status(77), "\(result.errors)")
      #expect(!result.errors.contains("wrong"))
    }
  }

  @Test func withoutAnAccountTheMessageNamesBothWays() throws {
    let result = try Tool.run("tw-stream", ["#swift"])
    #expect(result.ending == .status(77))
    #expect(result.errors.contains("tw-local --demo"))
  }

  @Test func noServiceIsATemporaryFailure() throws {
    // Nothing listens on port 9 (discard) where tests run.
    let result = try Tool.shell(
      "tw-stream --once search:tea | tw-parse | tw-render; exit ${PIPESTATUS[0]}",
      environment: ["TW_SERVICE": "local", "TW_ENDPOINT": "http://127.0.0.1:9", "TW_TOKEN": "x"])
    #expect(result.ending == .status(75), "\(result.errors)")
    #expect(result.errors.contains("tw-stream: cannot connect to '127.0.0.1' port 9"))
  }

  @Test func aToolKilledInTheMiddleLosesNothingStored() throws {
    let result = try Self.demo(
      """
      tw-stream --for 60s --count 30 '#swift' '#opensource' | tw-parse | tw-cache add |
        { head -n 5 > /dev/null; kill -9 $BASHPID; }
      statuses=${PIPESTATUS[*]}
      tw-cache list > /dev/null && echo "$statuses"
      """)
    #expect(result.output == "0 0 0 137\n", "\(result.errors)")
  }

  @Test func settingsReachTheTools() throws {
    let home = try TemporaryDirectory()
    let record = #"{"tw":"tweet","id":"1","service":"x","text":"hello","author":{"id":"2","username":"a"}}"#
    let store = home.path + "/elsewhere/my.db"
    func set(_ key: String, _ value: String) throws {
      #expect(try Tool.run("tw", ["config", "set", key, value], home: home).ending == .status(0))
    }
    try set("db", store)
    #expect(try Tool.run("tw-cache", ["add"], stdin: ToolInput(record + "\n"), home: home).ending == .status(0))
    #expect(home.exists("elsewhere/my.db"))
    #expect(try Tool.run("tw-avatar", stdin: ToolInput(record + "\n"), home: home).ending == .status(0))
    #expect(home.exists("elsewhere/media.db"))
    #expect(try Tool.run("tw-cache", ["list"], home: home).lines.count == 1)
    let other = ["TW_DB": home.path + "/other.db"]
    #expect(try Tool.run("tw-cache", ["list"], environment: other, home: home).ending == .status(66))

    try set("service", "local")
    try set("endpoint", "http://127.0.0.1:9")
    try set("token-file.local", try home.write("token", "secret\n"))
    let result = try Tool.run("tw-stream", ["--once", "search:tea"], home: home)
    #expect(result.errors.contains("'127.0.0.1' port 9"))
  }

  private func lines(_ home: TemporaryDirectory, _ file: String) throws -> [String] {
    try String(decoding: home.read(file), as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
