import Foundation
import TestSupport
import Testing

/// Small manners that all tools share.
@Suite(.onOwnThread) struct MannersTests {
  @Test(arguments: [
    ("search", "tw-cache list --search WORDS"), ("find", "tw-cache list --search WORDS"),
    ("delete", "tw-cache forget TWEET"),
    ("rm", "tw-cache forget TWEET"), ("thread", "tw-cache show TWEET"), ("read", "tw-cache list --label unread"),
    ("fetch", "tw-cache refresh"),
  ])
  func namesTheCommandThatDoesIt(word: String, command: String) throws {
    let result = try Tool.run("tw-cache", [word, "x"])
    #expect(result.errors.hasPrefix("tw-cache: no command is called '\(word)'; '\(command)' does that\n"))
    #expect(result.status == 64)
  }

  @Test func asksOnlyAboutWhatIsLikeIt() throws {
    #expect(try !Tool.run("tw-stream", ["--bogus", "x"]).errors.contains("did you mean"))
    #expect(try Tool.run("tw-stream", ["--pgaes", "x"]).errors.contains("did you mean '--pages'?"))
    #expect(try Tool.run("tw-cache", ["lits"]).errors.contains("did you mean 'list'?"))
  }

  @Test func valuesMayBeJoinedToTheirOptions() throws {
    let home = try TemporaryDirectory()
    let records = (1...5).map { NumberTests.tweet($0, "x") }.joined()
    #expect(try Tool.run("tw-cache", ["add"], stdin: ToolInput(records), home: home).status == 0)
    let listed = try Tool.run("tw-cache", ["list", "-n3"], home: home)
    #expect(listed.lines.count == 3)
    let shown = try Tool.run("tw-render", ["-fline"], stdin: ToolInput(listed.output), home: home)
    #expect(shown.lines.count == 3)
  }

  @Test func anUnknownAccountIsToldWhichThereAre() throws {
    let home = try TemporaryDirectory()
    let accounts = ["ann", "bob"].map { name in
      #"{"service":"x","name":"\#(name)","base":"https://api.x.com","method":"token","token":"t"}"#
    }
    let file = try home.write(".config/tw/credentials.json", #"{"accounts":[\#(accounts.joined(separator: ","))]}"#)
    chmod(file, 0o600)
    let result = try Tool.run("tw-post", ["--account", "nobody", "hi there"], home: home)
    #expect(result.status == 77 && result.errors.contains("the accounts are ann, bob"), "\(result.errors)")
  }

  /// A terminal that can do nothing gets no escapes; a long message is two lines for people.
  @Test(.enabled(if: Terminal.isAvailable, "needs tmux")) func dumbTerminals() throws {
    let home = try TemporaryDirectory()
    let records = (1...3000).map { NumberTests.tweet($0, "x") }.joined()
    try home.write("r.ndjson", records)
    let script =
      "tw-parse r.ndjson none > x; tw-cache add r.ndjson > x; tw-post outbox drop 1; tw-cache show 9999; tw-render -n x"
    let terminal = try Terminal(
      "cd ~; TERM=dumb script -qec '\(script)' all > /dev/null; echo ended", home: home)
    try terminal.wait(for: "ended")
    let all = try home.read("all")
    #expect(!all.contains(0x1B), "\(String(decoding: all, as: UTF8.self))")
  }

  @Test(.enabled(if: Terminal.isAvailable, "needs tmux")) func recordsOnATerminalAreShown() throws {
    let home = try TemporaryDirectory()
    let added = try Tool.run("tw-cache", ["add"], stdin: ToolInput(NumberTests.tweet(1, "x")), home: home)
    #expect(added.status == 0)
    let terminal = try Terminal(
      "tw-cache list; tw-cache show 1; echo between; tw-cache list --search none; tw-cache list | cat; echo ended",
      home: home)
    let screen = try terminal.wait(for: "ended")
    let parts = screen.components(separatedBy: "between")
    #expect(parts.count == 2 && parts[0].contains("@") && !parts[0].contains(#"{"tw""#), "\(screen)")
    #expect(parts.last?.contains(#"{"tw":"tweet","id":"1""#) == true, "\(screen)")
    #expect(screen.contains("no stored tweet matches"))
  }

  /// A search without a hit is told from one that has not begun.
  @Test(.enabled(if: Terminal.isAvailable, "needs tmux")) func aSearchWithoutAHitSaysSo() throws {
    let home = try TemporaryDirectory()
    let added = try Tool.run("tw-cache", ["add"], stdin: ToolInput(NumberTests.tweet(1, "x")), home: home)
    #expect(added.status == 0)
    let terminal = try Terminal(
      "tw-cache list --search nowhere; tw-cache list nowhere | tw-render; tw-cache list x | tw-render; echo ended",
      home: home)
    let screen = try terminal.wait(for: "ended")
    #expect(screen.components(separatedBy: "tw-cache: no stored tweet matches\n").count == 3, "\(screen)")
  }

  /// Who waits is told for what.
  @Test(.enabled(if: Terminal.isAvailable, "needs tmux")) func slowAnswersAreExplained() throws {
    let home = try TemporaryDirectory()
    let service = try PostService(latency: 4)
    let terminal = try Terminal("tw-post 'hi there'; echo ended", environment: service.environment, home: home)
    try terminal.wait(for: "tw-post: waiting for the answer of 127.0.0.1:")
    #expect(try terminal.wait(for: "ended").contains("posted http://127.0.0.1:"))
  }
}
