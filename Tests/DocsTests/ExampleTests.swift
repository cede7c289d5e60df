import Foundation
import TestSupport
import Testing

/// The commands in EXAMPLES of the pages and of `--help`, and in the README, run as they stand: in a shell against the
/// demo's service, in a folder with the files they name; lines for cron run in cron's environment. Those of pages are
/// read as a terminal of 80 columns shows them. Each must print something, or be one of the few that are silent.
@Suite(.onOwnThread)
struct ExampleTests {
  struct Page: CustomTestStringConvertible, Sendable {
    let name: String
    let examples: [String]
    var testDescription: String { name }
  }

  static let pages: [Page] = {
    let pages = ManPage.commands + [try? ManPage("tw.7")].compactMap { $0 }
    return pages.map { Page(name: $0.name, examples: $0.shownExamples) } + [Page(name: "README.md", examples: readme)]
  }()

  /// The shell blocks that show how to use the tools; those before them build and install the tools.
  private static let readme: [String] = {
    let text = (try? Package.text("README.md")) ?? ""
    let part = text.components(separatedBy: "\n## Use it\n").last ?? ""
    return part.matches(of: /(?s)\n```sh\n(.*?)\n```\n/).map { String($0.1) }
  }()

  /// Commands that print nothing when all goes well, as the last of an example.
  private static let silent = [
    "tw config set ", "tw config unset ", "tw config alias by ", "tw-cache forget --yes ", "tw-cache forget --person ",
    "tw-cache forget --undo",
    "tw-cache source add ", "tw-cache source remove ",
    "tw-cache source pause ",
    "tw-cache source resume ", "tw-cache label +", "tw-cache query save ", "tw-cache query remove ",
    "tw-cache prune ", "tw-cache import ", "tw-cache check",
    "tw-cache backup ", "tw-cache restore ",
    "tw-cache refresh '#swift' ", "tw-cache refresh --complain-after ", "tw-auth login ", "tw-auth use ",
    "tw-auth logout ", "tw-auth import ", "tw-auth follows import --yes ", "tw-cache users --also-on ",
    "f=$HOME/tw.prom; ",
  ]

