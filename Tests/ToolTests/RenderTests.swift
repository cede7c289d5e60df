import TestSupport
import Testing
import TweetCore

/// What golden folders cannot test of tw-render: terminals, live pipes, hostile records, output that fails.
@Suite(.onOwnThread) struct RenderTests {
  private static let tweet =
    #"{"tw":"tweet","id":"1","service":"x","text":"hello #swift","author":{"id":"2","username":"jack","name":"Jack"},"#
    + #""entities":{"hashtags":[{"start":6,"end":12,"tag":"swift"}]}}"#

  @Test func showsATweetTheMomentItArrives() throws {
    let tool = try RunningTool("tw-render", ["--format", "line"])
    tool.send(ToolInput(Self.tweet + "\n"))
    #expect(try tool.line() == "                  @jack: hello #swift")
    #expect(try tool.finish().ending == .status(0))
  }

  @Test(arguments: ["text", "line", "detail", "ids"])
  func aFullDiskIsReported(_ format: String) throws {
    let result = try Tool.run(
      "tw-render", ["--format", format], stdin: ToolInput(Self.tweet), stdoutPath: "/dev/full")
    #expect(result.ending == .status(74))
    #expect(result.errors == "tw-render: cannot write to standard output: no space left on device\n")
  }

  @Test func aReaderThatLeavesEndsItQuietly() throws {
    let tweets = (0..<20_000).map { #"{"tw":"tweet","id":"\#($0)","text":"hello"}"# }.joined(separator: "\n")
    let result = try Tool.shell("set -o pipefail; tw-render | head -1", stdin: ToolInput(tweets))
    #expect(result.ending == .status(0))
    #expect(result.errors.isEmpty)
  }

  /// What tw-render writes to a terminal, as bytes. script(1) makes the terminal, 50 columns wide.
  private func onTerminal(_ command: String, _ records: String, environment: [String: String] = [:]) throws -> String {
    let home = try TemporaryDirectory()
    let result = try Tool.shell(
      """
      cat > records
      script -qec 'stty cols 50 2>/dev/null; \(command) records' /dev/null < /dev/null
      """, stdin: ToolInput(records),
      environment: environment.merging(["TERM": "xterm-256color"]) { given, _ in given },
      home: home)
    return result.output.replacing("\r\n", with: "\n")
  }

  @Test func terminalHasColoursAndLinks() throws {
    let record = Self.tweet.replacing(
      #""service""#, with: #""url":"https://x.example/\u001b[0m?q=ü","created_at":"2021-11-03T21:29:00.000Z","service""#
    )
    let output = try onTerminal("tw-render", record, environment: ["TW_NOW": "2021-11-03T21:30:00Z"])
    #expect(output.contains("\u{1B}[35m#swift\u{1B}[0m"))
    #expect(
      output.contains("\u{1B}]8;;https://x.example/%1B[0m?q=%C3%BC\u{1B}\\\u{1B}[2m21:29\u{1B}[0m\u{1B}]8;;\u{1B}\\"))
    #expect(output.contains(";48;5;"))
  }

