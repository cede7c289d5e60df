import Foundation
import TestSupport
import Testing

@testable import tw_render

/// What holds for every format that makes a document.
@Suite(.onOwnThread) struct DocumentTests {
  static let formats = ["csv", "tsv", "twarc", "html", "atom", "json-feed", "markdown", "mbox"]

  private static func render(_ format: String, _ input: ToolInput, _ options: [String] = []) throws -> ToolResult {
    try Tool.run(
      "tw-render", ["--format", format] + options, stdin: input, environment: ["TW_NOW": "2021-11-03T21:30:00Z"])
  }

  /// Documents are also looked at on terminals, which must not be told anything by a tweet.
  @Test(arguments: formats)
  func noControlCharacterIsWritten(_ format: String) throws {
    let result = try Self.render(format, DocumentSample.input)
    #expect(result.ending == .status(0), "\(result.errors)")
    for scalar in result.output.unicodeScalars where scalar.properties.generalCategory == .control {
      let isTab = scalar == "\t" && !["twarc", "json-feed"].contains(format)
      #expect(scalar == "\n" || isTab, "U+\(String(scalar.value, radix: 16))")
      if scalar != "\n", !isTab { break }
    }
    #expect(!result.stdout.contains(0))
    #expect(String(validating: result.stdout, as: UTF8.self) != nil, "valid UTF-8")
  }

  @Test(arguments: formats)
  func aFullDiskIsReported(_ format: String) throws {
    let result = try Tool.run(
      "tw-render", ["--format", format], stdin: DocumentSample.input, stdoutPath: "/dev/full")
    #expect(result.ending == .status(74))
    #expect(result.errors == "tw-render: cannot write to standard output: no space left on device\n")
  }

  @Test(arguments: formats)
  func aReaderThatLeavesEndsItQuietly(_ format: String) throws {
    let tweets = (0..<20_000).map { #"{"tw":"tweet","id":"\#($0)","text":"hello"}"# }.joined(separator: "\n")
    let result = try Tool.shell(
      "set -o pipefail; tw-render --format \(format) | head -1", stdin: ToolInput(tweets))
    #expect(result.ending == .status(0))
    #expect(result.errors.isEmpty)
  }

  /// The same input gives the same bytes, whatever the hashes of this process are.
  @Test(arguments: formats)
  func theOutputIsTheSameEachTime(_ format: String) throws {
    #expect(try Self.render(format, DocumentSample.input).stdout == Self.render(format, DocumentSample.input).stdout)
  }

  /// Bad lines are reported, and the document is whole.
  @Test(arguments: formats)
  func badRecordsAreLeftOut(_ format: String) throws {
    let good = #"{"tw":"tweet","id":"1","text":"hello"}"# + "\n"
    let bad = "{\n" + #"{"no":"tw"}"# + "\n" + #"{"tw":"tweet","text":"no id"}"# + "\n" + #"{"tw":5}"# + "\n"
    let result = try Self.render(format, ToolInput(bad + good + bad))
    #expect(result.ending == .status(1))
    #expect(result.output == (try Self.render(format, ToolInput(good)).output))
  }

  /// A search without a hit makes a document that its readers take: the same that records without a tweet make.
  @Test(arguments: FormatChoice.allCases.map(\.rawValue))
  func nothingIsAWholeDocument(_ format: String) throws {
    let result = try RenderedFormat.run(format, records: "")
    #expect(result.ending == .status(0) && result.errors.isEmpty, "\(result.errors)")
    let others = #"{"tw":"checkpoint"}"# + "\n" + #"{"tw":"context","feed":"a"}"# + "\n"
    #expect(try RenderedFormat.run(format, records: others).output == result.output)
    let output = result.output
    switch format {
    case "text", "line", "detail", "ids", "twarc", "mbox": #expect(output.isEmpty)
    case "csv", "tsv": #expect(output.hasPrefix("id") && output.split(separator: "\n").count == 1)
    case "m3u": #expect(output == "#EXTM3U\n")
    case "markdown": #expect(output == "# Tweets\n")
    case "json-feed":
      let feed = try JSONDecoder().decode(EmptyFeed.self, from: Data(result.stdout))
      #expect(feed.items.isEmpty && feed.title == "Tweets")
    case "atom": #expect(output.hasSuffix("</generator>\n</feed>\n") && !output.contains("<entry>"))
    case "html": #expect(output.hasSuffix("Tweets</h1>\n<p class=\"note\">0 tweets</p>\n</main>\n</body>\n</html>\n"))
    case "site": #expect(output.contains("<p class=\"note\">0 tweets</p>"))
    case "mail": #expect(output.contains("Subject: Tweets: 0 tweets\n") && output.contains(">0 tweets</div>"))
    default: Issue.record("what is \(format) without tweets?")
    }
  }

  private struct EmptyFeed: Decodable {
    struct Item: Decodable {}
    let title: String
    let items: [Item]
  }

  /// A tweet is shown the moment it comes.
  @Test(arguments: formats)
  func aLivePipeIsNotHeldBack(_ format: String) throws {
    let tool = try RunningTool("tw-render", ["--format", format])
    tool.send(ToolInput(#"{"tw":"tweet","id":"1","text":"hello there"}"# + "\n"))
    var line = try tool.line()
    while let text = line, !text.contains("hello there") { line = try tool.line() }
    #expect(line != nil)
    #expect(try tool.finish().ending == .status(0))
  }

  @Test func optionsOfOtherFormatsAreRefused() throws {
    for options in [["--fields", "id"], ["--no-guard"], ["--title", "x"]] {
      let result = try Self.render("text", "", options)
      #expect(result.ending == .status(64), "\(options)")
    }
    for names in ["", "id,", ".id", "a..b"] {
      #expect(try Self.render("csv", "", ["--fields", names]).ending == .status(64), "'\(names)'")
    }
  }

  /// A mistyped column is not an empty one.
  @Test(arguments: [
    ("txt", "text"), ("athor.username", "author.username"), ("author.usrname", "author.username"),
    ("username", "author.username"), ("like_count", "public_metrics.like_count"),
    ("referenced_tweets.quotd.id", "referenced_tweets.quoted.id"), ("author.avatar.kye", "author.avatar.key"),
  ])
  func aMistypedColumnIsRefused(_ name: String, _ meant: String) throws {
    let result = try Self.render("csv", "", ["--fields", "id,\(name)"])
    #expect(result.ending == .status(64))
    #expect(result.errors.contains("there is no column '\(name)'; did you mean '\(meant)'?"), "\(result.errors)")
    #expect(result.output.isEmpty)
  }

  /// What other programs add to records is a column; one that no record has is named.
  @Test func columnsOfOtherProgramsAreThose() throws {
    let tweet = #"{"tw":"tweet","id":"1","text":"a","sentiment":0.5,"public_metrics":{"view_count":9}}"# + "\n"
    let names = "id,sentiment,public_metrics.view_count,author.avatar.key,in_reply_to_user.username,extra.a.b"
    let known = try Self.render("csv", ToolInput(tweet), ["--fields", names])
    #expect(known.ending == .status(0))
    #expect(known.output == "\(names)\n1,0.5,9,,,\n")
    #expect(known.errors.isEmpty, "\(known.errors)")
    let other = try Self.render("csv", ToolInput(tweet), ["--fields", "id,mood"])
    #expect(other.ending == .status(0))
    #expect(other.errors.contains("no tweet has 'mood'"), "\(other.errors)")
  }
}
