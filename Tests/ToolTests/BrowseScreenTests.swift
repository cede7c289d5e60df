import Foundation
import TestSupport
import Testing

/// Whole screens of tw-browse in four languages at four widths, as `BrowseScreens/LANGUAGE-COLUMNS.txt` has them.
///
/// `RECORD=tw-browse` writes all of them anew, `RECORD=tw-browse/ar-80` one: review the diff.
@Suite(.onOwnThread(minutes: 2), .enabled(if: Terminal.isAvailable, "needs tmux"))
struct BrowseScreenTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private static let directory = Package.root + "/Tests/ToolTests/BrowseScreens"

  struct Look: CustomTestStringConvertible, Sendable {
    let language: String
    let columns: Int

    var testDescription: String { "\(language)-\(columns)" }

    static let all = ["en", "de", "ja", "ar"].flatMap { language in
      [40, 80, 120, 200].map { Look(language: language, columns: $0) }
    }

    var isRecorded: Bool {
      let wanted = (ProcessInfo.processInfo.environment["RECORD"] ?? "").split(separator: ",")
      return wanted.contains("1") || wanted.contains("tw-browse") || wanted.contains("tw-browse/\(testDescription)")
    }
  }

  @Test(arguments: Look.all)
  func screensAreAsTheyWere(look: Look) throws {
    let records = try String(contentsOfFile: Self.directory + "/records.ndjson", encoding: .utf8)
    #expect(try add(records, ["--quiet"]).status == 0)
    var found: [(name: String, rows: [Substring])] = []
    let browse = try Terminal(
      // The terminal keeps a locale that the system has.
      "LC_ALL=\(look.language).UTF-8 tw-browse --offline", columns: look.columns,
      environment: ["TW_NOW": "2021-11-03T21:30:00Z"], home: home)
    try browse.wait("the whole list") { $0.contains("Tomasz") && $0.contains("Ann") && !$0.contains(" …\n …") }
    for (name, keys) in [
      ("list", []), ("the third one read", ["j", "j", "Enter"]), ("its author", ["Escape", "p"]),
      ("keys", ["Escape", "?"]), ("a search", ["Escape", "/"]),
    ] {
      for key in keys {
        try browse.press(key)
        // An Esc is one when nothing follows it for a moment.
        if key == "Escape" { usleep(200_000) }
      }
      found.append((name, try browse.settled()))
    }
    let text = found.map { "── \($0.name)\n" + $0.rows.joined(separator: "\n") + "\n" }.joined()
    let path = "\(Self.directory)/\(look.testDescription).txt"
    if look.isRecorded { return try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
    let expected = try String(contentsOfFile: path, encoding: .utf8)
    let lines = [expected, text].map { $0.split(separator: "\n", omittingEmptySubsequences: false) }
    let differing = zip(lines[0], lines[1]).enumerated().filter { $1.0 != $1.1 }
    let shown = differing.prefix(12).map { "-\($0 + 1): \($1.0)\n+\($0 + 1): \($1.1)" }.joined(separator: "\n")
    #expect(text == expected, "RECORD=tw-browse/\(look.testDescription) writes it anew\n\(shown)")
  }
}
