import Foundation
import TestSupport
import Testing

/// What a person meets who runs the tools for the first time.
@Suite(.onOwnThread) struct FirstRunTests {
  @Test func withoutATokenItSaysWhatWorks() throws {
    let home = try TemporaryDirectory()
    for (tool, words) in [("tw-stream", ["--once", "#swift"]), ("tw-cache", ["refresh", "#swift"])] {
      let result = try Tool.run(tool, words, home: home)
      #expect(result.ending == .status(77))
      for advice in ["'tw-auth login'", "'tw config set token-file FILE'", "tw-local --demo -- "] {
        #expect(result.errors.contains(advice))
      }
    }
    let service = try LocalService(["--demo", "--rate", "0"])
    try home.write("token", service.token + "\n")
    // What the message says, with a file in the place of FILE.
    let there = ["TW_SERVICE": "local", "TW_ENDPOINT": service.base]
    let told = try Tool.run("tw-stream", ["--once", "#swift"], environment: there, home: home)
    #expect(told.errors.contains("'tw config set token-file.local FILE'"), "\(told.errors)")
    let advice = "tw config set token-file.local ~/token && tw-stream --quiet --once '#swift'"
    let result = try Tool.shell(advice, environment: there, home: home)
    #expect(result.ending == .status(0) && result.lines.count > 1, "\(result.errors)")
  }

  /// What each tool advises to a person without an account works as pasted, and fits the tool.
  @Test(arguments: [
    ("tw-stream", ["home"]), ("tw-post", ["hi!"]), ("tw-auth", ["status"]),
    ("tw-cache", ["refresh", "#swift"]),
  ])
  func theAdviceWorksAsPasted(tool: String, words: [String]) throws {
    let home = try TemporaryDirectory()
    let result = try Tool.run(tool, words, home: home)
    #expect(result.ending == .status(77))
    let advice = try #require(result.errors.firstMatch(of: /(tw-local --demo -- (tw-[a-z]+) [^\n]*)\n/))
    // tw-cache has tw-stream ask.
    #expect(advice.2 == (tool == "tw-cache" ? "tw-stream" : tool))
    let tried = try RunningTool("/bin/sh", ["-c", "exec \(advice.1)"], home: home)
    #expect(try tried.line() != nil)
    // A stream has no end.
    if advice.2 == "tw-stream" { tried.signal(SIGTERM) }
    let end = try tried.finish()
    #expect(end.ending == (advice.2 == "tw-stream" ? .signal(SIGTERM) : .status(0)), "\(end.errors)")
  }

  /// The lines for cron(8) in the README and in tw(7) that name their program with its folder, in the environment that
  /// cron gives.
  @Test func crontabLinesWorkAsPasted() throws {
    let home = try TemporaryDirectory()
    let service = try LocalService(["--demo", "--rate", "0"])
    try home.write("token", service.token + "\n")
    let setUp = """
      tw config set token-file.local ~/token && tw config set service local && tw config set endpoint \(service.base) &&
        tw-cache source add '#swift'
      """
    #expect(try Tool.shell(setUp, home: home).ending == .status(0))
    var count = 0
    for file in ["README.md", "man/tw.7"] {
      for line in try Package.text(file).matches(of: /\n(?:\.Dl )?(?:[0-9*\/,-]+ +){5}(\/usr\/local\/bin\/.*)/) {
        count += 1
        let command = String(line.1).replacing("/usr/local/bin/", with: Tool.directory + "/")
        let result = try Tool.run(
          "/usr/bin/env",
          ["-i", "HOME=\(home.path)", "LOGNAME=me", "SHELL=/bin/sh", "PATH=/usr/bin:/bin", "/bin/sh", "-c", command],
          home: home)
        #expect(result.ending == .status(0) && result.output + result.errors == "", "\(line.1): \(result.errors)")
      }
    }
    #expect(count == 2)
    #expect(try Tool.run("tw-cache", ["list", "-n", "1"], home: home).lines.count == 1)
  }