  /// Files that examples name.
  private static func write(to home: TemporaryDirectory) throws {
    let now = Date().ISO8601Format()
    let texts = ["swift at the tide tables", "swift and concurrency", "swift 20"]
    let tweets = texts.enumerated().map { number, text in
      #"{"tw":"tweet","id":"\#(18 + number)","service":"x","created_at":"\#(now)","#
        + #""text":"\#(text)","#
        + #""author":{"id":"2","username":"jack"}}"# + "\n"
    }.joined()
    try home.write("tweets.ndjson", tweets)
    // Not in the store.
    for file in ["twitter.json", "tweets.json"] {
      try home.write(file, tweets.replacing(#""id":"1"#, with: #""id":"3"#))
    }
    // One is a profile, and one cannot be read.
    let user = #"{"tw":"user","service":"x","id":"2","username":"jack"}"# + "\n"
    try home.write("archive.ndjson", tweets + user + "{\n")
    try home.write("tweets.js", #"window.YTD.tweets.part0 = [{"tweet":{"id_str":"4","full_text":"mine"}}]"#)
    // A folder is read as the archive is that it came from, and needs no unzip.
    for (name, element) in [
      ("account", #"{"account":{"accountId":"12","username":"jack"}}"#),
      ("tweets", #"{"tweet":{"id_str":"5","full_text":"mine"}}"#),
    ] { try home.write("twitter.zip/data/\(name).js", "window.YTD.\(name).part0 = [\(element)]") }
    try home.write("ids.txt", "20\n")
    // Nobody of the first is followed, and all of the second.
    try home.write("people.csv", "username\nmaja\nolle\n")
    try home.write("follows.csv", "username\nmaren_k\n")
    try home.write("bin/.keep", "")
    try home.write("password", "correct horse\n")
    let account = "profiles:\n  jack:\n    key:\n      consumer_secret: a\n      token: 12-b\n      secret: c\n"
    for file in [".twurlrc", "old/.twurlrc"] { try home.write(file, account) }
    try home.write("run.sh", script)
  }

  /// Runs each example in a shell of its own, and prints its status and how many lines it printed. An example that does
  /// not end by itself is stopped when it has printed something.
  ///
  /// The store has tweets of the demo, with checked links, and the setting and the reads that some examples show.
  private static let script = #"""
    TOOLS=$(dirname "$(command -v tw-cache)"); export TOOLS
    PATH=~/bin:$PATH
    # That a stream is open is not yet what an example is for.
    printed() { grep -cavE '^ *— |^\{"tw":"(context|notice)"' ~/output; }
    {
      tw config set db "$TW_DB"; tw config set token-file ~/.x-token
      # cron's environment has only the settings of the home.
      mkdir -p ~/.config/tw; echo "$TW_TOKEN" >~/.x-token; chmod 600 ~/.x-token
      printf '%s\n' "service=$TW_SERVICE" "endpoint=$TW_ENDPOINT" "token-file.$TW_SERVICE=$HOME/.x-token" "db=$TW_DB" >~/.config/tw/config
      mkdir -p "$XDG_STATE_HOME/tw"
      echo "{\"day\":\"$(date -u +%F)\",\"service\":\"x\",\"app\":\"KEY\",\"account\":\"you\",\"billed\":{\"posts\":1}}" \
        > "$XDG_STATE_HOME/tw/ledger"
      tw-stream --quiet --once '#music' '#opensource' '#swift' '#terminal' | tw-parse | tw-cache add | tw-linkcheck
      # The demo has nothing at this address.
      gone="$TW_ENDPOINT/archive/gone"
      echo '{"tw":"tweet","id":"1","service":"local","text":"'"$gone"'","author":{"id":"2","username":"jack"},' \
        '"entities":{"urls":[{"start":0,"end":'${#gone}',"url":"'"$gone"'","expanded_url":"'"$gone"'"}]}}' |
        tw-cache add
      echo '{"tw":"notification","service":"local","account":"you","id":"1","kind":"follow",' \
        '"at":"'"$(date -u +%FT%T.000Z)"'","user":{"id":"2","username":"jack"}}' | tw-cache add
      tw-cache export --db "$TW_DB" | tw-cache import --db copy.db
      # There is no such user: its refreshes fail.
      tw-cache source add @nobody; tw-cache refresh @nobody
    } >/dev/null 2>&1
    store() {
      tw-cache add ~/tweets.ndjson && tw-cache source add '#swift'
      tw-cache label +unread x:20
      for name in music quiet; do tw-cache query save --yes $name swift; done
      # The demo has no such account.
      tw-cache source add @jack && tw-cache source pause @jack
    } >/dev/null
    accounts() { for name in you maja work; do tw-auth login --quiet --method token --account $name; done 2>/dev/null; }
    store; accounts
    for example; do
      case $example in "tw-cache log"*) tw-cache refresh '#swift' ;; esac
      # A query of that name is there already, and there is nobody who could be asked.
      case $example in *"query save"*) for name in music quiet; do tw-cache query remove --yes $name; done ;; esac
      # There at once: the first look may come before the example has begun.
      : >~/output
      # A shell that an example starts gets a command to run.
      echo tw | timeout 30 bash -o pipefail -c "$example" >~/output &
      while kill -0 $! 2>/dev/null; do
        if [ "$(printed)" != 0 ]; then sleep 1; kill $! 2>/dev/null; break; fi
        sleep 0.1
      done
      wait $!
      echo "$? $(printed)" >&3
      # What an example may have taken away is there again for the next one.
      case $example in *tw-cache*) store ;; esac
      case $example in *tw-auth*) accounts ;; esac
    done 3>&1
    """#

  @Test(arguments: pages)
  func runs(_ page: Page) throws {
    #expect(!page.examples.isEmpty || page.name == "tw-cache-cron.1")
    try run(page.examples.flatMap(Self.commands))
  }

  /// An example, or each line of a crontab(5): as cron(8) starts it, with a shell, no terminal, and an environment that
  /// the crontab itself makes.
  private static func commands(_ example: String) -> [Command] {
    let times = /^([0-9*\/,-]+ ){5}/
    let lines = example.split(separator: "\n").map(String.init)
    guard lines.contains(where: { $0.firstMatch(of: times) != nil }) else { return [Command(text: example)] }
    let variables = lines.filter { $0.firstMatch(of: /^[A-Z]+=/) != nil }
    return lines.compactMap { line in
      guard let start = line.firstMatch(of: times)?.range.upperBound else { return nil }
      let text = String(line[start...])
      // cron takes a percent sign for the end of a line.
      #expect(!text.contains("%"), "\(line)")
      let settings = variables.map { $0.replacing("/usr/local/bin", with: "$TOOLS") }.joined(separator: " ")
      let shell = text.replacing("/usr/local/bin/", with: "$TOOLS/").replacing("'", with: #"'\''"#)
      return Command(
        text: text.replacing("/usr/local/bin/", with: ""),
        shell: "env -i HOME=\"$HOME\" LOGNAME=you SHELL=/bin/sh TOOLS=\"$TOOLS\" PATH=/usr/bin:/bin \(settings) "
          + "/bin/sh -c '\(shell)' </dev/null")
    }
  }

  /// A command as people read it, and as the test's shell runs it.
  struct Command {
    let text: String
    let shell: String

    init(text: String, shell: String? = nil) {
      self.text = text
      self.shell = shell ?? (text.contains("tw-browse") ? Self.onTerminal(text) : text)
    }

    /// A screen needs a terminal of its own: script(1) makes one.
    private static func onTerminal(_ text: String) -> String {
      "TERM=xterm script -qec '\(text.replacing("'", with: #"'\''"#))' /dev/null"
    }
  }

  /// - Parameter part: of ``parts``. A tool with many examples takes longer than any other test.
  @Test(arguments: ManPage.tools.map(\.subject), 0..<parts)
  func helpRuns(_ tool: String, _ part: Int) throws {
    let all = try HelpDump(tool: tool).command.withSubcommands().flatMap(\.command.examples)
    // One after the other, since some use what others have made.
    let examples = all[all.count * part / Self.parts..<all.count * (part + 1) / Self.parts]
    // Tests send requests to loopback only. ``HelpTests`` checks the options of the others.
    // A sign-in on a page waits for a person.
    let isPage = { (example: String) in example.contains("tw-auth login") && !example.contains("-file ") }
    let local = examples.filter { (!$0.contains("https://") || $0.contains("tw-cache")) && !isPage($0) }
    try run(local.map { Command(text: $0) })
  }

  private static let parts = 3

  /// Runs commands one after the other, in one home and with one service.
  private func run(_ commands: [Command]) throws {
    if commands.isEmpty { return }
    let home = try TemporaryDirectory()
    try Self.write(to: home)
    let examples = commands.filter { Self.canRun($0.text) }
    let result = try Tool.run(
      "tw-local", ["--demo", "--rate", "20", "--", "bash", "run.sh"] + examples.map { Self.printing($0.shell) },
      home: home,
      timeout: 280)
    #expect(result.lines.count == examples.count, "\(result.errors)")
    for (example, outcome) in zip(examples.map(\.text), result.lines) {
      let words = outcome.split(separator: " ")
      // 143 is the status of a shell whose child SIGTERM has ended.
      #expect(["0", "1", "143"].contains(words.first), "\(example): \(outcome)\n\(result.errors)")
      let line = example.components(separatedBy: "\n").last ?? example
      // The pipe of an alias is not run.
      let last = line.hasPrefix("tw config alias ") ? line : line.components(separatedBy: " | ").last ?? line
      // A trace finds what the examples before it have left.
      if last.hasPrefix("tw-cache check --trace ") { continue }
      let isSilent = Self.silent.contains { (last + " ").hasPrefix($0) } && !last.contains("--dry-run")
      #expect((words.last != "0") == !isSilent, "\(example): \(outcome)\n\(result.errors)")
    }
    for fault in ["--help'", "not found", "cannot open"] {
      #expect(!result.errors.contains(fault), "\(result.errors)")
    }
  }

  /// The command with its output in sight: what it would write to a file is printed too.
  private static func printing(_ command: String) -> String {
    // No mail leaves the machine, which may have no program for it either.
    let command = command.replacing("/usr/sbin/sendmail -t", with: "cat")
    guard let redirection = command.firstMatch(of: /(>{1,2}) ?(\S+)$/) else { return command }
    let tee = redirection.1 == ">" ? "tee" : "tee -a"
    return "\(command[..<redirection.range.lowerBound]) | \(tee) \(redirection.2)"
  }

  /// Whether the programs are installed that are no part of every system.
  private static func canRun(_ example: String) -> Bool {
    let missing = ["jq", "less"].first { program in
      example.contains(" | \(program) ")
        && !["/usr/bin/", "/bin/", "/usr/local/bin/"].contains {
          FileManager.default.isExecutableFile(atPath: $0 + program)
        }
    }
    if let missing { print("skipped, since \(missing) is not installed: \(example)") }
    return missing == nil
  }
}
