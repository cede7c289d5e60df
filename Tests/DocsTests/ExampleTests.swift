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

  /// What a user's home has already when an example is typed, in a folder of its own, and how long one may run: what
  /// goes on for ever is ended after a while, as a person would.
  private static let script = """
    PATH=~/bin:$PATH
    for example; do
      { tw-cache add ~/tweets.ndjson && tw-cache source add '#swift'; } >/dev/null
      # The demo has no such account.
      tw-cache source add @jack && tw-cache source pause @jack
      timeout -s INT 3 bash -c "$example" >/dev/null
      echo "$?" >&3
    done 3>&1
    """

  @Test(arguments: all)
  func runs(_ example: Example) throws {
    // A line for cron(8) starts with when it runs.
    try run([example.command.replacing(/^(\S+ ){5}(?=tw-)/, with: "")])
  }

  @Test(arguments: ManPage.commands.map(\.subject))
  func helpRuns(_ tool: String) throws {
    let examples = try HelpDump(tool: tool).command.withSubcommands().flatMap(\.command.examples)
    // Tests send nothing to other machines; whether the options are there is looked at all the same.
    try run(examples.filter { !$0.contains("https://") || $0.contains("tw-cache") })
  }

  /// Runs commands one after the other.
  private func run(_ examples: [String]) throws {
    let home = try TemporaryDirectory()
    for (file, text) in Self.files { try home.write(file, text) }
    let isThere = { (program: String) in
      Self.directories.contains { FileManager.default.isExecutableFile(atPath: $0 + program) }
    }
    for example in examples {
      guard let missing = ["jq", "less"].first(where: { example.contains(" | \($0) ") && !isThere($0) }) else {
        continue
      }
      print("skipped, since \(missing) is not installed: \(example)")
    }
    let result = try Tool.run(
      "tw-local", ["--demo", "--rate", "20", "--", "bash", "-c", Self.script, "bash"] + examples, home: home,
      timeout: 120)
    #expect(result.lines.count == examples.count, "\(result.errors)")
    for (example, status) in zip(examples, result.lines) {
      // 124 is timeout(1)'s, 130 that of a shell's child which SIGINT has ended.
      #expect(["0", "1", "124", "130"].contains(status), "\(example): \(status)\n\(result.errors)")
    }
    for fault in ["--help'", "not found", "cannot open", "no such"] {
      #expect(!result.errors.contains(fault), "\(result.errors)")
    }
  }

  private static let directories = ["/usr/bin/", "/bin/", "/usr/local/bin/"]
}
