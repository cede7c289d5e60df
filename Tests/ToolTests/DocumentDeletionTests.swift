import Foundation
import TestSupport
import Testing

/// What the input of a document deletes is not in it, wherever the deletion stands.
@Suite(.onOwnThread) struct DocumentDeletionTests {
  static let formats = ["csv", "tsv", "twarc", "atom", "json-feed", "markdown", "mbox", "m3u", "mail"]

  private static func tweet(_ id: Int, _ text: String, _ more: String = "") -> String {
    #"{"tw":"tweet","id":"\#(id)","service":"x","created_at":"2021-11-03T21:25:00.000Z","text":"\#(text)","author":{"id":"1","#
      + #""username":"ann"},"entities":{"urls":[{"start":0,"end":3,"url":"https://t.co/\#(text)","expanded_url":"https://t.example/\#(text)","#
      + #""link_kind":"music","verdict":"ok"}]}\#(more)}"#
      + "\n"
  }

  private static func deletion(_ id: Int) -> String { #"{"tw":"delete","service":"x","id":"\#(id)"}"# + "\n" }

  private static func reference(_ type: String, _ tweet: String) -> String {
    #","referenced_tweets":[{"type":"\#(type)","# + tweet.dropFirst().dropLast() + "]"
  }

  @Test(arguments: formats, [false, true]) func whatIsDeletedIsLeftOut(_ format: String, _ isFirst: Bool) throws {
    let secret = Self.tweet(1, "secret")
    let records =
      secret + Self.tweet(2, "kept") + Self.tweet(3, "quote", Self.reference("quoted", secret))
      + Self.tweet(4, "repeat", Self.reference("retweeted", secret))
    let input = isFirst ? Self.deletion(1) + records : records + Self.deletion(1)
    let result = try RenderedFormat.run(format, records: input)
    #expect(result.ending == .status(0) && result.errors.isEmpty, "\(result.errors)")
    #expect(!result.output.contains("secret") && result.output.contains("kept"), "\(result.output)")
    #expect(try RenderedFormat.run(format, records: records).output.contains("secret"))
  }

  /// Nor is an older version there, of a time when everybody could see it.
  @Test(arguments: formats) func whatBecamePrivateIsLeftOut(_ format: String) throws {
    let closed = Self.tweet(1, "secret", #","extra":{"visibility":"private"}"#)
    let result = try RenderedFormat.run(format, records: Self.tweet(1, "secret") + Self.tweet(2, "kept") + closed)
    #expect(result.ending == .status(0) && !result.output.contains("secret") && result.output.contains("kept"))
  }

  /// A document that is valid without its first element stays so.
  @Test func aFeedWithoutItsFirstItemIsWhole() throws {
    let records = Self.tweet(1, "secret") + Self.tweet(2, "kept") + Self.deletion(1)
    let feed = try RenderedFormat.run("json-feed", records: records)
    let object = LooseJSON(try JSONSerialization.jsonObject(with: Data(feed.stdout)))
    #expect(object["items"][0]["id"].text.contains("2"))
  }

  /// On a live pipe what was written stays written: a message says how many posts were deleted since.
  @Test func aDeletionThatComesTooLateIsSaid() throws {
    let tool = try RunningTool("tw-render", ["--format", "csv"])
    tool.send(ToolInput(Self.tweet(1, "secret")))
    var line = try tool.line()
    while let text = line, !text.contains("secret") { line = try tool.line() }
    tool.send(ToolInput(Self.deletion(1) + Self.tweet(2, "kept")))
    let result = try tool.finish()
    #expect(result.ending == .status(0) && result.errors.contains("1 post was deleted after"), "\(result.errors)")
  }

  // MARK: Titles

  /// A title says what a post is that has no words.
  @Test(arguments: [
    (
      #""text":"","attachments":{"poll":{"options":[{"label":"Tea","votes":1},{"label":"Milk","votes":2}]}}"#,
      "☐ Tea ☐ Milk"
    ),
    (
      #""text":"","referenced_tweets":[{"type":"quoted","id":"9","text":"So it is","author":{"username":"bob"}}]"#,
      "❝ So it is"
    ),
    (
      #""text":"\u200b\u200d\u2060","attachments":{"media":[{"type":"photo","url":"https://a.example/1.jpg","alt_text":"A cat"}]}"#,
      "photo: A cat"
    ),
    (#""text":"\u2800\u3164 ""#, "1 tweet"), (#""text":"""#, "1 tweet"),
    (#""text":"","deleted_at":"2026-01-01T00:00:00.000Z""#, "deleted"),
    (
      #""text":"RT","referenced_tweets":[{"type":"retweeted","id":"9","text":"\u200b","author":{"username":"bob"}}]"#,
      "RT @bob: 1 tweet"
    ),
  ])
  func aTitleSaysWhatItIs(_ members: String, _ title: String) throws {
    let record = #"{"tw":"tweet","id":"13","service":"x","author":{"username":"ann"},"# + members + "}\n"
    let feed = try RenderedFormat.run("atom", records: record).output
    #expect(feed.components(separatedBy: "<title>").last?.hasPrefix("\(title)</title>") == true, "\(feed)")
  }

  // MARK: Mail

  /// RFC 2047 §2: a line with an encoded word has 76 characters at most.
  @Test func linesOfAHeaderAreShort() throws {
    let (name, text) = (String(repeating: "Ähren ", count: 16), String(repeating: "Größe für alle ", count: 8))
    let record =
      #"{"tw":"tweet","id":"1","service":"mastodon:a-rather-long.example","text":"\#(text)","author":{"username":"ann.of.the.long.name","name":"\#(name)"}}"#
    for (format, options) in [
      ("mbox", []),
      ("mail", ["--title", text, "--to", "Jörg Müller-Lüdenscheidt der Jüngere <somebody.with.a.name@mail.example>"]),
    ] {
      let mail = try Tool.run("tw-render", ["--format", format] + options, stdin: ToolInput(record + "\n")).output
      let header = mail.components(separatedBy: "\n\n")[0].split(separator: "\n")
      let lines = header.filter { $0.contains("=?UTF-8?") || $0.hasPrefix(" <") }
      #expect(lines.count >= 3 && lines.allSatisfy { $0.utf8.count <= 76 }, "\(lines)")
      let decoded = try Tool.run(
        "/usr/bin/env",
        [
          "python3", "-c",
          "import sys,email,email.policy; m=email.message_from_string(sys.stdin.read(),policy=email.policy.default); print(m['Subject']); print(m['From'] or m['To'])",
        ], stdin: ToolInput(format == "mbox" ? mail.split(separator: "\n", maxSplits: 1)[1] + "" : mail)
      ).lines
      #expect(decoded[0].hasPrefix("Größe für alle Größe"), "\(decoded)")
      #expect(decoded[1].hasSuffix(format == "mbox" ? "example.mastodon.invalid>" : "mail.example>"), "\(decoded)")
    }
  }

  /// Gmail hides what is beyond 102 kB of HTML.
  @Test func aMessageThatIsCutOffIsSaid() throws {
    let tweets = (1...300).map { Self.tweet($0, "kept") }.joined()
    let result = try Tool.run("tw-render", ["--format", "mail"], stdin: ToolInput(tweets))
    #expect(result.ending == .status(0) && result.errors.contains("Gmail"), "\(result.errors)")
    #expect(try Tool.run("tw-render", ["--format", "mail"], stdin: ToolInput(Self.tweet(1, "kept"))).errors.isEmpty)
  }

  /// WCAG 2.1, 1.4.3: text has a contrast of 4.5 at least, on a white ground and, with the colours that programs take
  /// there, on a dark one.
  @Test func textOfAMessageHasContrast() throws {
    let tweet = Self.tweet(1, "dead").replacing(#""verdict":"ok""#, with: #""verdict":"dead","status":404"#)
    let mail = try Tool.run("tw-render", ["--format", "mail"], stdin: ToolInput(tweet)).output
      .replacing("=\n", with: "").replacing("=3D", with: "=")
    let sheet = try #require(mail.firstMatch(of: /(?s)<style>(.*?)<\/style>/)?.1)
    #expect(sheet.contains("prefers-color-scheme:dark"))
    var dark: [String: String] = [:]
    for rule in sheet.matches(of: /\.([a-z]+)\{color:(#[0-9a-f]{6})/) { dark[String(rule.1)] = String(rule.2) }
    var count = 0
    for tag in mail.matches(of: /<[a-z]+ [^>]*style="[^"]*"[^>]*>/) {
      guard let colour = tag.0.matches(of: /(?:"|;)color:(#[0-9a-f]{6})/).last?.1, colour != "#ffffff" else { continue }
      if tag.0.contains("color:inherit") { continue }
      count += 1
      #expect(Self.contrast(String(colour), "#ffffff") >= 4.5, "\(tag.0)")
      let name = tag.0.firstMatch(of: /class="([a-z]+)"/).map { String($0.1) } ?? ""
      #expect(dark[name].map { Self.contrast($0, "#1f1f1f") >= 4.5 } == true, "\(tag.0)")
    }
    #expect(count > 4)
  }

  private static func contrast(_ one: String, _ other: String) -> Double {
    func luminance(_ colour: String) -> Double {
      let value: Int = Int(colour.dropFirst(), radix: 16) ?? 0
      func part(_ shift: Int) -> Double {
        let share = Double((value >> shift) & 255) / 255
        if share <= 0.04045 { return share / 12.92 }
        return pow((share + 0.055) / 1.055, 2.4)
      }
      let (red, green, blue) = (part(16), part(8), part(0))
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    let (a, b) = (luminance(one), luminance(other))
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)
  }

  // MARK: Markdown

  /// What is markup in Pandoc's dialect alone stays text.
  @Test func pandocReadsText() throws {
    let text =
      #"@bob 10^10^\n: not a definition\n(1) one\na. two\niv) three\nAnd. four\n::: warning\n% title\n(@) five"#
    let record = #"{"tw":"tweet","id":"1","service":"x","text":"\#(text)","author":{"username":"ann"}}"# + "\n"
    let page = try Tool.run("tw-render", ["--format", "markdown"], stdin: ToolInput(record)).output
    #expect(
      page.contains(
        "\\@bob 10\\^10\\^\\\n\\: not a definition\\\n\\(1) one\\\na\\. two\\\niv\\) three\\\nAnd. four\\\n\\::: warning\\\n"
          + "\\% title\\\n\\(\\@) five"), "\(page)")
  }

  /// RFC 5322 §2.2: a header is ASCII. An address that is not stands in the body alone.
  @Test func anAddressOutsideASCIIIsInNoHeader() throws {
    func message(_ host: String) throws -> [Substring] {
      let record =
        #"{"tw":"tweet","service":"mastodon","id":"1","url":"https://\#(host)/@anna/1","text":"hi","#
        + #""created_at":"2026-01-01T00:00:00.000Z","author":{"id":"1","username":"a"}}"#
      return try Tool.run("tw-render", ["-f", "mbox"], stdin: ToolInput(record + "\n")).output
        .split(separator: "\n\n", maxSplits: 1)
    }
    #expect(try message("example.org")[0].contains("\nArchived-At: <https://example.org/@anna/1>\n"))
    let other = try message("ex\u{E4}mple.org")
    #expect(!other[0].contains("Archived-At") && other[0].utf8.allSatisfy { $0 < 0x80 }, "\(other)")
    #expect(other[1].contains("https://ex\u{E4}mple.org/@anna/1"))
  }
}
