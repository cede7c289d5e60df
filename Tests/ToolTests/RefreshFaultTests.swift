import Foundation
import Synchronization
import TestNumbers
import TestSupport
import Testing
import TweetCore

@testable import SQLite
@testable import TweetStore

/// tw-cache refresh with killed programs, failures and bad timing.
@Suite(.onOwnThread) struct RefreshFaultTests: CacheSuite {
  let home: TemporaryDirectory
  private let local: LocalService

  init() throws {
    home = try TemporaryDirectory()
    local = try LocalService(["--rate-limit", "100000"])
  }

  private var environment: [String: String] {
    local.environment.merging(["PATH": "\(home.path)/bin:\(Tool.directory):/usr/local/bin:/usr/bin:/bin"]) { $1 }
  }

  private func refresh(_ words: String..., with changes: [String: String] = [:]) throws -> ToolResult {
    try run(["refresh", "--no-fetch-avatars"] + words, with: changes)
  }

  private func run(_ words: [String], with changes: [String: String] = [:]) throws -> ToolResult {
    try Tool.run("tw-cache", words, environment: environment.merging(changes) { $1 }, home: home)
  }

  @discardableResult private func post(_ text: String) throws -> String { try local.post(text) }

  private func stored() throws -> Set<String> { Set(ids(try run(["list"]).lines)) }

  /// The ids of the tweets that were printed. The last line of a killed program may be cut off.
  private func tweets(_ result: ToolResult) -> [String] {
    let lines = result.output.hasSuffix("\n") ? result.lines : Array(result.lines.dropLast())
    return ids(lines.filter { $0.hasPrefix("{\"tw\":\"tweet\"") })
  }

  /// Source, new, read and status of the runs, newest first.
  private func runs(_ source: String...) throws -> [String] {
    try run(["log"] + source).lines.map {
      $0.split(separator: "\t", omittingEmptySubsequences: false)[2...5].joined(separator: " ")
    }
  }

  /// Changes the table of sources directly.
  private func edit(_ sql: String) throws {
    let database = try Database(store, TweetStore.kind, .readWrite)
    try database.write { () throws(ToolError) in
      try database.execute(sql)
      try database.execute("UPDATE sources SET checksum = \(RowSum.sources.sum())")
    }
  }

  private func ago(_ seconds: Int) -> String {
    Timestamp(milliseconds: Timestamp.now.milliseconds - Int64(seconds) * 1000).rfc3339
  }

  /// A copy of tw-cache in a directory where a script replaces one of the programs that it runs.
  private func cache(with script: String, as tool: String) throws -> String {
    // Another process writes the files. A program that this process starts meanwhile would inherit a file open for
    // writing, and such a file cannot be run.
    let made = try Tool.shell(
      """
      mkdir ~/beside && cd ~/beside && cp '\(Tool.path("tw-cache"))' . &&
      ln -s '\(Tool.path("tw-stream"))' '\(Tool.path("tw-parse"))' . && rm -f \(tool) && cat > \(tool) && chmod +x \(tool)
      """, stdin: ToolInput("#!/bin/sh\n\(script)\n"), home: home)
    try #require(made.status == 0, "\(made.errors)")
    return home.path + "/beside/tw-cache"
  }

