import Foundation
import TestSupport
import Testing

/// The commands in EXAMPLES run as they stand: in a shell against the demo's service, in a folder with the files they
/// name.
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

  private static let tweets = (1...3).map {
    #"{"tw":"tweet","id":"\#($0)","service":"x","text":"swift \#($0)","author":{"id":"2","username":"jack"}}"# + "\n"
  }.joined()

  @Test(arguments: all)
  func runs(_ example: Example) throws {
    let home = try TemporaryDirectory()
    for file in ["twitter.json", "tweets.ndjson", "archive.ndjson"] { try home.write(file, Self.tweets) }
    try home.write("tweets.js", "window.YTD.tweets.part0 = [{\"tweet\":{\"id_str\":\"4\",\"full_text\":\"mine\"}}]")
    try home.write("bin/.keep", "")
    // A line for cron(8) starts with when it runs.
    let command = example.command.replacing(/^(\S+ ){5}(?=tw-)/, with: "")
    if let missing = ["jq", "less"].first(where: { command.contains(" | \($0) ") && !Self.isThere($0) }) {
      print("skipped, since \(missing) is not installed: \(command)")
      return
    }
    // What goes on for ever is ended after a while, as a person would.
    let result = try Tool.run(
      "tw-local",
      [
        "--demo", "--rate", "20", "--", "timeout", "-s", "INT", "3", "bash", "-c",
        "tw-cache add ~/tweets.ndjson >/dev/null; PATH=~/bin:$PATH; " + command,
      ], home: home)
    let isEnded = [.status(0), .status(1), .status(124), .signal(SIGINT)].contains(result.ending)
    #expect(isEnded, "ended with \(result.ending)")
    #expect(!result.errors.contains("--help'"), "a wrong option: \(result.errors)")
    #expect(!result.errors.contains("not found"), "\(result.errors)")
  }

  private static func isThere(_ program: String) -> Bool {
    ["/usr/bin/", "/bin/", "/usr/local/bin/"].contains { FileManager.default.isExecutableFile(atPath: $0 + program) }
  }
}
