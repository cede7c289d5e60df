import Foundation
import TestSupport
import Testing
import TweetCore

/// tw-browse --plain: lines in, lines out.
@Suite(.onOwnThread, .enabled(if: Terminal.isAvailable, "needs tmux"))
struct BrowsePlainTests: BrowseSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// Starts it in a terminal that can do nothing but print; what it prints goes through a pipe as well.
  private func read(
    _ options: String = "--offline", before command: String = "", after pipe: String = " | tee printed",
    until text: String = "> "
  ) throws -> Terminal {
    let script = "set -o pipefail; \(command)tw-browse --plain \(options)\(pipe); echo \"left $?\""
    try home.write("plain.sh", script)
    let terminal = try Terminal(
      "TERM=dumb /bin/bash plain.sh", columns: 80, environment: ["TW_NOW": time(3600), "EDITOR": "false"], home: home)
    try terminal.wait(for: text)
    return terminal
  }

  private func store(_ count: Int, from first: Int = 1) throws {
    let records = (first..<first + count).map { tweet($0, second: $0, text: "word number \($0)") }.joined()
    #expect(try add(records, ["--quiet"]).status == 0)
  }

  private func enter(_ line: String, in terminal: Terminal) throws {
    try terminal.type(line)
    try terminal.press("Enter")
  }

  /// Tweets are read one after the other, and nothing that moves a cursor is printed.
  @Test func tweetsAreReadOneAfterTheOther() throws {
    try store(30)
    let terminal = try read(until: "1/30 all> ")
    #expect(try terminal.screen().contains("word number 30"))
    try enter("n", in: terminal)
    try terminal.wait(for: "2/30 all> ")
    try enter("", in: terminal)
    #expect(try terminal.wait(for: "3/30 all> ").contains("word number 28"))
    try enter("p", in: terminal)
    try terminal.wait("the one before, for the second time") { $0.components(separatedBy: "number 29").count == 3 }
    try enter("p", in: terminal)
    try enter("p", in: terminal)
    try terminal.wait(for: "this is the first one")
    try enter("G", in: terminal)
    try terminal.wait(for: "30/30 all> ")
    try enter("n", in: terminal)
    try terminal.wait(for: "this is the last one")
    try enter("/number 7", in: terminal)
    try terminal.wait(for: "nothing more is found")
    try enter("g", in: terminal)
    try enter("/number 7", in: terminal)
    try terminal.wait(for: "24/30 all> ")
    try enter("q", in: terminal)
    try terminal.wait(for: "left 0")
    let printed = try home.read("printed")
    #expect(!printed.contains { $0 < 0x20 && $0 != 0x0A } && printed.contains(0x0A))
  }

  /// What came meanwhile is told at the next prompt, and moves nothing.
  @Test func newTweetsAreToldAtThePrompt() throws {
    try store(3)
    let terminal = try read(until: "1/3 all> ")
    try store(2, from: 4)
    // There is nothing that would show it before.
    #expect(try !terminal.screen().contains("new"))
    try enter("n", in: terminal)
    let screen = try terminal.wait(for: "2/3 all> ")
    #expect(screen.contains("word number 2") && screen.contains("2 new (g)"))
    try enter("g", in: terminal)
    #expect(try terminal.wait(for: "1/5 all> ").contains("word number 5"))
  }

  /// Names of actions, numbers and mistakes; the place is kept for the next time.
  @Test func wordsAreCommandsToo() throws {
    try store(9)
    let terminal = try read(until: "1/9 all> ")
    for (line, answer) in [
      ("?", "a number shows that feed"), ("frobnicate", "no command 'frobnicate'"), ("page-", "several commands"),
      ("open", "only on the whole screen"), ("7", "there is no feed 7"), ("limit number 4", "1/1 all › &number 4> "),
      ("<", "1/9 all> "), ("undo", "nothing to take back"), ("o", "the tweet has no links"),
      ("raw", "\"text\":\"word number 9\""), ("| tr a-z A-Z", "WORD NUMBER 9"), ("label +later", "+later"),
    ] {
      try enter(line, in: terminal)
      try terminal.wait(for: answer)
    }
    try enter("n", in: terminal)
    try terminal.wait(for: "2/9 all> ")
    try terminal.press("C-d")
    try terminal.wait(for: "left 0")
    #expect(try list("--label", "later") == ["9"])
    _ = try read(until: "2/9 all> ")
  }

  /// Records of standard input are read, and what a person types comes from the terminal.
  @Test func recordsOfStandardInputAreRead() throws {
    try home.write("other.ndjson", tweet(900, text: "from the pipe"))
    let terminal = try read("", before: "cat other.ndjson | ", until: "1/1 all> ")
    #expect(try terminal.screen().contains("from the pipe"))
    try enter("q", in: terminal)
    try terminal.wait(for: "left 0")
  }

  /// Answers and likes go through tw-post and are told; what a service says of an answer stays readable.
  @Test func repliesAndLikesAreMadeByTwPost() throws {
    try home.write(
      "plain.sh", "tw-browse --plain --every 1h '#swift'; echo \"left $?\"\ntw-cache list --search plainly > found")
    let terminal = try Terminal("TERM=dumb tw-local --demo -- /bin/sh plain.sh", columns: 80, home: home)
    try terminal.wait(for: "> ")
    try terminal.wait("tweets of the service") { _ in
      try? enter("g", in: terminal)
      usleep(200_000)
      return (try? terminal.screen().contains("· ")) ?? false
    }
    try enter("l", in: terminal)
    try terminal.wait(for: "liked")
    try enter("u", in: terminal)
    try terminal.wait(for: "no longer liked")
    try enter("r plainly said", in: terminal)
    try terminal.wait(for: "posted")
    try enter("r", in: terminal)
    try terminal.wait(for: "reply: ")
    try enter("", in: terminal)
    try terminal.wait(for: "nothing was posted")
    try enter("q", in: terminal)
    try terminal.wait(for: "left 0")
    try waitUntil { try home.exists("found") && home.read("found").isEmpty == false }
  }

  /// Nothing that a tweet holds is obeyed by the terminal.
  @Test func nothingOfATweetReachesTheTerminalUnescaped() throws {
    let hostile = #"\u001b[2J\u001b]0;owned\u0007\u009b31m end"#
    #expect(try add(tweet(1, text: hostile), ["--quiet"]).status == 0)
    let terminal = try read(until: "1/1 all> ")
    #expect(try terminal.screen().contains("\u{FFFD}[2J\u{FFFD}]0;owned"))
    #expect(try !home.read("printed").contains(0x1B))
  }

  /// Without a terminal to type on, records cannot be read this way: it says so and ends.
  @Test func withoutATerminalItSaysSo() throws {
    try home.write("one.ndjson", tweet(1))
    let result = try Tool.shell("setsid tw-browse --plain < one.ndjson", home: home)
    #expect(result.status == 64 && result.errors.contains("needs a terminal"))
  }

  /// A pipe whose reader has gone ends it.
  @Test func aClosedPipeEndsIt() throws {
    try store(3)
    let terminal = try read(after: " | head -n 1", until: "JACK")
    try enter("n", in: terminal)
    try enter("n", in: terminal)
    try terminal.wait(for: "left")
  }

  /// What is behind a warning is printed when it is asked for.
  @Test func warningsAreFolded() throws {
    let warned = #","extra":{"spoiler_text":"Season finale"}"#
    #expect(try add(tweet(1, second: 1, text: "the butler did it", more: warned), ["--quiet"]).status == 0)
    let terminal = try read()
    #expect(try terminal.wait(for: "Season finale [x]").contains("butler") == false)
    try enter("x", in: terminal)
    try terminal.wait(for: "the butler did it")
    try enter("x", in: terminal)
    try terminal.wait("the warning again") { $0.components(separatedBy: "[x]").count == 3 }
  }

  /// Lists have names here too, accounts are chosen, and tweets marked.
  @Test func listsAndAccountsHaveNames() throws {
    try credentials("jack", "anna")
    try store(9)
    #expect(try cache("query", "save", "sevens", "7").status == 0)
    #expect(try cache("label", "+later", "3").status == 0)
    let terminal = try read(until: "1/9 all> ")
    try enter("s sevens", in: terminal)
    #expect(try terminal.wait(for: "1/1 all › sevens> ").contains("word number 7"))
    try enter("s eights", in: terminal)
    try terminal.wait(for: "no saved query is called 'eights' (sevens)")
    try enter("<", in: terminal)
    try enter("L later", in: terminal)
    #expect(try terminal.wait(for: "1/1 all › label later> ").contains("word number 3"))
    try enter("U", in: terminal)
    try wait(for: ["3"], labelled: "unread")
    try enter("A", in: terminal)
    try terminal.wait(for: "as x:anna")
    try enter("A jack", in: terminal)
    try terminal.wait(for: "as x:jack")
    try enter("A nobody", in: terminal)
    try terminal.wait(for: "no account is called 'nobody' (x:jack, x:anna)")
  }
}
