import Foundation
import TestSupport
import Testing

/// The commands in EXAMPLES of the pages and of `--help` run as they stand: in a shell against the demo's service, in a
/// folder with the files they name.
@Suite(.onOwnThread)
struct ExampleTests {
  struct Example: CustomTestStringConvertible, Sendable {
    let page: String
    let command: String
    var testDescription: String { "\(page): \(command)" }
  }

  static let all: [Example] = (ManPage.commands + [try? ManPage("tw.7")].compactMap { $0 }).flatMap { page in
    page.examples.map { Example(page: page.name, command: $0) }
  }

  /// Files that examples name.
  private static let files = [
    "twitter.json": tweets, "tweets.json": tweets, "tweets.ndjson": tweets, "archive.ndjson": tweets, "ids.txt": "20\n",
    "tweets.js": "window.YTD.tweets.part0 = [{\"tweet\":{\"id_str\":\"4\",\"full_text\":\"mine\"}}]",
    "bin/.keep": "",
  ]

  private static let tweets = (18...20).map {
    #"{"tw":"tweet","id":"\#($0)","service":"x","text":"swift \#($0)","author":{"id":"2","username":"jack"}}"# + "\n"
  }.joined()

  /// Runs each example in a shell of its own, for at most three seconds: some go on until a person stops them.
  private static let script = """
    PATH=~/bin:$PATH
    for example; do
      { tw-cache add ~/tweets.ndjson && tw-cache source add '#swift'; } >/dev/null
      # The demo has no such account.
      tw-cache source add @jack && tw-cache source pause @jack
      timeout -s INT 3 bash -o pipefail -c "$example" >/dev/null
      echo "$?" >&3
    done 3>&1
    """

  @Test(arguments: all)
  func runs(_ example: Example) throws {
    // A line for cron(8) starts with the times when it runs.
    try run([example.command.replacing(/^(\S+ ){5}(?=tw-)/, with: "")])
  }

  @Test(arguments: ManPage.commands.map(\.subject))
  func helpRuns(_ tool: String) throws {
    let examples = try HelpDump(tool: tool).command.withSubcommands().flatMap(\.command.examples)
    // Tests send requests to loopback only. ``HelpTests`` checks the options of the others.
    try run(examples.filter { !$0.contains("https://") || $0.contains("tw-cache") })
  }

  /// Runs commands one after the other, in one home and with one service.
  private func run(_ commands: [String]) throws {
    let home = try TemporaryDirectory()
    for (file, text) in Self.files { try home.write(file, text) }
    let examples = commands.filter(Self.canRun)
    let result = try Tool.run(
      "tw-local", ["--demo", "--rate", "20", "--", "bash", "-c", Self.script, "bash"] + examples, home: home,
      timeout: 120)
    #expect(result.lines.count == examples.count, "\(result.errors)")
    for (example, status) in zip(examples, result.lines) {
      // 124 is the status of timeout(1), 130 that of a shell whose child SIGINT has ended.
      #expect(["0", "1", "124", "130"].contains(status), "\(example): \(status)\n\(result.errors)")
    }
    for fault in ["--help'", "not found", "cannot open"] {
      #expect(!result.errors.contains(fault), "\(result.errors)")
    }
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
