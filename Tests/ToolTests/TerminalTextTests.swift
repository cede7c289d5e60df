import Foundation
import TestSupport
import Testing

/// What a terminal would obey reaches none, whatever prints it: control characters (Cc: C0, DEL, C1) and those that
/// change the direction of what follows (Bidi_Control in PropList.txt).
@Suite(.onOwnThread) struct TerminalTextTests {
  static let dangerous: [Unicode.Scalar] =
    (Array(0x01...0x1F) + Array(0x7F...0x9F) + [0x61C, 0x200E, 0x200F] + Array(0x202A...0x202E) + Array(0x2066...0x2069))
    .compactMap { Unicode.Scalar($0 as UInt32) }

  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// All of them in one text, the raw ones that JSON allows and escapes of the others.
  private static let text = dangerous.map { $0.value < 0x20 ? String(format: "\\u%04x", $0.value) : String($0) }
    .joined(separator: "x")

  /// Runs a command on a terminal of its own, and gives all bytes that it was sent.
  private func sent(by command: String) throws -> String {
    let script = "import pty, sys; sys.exit(pty.spawn(['/bin/sh', '-c', sys.argv[1]]) >> 8)"
    let result = try Tool.run(
      "/usr/bin/env", ["python3", "-c", script, command], environment: ["NO_COLOR": "1", "TERM": "dumb"], home: home,
      directory: home.path)
    return result.output
  }

  private func expectHarmless(_ command: String) throws {
    let sent = try sent(by: command)
    // The terminal ends lines with CR and LF.
    let text = sent.replacing("\r\n", with: "\n")
    let found = Set(text.unicodeScalars).intersection(Self.dangerous).subtracting(["\n", "\t"])
    #expect(found.isEmpty, "\(command) sends \(found.map { String($0.value, radix: 16) }.sorted())")
    #expect(text.contains("whole"), "\(command) prints nothing of it: \(text.prefix(300).debugDescription)")
  }

  /// Each tool that prints records, and each format for people and for programs.
  @Test func recordsOnATerminal() throws {
    let words = "whole \(Self.text)"
    let author = #"{"id":"7","username":"u","name":"\#(words)","description":"\#(words)","location":"\#(words)"}"#
    let tweet =
      #"{"tw":"tweet","id":"20","service":"x","created_at":"2021-11-03T21:30:00.000Z","text":"\#(words)","#
      + #""author":\#(author),"entities":{"hashtags":[{"start":0,"end":1,"tag":"\#(words)"}]},"source":"\#(words)","feeds":["\#(words)"]}"#
    let user = #"{"tw":"user","service":"x",\#(author.dropFirst())"#
    let notification =
      #"{"tw":"notification","service":"x","account":"a","id":"n","kind":"follow","#
      + #""at":"2021-11-03T21:30:00.000Z","user":\#(author)}"#
    let notice = #"{"tw":"notice","level":"warning","code":"c","message":"\#(words)","at":"2021-11-03T21:30:00.000Z"}"#
    try home.write("records", [tweet, user, notification, notice].joined(separator: "\n") + "\n")
    try home.write("tweet", tweet + "\n")
    try home.write("raw", #"{"data":{"id":"20","text":"\#(words)","author_id":"7"}}"# + "\n")
    try home.program("bin/tw-source-t", "#!/bin/sh\ncat \"$HOME/raw\"\n")
    for command in [
      "tw-parse records", "tw-parse raw", "tw-cache add records", "tw-cache list", "tw-cache show 20", "tw-cache users",
      "tw-cache notifications", "tw-cache export", "tw-cache top hashtags", "tw-linkcheck --offline records",
      "tw-avatar records",
      "tw-parse records | tw-cache add", "PATH=$HOME/bin:$PATH tw-stream --once t:x",
    ] { try expectHarmless(command) }
    for format in [
      "text", "line", "detail", "csv", "tsv", "twarc", "html", "atom", "json-feed", "markdown", "mbox",
      "mail --to a@b.co",
    ] { try expectHarmless("tw-render -f \(format) tweet") }
    try expectHarmless("tw-render records")
    // In a file they stay as they are.
    #expect(try Tool.shell("tw-parse records", home: home, directory: home.path).output.contains("\u{9B}"))
  }

  /// What was copied from a terminal is the same record.
  @Test func escapedRecordsSayTheSame() throws {
    try home.write("tweet", #"{"tw":"tweet","id":"20","service":"x","text":"\#(Self.text)\#u{E0067}"}"# + "\n")
    let all = try sent(by: "tw-parse tweet")
    let start = try #require(all.firstRange(of: "{\"tw\""), "\(all)").lowerBound
    let sent = String(all[start...].prefix { !$0.isNewline })
    let (one, other) = (
      try JSONObject.list([sent]), try JSONObject.list([String(decoding: try home.read("tweet"), as: UTF8.self)])
    )
    #expect(JSONObject.areEqual(one[0], other[0]))
    #expect(sent.contains(#"\u009b"#) && sent.contains(#"\udb40\udc67"#), "\(sent)")
  }

  /// Names of files, words of the command line and what programs say.
  @Test func messagesOnATerminal() throws {
    let raw = String(String.UnicodeScalarView(Self.dangerous.filter { $0 != "\n" && $0 != "\u{4}" }))
    try home.write("name", "whole" + raw)
    try home.write("bad", "whole\(raw)\n")
    for command in [
      "tw-parse \"$(cat name)\"", "tw-render \"$(cat name)\"", "tw-cache list --label \"$(cat name)\"",
      "tw-cache list --author \"$(cat name)\"; echo whole", "tw-render --locale \"$(cat name)\" tweet; echo whole",
      "tw-cache source add \"$(cat name)\"; echo whole", "tw config set mute \"$(cat name)\"; tw config list",
      "tw-linkcheck \"http://127.0.0.1:1/$(cat name)\"", "tw-post --dry-run \"$(cat name)\" --account a; echo whole",
      "tw \"$(cat name)\"",
    ] { try expectHarmless(command) }
  }
}
