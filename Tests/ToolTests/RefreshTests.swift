import Foundation
import TestSupport
import Testing
import TweetCore

/// tw-cache refresh as cron runs it, with a service on this machine.
@Suite(.onOwnThread) struct RefreshTests {
  private let home: TemporaryDirectory
  private let local: LocalService

  init() throws {
    home = try TemporaryDirectory()
    // By default tw-local, like X, allows an account only a hundred posts in 15 minutes.
    local = try LocalService(["--rate-limit", "100000"])
  }

  private var environment: [String: String] { local.environment }

  private func cache(_ words: String..., with changes: [String: String] = [:]) throws -> ToolResult {
    try Tool.run("tw-cache", words, environment: environment.merging(changes) { $1 }, home: home)
  }

  @discardableResult private func post(_ text: String) throws -> String { try local.post(text) }

  private func ids(_ lines: [String]) throws -> [String] {
    lines.map(object).filter { $0["tw"].text == "tweet" }.map { $0["id"].text }
  }

  private func object(_ line: String?) -> LooseJSON {
    LooseJSON(try? JSONSerialization.jsonObject(with: Data((line ?? "").utf8)))
  }

  /// An endpoint where nothing listens.
  private let nowhere = ["TW_ENDPOINT": "http://127.0.0.1:9"]

  @Test func refreshPrintsNothingAndStoresItsCheckpoint() throws {
    let first = try post("one #tea")
    _ = try post("no tag")
    #expect(try cache("source", "add", "#tea", "--every", "1h").status == 0)
    let run = try cache("refresh")
    #expect(run.output == "" && run.errors == "" && run.status == 0)
    #expect(try ids(cache("list").lines) == [first])
    // The source is not due again. A refresh by name fetches only what is new.
    #expect(try cache("refresh").status == 0)
    #expect(try cache("log").lines.count == 1)
    let second = try post("two #tea")
    let named = try cache("refresh", "tea", "--print")
    #expect(try ids(named.lines) == [second] && named.errors == "")
    #expect(object(named.lines.last)["new"].number == 1)
    let log = try cache("log", "#tea").lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
    // Newest first. Only new posts were read.
    #expect(log.map { $0[2...5].joined(separator: " ") } == ["#tea 1 1 0", "#tea 1 1 0"])
    #expect(try cache("list", "--feed", "#tea").lines.count == 2)
  }

  @Test func verboseTellsWhatTheProgramsOfTheRoundSay() throws {
    _ = try post("one #tea")
    let plain = try cache("refresh", "#tea", "--summary", "--budget", "unlimited")
    let verbose = try cache("refresh", "#tea", "--verbose", "--budget", "unlimited")
    let quiet = try cache("refresh", "#tea", "--verbose", "--quiet", "--budget", "unlimited")
    #expect(plain.errors.contains("#tea") && verbose.errors.contains("#tea") && quiet.errors == "")
    let failing = try cache("refresh", "#tea", "--verbose", with: nowhere)
    #expect(failing.errors.contains("tw-stream: "), "\(failing.errors)")
    #expect(try !cache("refresh", "#tea", with: nowhere).errors.contains("tw-stream: "))
  }

