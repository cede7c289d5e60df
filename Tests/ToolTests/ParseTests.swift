import Foundation
import TestSupport
import Testing
import TweetCore

/// tw-parse as a process: damaged and hostile input, live pipes, large files, and real recordings.
@Suite(.onOwnThread) struct ParseTests {
  private func tweet(_ id: Int, _ text: String = "hello") -> String {
    #"{"id_str":"\#(id)","text":"\#(text)","user":{"id_str":"7","screen_name":"ada"}}"#
  }

  private func ids(_ result: ToolResult) -> [String] {
    result.lines.compactMap { line in
      guard let document = try? JSONDocument(line), document["tw"]?.equals("tweet") ?? false else { return nil }
      return document["id"]?.string
    }
  }

  @Test func showsARecordBeforeTheNextComes() throws {
    let tool = try RunningTool("tw-parse")
    for number in 1...3 {
      tool.send(ToolInput(tweet(number) + "\n"))
      let line = try #require(try tool.line())
      #expect(line.hasPrefix(#"{"tw":"tweet","id":"\#(number)""#))
    }
    tool.closeInput()
    #expect(try tool.finish().ending == .status(0))
  }

  @Test func endsBySignalWithoutHalfARecord() throws {
    let tool = try RunningTool("tw-parse")
    tool.send(ToolInput(tweet(1) + "\n{\"id_str\":\"2\""))
    _ = try tool.line()
    tool.signal(SIGTERM)
    let result = try tool.finish()
    #expect(result.ending == .signal(SIGTERM))
    #expect(ids(result) == ["1"])
  }