  @Test func mistakesAreAnsweredWithWhatWasMeant() throws {
    for (words, answer) in [
      (["lst"], "no command is called 'lst'; did you mean 'list'?\ntw-cache: see 'tw-cache --help'"),
      (
        ["list", "--user", "jack"],
        "unknown option '--user'; did you mean '--author'?\ntw-cache: see 'tw-cache list --help'"
      ),
      (
        ["source", "ad", "home"],
        "no command is called 'ad'; did you mean 'add'?\ntw-cache: see 'tw-cache source --help'"
      ),
    ] {
      let result = try Tool.run("tw-cache", words)
      #expect(result.errors == "tw-cache: \(answer)\n" && result.ending == .status(64))
    }
    let nonsense = try Tool.run("tw", ["config", "set", "service", "nonsense"])
    #expect(nonsense.errors == "tw: service: 'nonsense' is not a service (x, local, mastodon:HOST, bluesky)\n")
    #expect(nonsense.ending == .status(64))
    let maybe = try Tool.run("tw", ["config", "set", "avatars", "maybe"])
    #expect(maybe.errors == "tw: avatars: 'maybe' is not 'on' or 'off'\n" && maybe.ending == .status(64))
  }

  @Test func aSummarySaysThatNothingIsDue() throws {
    let home = try TemporaryDirectory()
    let idle = try Tool.run("tw-cache", ["refresh", "--summary"], home: home)
    #expect(idle.errors.contains("'tw-cache source add' does that"))
    #expect(try Tool.shell("tw-cache source add '#swift' && tw-cache source pause '#swift'", home: home).errors == "")
    let paused = try Tool.run("tw-cache", ["refresh", "--summary"], home: home)
    #expect(paused.errors == "tw-cache: no source is due: all are paused\n" && paused.ending == .status(0))
    #expect(try Tool.run("tw-cache", ["refresh"], home: home).errors == "")
  }

  /// A person who sees nothing happen learns why, and when something will.
  @Test(.enabled(if: Terminal.isAvailable, "needs tmux")) func aPersonIsToldThatNothingIsDue() throws {
    let home = try TemporaryDirectory()
    let script = "TW_TOKEN=wrong TW_ENDPOINT=http://127.0.0.1:9 tw-cache refresh; tw-cache refresh; echo status $?"
    #expect(try Tool.shell("tw-cache source add '#swift' --every 15m", home: home).errors == "")
    let terminal = try Terminal(script, environment: Tool.environment(home: home.path, adding: [:]), home: home)
    let screen = try terminal.wait(for: "status 0")
    #expect(screen.contains("no source is due: the next is '#swift', at 2"), "\(screen)")
    #expect(screen.contains("one that is named is asked at once"), "\(screen)")
    #expect(try Tool.run("tw-cache", ["refresh"], home: home).errors == "")
  }

  @Test func aDateIsTheReadersOwnDay() throws {
    let home = try TemporaryDirectory()
    let tweet =
      #"{"tw":"tweet","id":"1","service":"x","created_at":"2021-11-02T23:30:00.000Z","text":"a","#
      + #""author":{"id":"2","username":"jack"}}"# + "\n"
    #expect(try Tool.run("tw-cache", ["add"], stdin: ToolInput(tweet), home: home).ending == .status(0))
    func list(_ since: String, zone: String) throws -> Int {
      let environment = ["TZ": zone, "TW_NOW": "2021-11-03T12:00:00Z"]
      return try Tool.run("tw-cache", ["list", "--since", since], environment: environment, home: home).lines.count
    }
    for (since, there, inUTC) in [
      ("2021-11-03", 1, 0), ("today", 1, 0), ("2021-11", 1, 1), ("1w", 1, 1), ("2021-12", 0, 0), ("2021", 1, 1),
      ("yesterday", 1, 1), ("2021-11-03 04:30", 1, 0), ("2021-11-03T04:30:00", 1, 0), ("2021-11-03 04:31", 0, 0),
      ("2021-11-02 23:30", 1, 1), ("2021-11-02 23:31", 1, 0), ("04:30", 1, 0), ("3 days ago", 1, 1),
      ("12 hours ago", 0, 0),
      ("a Month ago", 1, 1), ("last tuesday", 1, 1), ("last wednesday", 1, 1), ("now", 0, 0),
    ] {
      #expect(try list(since, zone: "EAST-5") == there, "\(since)")
      #expect(try list(since, zone: "UTC") == inUTC, "\(since)")
    }
    #expect(try Tool.run("tw-cache", ["list", "--since", "2021-02-30"]).ending == .status(64))
  }

  @Test(arguments: [
    ("tw-parse", ["--only", "twet"]), ("tw-parse", ["--only", "tweet,"]), ("tw-linkcheck", ["--fail-on", "dead,"]),
    ("tw-cache", ["list", "--links", "musik"]), ("tw-cache", ["list", "--has", "fotos"]),
    ("tw-render", ["--format", "pdf"]), ("tw-stream", ["--api", "3", "home"]),
  ])
  func unknownValuesOfClosedListsAreUsageErrors(_ tool: String, _ words: [String]) throws {
    #expect(try Tool.run(tool, words).ending == .status(64))
  }

