import Foundation
import TestSupport
import Testing

/// Sites: what is written, what stays as it is, and what is never touched.
@Suite(.onOwnThread(minutes: 5)) struct SiteTests {
  private static let script = Package.root + "/Tests/ToolTests/site-checks.py"
  static let python = PythonPackage.python(with: "json")

  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  // MARK: Records

  private static func tweet(
    _ id: Int, _ time: String = "2021-11-03T21:25:00.000Z", answering parent: Int? = nil, text: String = "hello",
    more: String = ""
  ) -> String {
    let reply = parent.map { #","referenced_tweets":[{"type":"replied_to","id":"\#($0)"}],"in_reply_to_user_id":"11""# }
    return #"{"tw":"tweet","id":"\#(id)","service":"x","created_at":"\#(time)","text":"\#(text)","author":{"id":"11","#
      + #""username":"jane","name":"Jane"}\#(reply ?? "")\#(more)}"# + "\n"
  }

  /// Tweets of three months, with a thread over two of them and one that forks.
  private static let records =
    tweet(1, "2021-09-30T10:00:00.000Z", text: "the first of a thread")
    + tweet(2, "2021-10-01T10:00:00.000Z", answering: 1) + tweet(3, "2021-10-02T10:00:00.000Z", answering: 2)
    + tweet(4, "2021-10-02T11:00:00.000Z", answering: 2) + tweet(5, "2021-11-01T00:00:00.000Z", text: "alone")
    + tweet(6, "2021-11-02T00:00:00.000Z", text: #"words that are two, \u00dcbermut <script>alert(1)</script>"#)
    + tweet(7, "2021-11-03T00:00:00.000Z", text: "two words").replacing(#""jane""#, with: #""bob""#)
    + tweet(8, "2021-11-04T00:00:00.000Z", text: "\u{4ECA}\u{65E5}\u{306F}\u{6F6E}\u{304C}\u{4F4E}\u{3044}")

  @discardableResult
  private func write(_ records: String, _ options: [String] = []) throws -> ToolResult {
    try Tool.run("tw-render", ["--format", "site", "site"] + options, stdin: ToolInput(records), home: home)
  }

  /// Every file of the site, with what tells whether it was written again.
  private func files() throws -> [String: String] {
    var found: [String: String] = [:]
    for case let name as String in try #require(FileManager.default.enumerator(atPath: home.path + "/site")) {
      var status = stat()
      guard stat(home.path + "/site/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      found[name] = "\(status.st_ino) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }
    return found
  }

  private func text(_ name: String) throws -> String {
    String(decoding: try home.read("site/" + name), as: UTF8.self)
  }

  // MARK: What is written

  @Test func aSiteHasAPageForEachMonthAndThread() throws {
    let result = try write(Self.records, ["--title", "A & b"])
    #expect(result.ending == .status(0) && result.output.isEmpty && result.errors.isEmpty, "\(result.errors)")
    #expect(
      Set(try files().keys) == [
        ".tw-site", ".tw-site.lock", "index.html", "feed.atom", "site.js", "style.css", "2021-09.html", "2021-10.html",
        "2021-11.html", "threads/t1.html", "views/posts.html", "search/pages.js", "search/2021-09.js",
        "search/2021-10.js",
        "search/2021-11.js",
      ])
    let october = try text("2021-10.html")
    #expect(october.contains(#"<a class="prev" rel="prev" href="2021-09.html">"#))
    #expect(october.contains(#"<a class="next" rel="next" href="2021-11.html">"#))
    // A reply leads to the page of what it answers, and to its thread.
    #expect(october.contains(#"<a href="2021-09.html#t1">"#) && october.contains(#"<a href="threads/t1.html#t2">"#))
    let thread = try text("threads/t1.html")
    #expect(thread.contains("<title>the first of a thread · A &amp; b</title>"))
    #expect(thread.contains(##"<a href="#t2">"##) && thread.contains("../2021-10.html#t2"))
    // Two answers to one tweet are indented.
    #expect(thread.contains(#"<article class="h-entry joined" id="t2">"#))
    #expect(thread.contains(#"<article class="h-entry joined d1" id="t3">"#))
    #expect(thread.contains(#"<article class="h-entry d1" id="t4">"#))
    #expect(try text("feed.atom").contains("<updated>2021-11-04T00:00:00.000Z</updated>\n<generator"))
  }

  @Test(.enabled(if: python != nil), arguments: [false, true])
  func everyLinkLeadsSomewhere(_ isHostile: Bool) throws {
    try write(isHostile ? DocumentSample.lines.joined(separator: "\n") : Self.records)
    let result = try Tool.run(try #require(Self.python), [Self.script, "links", "site"], home: home)
    #expect(result.ending == .status(0) && !result.output.contains("FAULT"), "\(result.output)\(result.errors)")
  }

  /// Whatever order the records come in, and which hashes the process has.
  @Test func nothingIsWrittenAgainThatDoesNotChange() throws {
    try write(Self.records)
    let before = try files()
    #expect(try write(Self.records).ending == .status(0))
    #expect(try files() == before)
    try write(Self.records.split(separator: "\n").reversed().joined(separator: "\n"))
    #expect(try files() == before)
    // One more tweet changes its month, the first page, the feed and the search of the month.
    try write(Self.records + Self.tweet(9, "2021-11-05T00:00:00.000Z"))
    let after = try files()
    let changed = after.filter { before[$0.key] != $0.value }.keys.sorted()
    #expect(
      changed == [".tw-site", "2021-11.html", "feed.atom", "index.html", "search/2021-11.js", "views/posts.html"])
  }

  /// A page that somebody has changed is written again, wherever the change is.
  @Test func aPageThatIsAnotherIsWrittenAgain() throws {
    try write(Self.records)
    for name in ["index.html", "2021-11.html", "search/2021-11.js", "style.css", "feed.atom"] {
      let right = try home.read("site/" + name)
      for wrong in [right + Array("what was deleted".utf8), [1] + right.dropFirst(), Array(right.dropLast()), []] {
        try home.write("site/" + name, wrong)
        #expect(try write(Self.records).ending == .status(0))
        #expect(try home.read("site/" + name) == right, "\(name), \(wrong.count)")
      }
    }
  }

  @Test func theLastVersionIsShownAndADeletedTweetIsNot() throws {
    let versions =
      Self.tweet(1, text: "newest", more: #","retrieved_at":"2021-11-05T00:00:00.000Z""#)
      + Self.tweet(1, text: "earlier", more: #","retrieved_at":"2021-11-04T00:00:00.000Z""#)
      + Self.tweet(2, text: "before") + Self.tweet(2, text: "after")
      + #"{"tw":"delete","service":"x","id":"3"}"# + "\n" + Self.tweet(3, text: "deleted")
    try write(versions)
    let page = try text("2021-11.html")
    #expect(page.contains("newest") && !page.contains("earlier") && page.contains("after") && !page.contains("before"))
    #expect(!page.contains("deleted"))
  }

  /// A tweet that not everybody may see is left out, and so is its older version from when everybody could.
  @Test func privateTweetsAreLeftOutUnlessTheyAreAskedFor() throws {
    let closed = Self.tweet(2, text: "secret", more: #","extra":{"visibility":"private"}"#)
    try write(Self.tweet(1) + Self.tweet(2, text: "older secret") + closed)
    for name in try files().keys { #expect(!(try text(name).contains("secret")), "\(name)") }
    try write(Self.tweet(1) + closed, ["--include", "private"])
    #expect(try text("2021-11.html").contains("secret"))
  }

  @Test func tweetsWithoutADateHaveAPage() throws {
    try write(Self.tweet(1).replacing(#""created_at":"2021-11-03T21:25:00.000Z","#, with: ""))
    #expect(try text("undated.html").contains(#"id="t1""#))
    #expect(try text("index.html").contains("undated.html"))
  }

  @Test func aLongMonthHasSeveralPages() throws {
    let tweets = (0..<1100).map { Self.tweet(1000 + $0, "2021-11-03T21:25:00.000Z") }.joined()
    try write(tweets)
    #expect(
      try files().keys.filter { $0.hasPrefix("2021") }.sorted() == ["2021-11-2.html", "2021-11-3.html", "2021-11.html"])
    #expect(try text("2021-11-3.html").contains(##"href="#t2099""##))
    // The first page and the feed have the newest ones alone.
    #expect(try text("index.html").components(separatedBy: "<article class=\"h-entry\"").count == 21)
    let feed = try text("feed.atom")
    #expect(
      feed.components(separatedBy: "<entry>").count == 51 && feed.contains(":x:2099<") && !feed.contains(":x:2049<"))
  }

  /// Tweets of one conversation are a thread, also where the tweets between them are not there.
  @Test func aConversationIsAThread() throws {
    func tweet(_ id: Int, of conversation: Int) -> String {
      Self.tweet(id, more: #","conversation_id":"\#(conversation)""#)
    }
    try write(tweet(1, of: 77) + tweet(2, of: 78) + tweet(3, of: 77))
    #expect(try files().keys.filter { $0.hasPrefix("threads/") } == ["threads/t77.html"])
    let thread = try text("threads/t77.html")
    #expect(thread.contains(#"id="t1""#) && thread.contains(#"id="t3""#) && !thread.contains(#"id="t2""#))
  }

  /// Clocks that are set back in the first hour of a month begin it twice: it has one page.
  @Test func aMonthThatBeginsTwiceIsOne() throws {
    let times = ["10-31T20:00", "10-31T23:10", "10-31T23:40", "11-01T12:00"]
    let records = times.enumerated().map { Self.tweet($0 + 1, "2021-\($1):00.000Z") }.joined()
    let zone = ["TZ": "AAA0BBB-1,J60/0,J305/0:30"]
    let result = try Tool.run(
      "tw-render", ["--format", "site", "site"], stdin: ToolInput(records), environment: zone, home: home)
    #expect(result.ending == .status(0), "\(result.errors)")
    #expect(try files().keys.filter { $0.hasPrefix("20") }.sorted() == ["2021-10.html", "2021-11.html"])
    #expect(try text("2021-11.html").components(separatedBy: "<article").count == 4)
  }

  /// Ids are no paths, however they look.
  @Test func hostileIDsNameNoFiles() throws {
    let ids = [
      "../../../x", "/etc/passwd", "a/b", "at://did:plc:ABC/app.bsky.feed.post/3k", "..", "con", "A", "a",
      String(repeating: "y", count: 3000),
    ]
    let records = ids.enumerated().map { index, id in
      Self.tweet(index).replacing(#""id":"\#(index)""#, with: #""id":"\#(id)""#)
        + Self.tweet(100 + index, "2021-11-04T21:25:00.000Z").replacing(
          #""text""#, with: #""referenced_tweets":[{"type":"replied_to","id":"\#(id)"}],"text""#)
    }
    #expect(try write(records.joined()).ending == .status(0))
    let threads = try files().keys.filter { $0.hasPrefix("threads/") }
    #expect(
      threads.count == ids.count && threads.allSatisfy { $0.count < 200 && !$0.dropFirst(8).contains("/") },
      "\(threads)")
    // Also where upper and lower case are one.
    #expect(Set(threads.map { $0.lowercased() }).count == ids.count)
    #expect(FileManager.default.contents(atPath: home.path + "/site/threads/t_2e_2e.html") != nil)
  }

  /// Tweets that answer each other in a circle are a thread all the same.
  @Test func aCircleOfRepliesEnds() throws {
    #expect(
      try write(Self.tweet(1, answering: 2) + Self.tweet(2, answering: 1) + Self.tweet(3, answering: 3)).ending
        == .status(0))
    #expect(try files().keys.filter { $0.hasPrefix("threads/") } == ["threads/t1.html"])
  }

  @Test func picturesAreFilesOnce() throws {
    try DocumentSample.writeWithPictures(to: home)
    let result = try Tool.run("tw-render", ["--format", "site", "site", "--photos", "records"], home: home)
    #expect(result.ending == .status(0), "\(result.errors)")
    let pictures = try files().keys.filter { $0.hasPrefix("pictures/") }
    #expect(pictures.count == 1 && pictures[0].count == 77)
    let page = try text("undated.html")
    #expect(
      page.contains(#"<img class="face" width="48" height="48" alt="" src="\#(pictures[0])">"#)
        && !page.contains("data:"))
    #expect(page.contains(#"<img src="\#(pictures[0])" width="96" height="64""#))
  }

  // MARK: What is never touched

  @Test func aDirectoryThatIsNoSiteIsRefused() throws {
    try FileManager.default.createDirectory(atPath: home.path + "/site", withIntermediateDirectories: false)
    try home.write("site/notes.txt", "mine")
    let result = try write(Self.records)
    #expect(result.ending == .status(73))
    #expect(
      result.errors.contains("cannot write a site into 'site': it has files, and is not a site"), "\(result.errors)")
    #expect(try files().keys.sorted() == ["notes.txt"])
    // Nor is a file a directory.
    #expect(try Tool.run("tw-render", ["--format", "site", "site/notes.txt"], home: home).ending == .status(73))
    #expect(try Tool.run("tw-render", ["--format", "site"], home: home).ending == .status(64))
  }

  @Test func filesOfOthersInASiteStay() throws {
    try write(Self.tweet(1))
    try home.write("site/robots.txt", "mine")
    try home.write("site/2021-10.html", "mine too")
    // A page of the site would have this name.
    let result = try write(Self.records)
    #expect(result.ending == .status(73))
    #expect(
      result.errors.contains("cannot write 'site/2021-10.html': it is there, and is not the site's"), "\(result.errors)"
    )
    #expect(try text("2021-10.html") == "mine too")
    try FileManager.default.removeItem(atPath: home.path + "/site/2021-10.html")
    #expect(try write(Self.records).ending == .status(0))
    #expect(try write("", ["--yes"]).ending == .status(0))
    #expect(try text("robots.txt") == "mine")
    #expect(try files().keys.filter { $0.hasSuffix(".html") } == ["index.html"])
  }

  /// A list that somebody has changed names no files elsewhere.
  @Test func aHostileListRemovesNothing() throws {
    try write(Self.tweet(1))
    try home.write("victim", "mine")
    try home.write("site/mine.html", "mine")
    let list = try text(".tw-site")
    try home.write("site/.tw-site", list + "../victim\n/\(home.path)/victim\nthreads/../../victim\n.tw-site.lock\n")
    #expect(try write(Self.tweet(1)).ending == .status(0))
    #expect(home.exists("victim") && home.exists("site/mine.html") && home.exists("site/.tw-site.lock"))
  }

  /// A link that somebody puts into a site leads nowhere: what is behind it stays as it is.
  @Test func linksInASiteAreNotFollowed() throws {
    try write(Self.tweet(1))
    try home.write("victim", "mine")
    // What a new file is called until it is whole.
    symlink("../victim", home.path + "/site/.tw-site.0.new")
    #expect(try write(Self.records).ending == .status(73))
    unlink(home.path + "/site/.tw-site.0.new")
    // Of a page with the same content, and of one of another name.
    try FileManager.default.moveItem(atPath: home.path + "/site/index.html", toPath: home.path + "/page")
    symlink("../page", home.path + "/site/index.html")
    #expect(try write(Self.tweet(1)).ending == .status(0) && files().keys.contains("index.html"))
    var status = stat()
    #expect(lstat(home.path + "/site/index.html", &status) == 0 && status.st_mode & S_IFMT == S_IFREG)
    symlink("nowhere", home.path + "/site/2021-10.html")
    #expect(try write(Self.records).errors.contains("'site/2021-10.html': it is there, and is not the site's"))
    unlink(home.path + "/site/2021-10.html")
    // A folder.
    rmdir(home.path + "/site/threads")
    mkdir(home.path + "/other", 0o700)
    symlink("../other", home.path + "/site/threads")
    let refused = try write(Self.records)
    #expect(refused.ending == .status(73) && refused.errors.contains("'site/threads'"), "\(refused.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path + "/other").isEmpty)
    #expect(try String(decoding: home.read("victim"), as: UTF8.self) == "mine")
  }

  @Test func aSiteThatWouldLoseMuchIsAskedAbout() throws {
    let many = (0..<20).map { Self.tweet(1000 + $0) }.joined()
    try write(many)
    let before = try files()
    for (records, question) in [("", "by one of 0"), (Self.tweet(1), "by one of 1")] {
      let result = try write(records)
      #expect(result.ending == .status(64))
      #expect(result.errors.contains("replace the site 'site' of 20 tweets \(question)?"), "\(result.errors)")
      #expect(try files() == before)
    }
    let dry = try write(Self.tweet(1), ["--dry-run"])
    #expect(dry.ending == .status(0) && dry.output == "would replace the site 'site' of 20 tweets by one of 1\n")
    #expect(try files() == before)
    // A tenth less is what deletions make.
    #expect(try write(many.split(separator: "\n").dropLast(2).joined(separator: "\n")).ending == .status(0))
    #expect(try write(Self.tweet(1), ["--yes"]).ending == .status(0))
    #expect(!(try text("2021-11.html").contains("t1000")))
  }

  @Test func anInputThatIsNotWholeChangesNothing() throws {
    try write(Self.records)
    let before = try files()
    try home.write("more", Self.records + Self.tweet(9))
    #expect(
      try Tool.run("tw-render", ["--format", "site", "site", "more", "missing"], home: home).ending == .status(66))
    #expect(try files() == before)
    let tool = try RunningTool("tw-render", ["--format", "site", "site"], home: home)
    tool.send(ToolInput((0..<2000).map { Self.tweet(1000 + $0) }.joined()))
    // What the pipe does not hold the program has read, so it has begun.
    try waitUntil {
      tool.send("")
      return tool.unsentBytes == 0
    }
    tool.signal(SIGTERM)
    #expect(try tool.finish().ending == .signal(SIGTERM))
    #expect(try files() == before)
  }

  // MARK: Faults

  /// What a killed run has left is a site that the next one mends: killed before its first page is
  /// whole, and after some.
  @Test func aKilledRunIsMended() throws {
    let many = (0..<3000).map { Self.tweet(1000 + $0, "20\(10 + $0 % 12)-0\(1 + $0 / 12 % 9)-03T21:25:00.000Z") }
      .joined()
    try home.write("many", many)
    try write(Self.tweet(1))
    // Killed while it was writing the list, and a page: its last name is cut off.
    try home.write("site/.tw-site", text(".tw-site") + "2010-0")
    try home.write("site/.tw-site.0.new", "half")
    let front = try home.read("site/index.html")
    func pages() -> Int {
      let names = try? FileManager.default.contentsOfDirectory(atPath: home.path + "/site")
      return names?.count { $0.hasPrefix("20") } ?? 0
    }
    for more in [0, 1, 3, 10] {
      let there = pages()
      let tool = try RunningTool("tw-render", ["--format", "site", "site", "many"], home: home)
      try waitUntil { try more == 0 ? text(".tw-site").contains("2010-01.html") : pages() >= there + more }
      tool.signal(SIGKILL)
      #expect(try tool.finish().ending == .signal(SIGKILL), "\(more)")
      // Each file that has its name is whole, and known as the site's.
      let listed = try text(".tw-site").split(separator: "\n").map(String.init)
      for name in try files().keys where !name.hasPrefix(".tw") {
        #expect(listed.contains(name), "\(name)")
        if name.hasSuffix(".html") { #expect(try text(name).hasSuffix("</html>\n"), "\(name)") }
      }
    }
    // A signal that may be caught ends it as soon: the first page, which comes last, is the old one.
    let tool = try RunningTool("tw-render", ["--format", "site", "site"], home: home)
    tool.send(ToolInput(many.replacing("hello", with: "another")))
    tool.closeInput()
    try waitUntil {
      tool.send("")
      return try text("2010-01.html").contains("another")
    }
    tool.signal(SIGTERM)
    #expect(try tool.finish().ending == .signal(SIGTERM))
    #expect(try home.read("site/index.html") == front)
    let result = try write(many)
    #expect(result.ending == .status(0), "\(result.errors)")
    let mended = try files()
    #expect(!mended.keys.contains { $0.hasSuffix(".new") })
    let fresh = try Tool.run("tw-render", ["--format", "site", "fresh"], stdin: ToolInput(many), home: home)
    #expect(fresh.ending == .status(0))
    let comparison = try Tool.shell("diff -r site fresh", home: home)
    #expect(comparison.ending == .status(0), "\(comparison.output.prefix(500))")
  }

  /// The file of a run that was killed before it took its name away.
  @Test func aFileOfAKilledRunIsNoFileOfSomebody() throws {
    try home.write("site/.tw-aBc123", "half")
    try home.write("site/.tw-notes", "mine")
    #expect(try write(Self.records).ending == .status(0))
    #expect(!home.exists("site/.tw-aBc123") && home.exists("site/.tw-notes"))
  }

  #if os(Linux)
    /// A kill at any moment leaves none: where the file system can do that, the file never has a name.
    @Test func whatWaitsOnDiskHasNoName() throws {
      try home.write("site/.tw-site", "tw-site 1\ntweets 0\n")
      let nameless = open(home.path + "/site", 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
      defer { close(nameless) }
      let tool = try RunningTool("tw-render", ["--format", "site", "site"], home: home, directory: home.path)
      var open: [String] = []
      try waitUntil {
        let folder = "/proc/\(tool.processID)/fd"
        open = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
          try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
        }
        return open.contains { $0.hasPrefix(home.path + "/site/") }
      }
      #expect(nameless < 0 || open.contains { $0.hasPrefix(home.path + "/site/#") }, "\(open)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: home.path + "/site") == [".tw-site"])
      tool.closeInput()
      #expect(try tool.finish().ending == .status(0))
    }
  #endif

  @Test func twoAtOnceWriteOneAfterTheOther() throws {
    let many = (0..<2000).map { Self.tweet(1000 + $0) }.joined()
    try home.write("many", many)
    let result = try Tool.shell(
      "for n in 1 2 3 4; do tw-render --format site site many || echo $? & done; wait; tw-render --format site fresh many; "
        + "diff -r site fresh", home: home)
    #expect(result.ending == .status(0) && result.output.isEmpty, "\(result.output.prefix(500)) \(result.errors)")
  }

  /// No file may grow beyond 64 kB: what a full disk does. Each page is the old one or the new one.
  @Test func aFullDiskLeavesWholePages() throws {
    try write(Self.records)
    let long = (0..<400).map { Self.tweet(1000 + $0, text: String(repeating: "wide ", count: 100)) }.joined()
    try home.write("long", Self.records + long)
    let result = try Tool.shell("ulimit -f 64; tw-render --format site site long", home: home)
    #expect(result.ending == .status(74), "\(result.errors)")
    for name in try files().keys where name.hasSuffix(".html") {
      #expect(try text(name).hasSuffix("</html>\n"), "\(name)")
    }
    #expect(
      try Tool.shell(
        "tw-render --format site site long && tw-render --format site fresh long && diff -r site fresh", home: home
      ).ending == .status(0))
  }

  // MARK: Other people's programs

  @Test(.enabled(if: DocumentCheckerTests.vnu != nil, "needs Java, and \(PythonPackage.comment)"))
  func pagesAreValid() throws {
    try DocumentSample.writeWithPictures(to: home)
    _ = try Tool.run("tw-render", ["--format", "site", "site", "--photos", "records"], home: home)
    let result = try Tool.run(
      try #require(DocumentCheckerTests.vnu), [Self.script, "vnu", "site"], home: home, timeout: 150)
    #expect(result.ending == .status(0) && result.output.isEmpty, "\(result.output)\(result.errors)")
  }

  @Test(.enabled(if: DocumentCheckerTests.browser != nil, "needs /usr/bin/chromium, and \(PythonPackage.comment)"))
  func pagesAreAccessibleAndSearched() throws {
    let many = (100..<230).map { Self.tweet($0, "2020-01-01T00:00:00.000Z", text: "many #\($0 % 2)") }.joined()
    try write(Self.records + many + Self.tweet(9, "2020-02-01T00:00:00.000Z", text: "don\u{2019}t"))
    let result = try Tool.run(
      try #require(DocumentCheckerTests.browser), [Self.script, "browser", "site"], home: home, timeout: 200)
    #expect(result.ending == .status(0) && result.output.isEmpty, "\(result.output)\(result.errors)")
  }
}