  @Test func terminalWithoutColoursGetsNone() throws {
    for environment in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
      let output = try onTerminal("tw-render", Self.tweet, environment: environment)
      #expect(!output.contains("\u{1B}"))
      #expect(output.contains("[J ]  Jack @jack"))
    }
    #expect(
      try onTerminal("tw-render --color always", Self.tweet, environment: ["NO_COLOR": "1"]).contains("\u{1B}[35m"))
  }

  @Test func terminalsWidthIsUsed() throws {
    let record = Self.tweet.replacing("hello", with: String(repeating: "word ", count: 30))
    let longest = try onTerminal("tw-render --color never", record).split(separator: "\n").map(\.count).max()
    #expect(longest == 50)
  }

  /// Only a terminal has a status row.
  @Test func filesHaveNoStatusRow() throws {
    let refresh = #"{"tw":"refresh","feed":"a","at":"2021-11-03T21:30:00.000Z","new":3}"#
    for format in ["text", "line", "ids"] {
      #expect(try Tool.run("tw-render", ["--format", format], stdin: ToolInput(refresh)).output.isEmpty)
    }
  }

  /// `line` and `ids` go on below; only `text` clears the terminal.
  @Test(arguments: ["line", "ids"])
  func otherFormatsDoNotClear(_ format: String) throws {
    let output = try onTerminal(
      "tw-render --color never --format \(format)",
      Self.tweet + "\n" + #"{"tw":"query","feed":"a"}"# + "\n" + Self.tweet)
    #expect(!output.contains("\u{1B}"))
    #expect(output.split(separator: "\n").count == 2)
  }

  /// After the screen was cleared, no empty line is before the first tweet.
  @Test func theScreenStartsWithoutAnEmptyLine() throws {
    let output = try onTerminal("tw-render --color never", Self.tweet + "\n" + #"{"tw":"query"}"# + "\n" + Self.tweet)
    #expect(output.contains("\u{1B}[H\u{1B}[2J[J ]"))
  }

  @Test func oldTerminalsGetBasicColoursAndNoLinks() throws {
    let record = Self.tweet.replacing(
      #""service""#, with: #""url":"https://x.example/","created_at":"2021-11-03T21:29:00Z","service""#)
    for (term, hasLinks) in [("vt220", false), ("linux", false), ("xterm", true)] {
      let output = try onTerminal("tw-render", record, environment: ["TERM": term])
      #expect(output.contains("\u{1B}]8;;https://x.example/\u{1B}\\") == hasLinks, "\(term)")
      #expect(output.contains(/\u{1B}\[(1;37|30);4[1-6]m/) && !output.contains(";48;5;"), "\(term)")
    }
  }

  /// The Linux console's font lacks the signs.
  @Test func linuxConsoleGetsASCIISigns() throws {
    let reply = Self.tweet.replacing(#""author""#, with: #""in_reply_to_user":{"username":"ann"},"author""#)
    #expect(try onTerminal("tw-render", reply, environment: ["TERM": "linux"]).contains("-> replying to"))
    #expect(try onTerminal("tw-render", reply, environment: ["TERM": "xterm"]).contains("↳ replying to"))
  }

  /// Without a width that was asked for, rows have at most 100 columns.
  @Test func wideTerminalsGetReadableRows() throws {
    let record = Self.tweet.replacing("hello", with: String(repeating: "word ", count: 60))
    let piped = try Tool.run("tw-render", stdin: ToolInput(record), environment: ["COLUMNS": "300"])
    #expect(piped.lines.map(\.count).max() == 100)
    let terminal = try onTerminal("stty cols 300; tw-render --color never", record)
    #expect(terminal.split(separator: "\n").map(\.count).max() == 100)
    let asked = try Tool.run("tw-render", ["--width", "200"], stdin: ToolInput(record))
    #expect(asked.lines.map(\.count).max() == 200)
  }

  @Test func queryClearsTheTerminalAndForgetsTweets() throws {
    let query = #"{"tw":"query","feed":"\u001b[5m#b","service":"x"}"#
    let output = try onTerminal("tw-render", [Self.tweet, query, Self.tweet].joined(separator: "\n"))
    let parts = output.split(separator: "\u{1B}[H\u{1B}[2J", maxSplits: 1)
    #expect(parts.count == 2)
    #expect(parts.allSatisfy { $0.contains("Jack") })
    #expect(!output.contains("\u{1B}[5m"))
    let piped = try Tool.run("tw-render", stdin: ToolInput(query))
    #expect(piped.output.isEmpty)
  }

  /// No escape sequence reaches the output, whichever field of a record has it.
  @Test(arguments: ["text", "line", "detail", "ids"])
  func hostileFieldsAreHarmless(_ format: String) throws {
    let evil = #"\u001b[2J\u009b31m\u0007\u202e\u0000"#
    let record = """
      {"tw":"tweet","id":"\(evil)","service":"\(evil)","url":"https://a/\(evil)","created_at":"\(evil)","text":"\(evil) t #\(evil)",\
      "author":{"id":"\(evil)","username":"\(evil)","name":"\(evil)"},"in_reply_to_user":{"username":"\(evil)"},\
      "entities":{"urls":[{"start":9,"end":10,"url":"t","expanded_url":"https://\(evil)/\(evil)","verdict":"dead","error":"\(evil)"}],\
      "hashtags":[{"start":10,"end":18,"tag":"x"}]},\
      "attachments":{"media":[{"type":"\(evil)","url":"\(evil)","alt_text":"\(evil)"}],"poll":{"options":[{"label":"\(evil)"}]}},\
      "referenced_tweets":[{"type":"quoted","id":"1","text":"\(evil)","author":{"name":"\(evil)"}}]}
      {"tw":"notice","level":"error","message":"\(evil)"}
      """
    let result = try Tool.run("tw-render", ["--format", format], stdin: ToolInput(record))
    #expect(result.ending == .status(0))
    let bad = result.output.unicodeScalars.first {
      $0 != "\n" && $0.properties.generalCategory == .control || $0 == "\u{202E}"
    }
    #expect(bad == nil)
    #expect(result.output.contains("\u{FFFD}[2J"))
  }

  @Test(arguments: [1, 2, 3, 20, 31, 32, 33])
  func narrowScreens(_ width: Int) throws {
    let record = Self.tweet.replacing("hello", with: "日本語👨‍👩‍👧 averyveryveryverylongword")
    let result = try Tool.run("tw-render", ["--width", "\(width)"], stdin: ToolInput(record))
    #expect(result.ending == .status(0))
    #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= width })
    #expect(result.output.filter { !$0.isWhitespace }.contains("日"))
    #expect(result.output.hasPrefix("[J ]  ") == (width >= 32))
  }

  @Test func hugeTextIsBounded() throws {
    let record = Self.tweet.replacing("hello", with: String(repeating: #"e\u0301\n"#, count: 250_000))
    let result = try Tool.run("tw-render", ["--max-record", "32M"], stdin: ToolInput(record))
    #expect(result.ending == .status(0))
    // The name, 2000 rows of text, and a row that says that there is more.
    #expect(result.lines.count == 2002)
    #expect(result.lines.last == "      …")
  }

  @Test func oldTweetsAreForgotten() throws {
    let tweets = (0...2000).map { #"{"tw":"tweet","id":"\#($0)","service":"x","text":"t"}"# }
    let again = [tweets[0], tweets[2000], tweets[2]]
    let result = try Tool.run("tw-render", ["-f", "ids"], stdin: ToolInput((tweets + again).joined(separator: "\n")))
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 2002)
    #expect(lines.last == "0")
  }
}