  @Test func skipsALineOfAHundredMegabytesInBoundedMemory() throws {
    let tool = try RunningTool("tw-parse")
    let filler = ToolInput(String(repeating: "x", count: 1 << 20))
    tool.send(ToolInput(tweet(1) + "\n{\"text\":\""))
    for _ in 0..<100 { tool.send(filler) }
    tool.send(ToolInput("\"}\n" + tweet(2) + "\n"))
    try tool.waitForLines(2)
    if let peak = tool.peakMemory { #expect(peak < 64 << 20) }
    tool.closeInput()
    let result = try tool.finish()
    #expect(ids(result) == ["1", "2"])
    #expect(result.errors == "tw-parse: -:2: bad record: longer than 16777216 bytes (--max-record)\n")
    #expect(result.ending == .status(1))
  }

  @Test func survivesDeepNesting() throws {
    let deep = String(repeating: "{\"a\":", count: 100_000)
    let wide = String(repeating: "[", count: 200_000)
    let result = try Tool.run("tw-parse", stdin: ToolInput("\(deep)\n\(wide)\n\(tweet(3))\n"))
    #expect(ids(result) == ["3"])
    #expect(result.ending == .status(1))
  }

  @Test func keepsRejectsUnchanged() throws {
    let home = try TemporaryDirectory()
    let bad: [UInt8] = Array("{\"id_str\":\"1\",\"text\":\"".utf8) + [0xC3, 0x28] + Array("\"}\r\n".utf8)
    let input = Array((tweet(1) + "\n").utf8) + bad + Array((tweet(2) + "\n").utf8)
    let result = try Tool.run("tw-parse", ["--rejects", home.path + "/r"], stdin: ToolInput(input), home: home)
    #expect(ids(result) == ["1", "2"])
    #expect(try home.read("r") == bad)
    #expect(result.errors.contains("-:2: bad record: not UTF-8"))
  }

  /// What goes in comes out, every byte of it: good records as they are, and all others as rejects, in order, whether
  /// all cores read the file or one.
  @Test(arguments: [40, 9000])
  func recordsAndRejectsAreTheInput(_ count: Int) throws {
    let home = try TemporaryDirectory()
    let filler = String(repeating: "x", count: 600)
    var input: [UInt8] = []
    var expected = (records: [UInt8](), rejects: [UInt8]())
    for number in 0..<count {
      let good = Array(#"{"tw":"tweet","id":"\#(number)","text":"\#(filler)"}"#.utf8) + [0x0A]
      let bad: [UInt8] =
        switch number % 8 {
        case 0: Array(#"{"half":"\ud83d \ufffd","number":\#(number)}"#.utf8)
        case 1: Array("{\n\t\"number\" : \(number),\n  \"half\": [\n\"\\uDC00\"\n]\n}".utf8)
        case 2: Array("{\"bad\":\"".utf8) + [0xC3, 0x28] + Array("\(number)\"}".utf8)
        case 3: Array(#"{"cut":"\ud83d\#(number)"#.utf8)
        case 4: Array(#"{"escape":"\ud83d\x","number":\#(number)}"#.utf8)
        default: []
        }
      input += bad.isEmpty ? good : bad + [0x0A] + good
      expected.records += good
      if !bad.isEmpty { expected.rejects += bad + [0x0A] }
    }
    _ = try home.write("mixed", input)
    for reading in ["tw-parse --rejects r mixed", "cat mixed | tw-parse --rejects r"] {
      let result = try Tool.shell(reading, home: home)
      let (isSame, isKept) = (result.stdout == expected.records, try home.read("r") == expected.rejects)
      #expect(isSame && isKept, "\(reading)")
      #expect(result.ending == .status(1))
    }
  }

  @Test func neverWritesRejectsOverAnInput() throws {
    let home = try TemporaryDirectory()
    let path = try home.write("t", tweet(1) + "\n")
    let result = try Tool.run("tw-parse", ["--rejects", path, path], home: home)
    #expect(result.ending == .status(64))
    #expect(try home.read("t") == Array((tweet(1) + "\n").utf8))
  }

  @Test func goesOnBehindADirectory() throws {
    let home = try TemporaryDirectory()
    let good = try home.write("good", tweet(1) + "\n")
    let result = try Tool.run("tw-parse", [home.path, good], home: home)
    #expect(ids(result) == ["1"])
    #expect(result.errors.contains("is a directory"))
    #expect(result.ending == .status(66))
  }

  @Test func closedDescriptorsAreErrors() throws {
    let home = try TemporaryDirectory()
    let good = try home.write("good", tweet(1) + "\n")
    #expect(try Tool.shell("tw-parse '\(good)' >&-", home: home).ending == .status(74))
    #expect(try Tool.shell("tw-parse <&-", home: home).ending == .status(74))
  }

  /// Offsets beyond all texts, and as many as a record can hold, are neither a crash nor a long wait.
  @Test func survivesHostileOffsets() throws {
    let user = #""user":{"id_str":"1","screen_name":"a"}"#
    let far = #"{"hashtags":[{"text":"x","indices":[9223372036854775807,-9223372036854775808]}]}"#
    let original = #"{"id_str":"2","text":"&amp;","entities":\#(far),\#(user)}"#
    let text = String(repeating: "&amp;", count: 100_000)
    let many = (0..<30_000).map { #"{"text":"x","indices":[\#($0),\#($0 + 5)]}"# }.joined(separator: ",")
    let input = """
      {"id_str":"1","text":"RT",\(user),"retweeted_status":\(original)}
      {"id_str":"3","text":"\(text)",\(user),"entities":{"hashtags":[\(many)]}}

      """
    #expect(ids(try Tool.run("tw-parse", stdin: ToolInput(input))) == ["1", "3"])
  }

  /// A page whose users are put in over and over stays within bounds.
  @Test func boundsWhatAPageGrowsTo() throws {
    let mention = #"{"start":0,"end":2,"username":"b","id":"7"}"#
    let mentions = Array(repeating: mention, count: 3000).joined(separator: ",")
    let about = String(repeating: "x", count: 100_000)
    let page = """
      {"data":[{"id":"1","text":"@b","author_id":"7","entities":{"mentions":[\(mentions)]}}],\
      "includes":{"users":[{"id":"7","username":"b","description":"\(about)"}]}}
      """
    let result = try Tool.run("tw-parse", stdin: ToolInput(page))
    #expect(ids(result) == ["1"])
    #expect(result.stdout.count < 100 * page.utf8.count)
  }

  @Test func tellsWhatItCannotOpenOrWrite() throws {
    let home = try TemporaryDirectory()
    let good = try home.write("good", tweet(1) + "\n")
    let missing = try Tool.run("tw-parse", ["/nonexistent/x", good])
    #expect(missing.errors == "tw-parse: cannot open '/nonexistent/x': no such file or directory\n")
    #expect(missing.ending == .status(66))
    #expect(ids(missing) == ["1"])
    let rejects = try Tool.run("tw-parse", ["--rejects", "/nonexistent/r", good])
    #expect(rejects.ending == .status(73))
    if FileManager.default.fileExists(atPath: "/dev/full") {
      let full = try Tool.shell("tw-parse '\(good)' > /dev/full", home: home)
      #expect(full.ending == .status(74))
      #expect(full.errors.hasPrefix("tw-parse: cannot write to standard output: "))
    }
  }

  @Test func endsQuietlyWhenTheReaderLeaves() throws {
    let home = try TemporaryDirectory()
    let path = try home.write("t", String(repeating: tweet(1) + "\n", count: 100_000))
    let result = try Tool.shell("{ tw-parse '\(path)'; echo $? >&2; } | head -1", home: home)
    #expect(result.lines.count == 1)
    #expect(result.errors == "0\n")
  }

  /// Compressed input is told by its first bytes, from a file and from a pipe.
  @Test(arguments: [
    "gzip -c", "bzip2 -c", "xz -c", "zstd -qc", "iconv -f UTF-8 -t UTF-16", "iconv -f UTF-8 -t UTF-32",
    "sh -c 'printf \"\\000\\000\\376\\377\"; iconv -f UTF-8 -t UTF-32BE \"$0\"'",
    "sh -c 'iconv -f UTF-8 -t UTF-16 \"$0\" | gzip -c'", "sh -c 'gzip -c \"$0\" | bzip2 -c'",
    "sh -c 'iconv -f UTF-8 -t UTF-32 \"$0\" | gzip -c | gzip -c | gzip -c'",
  ])
  func decodesItsInput(_ encoder: String) throws {
    let home = try TemporaryDirectory()
    let plain = (1...2000).map { tweet($0, "été \($0)") + "\n" }.joined()
    _ = try home.write("plain", plain)
    let program = String(encoder.prefix { $0 != " " })
    if try Tool.shell("command -v \(program)", home: home).status != 0 {
      print("skipped: \(program) is not installed")
      return
    }
    let expected = try Tool.run("tw-parse", stdin: ToolInput(plain), home: home)
    #expect(ids(expected).count == 2000)
    for reading in ["tw-parse encoded", "tw-parse < encoded", "cat encoded | tw-parse"] {
      let result = try Tool.shell("\(encoder) plain > encoded && \(reading)", home: home)
      #expect(result.stdout == expected.stdout, "\(reading)")
      #expect(result.errors.isEmpty)
      #expect(result.ending == .status(0))
    }
  }

  /// Every tool that reads records decodes its files, from the first byte on.
  @Test(arguments: [
    "tw-cache add", "tw-avatar", "tw-linkcheck", "tw-render --format ids", "tw-stream --speed max --replay",
  ])
  func everyToolDecodesItsFiles(_ tool: String) throws {
    let home = try TemporaryDirectory()
    let record = #"{"tw":"tweet","id":"1","service":"x","text":"été","author":{"id":"2"}}"#
    try home.write("plain", record + "\n" + record.replacing(#""id":"1""#, with: #""id":"2""#) + "\n")
    try home.write("empty", "")
    let script =
      "iconv -f UTF-8 -t UTF-16 plain | gzip -c > packed.gz && gzip -c packed.gz > packed && gzip -c empty > none"
    #expect(try Tool.shell(script, home: home).status == 0)
    let expected = try Tool.shell("\(tool) plain", home: home)
    #expect(expected.ending == .status(0) && expected.output.contains("2"), "\(expected.errors)")
    for file in ["packed.gz", "packed"] {
      // Another store, where nothing is known.
      let result = try Tool.shell("TW_DB=$PWD/\(file).db \(tool) \(file)", home: home)
      #expect(result.stdout == expected.stdout && result.ending == .status(0), "\(file): \(result.errors)")
    }
    #expect(try Tool.shell("\(tool) none", home: home).output == (try Tool.shell("\(tool) empty", home: home).output))
  }

  /// A file can be made that is the compressed form of itself.
  @Test func decodesFourTimesAtMost() throws {
    let home = try TemporaryDirectory()
    try home.write("plain", tweet(1) + "\n")
    let packed = "cat plain" + String(repeating: " | gzip -c", count: 5)
    #expect(try Tool.shell("\(packed) | tw-parse", home: home).ending == .status(65))
    // The inner one is damaged, and what it has is read.
    try home.write("more", (1...3000).map { tweet($0, "\(UInt64($0) &* 0x9E37_79B9_7F4A_7C15)") + "\n" }.joined())
    let cut = try Tool.shell("gzip -c more | head -c 20000 | gzip -c > cut.gz; tw-parse cut.gz", home: home)
    #expect(ids(cut).count > 100 && cut.ending == .status(1), "\(cut.errors)")
    #expect(cut.errors.contains("'gzip' says that the file is damaged or cut off"))
  }

  @Test func takesWhatIsWholeOfACutOffArchive() throws {
    let home = try TemporaryDirectory()
    let noise = (1...3000).map { tweet($0, "\(UInt64($0) &* 0x9E37_79B9_7F4A_7C15)") + "\n" }.joined()
    _ = try home.write("plain", noise)
    let result = try Tool.shell("gzip -c plain | head -c 20000 > cut.gz && tw-parse cut.gz", home: home)
    #expect(ids(result).count > 100)
    #expect(result.errors.contains("cannot read 'cut.gz' to its end: 'gzip' says that the file is damaged or cut off"))
    #expect(result.ending == .status(1))
  }
}