  /// The line that `tw-cache cron` prints for a store whose path cron and a shell would take apart, and for a plugin
  /// that cron would not find.
  @Test func thePrintedCrontabLineWorks() throws {
    let home = try TemporaryDirectory()
    let service = try LocalService(["--demo", "--rate", "0"])
    try home.write("token", service.token + "\n")
    try home.write("my 100% 'store'/.keep", "")
    try home.program(
      "my bin/tw-source-shout",
      #"""
      #!/bin/sh
      printf '{"tw":"context","feed":"%s","service":"sky"}\n' "$TW_FEED"
      printf '{"tw":"tweet","id":"1","service":"sky","text":"%s","author":{"id":"2"}}\n' "$1"
      """#)
    let variables = [
      "TW_SERVICE": "local", "TW_ENDPOINT": service.base, "TW_TOKEN_FILE": "token",
      "TW_DB": "my 100% 'store'/tw.db", "PATH": home.path + "/my bin:/usr/bin:/bin", "XDG_CONFIG_HOME": "ignored",
    ]
    func cache(_ words: String...) throws -> ToolResult {
      try Tool.run("tw-cache", words, environment: variables, home: home)
    }
    #expect(try cache("source", "add", "#swift", "--every", "15m").ending == .status(0))
    #expect(try cache("source", "add", "@maren_k", "--every", "6h").ending == .status(0))
    #expect(try cache("source", "add", "shout:hello", "--every", "1d").ending == .status(0))
    let result = try cache("cron", "--quiet")
    #expect(result.errors == "" && result.lines.count == 1 && result.output.hasPrefix("*/15 * * * * PATH="))
    #expect(!result.output.contains("ignored"))
    let run = try runAsCron(result.lines[0], home: home)
    #expect(run.ending == .status(0) && run.errors == "" && run.output == "")
    #expect(try cache("list", "--feed", "#swift", "-n", "1").lines.count == 1)
    #expect(try cache("log").lines.map { $0.split(separator: "\t")[5] } == ["0", "0", "0"])
  }

  /// Runs a line of a crontab as cron(8) does, see crontab(5): with these variables only, in the home directory. A
  /// percent sign without a backslash ends the command.
  private func runAsCron(_ line: String, home: TemporaryDirectory) throws -> ToolResult {
    let rest = line.split(separator: " ", maxSplits: 5)[5]
    let end = rest.firstRange(of: /[^\\]%/)?.lowerBound ?? rest.endIndex
    return try Tool.run(
      "/usr/bin/env",
      [
        "-i", "HOME=/", "LOGNAME=me", "SHELL=/bin/sh", "PATH=/usr/bin:/bin", "/bin/sh", "-c",
        String(rest[..<end].replacing("\\%", with: "%")),
      ],
      home: home, directory: "/")
  }

  /// Where cron cannot mail what the job prints, a file gets it.
  @Test func failuresUnderCronAreNotLost() throws {
    let home = try TemporaryDirectory()
    try home.write("token", "wrong\n")
    func run(_ tool: String, _ words: String...) throws -> ToolResult {
      try Tool.run(tool, words, environment: ["TW_ENDPOINT": "http://127.0.0.1:9"], home: home)
    }
    #expect(try run("tw", "config", "set", "token-file", home.path + "/nothing").ending == .status(0))
    #expect(try run("tw-cache", "source", "add", "home").ending == .status(0))
    let result = try run("tw-cache", "cron")
    #expect(result.errors.contains("cannot read the token's file '\(home.path)/nothing'"))
    let ended = try runAsCron(result.lines[0], home: home)
    #expect(ended.ending == .status(78))
    let log = ".local/state/tw/refresh.log"
    let text = home.exists(log) ? String(decoding: try home.read(log), as: UTF8.self) : ended.errors
    #expect(text.contains("TW_TOKEN_FILE"))
    #expect(home.exists(log) == result.output.contains(" 2>>") && home.exists(log) == result.errors.contains("mail"))
  }

  @Test func theCrontabLineLeavesOutSecretsAndSaysSo() throws {
    let home = try TemporaryDirectory()
    let nothing = try Tool.run("tw-cache", ["cron"], home: home)
    #expect(nothing.output.hasPrefix("*/5 * * * * ") && nothing.errors.contains("no source is registered"))
    #expect(try Tool.run("tw-cache", ["source", "add", "home", "--every", "90m"], home: home).errors == "")
    #expect(try Tool.run("tw-cache", ["source", "pause", "home"], home: home).status == 0)
    let paused = try Tool.run("tw-cache", ["cron"], home: home).errors
    #expect(paused.contains("all registered sources are paused") && !paused.contains("no source is"), "\(paused)")
    #expect(try Tool.run("tw-cache", ["source", "resume", "home"], home: home).status == 0)
    let secrets = ["TW_TOKEN": "s3cret", "https_proxy": "http://me:s3cret@127.0.0.1:1", "no_proxy": "localhost"]
    let result = try Tool.run("tw-cache", ["cron"], environment: secrets, home: home)
    #expect(result.output.hasPrefix("*/30 * * * * ") && !result.output.contains("s3cret"))
    #expect(result.output.contains(" no_proxy=localhost "))
    #expect(result.errors.contains("'tw config set token-file FILE'") && result.errors.contains("https_proxy"))
    // An account that is signed in needs no token.
    try home.write(".config/tw/credentials.json", #"{"accounts":[]}"#)
    #expect(try !Tool.run("tw-cache", ["cron"], home: home).errors.contains("token-file"))
    let impossible = try Tool.run("tw-cache", ["cron"], environment: ["TW_DB": "a\nb"], home: home)
    #expect(impossible.ending == .status(78) && impossible.output == "")
  }

  @Test func anAccountCanBeNamed() throws {
    let home = try TemporaryDirectory()
    func cache(_ words: String...) throws -> ToolResult { try Tool.run("tw-cache", words, home: home) }
    #expect(try cache("source", "add", "home", "--account", "work").ending == .status(0))
    #expect(try cache("source", "list").output.hasPrefix("x\twork\thome\t15m\t"))
    #expect(try cache("source", "pause", "home").ending == .status(66))
    #expect(try cache("refresh", "--account", "play", "--summary").errors.contains("none is registered"))
    #expect(try cache("refresh", "--account", "work").ending == .status(77))
    #expect(try cache("log", "home", "--account", "work").lines.count == 1)
  }

  /// Who has no store yet, or an empty one, is told how to begin. Standard output and the status stay as they are.
  @Test func aStoreThatIsMissingOrEmptySaysWhatToDo() throws {
    let home = try TemporaryDirectory()
    func cache(_ words: String...) throws -> ToolResult { try Tool.run("tw-cache", words, home: home) }
    let readers = [
      ["list"], ["users"], ["top", "links"], ["stats"], ["export"], ["show", "20"], ["log"], ["source", "list"],
      ["source", "pause", "home"], ["check"], ["prune", "--yes", "--older-than", "1d"],
    ]
    for words in readers {
      let missing = try Tool.run("tw-cache", words, home: home)
      #expect(missing.ending == .status(66) && missing.output == "")
      #expect(missing.errors.contains("'tw-parse FILE | tw-cache add' makes a store"), "\(words)")
    }
    #expect(!home.exists(".local/share"))
    #expect(try cache("add").ending == .status(0))
    for words in readers.prefix(5) {
      let empty = try Tool.run("tw-cache", words, home: home)
      #expect(empty.ending == .status(0) && empty.errors.contains("has no tweets: 'tw-cache refresh "), "\(words)")
      #expect(try Tool.run("tw-cache", words + ["--quiet"], home: home).errors == "")
    }
    #expect(try cache("log").errors.contains("nothing was refreshed yet"))
    #expect(try cache("source", "list").errors.contains("'tw-cache source add SOURCE'"))
    // Nothing that matches is not a reason for advice.
    let tweet = #"{"tw":"tweet","service":"x","id":"1","text":"t","author":{"id":"2"}}"# + "\n"
    #expect(try Tool.run("tw-cache", ["add"], stdin: ToolInput(tweet), home: home).ending == .status(0))
    #expect(try cache("list", "--search", "none").errors == "")
  }

  @Test func aUserWhoIsNotThereIsReported() throws {
    let home = try TemporaryDirectory()
    let user = #"{"tw":"user","service":"x","id":"2","username":"jack"}"# + "\n"
    #expect(try Tool.run("tw-cache", ["add"], stdin: ToolInput(user), home: home).ending == .status(0))
    for words in [["@jill"], ["--names", "jill"]] {
      let result = try Tool.run("tw-cache", ["users"] + words, home: home)
      #expect(result.ending == .status(66) && result.errors.hasPrefix("tw-cache: no user 'jill' in '"))
    }
    #expect(try Tool.run("tw-cache", ["users", "--service", "local"], home: home).ending == .status(0))
  }
}