  private func leftovers() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: home.path + "/.local/state/tw").filter {
      $0.hasPrefix("held.")
    }
  }

  /// Kills tw-cache, tw-stream or tw-parse in turn, until each was hit several times while it ran.
  @Test func killingAnyProgramAtAnyMomentLosesNoPosts() throws {
    var posted: Set<String> = [try post("first #tea")]
    let start = MonotonicClock.milliseconds
    #expect(try refresh("#tea").status == 0)
    // Microseconds of a round on this machine, as far as they are known: it may be busier or quieter in a moment.
    var length = max(20, MonotonicClock.milliseconds - start) * 1000
    let hasProcesses = FileManager.default.fileExists(atPath: "/proc/self/stat")
    let names = hasProcesses ? ["tw-cache", "tw-stream", "tw-parse"] : ["tw-cache"]
    let wanted = 5
    var killed: [String: Int] = [:]
    var chance = Chance()
    for round in 0..<150 {
      let name = names[round % names.count]
      if names.allSatisfy({ killed[$0, default: 0] >= wanted }) { break }
      if killed[name, default: 0] >= wanted { continue }
      for number in 0..<(round % 7 == 6 ? 110 : 7) { posted.insert(try post("\(round) \(number) #tea")) }
      let running = try RunningTool(
        "tw-cache", ["refresh", "--print", "--no-fetch-avatars", "#tea"], environment: environment, home: home)
      if name == "tw-cache" {
        chance.pause(upTo: length)
        kill(running.processID, SIGKILL)
      } else {
        let deadline = MonotonicClock.milliseconds + length / 500
        while runningChild(name, of: running.processID) == nil, MonotonicClock.milliseconds < deadline { usleep(1000) }
        chance.pause(upTo: length / 2)
        if let victim = runningChild(name, of: running.processID) { kill(victim, SIGKILL) }
      }
      let result = try running.finish()
      // The kill came too late if all programs had ended: then the status is 0.
      let wasInTime = result.ending == (name == "tw-cache" ? .signal(SIGKILL) : .status(75))
      if wasInTime { killed[name, default: 0] += 1 }
      length = wasInTime ? length * 9 / 8 : max(2000, length * 3 / 4)
      let early = Set(tweets(result)).subtracting(try stored())
      #expect(early == [], "printed before it was stored, after a kill of \(name) in round \(round)")
    }
    for name in names { #expect(killed[name, default: 0] >= wanted, "\(name) was not killed while it ran") }
    let last = try refresh("#tea")
    #expect(last.status == 0 && last.errors == "")
    #expect(try stored() == posted)
    #expect(try leftovers() == [])
    try checkStore()
  }

  @Test func postsThatTwParseLostAreFetchedAgain() throws {
    #expect(try refresh("#tea").status == 0)
    let tweet = try post("lost? #tea")
    let program = try cache(with: "cat > /dev/null; kill -9 $$", as: "tw-parse")
    let failed = try Tool.run(program, ["refresh", "#tea"], environment: environment, home: home)
    #expect(failed.errors == "tw-cache: cannot refresh '#tea': tw-parse ended by signal 9\n")
    #expect(failed.status == 75)
    #expect(try stored() == [])
    #expect(try refresh("#tea").status == 0)
    #expect(try stored() == [tweet])
  }

  @Test func filesLeftByACrashAreRemoved() throws {
    let state = home.path + "/.local/state/tw"
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    _ = try home.write(".local/state/tw/held.abcdef", "left")
    #expect(try refresh("#tea").status == 0)
    #expect(try leftovers() == [])
  }

  @Test func twoJobsDoNotRefreshOneSourceTwice() throws {
    for source in ["#a", "#b"] { #expect(try run(["source", "add", source]).status == 0) }
    let program = try cache(
      with: """
        case "$*" in *'#a'*) touch ~/started; while [ ! -e ~/go ]; do sleep 0.05; done;; esac
        exec '\(Tool.path("tw-stream"))' "$@"
        """, as: "tw-stream")
    let first = try RunningTool(program, ["refresh"], environment: environment, home: home)
    try waitUntil { home.exists("started") }
    let second = try refresh()
    let other = "a refresh by another process is running"
    #expect(second.status == 75 && second.errors == "tw-cache: cannot refresh '#a', '#b': \(other)\n")
    _ = try home.write("go", "")
    #expect(try first.finish().status == 0)
    let checkpoint = try Database(store, TweetStore.kind, .readOnly).first(
      "SELECT checkpoint FROM sources WHERE source = '#a'"
    ) { $0.text(0) }
    #expect(checkpoint??.isEmpty == false)
    #expect(try runs("#a") == ["#a 0 0 0"])
    #expect(try runs("#b") == ["#b 0 0 0"])
  }

  @Test func aLateJobAndAClockSetBackMakeASourceDue() throws {
    #expect(try run(["source", "add", "#tea", "--every", "15m"]).status == 0)
    #expect(try refresh().status == 0)
    #expect(try run(["source", "list"]).output.contains("\tok\t"))
    // As if the last job had started two seconds late.
    try edit("UPDATE sources SET refreshed_at = '\(ago(898))'")
    #expect(try run(["source", "list"]).output.contains("\tdue\t"))
    try edit("UPDATE sources SET refreshed_at = '\(ago(800))'")
    #expect(try run(["source", "list"]).output.contains("\tok\t"))
    try edit("UPDATE sources SET refreshed_at = '\(ago(-7200))', failing_since = '\(ago(-7200))'")
    #expect(try refresh(with: ["TW_ENDPOINT": "http://127.0.0.1:9"]).status == 75)
    // The failure began now, not in the future.
    let since = try #require(try run(["source", "list"]).lines.first).split(separator: "\t")[7]
    #expect(String(since) < ago(-60))
    #expect(try runs().count == 2)
  }

  @Test func fetchingOlderTweetsDoesNotChangeWhatIsDue() throws {
    try post("one #tea")
    #expect(try run(["source", "add", "#tea"]).status == 0)
    try edit("UPDATE sources SET refreshed_at = '\(ago(3600))', failing_since = '\(ago(3600))'")
    #expect(try refresh("--older", "#tea").status == 0)
    let state = try #require(try run(["source", "list"]).lines.first).split(separator: "\t")
    #expect(state[4] == "failing" && String(state[6]) < ago(60) && String(state[7]) < ago(3000))
  }

  @Test func oneFailureOfSeveralSourcesIsOneLine() throws {
    for source in ["#a", "#b", "@c"] { #expect(try run(["source", "add", source]).status == 0) }
    let failed = try refresh(with: ["TW_ENDPOINT": "http://127.0.0.1:9"])
    #expect(failed.status == 75 && failed.output == "")
    #expect(failed.errors.hasPrefix("tw-cache: cannot refresh '#a', '#b', 'user:c': "))
    #expect(failed.errors.split(separator: "\n").count == 1)
  }

  @Test func withoutSourcesOnlyATerminalGetsAMessage() throws {
    let none = try refresh()
    #expect(none.status == 0 && none.errors == "")
    let seen = try Tool.shell("script -qec 'tw-cache refresh' /dev/null < /dev/null", home: home)
    #expect(seen.status == 0 && seen.output.contains("source add"))
    #expect(try run(["source", "add", "#tea"]).status == 0)
    #expect(try run(["source", "pause", "#tea"]).status == 0)
    let paused = try refresh()
    #expect(paused.status == 0 && paused.errors == "")
  }

  @Test func aRoundThatTheBudgetEndedIsCompletedNextTime() throws {
    var posted: Set<String> = [try post("first #tea")]
    #expect(try refresh("#tea").status == 0)
    for number in 0..<250 { posted.insert(try post("\(number) #tea")) }
    let cut = try refresh("#tea", "--budget", "150/day")
    #expect(cut.status == 75 && cut.errors.contains("budget of 150 posts a day"))
    #expect(try stored().count < 251)
    posted.insert(try post("meanwhile #tea"))
    #expect(try refresh("#tea", "--budget", "unlimited").status == 0)
    #expect(try stored() == posted)
    // No post was read twice.
    let read = try runs().compactMap { Int($0.split(separator: " ")[2]) }.reduce(0, +)
    #expect(read == 252)
  }

  @Test func aFullDiskLosesNoPosts() throws {
    let posted = Set(try (0..<90).map { try post("\($0) #tea \(String(repeating: "tea ", count: 50))") })
    let path = home.path + "/a store/in spaces/tw.db"
    let spaced = environment.merging(["TW_DB": path]) { $1 }
    #expect(try Tool.run("tw-cache", ["source", "add", "#tea"], environment: spaced, home: home).status == 0)
    for blocks in [300, 360, 420, 600] {
      let full = try Tool.shell(
        "ulimit -f \(blocks); exec tw-cache refresh --print --no-fetch-avatars", environment: spaced, home: home)
      #expect(full.errors.split(separator: "\n").count <= 1)
      let kept = try Tool.run("tw-cache", ["list"], environment: spaced, home: home)
      #expect(Set(tweets(full)).isSubset(of: ids(kept.lines)))
      if full.status != 0 { #expect(full.status == 74, "\(full.errors)") }
    }
    let after = try Tool.run("tw-cache", ["refresh", "#tea"], environment: spaced, home: home)
    #expect(after.status == 0 && after.errors == "")
    let kept = try Tool.run("tw-cache", ["list"], environment: spaced, home: home)
    #expect(Set(ids(kept.lines)) == posted)
    try checkStore(path)
  }

  @Test func aStoreThatCannotBeOpenedGivesOneLine() throws {
    let failed = try refresh("#tea", with: ["TW_DB": "/proc/tw.db"])
    #expect(failed.status == 73 && failed.output == "")
    #expect(failed.errors.hasPrefix("tw-cache: cannot open '/proc/tw.db'"))
    #expect(failed.errors.split(separator: "\n").count == 1)
  }

  @Test func tweetsArePrintedWithoutAvatarsIfThoseFail() throws {
    let tweet = try post("no picture #tea")
    #expect(try run(["source", "add", "#tea"]).status == 0)
    // A directory is where the media store should be.
    try FileManager.default.createDirectory(
      atPath: home.path + "/.local/share/tw/media.db", withIntermediateDirectories: true)
    let result = try run(["refresh", "--print"])
    #expect(tweets(result) == [tweet])
    #expect(result.status == 0 && result.errors == "")
  }

  /// The tweets of a round are printed oldest first, and before them all its other records.
  @Test func allRecordsOfARoundArePrinted() throws {
    let records = [
      tweet(2, second: 9), "{\"tw\":\"user\",\"service\":\"x\",\"id\":\"u9\"}\n", tweet(1, second: 3),
      "{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"7\"}\n",
    ].map { $0.replacing("\"service\":\"x\"", with: "\"service\":\"local\"") }
    try home.write("records", records.joined())
    let program = try cache(with: "cat ~/records", as: "tw-stream")
    let result = try Tool.run(
      program, ["refresh", "#tea", "--print", "--no-fetch-avatars"], environment: environment, home: home)
    let lines = result.lines.map { $0.replacing(",\"feeds\":[\"#tea\"]", with: "") + "\n" }
    #expect(Array(lines.dropLast()) == [records[1], records[3], records[2], records[0]])
    #expect(lines.last?.hasPrefix("{\"tw\":\"refresh\"") == true && result.errors == "")
  }

  /// tw-avatar reads the new tweets and then fails: they are printed without pictures.
  @Test func tweetsArePrintedIfTwAvatarFailsLate() throws {
    let program = try cache(with: "cat > /dev/null; exit 70", as: "tw-avatar")
    let tweet = try post("late #tea")
    let result = try Tool.run(program, ["refresh", "#tea", "--print"], environment: environment, home: home)
    #expect(tweets(result) == [tweet])
    #expect(result.status == 0 && result.errors == "")
  }

  /// Why a source failed is in tw-stream's records. What is written to standard error last may be about anything.
  @Test func theReasonOfAFailureIsTheNotices() throws {
    let program = try cache(
      with: """
        echo '{"tw":"notice","level":"error","code":"bad-source","message":"no user is called nobody","source":"user:nobody","status":69}'
        echo 'tw-stream: no user is called nobody' >&2
        echo 'free(): a last line of a library' >&2
        exit 69
        """, as: "tw-stream")
    let result = try Tool.run(program, ["refresh", "@nobody"], environment: environment, home: home)
    #expect(
      result.errors == "tw-cache: cannot refresh 'user:nobody': no user is called nobody\n" && result.status == 69)
    #expect(try run(["log"]).output.hasSuffix("\t69\tno user is called nobody\n"))
  }

  /// The same with the real programs, for a source alone and for one of several; and where tw-stream says nothing.
  @Test func theReasonOfARealFailure() throws {
    try StreamPluginTests.add("echo 'last words' >&2; exit 69", "test", to: home)
    let alone = try refresh("test:x")
    #expect(alone.status == 69 && !alone.errors.contains("last words"), "\(alone.errors)")
    #expect(alone.errors.contains("tw-source-test"), "\(alone.errors)")
    for sources in [["@nobodyhere"], ["@nobodyhere", "#tea"]] {
      let failed = try run(["refresh"] + sources)
      #expect(
        failed.status == 69 && failed.errors.hasPrefix("tw-cache: cannot refresh 'user:nobodyhere': "),
        "\(failed.errors)")
    }
    let program = try cache(with: "echo 'tw-stream: some line' >&2; exit 75", as: "tw-stream")
    let silent = try Tool.run(program, ["refresh", "#tea"], environment: environment, home: home)
    #expect(silent.errors == "tw-cache: cannot refresh '#tea': tw-stream ended with status 75\n")
  }

  /// For example, a source was not refreshed for longer than its service keeps posts.
  @Test func aGapIsReported() throws {
    let program = try cache(
      with: """
        echo '{"tw":"context","feed":"#tea","service":"local"}'
        echo '{"tw":"notice","level":"warning","code":"reconnect","message":"again"}'
        echo '{"tw":"notice","level":"warning","code":"gap","message":"posts are gone"}'
        """, as: "tw-stream")
    let result = try Tool.run(program, ["refresh", "#tea", "--print"], environment: environment, home: home)
    #expect(result.status == 0 && result.errors == "tw-cache: '#tea': posts are gone\n")
    #expect(result.output.contains("posts are gone") && !result.output.contains("again"))
    #expect(try run(["log"]).output.hasSuffix("\t0\tposts are gone\n"))
  }

  @Test func pluginsContinueAfterTheNewestTweet() throws {
    try StreamPluginTests.add(
      #"""
      echo "${TW_SINCE_ID:--} ${TW_UNTIL_ID:--}" >> ~/asked
      n=$(wc -l < ~/asked)
      printf '{"tw":"context","feed":"%s","service":"sky"}\n' "$TW_FEED"
      printf '{"tw":"tweet","id":"at://did/post/%s","service":"sky","created_at":"2021-11-03T21:30:0%s.000Z","text":"t","author":{"id":"did"}}\n' $n $n
      [ ! -e ~/broken ] || exit 69
      """#, "test", to: home)
    _ = try home.write("broken", "")
    #expect(try refresh("test:x").status == 69)
    try FileManager.default.removeItem(atPath: home.path + "/broken")
    #expect(try refresh("test:x").status == 0)
    #expect(try refresh("test:x").status == 0)
    #expect(try refresh("test:x", "--older").status == 0)
    // A failed round stores no checkpoint: posts it did not fetch would be left out.
    #expect(try home.read("asked") == Array("- -\n- -\nat://did/post/2 -\n- at://did/post/1\n".utf8))
    let shown = try RunningTool(
      "tw-cache", ["refresh", "--every", "1h", "test:x"], environment: environment, home: home)
    #expect(ids([try shown.line() ?? ""]) == ["at://did/post/1"])
    shown.signal(SIGTERM)
    _ = try shown.finish()
  }

  /// `next_at` is the time of the next round of each source.
  @Test func eachSourceHasItsOwnInterval() throws {
    #expect(try run(["source", "add", "#often", "--every", "1s"]).status == 0)
    #expect(try run(["source", "add", "#seldom", "--every", "1h"]).status == 0)
    let running = try RunningTool(
      "tw-cache", ["refresh", "--every", "1s", "--no-fetch-avatars"], environment: environment, home: home)
    var often = 0
    while often < 4, let line = try running.line() {
      guard line.contains("\"tw\":\"refresh\"") else { continue }
      if line.contains("#often") { often += 1 }
      guard line.contains("#seldom") else { continue }
      let next = try #require(line.firstMatch(of: /"next_at":"([^"]*)"/)?.1)
      #expect(String(next) > ago(-3000) && String(next) < ago(-3700))
    }
    running.signal(SIGINT)
    #expect(try running.finish().ending == .signal(SIGINT))
    #expect(try runs("#seldom").count == 1)
  }

  @Test func aNetworkFailureIsReportedOnceAndEnds() throws {
    let port = local.port
    // While this file exists, tw-stream is sent to a port where nothing listens.
    let gate = try home.write("gate", "")
    let program = try cache(
      with: """
        [ -e '\(gate)' ] && export TW_ENDPOINT=http://127.0.0.1:9
        exec '\(Tool.path("tw-stream"))' "$@"
        """, as: "tw-stream")
    let running = try RunningTool(
      program, ["refresh", "--every", "100ms", "--no-fetch-avatars", "#tea"], environment: environment, home: home)
    try waitUntil { try runs().count >= 3 }
    let tweet = try post("back at \(port) #tea")
    try FileManager.default.removeItem(atPath: gate)
    var line = ""
    while !line.hasPrefix("{\"tw\":\"tweet\"") { line = try #require(try running.line()) }
    #expect(ids([line]) == [tweet])
    running.signal(SIGTERM)
    let result = try running.finish()
    #expect(result.ending == .signal(SIGTERM))
    #expect(result.errors.components(separatedBy: "cannot refresh").count == 2)
  }

  /// Programs that make no requests for the account do not have its token.
  @Test func onlyTwStreamHasTheToken() throws {
    let program = try cache(with: "env > ~/parse-has; exec '\(Tool.path("tw-parse"))'", as: "tw-parse")
    let made = try Tool.shell(
      "cat > ~/beside/tw-avatar && chmod +x ~/beside/tw-avatar",
      stdin: "#!/bin/sh\nenv > ~/avatar-has; cat > /dev/null\n", home: home)
    #expect(made.status == 0)
    try post("secret #tea")
    let file = ["TW_TOKEN_FILE": home.path + "/token"]
    #expect(
      try Tool.run(program, ["refresh", "#tea"], environment: environment.merging(file) { $1 }, home: home).status == 0)
    for name in ["parse-has", "avatar-has"] {
      let variables = String(decoding: try home.read(name), as: UTF8.self)
      #expect(variables.contains("TW_ENDPOINT=") && !variables.contains("TW_TOKEN"), "\(name)")
    }
  }

  /// One cause is one line, whatever numbers are in its message; and it is not told again.
  @Test func oneCauseIsOneLine() throws {
    let program = try cache(
      with: """
        n=0
        while [ "$1" != -- ]; do shift; done; shift
        for source; do
          n=$((n + 1))
          printf '{"tw":"notice","level":"error","code":"bad-source","message":"rate limit: try again in %s s",' $$$n
          printf '"source":"%s","status":75}\\n' "$source"
        done
        echo >> ~/rounds
        exit 75
        """, as: "tw-stream")
    let sources = (1...12).map { "#tag\($0)" }
    let running = try RunningTool(
      program, ["refresh", "--every", "50ms", "--no-fetch-avatars"] + sources, environment: environment, home: home)
    try waitUntil { try home.exists("rounds") && home.read("rounds").count > 3 }
    running.signal(SIGTERM)
    let errors = try running.finish().errors
    #expect(errors.split(separator: "\n").count == 1, "\(errors)")
    #expect(errors.contains("cannot refresh '#tag1', '#tag2'") && errors.contains(" and 4 more: rate limit"))
  }

  /// What another process keeps from being refreshed is a failure that lasts.
  @Test func aRefreshThatHangsIsReportedInTheEnd() throws {
    #expect(try run(["source", "add", "#a"]).status == 0)
    let program = try cache(
      with: "touch ~/started; while [ ! -e ~/go ]; do sleep 0.05; done", as: "tw-stream")
    let first = try RunningTool(program, ["refresh"], environment: environment, home: home)
    defer { _ = try? home.write("go", "") }
    try waitUntil { home.exists("started") }
    try edit("UPDATE sources SET refreshed_at = '\(ago(1800))'")
    // It is due since fifteen minutes.
    let quiet = try refresh("--complain-after", "1h")
    #expect(quiet.status == 75 && quiet.errors == "")
    let summary = try refresh("--complain-after", "1h", "--summary")
    #expect(summary.status == 75 && summary.errors == "tw-cache: '#a': a refresh by another process is running\n")
    let loud = try refresh("--complain-after", "10m")
    #expect(loud.errors == "tw-cache: cannot refresh '#a': a refresh by another process is running\n")
    _ = try home.write("go", "")
    _ = try first.finish()
  }

  /// How long a failure has lasted is counted from the first one in a row, not from this one.
  @Test func aFailureIsReportedWhenItHasLastedLongEnough() throws {
    #expect(try run(["source", "add", "#tea", "--every", "1m"]).status == 0)
    let nowhere = ["TW_ENDPOINT": "http://127.0.0.1:9"]
    try fail(since: 1800)
    let quiet = try refresh("--complain-after", "1h", with: nowhere)
    #expect(quiet.status == 75 && quiet.errors == "", "\(quiet.errors)")
    try fail(since: 36_000)
    let loud = try refresh("--complain-after", "1h", with: nowhere)
    #expect(loud.status == 75 && loud.errors.hasPrefix("tw-cache: cannot refresh '#tea': "), "\(loud.errors)")
  }

  // MARK: Back-off

  /// The columns of the only source in the list.
  private func listed() throws -> [String] {
    try #require(try run(["source", "list"]).lines.first).split(separator: "\t").map(String.init)
  }

  /// As if the only source had been failing for some time, and were due.
  private func fail(since seconds: Int) throws {
    try edit(
      "UPDATE sources SET failing_since = '\(ago(seconds))', refreshed_at = '\(ago(seconds / 2))', retry_at = '\(ago(1))'"
    )
  }

  /// Seconds from now until the next refresh.
  private func next() throws -> Int {
    let time = try #require(Timestamp(parsing: try listed()[6]))
    return Int(time.milliseconds - Timestamp.now.milliseconds) / 1000
  }

  /// A source that is refused is not asked every minute for ever; when a person names it or has signed in, it is asked
  /// at once.
  @Test func aRefusedSourceIsAskedLessAndLess() throws {
    try post("one #tea")
    #expect(try run(["source", "add", "#tea", "--every", "1m"]).status == 0)
    let wrong = ["TW_TOKEN": "wrong"]
    #expect(try refresh(with: wrong).status == 77)
    let row = try listed()
    #expect(row[4] == "failing" && row[5] == row[7] && row[8].contains("token"), "\(row)")
    #expect(try (30...61).contains(next()))
    try fail(since: 36_000)
    #expect(try refresh(with: wrong).status == 77)
    #expect(try (26_900...36_001).contains(next()))
    // No job asks before that, whatever process it is.
    let count = try runs().count
    for _ in 0..<3 { #expect(try refresh(with: wrong).status == 0) }
    #expect(try runs().count == count)
    // Named, it is asked.
    #expect(try refresh("#tea", with: wrong).status == 77)
    #expect(try runs().count == count + 1)
    // Another token, or a change of the sign-in or the settings, makes it due.
    #expect(try refresh(with: wrong).status == 0 && runs().count == count + 1)
    #expect(try refresh(with: ["TW_TOKEN": "wrong-too"]).status == 77)
    #expect(try refresh(with: ["TW_TOKEN": "wrong-too"]).status == 0)
    #expect(try runs().count == count + 2)
    _ = try home.write(".config/tw/config", "")
    #expect(try run(["source", "list"]).output.contains("failing"))
    #expect(try refresh(with: ["TW_TOKEN": "wrong-too"]).status == 77)
    #expect(try refresh().status == 0)
    #expect(try runs().count == count + 4)
    let mended = try listed()
    #expect(mended[4] == "ok" && mended[7] == "-" && mended[8] == "-", "\(mended)")
    #expect(try (30...61).contains(next()))
  }

  /// What may pass is asked at least every hour, and never before the service allows it.
  @Test func aFailureThatMayPassIsAskedAgainWithinTheHour() throws {
    #expect(try run(["source", "add", "#tea", "--every", "1m"]).status == 0)
    try fail(since: 86_400)
    #expect(try refresh(with: ["TW_ENDPOINT": "http://127.0.0.1:9"]).status == 75)
    #expect(try (2690...3601).contains(next()))
    // Signing in does not mend it.
    _ = try home.write(".config/tw/config", "")
    let count = try runs().count
    #expect(try refresh().status == 0 && runs().count == count)
    try fail(since: 0)
    let program = try cache(
      with: """
        echo '{"tw":"notice","level":"error","code":"bad-source","message":"limit","source":"#tea","status":75,"wait":7200}'
        exit 75
        """, as: "tw-stream")
    #expect(try Tool.run(program, ["refresh", "#tea"], environment: environment, home: home).status == 75)
    #expect(try (7150...7201).contains(next()))
    // Resumed, it is due as if it had not failed.
    #expect(try run(["source", "resume", "#tea"]).status == 0)
    #expect(try (30...61).contains(next()))
  }

  /// Older posts are asked for while another process refreshes the source: they come when that has ended.
  @Test func olderPostsWaitForARoundOfAnotherProcess() throws {
    let isOpen = Mutex(false)
    let server = try LoopbackServer { request in
      let isOlder = request.parameter("until_id") != nil
      if !isOlder { try? waitUntil { isOpen.withLock { $0 } } }
      let id = isOlder ? 5 : 9
      return .answer(
        200,
        #"{"data":[{"id":"\#(id)","text":"x","author_id":"7","created_at":"2026-01-02T00:00:0\#(id).000Z"}],"meta":{"result_count":1}}"#
      )
    }
    let environment = ["TW_ENDPOINT": server.base, "TW_TOKEN": "t"]
    #expect(try add(tweet(8, feeds: ["#tea"])).status == 0)
    func start(_ words: String...) throws -> RunningTool {
      try RunningTool(
        "tw-cache", ["refresh", "--print", "--no-fetch-avatars"] + words + ["#tea"], environment: environment,
        home: home)
    }
    let first = try start()
    for _ in 1...600 where server.requests.isEmpty { usleep(50_000) }
    let older = try start("--older")
    usleep(300_000)
    #expect(server.requests.count == 1)
    isOpen.withLock { $0 = true }
    let (new, found) = (try first.finish(), try older.finish())
    #expect(new.ending == .status(0) && ids(new.lines) == ["9"])
    #expect(found.ending == .status(0) && ids(found.lines) == ["5"], "\(found.errors)")
  }
}
