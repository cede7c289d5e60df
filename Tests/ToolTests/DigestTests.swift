import Foundation
import TestSupport
import Testing

/// Digests: a whole message that programs for mail take, whatever is in the tweets.
@Suite(.onOwnThread) struct DigestTests {
  private static let script = Package.root + "/Tests/ToolTests/document-checks.py"
  private static let now = ["TW_NOW": "2021-11-03T21:30:00Z"]
  static let hasMutt = FileManager.default.isExecutableFile(atPath: "/usr/bin/mutt")

  private struct Message: Decodable {
    let subject, to, text, html: String
    let headers, types: [String]
  }

  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func render(_ options: [String], _ records: String) throws -> ToolResult {
    try Tool.run(
      "tw-render", ["--format", "mail"] + options, stdin: ToolInput(records), environment: Self.now, home: home)
  }

  /// The message as Python's parser reads it, which finds no fault.
  private func read(_ options: [String], _ records: String) throws -> Message {
    let result = try render(options, records)
    #expect(result.ending == .status(0), "\(result.errors)")
    try home.write("message", result.stdout)
    let check = try Tool.run(try #require(DocumentCheckerTests.mail), [Self.script, "mail", "message"], home: home)
    #expect(check.ending == .status(0), "\(check.errors.suffix(3000))")
    #expect(check.lines.filter { $0.hasPrefix("FAULT ") } == [])
    return try JSONDecoder().decode(Message.self, from: Data((check.lines.last ?? "").utf8))
  }

  private static func tweet(_ id: Int, _ text: String, name: String = "Jane") -> String {
    #"{"tw":"tweet","id":"\#(id)","service":"x","created_at":"2021-11-03T21:25:00.000Z","text":"\#(text)","author":{"id":"1","#
      + #""username":"jane","name":"\#(name)"}}"# + "\n"
  }

  @Test(.enabled(if: DocumentCheckerTests.mail != nil))
  func aMessageIsReadWithoutDefects() throws {
    let message = try read(
      ["--title", "Übersicht", "--to", "Zoë <me@example.org>", "--to", "b@example.org", "--from", "tw@example.org"],
      DocumentSample.lines.joined(separator: "\n"))
    #expect(message.subject == "Übersicht: \(DocumentSample.lasting) tweets")
    #expect(message.to == "Zoë <me@example.org>, b@example.org")
    #expect(
      message.headers == [
        "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type",
      ])
    #expect(message.types == ["multipart/alternative", "text/plain", "text/html"])
    #expect(message.text.contains("From the start\nFrom here\n>From there\n.\n\nend\nlone"))
    #expect(message.html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
    // Long lines come back whole.
    #expect(message.text.contains(String(repeating: "W", count: 30_000)))
  }

  @Test(.enabled(if: DocumentCheckerTests.mail != nil && TestData.isAvailable, "needs the recordings"))
  func recordedTweetsAreReadWithoutDefects() throws {
    #expect(try read([], DocumentSample.recorded()).text.count > 10_000)
  }

