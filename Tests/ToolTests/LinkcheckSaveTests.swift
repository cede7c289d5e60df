import Foundation
import TestSupport
import Testing

/// `tw-linkcheck --save`: pages while they live, as WARC files, and their text for the search of the store.
@Suite(.onOwnThread) struct LinkcheckSaveTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private static let page = """
    <html><head><title>Zebras &amp; co</title></head><body><h1>Head</h1><p>Striped   quagga</p>
    <script>hidden()</script><noscript>unseen</noscript> one<br>two &#x2014; three</body></html>
    """

  private static func site() throws -> LoopbackServer {
    try LoopbackServer { request in
      switch request.path {
      case "/short": .answer(301, headers: ["Location: /page?a=1", "Set-Cookie: a=b"])
      case "/gone": .answer(404, "gone", headers: ["Content-Type: text/html"])
      case "/long": .page(Self.page + String(repeating: "<p>words of a long page</p>", count: 10_000))
      case "/packed":
        .answer(
          200, headers: ["Content-Type: text/plain", "X-Odd: a\rContent-Length: 1"],
          body: Array("plain\u{7}\u{202E} text\nnext".utf8)
        )
      default: .page(Self.page)
      }
    }
  }

  private func check(_ server: LoopbackServer, _ options: [String], now: String = "2026-01-01T00:00:00Z") throws
    -> ToolResult
  {
    let environment = server.environment.merging(["TW_NOW": now]) { $1 }
    return try Tool.run("tw-linkcheck", options, environment: environment, home: home)
  }

  private func files(_ directory: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: home.path + "/" + directory).sorted()
  }

  /// What other people's library reads in the files: a line for each record, with the type, the address, the status and
  /// the text of the answer.
  private func records(_ directory: String) throws -> [String] {
    let python = try PythonPackage.needed("warcio")
    try home.write(
      "read.py",
      """
      import glob, sys
      from warcio.archiveiterator import ArchiveIterator
      from warcio.checker import Checker
      for name in sorted(glob.glob(sys.argv[1] + "/*")):
          with open(name, "rb") as file:
              for record in ArchiveIterator(file, check_digests="raise"):
                  body = record.content_stream().read()
                  head = record.http_headers
                  print(record.rec_type, record.rec_headers.get_header("WARC-Target-URI"),
                        head.get_statuscode() if record.rec_type == "response" else head.protocol if head else None,
                        record.rec_headers.get_header("WARC-Truncated"), len(body), body[:20])
      """)
    let result = try Tool.run("/usr/bin/env", [python, "read.py", directory], home: home)
    try #require(result.status == 0, "\(result.errors)")
    return result.lines
  }

  @Test func aSavedPageIsReadByOtherTools() throws {
    let server = try Self.site()
    let base = server.base
    let result = try check(
      server, ["--user-agent", "probe/1", "--save", "pages", "\(base)/short", "\(base)/gone", "\(base)/packed"])
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    #expect(
      try result.lines.map { try #require($0.firstMatch(of: /"page_text":"(.*)"/)?.1 ?? "") } == [
        #"Zebras & co\nHead\nStriped quagga\none\ntwo — three"#, "", #"plain text\nnext"#,
      ])
    // Each is asked for once, by GET.
    #expect(server.targets.sorted() == ["GET /gone", "GET /packed", "GET /page?a=1", "GET /short"])
    #expect(try files("pages").count == 1)
    let text = try Tool.shell("gzip -dc pages/*.warc.gz", home: home).output
    // What was sent, and what the page's text is made from, to the byte.
    #expect(text.components(separatedBy: "\r\nUser-Agent: probe/1\r\n").count == 4 && !text.contains("User-Agent: tw"))
    #expect(
      text.contains(
        "\r\nX-Archive-Orig-Content-Length: 19\r\nX-Archive-Orig-Connection: close\r\nContent-Length: 19\r\n"))
    let size = Self.page.utf8.count
    let lines = try records("pages")
    #expect(lines.first?.hasPrefix("warcinfo None None None") == true)
    let saved = Set(lines.dropFirst().map { $0.split(separator: " b").first.map(String.init) ?? "" })
    #expect(
      saved == [
        "request \(base)/short GET None 0", "response \(base)/short 301 None 0", "request \(base)/page?a=1 GET None 0",
        "response \(base)/page?a=1 200 None \(size)", "request \(base)/packed GET None 0",
        "response \(base)/packed 200 None 19",
      ], "\(lines)")
  }

  /// What is saved is not saved again, unless it is to be saved elsewhere.
  @Test func aPageIsSavedOnceInADirectory() throws {
    let server = try Self.site()
    let urls = ["\(server.base)/short", "\(server.base)/gone"]
    _ = try check(server, urls)
    let first = try check(server, ["--save", "a"] + urls)
    #expect(try first.output.contains("quagga") && files("a").count == 1)
    let asked = server.requests.count
    let again = try check(server, ["--save", "a"] + urls)
    #expect(try again.output == first.output && server.requests.count == asked && files("a").count == 1)
    #expect(try !check(server, urls).output.contains("page_text"))
    #expect(try check(server, ["--save", "b"] + urls).output == first.output && files("b").count == 1)
    // The files of an earlier run stay as they are.
    let saved = try home.read("a/" + #require(files("a").first))
    _ = try check(server, ["--save", "a", "--recheck", "all"] + urls, now: "2026-01-01T00:00:01Z")
    let now = try files("a")
    #expect(try now.count == 2 && home.read("a/" + now[0]) == saved)
  }

  @Test func thereAreBoundsOnPagesFilesAndHosts() throws {
    let server = try Self.site()
    let base = server.base
    let cut = try check(server, ["--save", "cut", "--save-page-size", "64K", "\(base)/long"])
    #expect(cut.output.contains("quagga") && cut.status == 0)
    #expect(try records("cut").contains { $0.hasPrefix("response \(base)/long 200 length 65536 ") })
    // Its text has an end too.
    #expect(cut.output.utf8.count < 20_000)
    let some = (0..<4).map { "\(base)/\($0)" }
    _ = try check(server, ["--save", "small", "--save-file-size", "1"] + some)
    #expect(try files("small").count == 4)
    let full = try check(server, ["--save", "full", "--save-total-size", "1500", "--jobs", "1"] + some)
    #expect(full.status == 1 && full.lines.count == 4 && full.lines.allSatisfy { $0.contains(#""verdict":"ok""#) })
    #expect(
      full.errors.contains("pages are not saved any more in this run: ") && full.errors.contains("--save-total-size"))
    let bytes = try files("full").reduce(0) { try $0 + home.read("full/" + $1).count }
    #expect(bytes > 1500 && bytes < 4000 && (1..<4).contains(full.output.components(separatedBy: "quagga").count - 1))
    // What earlier runs have saved counts: the next one saves nothing, and one that may goes on where this one was
    // full.
    let names = try files("full")
    let none = try check(server, ["--save", "full", "--save-total-size", "1500", "\(base)/another"])
    #expect(none.status == 1 && !none.output.contains("quagga") && none.errors.contains("--save-total-size"))
    #expect(try files("full") == names)
    #expect(try check(server, ["--save", "full"] + some).output.components(separatedBy: "quagga").count == 5)
    let other = try check(server, ["--save", "none", "--save-hosts", "a.example,b.example", "\(base)/page"])
    #expect(other.status == 0 && other.output.contains("Zebras") && !other.output.contains("page_text"))
    #expect(try files("none").isEmpty)
    let one = try check(server, ["--save", "none", "--save-hosts", "127.0.0.1", "\(base)/page"])
    #expect(one.output.contains("quagga"))
  }

  @Test func whatCannotBeSavedEndsNothingElse() throws {
    let server = try Self.site()
    try home.write("file", "")
    #expect(try check(server, ["--save", "file/pages", "\(server.base)/a"]).status == 73)
    for wrong in [
      ["--save-page-size", "1M"], ["--save", "a", "--save-hosts", "a/b"], ["--save", "a", "--offline"],
      ["--save", "a", "--save-page-size", "1G"],
    ] { #expect(try check(server, wrong + ["\(server.base)/a"]).status == 64, "\(wrong)") }
    // A file may not become larger than this: as on a full disk.
    let result = try Tool.shell(
      "trap '' XFSZ; ulimit -f 1; exec '\(Tool.path("tw-linkcheck"))' --no-cache --save pages "
        + (0..<8).map { "\(server.base)/\($0) " }.joined(), environment: server.environment, home: home)
    #expect(result.ending == .status(1) && result.lines.count == 8, "\(result.errors)")
    #expect(result.lines.allSatisfy { $0.contains(#""verdict":"ok""#) })
    #expect(result.errors.split(separator: "\n").count == 1 && result.errors.contains("pages are not saved any more"))
    // What is there is whole.
    #expect(try Tool.shell("gzip -t pages/*.warc.gz", home: home).ending == .status(0))
    let saved = result.output.components(separatedBy: "quagga").count - 1
    #expect(try records("pages").count { $0.hasPrefix("response") } == saved)
  }

  /// A page is on the disk before the store says that it is saved, and so is the name of its file.
  @Test(.enabled(if: FaultyDisk.library != nil, Comment(rawValue: FaultyDisk.comment)), arguments: [1, 2])
  func whatMayNotBeOnTheDiskIsNotSaved(failure: Int) throws {
    let server = try Self.site()
    try home.write("pages/.keep", "")
    let disk = try #require(
      FaultyDisk.environment(of: home.path + "/pages", ["TW_DISK_FAILS_AT": "\(failure)", "TW_DISK_FAILURES": "1"]))
    let urls = ["--save", "pages", "--save-file-size", "1", "\(server.base)/page"]
    let result = try Tool.run("tw-linkcheck", urls, environment: server.environment.merging(disk) { $1 }, home: home)
    #expect(
      result.errors.contains("links are checked without a store: cannot write '\(home.path)/pages"), "\(result.errors)")
    #expect(result.output.contains(#""verdict":"ok""#))
    let asked = server.requests.count
    let again = try check(server, urls)
    #expect(again.output.contains("quagga") && again.errors == "" && server.requests.count == asked + 1)
    #expect(try check(server, urls).status == 0 && server.requests.count == asked + 1)
  }

  /// From one pipe: the tweet is found by the words of the page it links to, also after a poorer copy of it came.
  @Test func theStoreFindsTweetsByTheTextOfTheirPages() throws {
    let server = try Self.site()
    let url = "\(server.base)/page"
    let tweet =
      #"{"tw":"tweet","service":"x","id":"5","text":"look","retrieved_at":"2026-01-01T00:00:00.000Z","author":{"id":"1"},"#
      + #""entities":{"urls":[{"start":0,"end":4,"url":"https://t.co/a","expanded_url":"\#(url)"}]}}"# + "\n"
    let other = tweet.replacing(#""5""#, with: #""6""#).replacing(url, with: "\(server.base)/packed")
    try home.write("tweets", tweet + other)
    let saved = try Tool.shell(
      "'\(Tool.path("tw-linkcheck"))' --save pages --db tw.db tweets | '\(Tool.path("tw-cache"))' add --db tw.db",
      environment: server.environment, home: home)
    #expect(saved.ending == .status(0) && saved.lines.count == 2, "\(saved.errors)")
    func found(_ words: String) throws -> [String] {
      try Tool.run("tw-cache", ["list", "--db", "tw.db", "--search", words], home: home).lines.compactMap {
        $0.firstMatch(of: /"id":"(.)"/).map { String($0.1) }
      }
    }
    #expect(try found("quagga") == ["5"] && found("\"plain text\"") == ["6"] && found("look").count == 2)
    let poorer = try Tool.run("tw-cache", ["add", "--db", "tw.db"], stdin: ToolInput(tweet + other), home: home)
    #expect(poorer.status == 0)
    #expect(try found("quagga") == ["5"] && found("next look") == ["6"])
    let check = try Tool.run("tw-cache", ["check", "--db", "tw.db"], home: home)
    #expect(check.status == 0, "\(check.output) \(check.errors)")
    // A store that is read from an export finds the same.
    let moved = try Tool.shell(
      "'\(Tool.path("tw-cache"))' export --db tw.db > export && '\(Tool.path("tw-cache"))' import --db new.db export",
      home: home)
    #expect(moved.ending == .status(0), "\(moved.errors)")
    let again = try Tool.run("tw-cache", ["list", "--db", "new.db", "--search", "quagga"], home: home)
    #expect(again.lines.count == 1)
  }
}
