import TestSupport
import Testing

@testable import tw_render

/// Posts that not everybody may see are in no document unless they are asked for, wherever in a record they are.
@Suite(.onOwnThread) struct PrivatePostTests {
  private static let author = #""author_id":"7","author":{"id":"7","username":"ann","name":"Ann""#

  /// Posts whose text has the word `secret`, by what makes them private.
  private static let secrets = [
    tweet("1", #""text":"secret one","extra":{"visibility":"private"}"#),
    tweet("2", #""text":"secret two","extra":{"visibility":"direct"}"#),
    tweet("3", #""text":"secret three","extra":{"visibility":"a word of tomorrow"}"#),
    tweet("4", #""text":"secret four""#, service: "x", more: #","protected":true"#),
    tweet("5", #""text":"RT @bob: secret five","referenced_tweets":[\#(inner("retweeted", "90", "secret five"))]"#),
  ]
  /// Posts for everybody, with a private one in each.
  private static let outer = [
    tweet("11", #""text":"open one","referenced_tweets":[\#(inner("quoted", "91", "secret six"))]"#),
    tweet("12", #""text":"open two","referenced_tweets":[\#(inner("replied_to", "92", "secret seven"))]"#),
    tweet(
      "13",
      #""text":"RT @bob: open three","referenced_tweets":[{"type":"retweeted","id":"93","text":"open three",\#(author)},"#
        + #""referenced_tweets":[\#(inner("quoted", "94", "secret eight"))]}]"#),
    tweet("14", #""text":"open four","extra":{"visibility":"unlisted"}"#, more: #","protected":true"#),
  ]

  private static func tweet(
    _ id: String, _ members: String, service: String = "mastodon:m.example", more: String = ""
  ) -> String {
    #"{"tw":"tweet","id":"\#(id)","service":"\#(service)","created_at":"2021-11-03T21:25:00.000Z",\#(members),"#
      + author + more + "}}"
  }

  private static func inner(_ type: String, _ id: String, _ text: String) -> String {
    #"{"type":"\#(type)","id":"\#(id)","text":"\#(text)","extra":{"visibility":"private"},\#(author)},"#
      + #""entities":{"urls":[{"start":0,"end":6,"url":"secret","expanded_url":"https://secret.example/","title":"secret","#
      + #""verdict":"ok","link_kind":"music"}]}}"#
  }

  @Test(arguments: FormatChoice.published.map(\.rawValue))
  func documentsHaveNone(_ format: String) throws {
    let records = (Self.secrets + Self.outer).joined(separator: "\n")
    let result = try RenderedFormat.run(format, records: records)
    #expect(result.ending == .status(0))
    #expect(!result.output.contains("secret"))
    for id in 1...5 where format == "ids" { #expect(!result.lines.contains("mastodon:m.example:\(id)")) }
    if format != "m3u" { #expect(result.output.contains(format == "ids" ? "m.example:14" : "open four")) }
    // What stands in other posts is only looked at where it would be written.
    let count = format == "ids" ? 5 : 8
    #expect(result.errors == "tw-render: left out \(count) private posts; --include private takes them in\n")
    let quiet = try RenderedFormat.run(format, ["--quiet"], records: records)
    #expect(quiet.errors.isEmpty && (quiet.stdout == result.stdout || format == "mail"))
    let included = try RenderedFormat.run(format, ["--include", "private"], records: records)
    #expect(included.errors.isEmpty)
    #expect(included.output.contains(format == "ids" ? "m.example:1\n" : "secret"))
  }

  /// A terminal shows them, each with a lock, and cannot be asked to include them.
  @Test(arguments: FormatChoice.terminal.map(\.rawValue))
  func terminalsShowALock(_ format: String) throws {
    // A line has nothing of what the tweet answers but the name.
    let quoting = format == "line" ? [Self.outer[0], Self.outer[2]] : Array(Self.outer.prefix(3))
    for record in Self.secrets + quoting {
      let shown = try Tool.run("tw-render", ["--format", format], stdin: ToolInput(record))
      #expect(shown.output.contains("🔒"), "\(record)")
      #expect(shown.errors.isEmpty)
      let ascii = try Tool.run("tw-render", ["--format", format, "--ascii"], stdin: ToolInput(record))
      #expect(ascii.output.contains("(private)") && ascii.stdout.allSatisfy { $0 < 0x80 }, "\(record)")
    }
    let open = try Tool.run("tw-render", ["--format", format], stdin: ToolInput(Self.outer[3]))
    #expect(!open.output.contains("🔒"))
    #expect(try Tool.run("tw-render", ["--format", format, "--include", "private"]).ending == .status(64))
  }
}