  @Test func registeringSources() throws {
    #expect(try cache("source", "add", "swift", "--every", "15m").status == 0)
    #expect(try cache("source", "add", "@jack", "--every", "90s").status == 0)
    #expect(try cache("source", "pause", "#swift").status == 0)
    #expect(
      try cache("source", "list").output
        == "local\t-\t#swift\t15m\tpaused\t-\t-\t-\t-\t-\nlocal\t-\tuser:jack\t90s\tdue\t-\t-\t-\t-\t-\n")
    #expect(try cache("source", "resume", "#swift").status == 0)
    let asked = try cache("source", "remove", "@jack")
    #expect(
      asked.status == 64 && asked.errors.contains("remove source 'user:jack'") && asked.errors.contains("say --yes"))
    let foreseen = try cache("source", "remove", "@jack", "--dry-run")
    #expect(foreseen.status == 0 && foreseen.output.hasPrefix("would remove source 'user:jack' of service 'local'"))
    #expect(try cache("source", "list").lines.count == 2)
    #expect(try cache("source", "remove", "--yes", "@jack").status == 0)
    #expect(try cache("source", "list").output == "local\t-\t#swift\t15m\tdue\t-\t-\t-\t-\t-\n")
    let unknown = try cache("source", "remove", "@jack")
    #expect(unknown.status == 66 && unknown.errors.contains("no source 'user:jack'"))
    for wrong in ["white space", "hom", "notifications", "nosuchplugin:x"] {
      #expect(try cache("source", "add", wrong).status == 64, "\(wrong)")
    }
    #expect(try cache("source", "list").lines.count == 1)
  }

  @Test func theCaseOfASourceDoesNotMatter() throws {
    #expect(try cache("source", "add", "#Tea", "--every", "15m").status == 0)
    #expect(try cache("source", "add", "#tea", "--every", "1h").status == 0)
    #expect(try cache("source", "list").output == "local\t-\t#Tea\t1h\tdue\t-\t-\t-\t-\t-\n")
    let named = try cache("refresh", "--summary", "#TEA", "#tea")
    #expect(named.status == 0, "\(named.errors)")
    #expect(try cache("log", "#tEA").lines.count == 1)
    #expect(try cache("source", "remove", "--yes", "#tea").status == 0)
    #expect(try cache("source", "list").output.isEmpty)
    // A search is in the service's own language: its case may matter.
    #expect(try cache("source", "add", "search:tea OR coffee").status == 0)
    #expect(try cache("source", "remove", "search:tea or coffee").status == 66)
  }

  @Test func aFailureThatMayPassGivesOneLineAndIsRetried() throws {
    #expect(try cache("source", "add", "#tea", "--every", "1h").status == 0)
    let failed = try cache("refresh", "#tea", with: nowhere)
    #expect(failed.output == "" && failed.status == 75)
    #expect(failed.errors.split(separator: "\n").count == 1)
    #expect(failed.errors.hasPrefix("tw-cache: cannot refresh '#tea': "))
    let quiet = try cache("refresh", "#tea", "--complain-after", "6h", with: nowhere)
    #expect(quiet.output == "" && quiet.errors == "" && quiet.status == 75)
    #expect(try cache("source", "list").output.contains("failing"))
    // A failure that has lasted longer than the option's time is reported.
    let lasting = try cache("refresh", "#tea", "--complain-after", "1ms", with: nowhere)
    #expect(lasting.errors.contains("cannot refresh"))
    let tweet = try post("there again #tea")
    #expect(try cache("refresh", "#tea").status == 0)
    #expect(try ids(cache("list").lines) == [tweet])
    #expect(try !cache("source", "list").output.contains("failing"))
    #expect(try cache("log").lines.map { $0.split(separator: "\t")[5] } == ["0", "75", "75", "75"])
  }

  @Test func failuresThatAPersonMustFixAreAlwaysReported() throws {
    let refused = try cache("refresh", "#tea", "--complain-after", "6h", with: ["TW_TOKEN": "wrong"])
    #expect(refused.status == 77 && refused.errors.contains("token"))
    let unsigned = try cache("refresh", "#tea", with: ["TW_TOKEN": ""])
    #expect(unsigned.status == 77 && unsigned.errors.contains("not signed in"))
    #expect(try cache("refresh", "two words").status == 64)
    // With no source left that may succeed, a refresh that repeats ends.
    let ended = try cache("refresh", "--every", "100ms", "--backlog", "0", "#tea", with: ["TW_TOKEN": "wrong"])
    #expect(ended.status == 77 && ended.errors.contains("token"))
    // If one of several sources fails, the others are refreshed.
    let tweet = try post("still #tea")
    let mixed = try cache("refresh", "@nobodyhere", "#tea")
    #expect(mixed.status == 69 && mixed.errors.contains("user:nobodyhere"))
    #expect(try ids(cache("list").lines) == [tweet])
  }

  @Test func theBacklogIsPrintedBeforeTheFirstRound() throws {
    let old = try (1...3).map { try post("\($0) #tea") }
    #expect(try cache("refresh", "#tea").status == 0)
    let running = try RunningTool(
      "tw-cache", ["refresh", "--every", "1s", "--backlog", "2", "#tea"],
      environment: environment.merging(["TW_ENDPOINT": "http://127.0.0.1:9"]) { $1 }, home: home)
    // The backlog does not need the network.
    #expect(try ids([running.line() ?? "", running.line() ?? ""]) == Array(old.suffix(2)))
    running.signal(SIGTERM)
    #expect(try running.finish().ending == .signal(SIGTERM))

    let again = try RunningTool(
      "tw-cache", ["refresh", "--every", "500ms", "--backlog", "0", "#tea"], environment: environment, home: home)
    let refresh = try object(again.line())
    #expect(refresh["tw"].text == "refresh" && refresh["feed"].text == "#tea" && !refresh["next_at"].text.isEmpty)
    let new = try post("new #tea")
    var line = ""
    while !line.hasPrefix("{\"tw\":\"tweet\"") { line = try #require(try again.line()) }
    #expect(try ids([line]) == [new])
    again.signal(SIGINT)
    #expect(try again.finish().ending == .signal(SIGINT))
  }

  /// A source that is named goes by the interval of the command line, not by the one it was registered with.
  @Test func aNamedSourceIsPolledAtTheIntervalOfTheCommandLine() throws {
    #expect(try cache("source", "add", "#tea", "--every", "15m").status == 0)
    #expect(try cache("refresh").status == 0)
    let running = try RunningTool(
      "tw-cache", ["refresh", "--every", "500ms", "--no-fetch-avatars", "#tea"], environment: environment, home: home)
    let refresh = try object(running.line())
    let soon = Timestamp(milliseconds: Timestamp.now.milliseconds + 60_000).rfc3339
    #expect(refresh["tw"].text == "refresh" && refresh["next_at"].text < soon)
    let new = try post("new #tea")
    var line = ""
    while !line.hasPrefix("{\"tw\":\"tweet\"") { line = try #require(try running.line()) }
    #expect(try ids([line]) == [new])
    running.signal(SIGINT)
    #expect(try running.finish().ending == .signal(SIGINT))
  }

  /// The service sends the newest tweet first; people read the oldest first.
  @Test func aRoundIsPrintedOldestTweetFirst() throws {
    let tweets = try (1...5).map { try post("\($0) #tea") }
    #expect(try ids(cache("refresh", "--print", "#tea").lines) == tweets)
  }

  @Test func twoProcessesNeverPollOneSourceAtOnce() throws {
    #expect(try cache("source", "add", "#milk").status == 0)
    let silent = try LoopbackServer { _, connection in connection.hold() }
    let stuck = ["TW_ENDPOINT": silent.base]
    let first = try RunningTool(
      "tw-cache", ["refresh", "#tea"], environment: environment.merging(stuck) { $1 }, home: home)
    try waitUntil { !silent.requests.isEmpty }
    let second = try cache("refresh", "#tea", with: stuck)
    #expect(second.status == 75 && second.errors.contains("a refresh by another process is running"))
    // The lock is that of its source: others are refreshed, whether they were added before it or after it.
    for source in ["#milk", "#sugar"] { #expect(try cache("refresh", source).status == 0, "\(source)") }
    // Readers do not wait for the refresh.
    #expect(try cache("list").status == 0)
    first.signal(SIGTERM)
    #expect(try first.finish().ending == .signal(SIGTERM))
    #expect(silent.requests.count == 1)
    // The lock ended with its process. A refresh that a signal ended is not a failure of the source.
    #expect(try cache("refresh", "#tea").status == 0)
    #expect(try cache("log", "#tea").lines.map { $0.split(separator: "\t")[5] } == ["0"])
  }

  /// A refresh that keeps running locks a source only during its round.
  @Test func betweenRoundsAnotherProcessCanRefresh() throws {
    let running = try RunningTool(
      "tw-cache", ["refresh", "--every", "1h", "--no-fetch-avatars", "#tea"], environment: environment, home: home)
    while let line = try running.line(), object(line)["tw"].text != "refresh" {}
    // The lock is released just after that record.
    var status: Int32?
    for _ in 0..<20 where status != 0 { status = try cache("refresh", "#tea").status }
    #expect(status == 0)
    running.signal(SIGTERM)
    #expect(try running.finish().ending == .signal(SIGTERM))
    #expect(try cache("log").lines.count == 2)
  }

  @Test func olderTweetsAreFetchedPageByPage() throws {
    for number in 1...130 { try post("\(number) #tea") }
    #expect(try cache("refresh", "#tea").status == 0)
    #expect(try cache("list").lines.count == 100)
    let older = try cache("refresh", "--older", "--print", "#tea")
    #expect(try ids(older.lines).count == 30 && older.status == 0)
    #expect(try ids(cache("refresh", "--older", "--print", "#tea").lines) == [])
    // The checkpoint for new posts has not changed.
    let tweet = try post("latest #tea")
    #expect(try ids(cache("refresh", "--print", "#tea").lines) == [tweet])
  }

  @Test func avatarsOfNewAuthorsAreFetched() throws {
    let demo = try LocalService(["--demo", "--rate", "5"])
    let run = try Tool.run("tw-cache", ["refresh", "--print", "#swift"], environment: demo.environment, home: home)
    #expect(run.status == 0 && run.lines.contains { $0.contains("\"avatar\":{\"key\":") })
    let count = try Tool.shell(
      "sqlite3 ~/.local/share/tw/media.db 'SELECT count(*) > 0 FROM pictures'", home: home)
    #expect(count.output == "1\n" || count.errors.contains("not found"))
    let without = try TemporaryDirectory()
    let plain = try Tool.run(
      "tw-cache", ["refresh", "--no-fetch-avatars", "#swift"], environment: demo.environment, home: without)
    #expect(plain.status == 0 && !without.exists(".local/share/tw/media.db"))
  }

  /// An option takes precedence over the variable, and the variable over the setting.
  @Test(
    arguments: [
      ([], "off", nil, false), (["--fetch-avatars"], "off", nil, true), ([], nil, "off", false),
      ([], "on", "off", true),
      (["--no-fetch-avatars"], "on", "on", false), ([], nil, "on", true),
    ] as [([String], String?, String?, Bool)])
  func whetherAvatarsAreFetchedIsASetting(_ words: [String], variable: String?, setting: String?, fetched: Bool) throws
  {
    let demo = try LocalService(["--demo", "--rate", "5"])
    let home = try TemporaryDirectory()
    if let setting {
      #expect(try Tool.run("tw", ["config", "set", "avatars", setting], home: home).ending == .status(0))
    }
    let variables = demo.environment.merging(variable.map { ["TW_AVATARS": $0] } ?? [:]) { $1 }
    let run = try Tool.run("tw-cache", ["refresh", "#swift"] + words, environment: variables, home: home)
    #expect(run.status == 0 && home.exists(".local/share/tw/media.db") == fetched)
  }

  /// Before, the variable was a directory: whoever still has one there is told so, and nothing is fetched.
  @Test func anOldDirectoryOfAvatarsIsNamed() throws {
    for command in ["tw-cache refresh '#swift'", "tw-avatar"] {
      let run = try Tool.shell(command + " </dev/null", environment: ["TW_AVATARS": "/tmp/pictures"], home: home)
      #expect(run.ending == .status(78))
      #expect(
        run.errors.hasSuffix(
          ": TW_AVATARS: '/tmp/pictures' is not 'on' or 'off'; a directory of pictures goes into TW_AVATAR_DIR\n"))
    }
  }
}
