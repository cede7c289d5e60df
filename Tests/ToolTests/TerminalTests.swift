import Foundation
import TestSupport
import Testing

/// What only a person at a terminal sees.
@Suite(.onOwnThread, .enabled(if: Terminal.isAvailable, "needs tmux"))
struct TerminalTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// The prompt shows that the shell is inside tw-local, after what the person's own files make of it.
  @Test(arguments: ["bash", "zsh", "fish", "sh"])
  func theShellInTwLocalSaysWhereItIs(shell: String) throws {
    guard CompletionShell.isThere(shell) else {
      print("skipped, since \(shell) is not installed")
      return
    }
    // What a prompt of the person's own looks like. A file of fish is in the configuration directory, which tw-local
    // sets.
    for file in [".bashrc", ".zshrc"] { try home.write(file, "PS1='mine> '\n") }
    let terminal = try Terminal("tw-local --demo -- \(shell)\necho \"left $?\"", home: home)
    let prompt = ["bash": "(tw-local) mine>", "zsh": "(tw-local) mine>"][shell] ?? "(tw-local) "
    let screen = try terminal.wait(for: prompt)
    #expect(screen.contains("tw-local: this shell uses the service at http://127.0.0.1:"))
    #expect(screen.contains("'exit' leaves it"))
    try terminal.type("echo $TW_SERVICE; test -z \"$ZDOTDIR\" && echo clean")
    try terminal.press("Enter")
    try terminal.wait(for: "local\nclean\n")
    // Each prompt has the mark once.
    #expect(try !terminal.screen().contains("(tw-local) (tw-local)"))
    try terminal.type("exit")
    try terminal.press("Enter")
    try terminal.wait(for: "left 0")
  }

  /// Prompts that are made anew each time, as some frameworks do, are marked too.
  @Test func aPromptThatBashMakesAnewIsMarked() throws {
    try home.write(".bashrc", "PROMPT_COMMAND='PS1=\"$((n += 1))> \"'\n")
    let terminal = try Terminal("tw-local -- bash", home: home)
    try terminal.wait(for: "(tw-local) 1>")
    try terminal.press("Enter")
    try terminal.wait(for: "(tw-local) 2>")
  }

  /// A command that is not a shell, or is quiet, gets no message.
  @Test func commandsOfTwLocalGetNoMessage() throws {
    let terminal = try Terminal("tw-local -- echo one; tw-local --quiet -- bash -c 'echo two'", home: home)
    #expect(try !terminal.wait(for: "two").contains("tw-local:"))
  }

  @Test(arguments: [
    "tw-parse", "tw-render", "tw-cache add", "tw-linkcheck", "tw-avatar", "tw-stream -", "tw-post -", "tw-post like -",
  ])
  func aFilterThatWaitsForTheKeyboardSaysSo(command: String) throws {
    let terminal = try Terminal(command, environment: ["TW_TOKEN": "t"], home: home)
    try terminal.wait(for: "reading from the keyboard; Ctrl-D ends the input")
    try terminal.press("C-d")
  }

  /// The bar is there while look-ups run, and gone at the end.
  @Test func lookUpsHaveAProgressBar() throws {
    let server = try LoopbackServer { .page(after: $0.path == "/slow" ? 2 : 0) }
    let urls = "\(server.base)/1 \(server.base)/slow"
    let command =
      "echo begin; tw-linkcheck \(urls) > out; echo end; tw-linkcheck --quiet --no-cache \(urls) > out; echo quiet"
    let terminal = try Terminal(command, environment: server.environment, home: home)
    let bar = try terminal.wait(for: "1 of 2 links")
    #expect(bar.contains("tw-linkcheck [====") && bar.contains("=    "))
    #expect(try terminal.wait(for: "quiet").hasPrefix("begin\nend\nquiet"))
  }

  /// Work on a large store has a bar, also where standard output is the terminal; it is gone before anything is
  /// printed.
  @Test func workOnALargeStoreHasAProgressBar() throws {
    let records = (1...60_000).map { number in
      #"{"tw":"tweet","id":"\#(number)","service":"x","created_at":"2021-11-03T21:30:00.000Z","text":"word \#(number)","#
        + #""author":{"id":"2"}}"# + "\n"
    }.joined()
    try home.write("records.ndjson", records)
    #expect(try Tool.run("tw-cache", ["add", "--no-sync", home.path + "/records.ndjson"], home: home).status == 0)
    try home.write("export.ndjson", try Tool.run("tw-cache", ["export"], home: home).output)
    for (command, bar) in [
      ("check", " of 60000 tweets"), ("backup copy.db", " of 60000 tweets"),
      ("check --repair", " of 60000 tweets"), ("import --db new.db export.ndjson", "MB/s"),
      ("prune --yes --older-than 2026-01-01", " of 60000 tweets"),
    ] {
      // The bar may be gone before anybody looks, so script(1) writes down all that the terminal gets.
      let terminal = try Terminal(
        "echo begin; cd ~; script -qec 'tw-cache \(command)' all; echo fin''ished", home: home)
      let screen = try terminal.wait(for: "finished")
      let all = String(decoding: try home.read("all"), as: UTF8.self)
      #expect(all.contains("tw-cache [") && all.contains(bar), "\(command)")
      #expect(screen.hasPrefix("begin\nfinished") || screen.hasPrefix("begin\ntw-cache: "), "\(command): \(screen)")
      #expect(!screen.contains("["), "\(command): \(screen)")
    }
  }

  /// What removes data asks first, and says how much.
  @Test(arguments: [("y", 0), ("n", 20), ("", 20)])
  func pruneAsks(answer: String, left: Int) throws {
    let records = (1...20).map { number in
      #"{"tw":"tweet","id":"\#(number)","service":"x","created_at":"2021-11-03T21:30:00.000Z","text":"a","#
        + #""author":{"id":"2"}}"# + "\n"
    }.joined()
    #expect(try Tool.run("tw-cache", ["add"], stdin: ToolInput(records), home: home).status == 0)
    // The clock says a time long after the last of these tweets: whoever returns after years says so here.
    let terminal = try Terminal(
      "cd ~; TW_NOW=2099-01-01T00:00:00Z tw-cache prune --older-than 1mo </dev/null; echo \"ended $?\"", home: home)
    let screen = try terminal.wait(for: "[y/N]").replacing("\n", with: "")
    #expect(
      screen.contains(": tweets: 20, users: 1, notifications: 0, pictures and links: 0? [y/N]")
        && screen.contains("the clock says 2099-01-01, but the newest post is of 2021-11-03"), "\(screen)")
    try terminal.type(answer)
    try terminal.press("Enter")
    #expect(try terminal.wait(for: "ended 0").contains("nothing was removed") == (left > 0))
    #expect(try Tool.run("tw-cache", ["list", "--count"], home: home).output == "\(left)\n")
  }

  @Test func aFilterThatIsQuietOrReadsAPipeDoesNotMentionTheKeyboard() throws {
    let terminal = try Terminal("echo begin; tw-parse --quiet; echo '{}' | tw-parse 2>&1; echo end", home: home)
    try terminal.wait(for: "begin")
    try terminal.press("C-d")
    #expect(try !terminal.wait(for: "\nend").contains("keyboard"))
  }
}

private enum CompletionShell {
  static func isThere(_ name: String) -> Bool {
    ["/bin/", "/usr/bin/"].contains { FileManager.default.isExecutableFile(atPath: $0 + name) }
  }
}
