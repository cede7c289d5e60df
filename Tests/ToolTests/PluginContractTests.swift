import Foundation
import Services
import TestSupport
import Testing

/// What tw-source(7) promises a plugin: its checkpoint, its token, its waits and its budget, and another start.
@Suite(.onOwnThread) struct PluginContractTests {
  private let home: TemporaryDirectory

  /// Prints this many posts as $1 says, the first after the checkpoint, which is the number of the last. Writes what it
  /// was given to the file `starts`.
  private static let counting = #"""
    echo "${TW_CHECKPOINT:--}" >> ~/starts
    printf '{"tw":"context","feed":"%s","service":"test"}\n' "$TW_FEED"
    n=${TW_CHECKPOINT:-0}
    for i in $(seq "$1"); do
      n=$((n + 1))
      printf '{"tw":"tweet","id":"%s","service":"test","text":"t","author":{"id":"a"}}\n' $n
    done
    printf '{"tw":"checkpoint","cursor":"%s"}\n' $n
    """#

  init() throws { home = try StreamPluginTests.home(Self.counting) }

  private func write(_ script: String) throws { try StreamPluginTests.add(script, "test", to: home) }

  private func stream(_ arguments: String..., with more: [String: String] = [:]) throws -> ToolResult {
    try Tool.run("tw-stream", arguments, environment: StreamPluginTests.environment(home, more), home: home)
  }

  private func refresh(_ arguments: String...) throws -> ToolResult {
    try Tool.run(
      "tw-cache", ["refresh", "--no-fetch-avatars"] + arguments, environment: StreamPluginTests.environment(home),
      home: home)
  }

  private func starts() throws -> [String] { String(decoding: try home.read("starts"), as: UTF8.self).lines }

  private func ids(_ output: String) -> [Int] { output.matches(of: /"tweet","id":"(\d+)"/).compactMap { Int($0.1) } }

  // MARK: Checkpoints

  @Test func theCheckpointIsSavedAndHandedBack() throws {
    let first = try stream("--once", "--state", home.path + "/state", "test:2")
    #expect(first.ending == .status(0) && first.errors == "" && ids(first.output) == [1, 2])
    // It is for tw-stream alone.
    #expect(!first.output.contains("checkpoint"))
    #expect(ids(try stream("--once", "--state", home.path + "/state", "test:2").output) == [3, 4])
    // Another source of the same plugin has its own.
    #expect(ids(try stream("--once", "--state", home.path + "/state", "test:1").output) == [1])
    #expect(try starts() == ["-", "2", "-"])
    // Without a file it is told to nobody.
    #expect(ids(try stream("--once", "test:2").output) == [1, 2])
  }

  /// The accounts of a service have each their own place.
  @Test func theCheckpointIsThatOfTheAccount() throws {
    for _ in 1...2 {
      for account in ["jill", "jack"] {
        #expect(try stream("--once", "--account", account, "--state", home.path + "/state", "test:1").status == 0)
      }
    }
    #expect(try starts() == ["-", "-", "1", "1"])
  }

  @Test func resumePrintsCheckpointsInTheirPlaces() throws {
    try write(Self.counting + #"; echo '{"id":"last"}'"#)
    let state = home.path + "/state"
    let first = try stream("--once", "--no-records", "--resume", state, "test:1")
    let record = #"{"tw":"checkpoint","feed":"test:1","service":"test","cursor":"1"}"#
    #expect(StreamPluginTests.plain(first.lines).suffix(2) == [record, #"{"id":"last"}"#])
    #expect(!FileManager.default.fileExists(atPath: state))
    let script = "tw-stream --once --resume state test:2 | tw-parse | tw-cache add --db tw.db --state state > out"
    for _ in 1...2 {
      let result = try Tool.shell("cd; " + script, environment: StreamPluginTests.environment(home), home: home)
      #expect(result.status == 0, "\(result.errors)")
    }
    #expect(try starts() == ["-", "-", "2"])
  }

  /// What the plugin prints when it has enough posts comes after the last of them.
  @Test func theCheckpointAfterTheLastPostIsTaken() throws {
    try write(
      Self.counting.replacing("printf '{\"tw\":\"checkpoint\"", with: "sleep 0.3; printf '{\"tw\":\"checkpoint\""))
    #expect(ids(try stream("--once", "--limit", "2", "--state", home.path + "/state", "test:2").output) == [1, 2])
    #expect(ids(try stream("--once", "--limit", "2", "--state", home.path + "/state", "test:2").output) == [3, 4])
    // A checkpoint after a post that was left out says too much, also if all come at once.
    func post(_ id: Int) -> String {
      #"{"tw":"tweet","id":"\#(id)","service":"test","text":"","author":{"id":"a"}}"# + "\n"
    }
    try home.write("lines", post(5) + post(6) + #"{"tw":"checkpoint","cursor":"6"}"# + "\n")
    try write("cat ~/lines")
    #expect(ids(try stream("--once", "--limit", "1", "--state", home.path + "/state", "test:2").output) == [5])
    try write(Self.counting)
    #expect(ids(try stream("--once", "--limit", "2", "--state", home.path + "/state", "test:2").output) == [5, 6])
  }

  /// A live plugin is killed with tw-stream: what its last checkpoint counts was printed.
  @Test func aCheckpointIsNeverAheadOfWhatWasPrinted() throws {
    try write(
      Self.counting + #"""