  @Test(.enabled(if: DocumentCheckerTests.mail != nil))
  func picturesArePartsOfTheMessage() throws {
    try DocumentSample.writeWithPictures(to: home)
    let records = String(decoding: try home.read("records"), as: UTF8.self)
    let message = try read(["--photos"], records)
    #expect(
      message.types == ["multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png"])
    // What a picture shows stands below it.
    let pictures = message.html.components(separatedBy: "<img").dropFirst().map { $0.prefix { $0 != ">" } }
    #expect(!pictures.isEmpty && pictures.allSatisfy { $0.contains("style=\"display:block;") }, "\(pictures)")
    #expect(!(try read(["--no-avatars"], records).html.contains("<img")))
  }

  /// Nothing that a tweet or a person says becomes a field of the header.
  @Test(.enabled(if: DocumentCheckerTests.mail != nil))
  func nothingIsPutIntoTheHeader() throws {
    let hostile = #"x\r\nBcc: a@evil.example\r\n\r\n--=_tw-alternative\r\nContent-Type: text/html"#
    let message = try read(["--title", "t\r\nBcc: a@evil.example"], Self.tweet(1, hostile, name: hostile))
    #expect(!message.headers.contains("Bcc"))
    #expect(message.types.count == 3)
    #expect(message.subject == "t Bcc: a@evil.example: 1 tweet")
    for address in [
      "a@b\r\nBcc: c@d", "a b@example.org", "a@", "@b", "<a@b>, <c@d>", "a@b, c@d", "", "ä@example.org", "a@b\n",
    ] {
      #expect(try render(["--to", address], "").ending == .status(64), "'\(address)'")
    }
  }

  /// What is behind a warning is not sent where a program for mail could not keep it closed.
  @Test(.enabled(if: DocumentCheckerTests.mail != nil))
  func foldedTweetsAreNotSent() throws {
    let tweet = Self.tweet(1, "the end").replacing(#""text""#, with: #""extra":{"spoiler_text":"film"},"text""#)
    let shown = try read([], tweet)
    #expect(shown.text.contains("film") && shown.text.contains("the end") && shown.html.contains("the end"))
    let folded = try read(["--warnings", "fold"], tweet)
    #expect(folded.text.contains("film") && folded.html.contains("film"))
    #expect(!folded.text.contains("the end") && !folded.html.contains("the end"))
  }

  @Test func noTweetsAreNoMessage() throws {
    let result = try render(["--unless-empty"], #"{"tw":"notice","level":"info","code":"x","message":"y"}"#)
    #expect(result.ending == .status(1) && result.output.isEmpty && result.errors.isEmpty)
    #expect(try render(["--unless-empty"], Self.tweet(1, "a")).ending == .status(0))
    #expect(try render([], "").output.hasPrefix("Subject: Tweets: 0 tweets\n"))
    // An input that is not whole is none either.
    let missing = try render(["missing"], "")
    #expect(missing.ending == .status(66) && missing.output.isEmpty)
  }

  /// Half a message is none. What the pipe does not hold the program has read, so it has begun.
  @Test func aSignalSendsNothing() throws {
    let tool = try RunningTool("tw-render", ["--format", "mail"], home: home)
    tool.send(ToolInput((0..<2000).map { Self.tweet($0, "hello \($0)") }.joined()))
    try waitUntil {
      tool.send("")
      return tool.unsentBytes == 0
    }
    tool.signal(SIGTERM)
    let result = try tool.finish()
    #expect(result.ending == .signal(SIGTERM) && result.output == "", "\(result.ending) \(result.output.count)")
  }

  /// Servers refuse a large message: of eight photos of a megabyte seven are in it. A small one after them still is.
  @Test func picturesHaveABoundTogether() throws {
    let small = PNGPicture(8, 8).bytes
    // Before its last chunk, of twelve bytes.
    let large = Array(small.dropLast(12)) + [UInt8](repeating: 0, count: 1_049_000) + small.suffix(12)
    let keys = (0..<9).map { String(repeating: "0\($0)", count: 32) }
    for key in keys {
      try home.write(".local/share/tw/thumbnails/\(key.prefix(2))/\(key).png", key == keys[8] ? small : large)
    }
    let records = keys.enumerated().map { index, key in
      Self.tweet(index, "photo").replacing(
        #""author""#,
        with: #""attachments":{"media":[{"type":"photo","url":"https://example.com/\#(index).jpg","#
          + #""picture":{"key":"\#(key)"}}]},"author""#)
    }
    let message = try render(["--photos", "--no-avatars"], records.joined()).output
    let parts = message.matches(of: /Content-ID: <([0-9a-f]+)@/).map { String($0.1) }
    #expect(parts == keys.filter { $0 != keys[7] })
    #expect(message.utf8.count < 12 << 20)
  }

  @Test func theSameTweetsAreTheSameMessage() throws {
    let records = DocumentSample.lines.joined(separator: "\n")
    #expect(try render([], records).stdout == render([], records).stdout)
    let (one, other) = (try render([], Self.tweet(1, "a")).output, try render([], Self.tweet(1, "b")).output)
    func id(_ text: String) -> Substring? { text.split(separator: "\n").first { $0.hasPrefix("Message-ID") } }
    #expect(id(one) != id(other))
  }

  @Test func aFullDiskIsReported() throws {
    let result = try Tool.run(
      "tw-render", ["--format", "mail"], stdin: DocumentSample.input, home: home, stdoutPath: "/dev/full")
    #expect(result.ending == .status(74), "\(result.errors)")
    // Nor is there room for what waits.
    let full = try Tool.shell(
      "ulimit -f 64; tw-render --format mail | cat > /dev/null; exit ${PIPESTATUS[0]}",
      stdin: ToolInput((0..<2000).map { Self.tweet($0, String(repeating: "wide ", count: 50)) }.joined()), home: home)
    #expect(full.ending == .status(74), "\(full.errors)")
    #expect(full.errors.contains("cannot write to a file in '"), "\(full.errors)")
  }

  /// The line of the page, as cron runs it.
  @Test func theLineForCronRuns() throws {
    let page = try String(contentsOfFile: Package.root + "/man/tw-render.1", encoding: .utf8)
    let line = try #require(page.split(separator: "\n").first { $0.hasPrefix("0 7 * * 1 ") })
    let command = line.dropFirst(10).replacing("\\(dq", with: "\"")
    #expect(!command.contains("%"), "a line break for cron")
    try home.program("sendmail", "#!/bin/sh\ncat > sent\necho \"$@\" > arguments\n")
    try home.write("cron.sh", command.replacing("/usr/sbin/sendmail", with: "./sendmail") + "\n")
    func run() throws -> ToolResult {
      try Tool.shell(
        "env -i HOME=\"$HOME\" LOGNAME=me SHELL=/bin/sh PATH=\"$PATH\" /bin/sh cron.sh", home: home)
    }
    // Of an empty store no mail is sent.
    let empty = try run()
    #expect(!home.exists("sent") && empty.output.isEmpty, "\(empty.output)\(empty.errors)")
    let time = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: -3600))
    let added = try Tool.run(
      "tw-cache", ["add"],
      stdin: ToolInput(Self.tweet(20, "hello there").replacing("2021-11-03T21:25:00.000Z", with: time)), home: home)
    #expect(added.ending == .status(0))
    let result = try run()
    #expect(result.ending == .status(0) && result.output.isEmpty && result.errors.isEmpty, "\(result.errors)")
    let sent = String(decoding: try home.read("sent"), as: UTF8.self)
    #expect(sent.hasPrefix("To: me\nSubject: This week: 1 tweet\n") && sent.contains("hello there"))
    #expect(String(decoding: try home.read("arguments"), as: UTF8.self) == "-t\n")
    let left = try Tool.shell("ls -A | grep -c '^tmp[.]'", home: home)
    #expect(left.output == "0\n")
  }

  @Test(.enabled(if: hasMutt && Terminal.isAvailable, "needs mutt and tmux"))
  func muttShowsIt() throws {
    let records = Self.tweet(1, #"h\u00e9llo \u6f6e\nFrom here\n.\nend"#) + Self.tweet(2, #"\u202egnp.exe"#)
    let message = try render(["--title", "Woche ü", "--from", "Tw <tw@example.org>"], records)
    try home.write("box", "From tw@example.org Wed Nov  3 21:30:00 2021\n" + message.output + "\n")
    let terminal = try Terminal(
      "mkdir Mail; mutt -n -F /dev/null -R -f box", environment: ["LC_ALL": "C.UTF-8"], home: home)
    try terminal.wait(for: "Woche ü: 2 tweets")
    try terminal.press("Enter")
    try terminal.wait(for: "Jane (@jane)")
    let rows = try terminal.rows().map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(rows.joined(separator: "\n").contains("\nhéllo 潮\nFrom here\n.\nend\n"), "\(rows)")
  }
}