        while :; do
          n=$((n + 1))
          printf '{"tw":"tweet","id":"%s","service":"test","text":"t","author":{"id":"a"}}\n' $n
          printf '{"tw":"checkpoint","cursor":"%s"}\n' $n
        done
        """#)
    var last = 0
    for number in 1...3 {
      let tool = try RunningTool(
        "tw-stream", ["--state", home.path + "/state", "test:0"], environment: StreamPluginTests.environment(home),
        home: home)
      try tool.waitForLines(200 * number)
      tool.signal(number == 2 ? SIGKILL : SIGTERM)
      let printed = ids(try tool.finish().output)
      #expect(
        printed.first.map { $0 <= last + 1 } == true && printed.first ?? 0 > 0, "\(printed.prefix(3)) after \(last)")
      last = printed.last ?? 0
    }
  }

  @Test func aPluginWithoutCheckpointsIsNoted() throws {
    try write(#"echo '{"id":"1"}'"#)
    let result = try stream("--once", "--state", home.path + "/state", "test:x")
    #expect(result.status == 0 && result.errors.contains("printed no checkpoint"), "\(result.errors)")
    let notice = result.lines.last ?? ""
    #expect(notice.contains(#""code":"not-kept""#) && notice.contains(#""feed":"test:x""#))
    #expect(try stream("--once", "test:x").errors == "")
  }

  @Test(arguments: [
    #"{"tw":"checkpoint"}"#, #"{"tw":"checkpoint","cursor":7}"#, #"{"tw":"checkpoint","cursor":""}"#,
    #"{"tw":"checkpoint","cursor":"a\u0000b"}"#,
    #"{"tw":"checkpoint","cursor":"\#(String(repeating: "x", count: 70_000))"}"#,
  ])
  func aCheckpointThatCannotBeHandedBackIsBad(_ line: String) throws {
    try home.write("line", line + "\n")
    try write("cat ~/line")
    let result = try stream("--once", "--state", home.path + "/state", "test:x")
    #expect(
      result.ending == .status(1) && result.errors.contains("a message of the service was left out"), "\(result.errors)"
    )
  }

  @Test func refreshHandsTheCheckpointBack() throws {
    for _ in 1...2 { #expect(try refresh("test:2").status == 0) }
    // A failed round keeps the place of what it has stored.
    try write(Self.counting + "\nexit 75")
    #expect(try refresh("test:2").status == 75)
    try write(Self.counting)
    #expect(try refresh("test:2").status == 0)
    #expect(try starts() == ["-", "2", "4", "6"])
    let list = try Tool.run("tw-cache", ["list"], environment: StreamPluginTests.environment(home), home: home)
    #expect(ids(list.output).sorted() == Array(1...8))
  }

  // MARK: Failures and waits

  /// A round that a rate limit ended is not asked for again before its end, by nobody.
  @Test func refreshObeysTheWaitOfANotice() throws {
    try write(
      Self.counting
        + #"; echo '{"tw":"notice","level":"warning","code":"rate-limit","message":"slow down","wait":7200}'; exit 75"#)
    let result = try stream("--once", "test:1")
    #expect(result.ending == .status(75))
    let wait = result.output.firstMatch(of: /"bad-source".*"wait":([0-9.]+)/).flatMap { Double($0.1) }
    #expect(wait.map { 7100...7200 ~= $0 } == true, "\(result.output)")
    let environment = StreamPluginTests.environment(home)
    func cache(_ words: String...) throws -> ToolResult {
      try Tool.run("tw-cache", words, environment: environment, home: home)
    }
    #expect(try cache("source", "add", "--every", "1s", "test:1").status == 0)
    #expect(try cache("refresh", "--no-fetch-avatars").status == 75)
    sleep(2)
    #expect(try cache("refresh", "--no-fetch-avatars").status == 0)
    #expect(try starts().count == 2)
  }

  /// A live plugin that fails for now is started again where it stopped.
  @Test(arguments: ["exit 75", "kill -9 $$"])
  func aLivePluginIsStartedAgain(_ ending: String) throws {
    try write(Self.counting + "\n[ $n -ge 6 ] || \(ending)")
    let result = try stream("test:2")
    #expect(result.ending == .status(0) && ids(result.output) == Array(1...6), "\(result.output)\(result.errors)")
    #expect(try starts() == ["-", "2", "4"])
    #expect(result.output.matches(of: /"code":"reconnect"/).count == 2)
    #expect(result.errors.contains("tw-source-test"))
    // What can only be mended by a person ends it.
    try write("exit 77")
    #expect(try stream("test:2").ending == .status(77))
    // So does a round of --once.
    try write("exit 75")
    #expect(try stream("--once", "test:2").ending == .status(75))
  }

  /// Each start waits twice as long, and --for ends it: it has never answered.
  @Test func startsBecomeFewer() throws {
    try write("date +%s%N >> ~/starts; exit 75")
    let result = try stream("--for", "4s", "test:x")
    #expect(result.ending == .status(75) && result.errors.contains("never answered"), "\(result.errors)")
    #expect((2...3).contains(try starts().count))
  }

  // MARK: What it is given

  @Test func theTokenIsThatOfTheAccount() throws {
    try write("echo \"${TW_ACCOUNT:--} ${TW_TOKEN:--}\" >> ~/starts")
    func account(_ service: String, _ name: String) -> String {
      #"{"service":"\#(service)","name":"\#(name)","base":"https://\#(service).example","method":"token","#
        + #""token":"token-of-\#(name)"}"#
    }
    let accounts = [account("test", "jill"), account("test", "jack"), account("x", "jim")]
    chmod(try home.write(".config/tw/credentials.json", #"{"accounts":[\#(accounts.joined(separator: ","))]}"#), 0o600)
    for (option, variable) in [("", ""), ("jack", ""), ("", "jack"), ("nobody", ""), ("", "jim"), ("jim", "")] {
      let result = try Tool.run(
        "tw-stream", ["--once", "test:x"] + (option.isEmpty ? [] : ["--account", option]),
        environment: StreamPluginTests.environment(home, variable.isEmpty ? [:] : ["TW_ACCOUNT": variable]), home: home)
      #expect(result.status == 0, "\(result.errors)")
    }
    #expect(
      try starts() == [
        "jill token-of-jill", "jack token-of-jack", "jack token-of-jack", "nobody -", "jill token-of-jill", "jim -",
      ])
  }

  /// Posts of a service that bills are counted in the ledger, and bounded as those of X.
  @Test func aPriceBoundsWhatIsRead() throws {
    try write(
      #"""
      echo "${TW_BUDGET:--}" >> ~/starts
      printf '{"tw":"context","feed":"%s","service":"test","price":0.001}\n' "$TW_FEED"
      # At once, so that all has been delivered before the bound is reached.
      posts=$(for i in $(seq "$1"); do echo '{"id":"'$i'"}'; done)
      printf '%s\n' "$posts"
      trap 'exit 0' TERM
      [ -n "$TW_ONCE" ] || while :; do sleep 0.1; done
      """#)
    let first = try stream("--once", "test:30")
    #expect(first.status == 0 && first.errors.contains("a post $0.001"), "\(first.errors)")
    #expect(try stream("--once", "--budget", "100/day", "test:30").errors == "")
    // One that does not keep to it is ended, and what it brought is counted.
    let last = try stream("--once", "--budget", "100/day", "test:50")
    #expect(last.ending == .status(75) && last.errors.contains("the budget of 100 posts a day"), "\(last.errors)")
    let refused = try stream("--once", "--budget", "100/day", "test:50")
    #expect(refused.ending == .status(75) && refused.output.matches(of: /"id"/).isEmpty)
    #expect(try starts() == ["1000", "70", "40"])
    let entries = try Ledger(path: home.path + "/.local/state/tw/ledger").entries()
    #expect(entries.map(\.bill.service) == ["test"] && entries.map { $0.all[.posts] } == [110], "\(entries)")
    // The default holds too, and whoever wants no bound has none.
    #expect(try stream("--once", "--budget", "unlimited", "test:10").status == 0)
    #expect(try stream("--once", "test:10").status == 0)
    #expect(try starts().suffix(2) == ["-", "880"])
    // A live one is ended, and waits for the next day.
    let live = try stream("--budget", "150/day", "--for", "4s", "test:20")
    #expect(live.output.contains(#""code":"budget""#) && live.output.matches(of: /"id"/).count == 20, "\(live.output)")
  }

  /// One that fails while its program runs leaves no program behind, and the others go on.
  @Test func aLivePluginThatCannotBeCountedIsStopped() throws {
    try write(
      #"""
      [ "$1" = a ] && { echo $$ > ~/process; price=',"price":0.001'; }
      printf '{"tw":"context","feed":"%s","service":"test"%s}\n' "$TW_FEED" "$price"
      while :; do
        printf '{"id":"%s"}\n' "$1"
        [ "$1" = a ] && echo damaged > ~/.local/state/tw/ledger
        sleep 0.1
      done
      """#)
    let tool = try RunningTool(
      "tw-stream", ["test:a", "test:b"], environment: StreamPluginTests.environment(home), home: home)
    while let line = try tool.line(), !line.contains("bad-source") {}
    let process = try #require(Int32(try String(decoding: home.read("process"), as: UTF8.self).lines[0]))
    try waitUntil { kill(process, 0) != 0 }
    while let line = try tool.line(), !line.contains(#""id":"b""#) {}
    tool.signal(SIGTERM)
    _ = try tool.finish()
  }

  /// A service that bills nothing needs no ledger.
  @Test func withoutAPriceNothingIsCounted() throws {
    try home.write(".local/state/tw/ledger", "damaged\n")
    #expect(try stream("--once", "test:2").status == 0)
    #expect(try stream("--once", "--budget", "5/day", "test:2").status == 78)
  }

  /// `NAME:ids:FILE`: the posts to look at again are its standard input.
  @Test func thePostsToLookAtAgainAreItsInput() throws {
    try write(#"echo "[\"$1\"]"; while read -r id; do printf '{"id":"%s"}\n' "$id"; done; exit 75"#)
    let list = try home.write("list", "a\nb\n")
    let result = try stream("test:ids:" + list)
    // It is not started again: what it read of the list is gone.
    #expect(result.ending == .status(75))
    #expect(result.lines.dropFirst() == [#"["ids:-"]"#, #"{"id":"a"}"#, #"{"id":"b"}"#])
    #expect(result.output.contains(#""feed":"test:ids:\#(list)""#))
    let piped = try Tool.shell(
      "printf 'c\\n' | tw-stream --once test:ids:-", environment: StreamPluginTests.environment(home), home: home)
    #expect(piped.output.contains(#"{"id":"c"}"#))
    #expect(try stream("--once", "test:ids:").status == 64)
    #expect(try stream("--once", "test:ids:/no/such/file").status == 66)
    let named = try Tool.shell(
      "echo test:ids:- | tw-stream -", environment: StreamPluginTests.environment(home), home: home)
    #expect(named.status == 64, "\(named.output)\(named.errors)")
  }
}

extension String {
  fileprivate var lines: [String] { split(separator: "\n").map(String.init) }
}
