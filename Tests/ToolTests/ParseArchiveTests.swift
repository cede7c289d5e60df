import Foundation
import TestNumbers
import TestSupport
import Testing

/// The archives in which X and Mastodon hand out accounts: as they come, unpacked, damaged and hostile.
@Suite(.onOwnThread) struct ParseArchiveTests {
  /// A folder `x` with an archive of X: its owner, tweets in parts, a deletion, and files that are not to be read.
  private func makeX() throws -> TemporaryDirectory {
    let home = try TemporaryDirectory()
    func script(_ name: String, _ type: String, _ elements: [String]) throws {
      try home.write("x/data/\(name).js", "window.YTD.\(type).part0 = [\n\(elements.joined(separator: ",\n"))\n]")
    }
    try script("account", "account", [#"{"account":{"accountId":"12","username":"jack","accountDisplayName":"Jack"}}"#])
    try script("profile", "profile", [#"{"profile":{"description":{"bio":"tea"}}}"#])
    try script("tweets", "tweets", (1...3).map(tweet))
    try script("tweets-part1", "tweets", (4...5).map(tweet))
    try script("tweets-part10", "tweets", [tweet(7)])
    try script("tweets-part2", "tweets", [tweet(6)])
    try script(
      "deleted-tweets", "deleted_tweets", [#"{"tweet":{"id_str":"9","full_text":"gone","deleted_at":"2021-01-01"}}"#])
    try script("like", "like", [#"{"like":{"tweetId":"99"}}"#])
    try home.write("x/data/manifest.js", "window.__THAR_CONFIG = {\"userInfo\":{\"accountId\":\"99\"}}")
    try home.write("x/data/tweets_media/1.mp4", [UInt8](repeating: 0x5A, count: 100_000))
    try home.write("x/Your archive.html", "<html>")
    return home
  }

  /// A thread that was posted at once has notes of one second; they are told apart by their beginnings, and have links
  /// of their own.
  @Test func longPostsOfOneSecond() throws {
    let home = try TemporaryDirectory()
    let more = String(repeating: "more ", count: 80)
    let wholes = (1...4).map { "Part \($0) of https://t.co/new\($0) and \(more)\($0)" }
    let notes = wholes.map {
      #"{"noteTweet":{"createdAt":"2023-03-01T10:00:00.000Z","core":{"text":"\#($0)"}}}"#
    }
    let tweets = wholes.indices.map {
      #"{"tweet":{"id_str":"\#($0 + 1)","full_text":"Part \#($0 + 1) of https://t.co/old and more… https://t.co/a","#
        + #""created_at":"Wed Mar 01 10:00:00 +0000 2023"}}"#
    }
    try home.write("x/data/account.js", #"window.YTD.a.part0 = [{"account":{"accountId":"12","username":"jack"}}]"#)
    try home.write("x/data/note-tweet.js", "window.YTD.note_tweet.part0 = [\(notes.joined(separator: ","))]")
    try home.write("x/data/tweets.js", "window.YTD.tweets.part0 = [\(tweets.joined(separator: ","))]")
    let result = try Tool.run("tw-parse", ["x", "--only", "tweet"], home: home)
    #expect(try JSONObject.list(result.lines).compactMap { $0["text"] as? String } == wholes, "\(result.errors)")
    // A disk without room for the texts is said to be one, and the posts stay as they are.
    let full = try Tool.run("tw-parse", ["x"], environment: ["TMPDIR": "/nowhere"], home: home)
    let reason = "a long post that cannot be kept: cannot create"
    #expect(full.status == 1 && full.errors.contains(reason), "\(full.errors)")
  }

  private func tweet(_ id: Int) -> String { #"{"tweet":{"id_str":"\#(id)","full_text":"tweet \#(id)"}}"# }

  /// The tools that make archives are not everywhere.
  private func has(_ programs: String...) throws -> Bool {
    for program in programs where try Tool.shell("command -v \(program)").status != 0 {
      print("skipped: \(program) is not installed")
      return false
    }
    return true
  }

  @Test(arguments: [
    "tw-parse x", "tw-parse x/", "cd x && tw-parse .", "cd x && zip -qr ../a.zip . && cd .. && tw-parse a.zip",
    "zip -qr a.zip x && tw-parse a.zip", "zip -qr a.zip x && tw-parse < a.zip",
    "zip -qr -0 - x > a.zip && tw-parse a.zip",
    "tar -cf a.tar x && tw-parse a.tar", "tar -czf a.tgz x && tw-parse a.tgz",
    "tar -cf - -C x . | xz -c > a.txz && tw-parse < a.txz",
    "cat x/data/account.js x/data/tweets*.js | wc -c >&2; tw-parse x",
  ])
  func xArchivesAreRead(_ reading: String) throws {
    if try !has("zip", "unzip", "xz") { return }
    let home = try makeX()
    let files = [
      "account", "profile", "tweets", "tweets-part1", "tweets-part2", "tweets-part10", "deleted-tweets", "like",
    ]
    let expected = try Tool.run("tw-parse", files.map { "x/data/\($0).js" }, home: home)
    #expect(expected.lines.count == 10)
    #expect(expected.lines.dropFirst().prefix(7).enumerated().allSatisfy { $1.contains(#""id":"\#($0 + 1)""#) })
    let result = try Tool.shell(reading, home: home)
    #expect(result.stdout == expected.stdout)
    #expect(result.ending == .status(0))
  }

  @Test func filesOfAnArchiveMayComeInOnePipe() throws {
    let home = try makeX()
    let apart = try Tool.run("tw-parse", ["x/data/account.js", "x/data/tweets.js"], home: home)
    let piped = try Tool.shell("cat x/data/account.js x/data/tweets.js | tw-parse", home: home)
    #expect(apart.lines.count == 4)
    #expect(piped.stdout == apart.stdout)
    #expect(piped.ending == .status(0))
    // What is no assignment is still no document.
    let odd = try Tool.run("tw-parse", stdin: ToolInput("[\(tweet(1))]window.x = \nwho = [{}]\nwindow\n"))
    #expect(odd.errors.contains("-:2: bad record") && odd.errors.contains("-:3: bad record"))
  }

  @Test func tweetsWithoutTheirOwnerSayOnceHowToNameThem() throws {
    let home = try makeX()
    let message =
      "the tweet has no author: name the archive's owner with --owner ID:NAME, or give its account.js before this file"
    let alone = try Tool.run("tw-parse", ["--rejects", "r", "x/data/tweets.js", "x/data/tweets-part1.js"], home: home)
    #expect(
      alone.errors
        == "tw-parse: x/data/tweets.js:2: bad record: \(message)\n"
        + "tw-parse: x/data/tweets-part1.js:2: bad record: \(message)\ntw-parse: 3 more bad records, 5 in all\n")
    #expect(alone.ending == .status(65))
    #expect(String(decoding: try home.read("r"), as: UTF8.self) == (1...5).map { tweet($0) + "\n" }.joined())
    let named = try Tool.run("tw-parse", ["--owner", "12:jack", "x/data/tweets.js"], home: home)
    #expect(named.lines.count == 3 && named.ending == .status(0))
  }

  /// The whole text of a long post is in another file, under another id.
  @Test func longPostsAreWhole() throws {
    let home = try TemporaryDirectory()
    func script(_ name: String, _ elements: [String]) throws {
      let variable = "window.YTD.\(name.replacing("-", with: "_")).part0"
      try home.write("x/data/\(name).js", "\(variable) = [\n\(elements.joined(separator: ",\n"))\n]")
    }
    let start = String(repeating: "long words &amp; more ", count: 12)
    let whole = start + "and #swift at the end, see https://t.co/abc"
    let scalars = whole.replacing("&amp;", with: "&").unicodeScalars.count
    let tag = whole.replacing("&amp;", with: "&").firstRange(of: "#swift")!.lowerBound.utf16Offset(
      in: whole.replacing("&amp;", with: "&"))
    func note(_ id: Int, _ text: String, _ entities: String = "") -> String {
      #"{"noteTweet":{"noteTweetId":"\#(id)","createdAt":"2023-03-01T10:00:00.000Z","core":{"text":"\#(text)"\#(entities)}}}"#
    }
    let entities =
      #","hashtags":[{"fromIndex":"\#(tag)","toIndex":"\#(tag + 6)","text":"swift"}],"urls":[{"fromIndex":"\#(scalars - 16)","#
      + #""toIndex":"\#(scalars)","shortUrl":"https://t.co/abc","expandedUrl":"https://example.com/a","displayUrl":"example.com/a"}]"#
    try script("account", [#"{"account":{"accountId":"12","username":"jack","accountDisplayName":"Jack"}}"#])
    try script(
      "note-tweet", [note(900, "another long text"), note(901, whole.replacing("&amp;", with: "&"), entities)])
    func tweet(_ id: Int, _ text: String) -> String { #"{"tweet":{"id_str":"\#(id)","full_text":"\#(text)"}}"# }
    try script(
      "tweets", [tweet(1, start + "and… https://t.co/xyz"), tweet(2, "another long"), tweet(3, start + "other")])
    try script(
      "like",
      [
        #"{"like":{"tweetId":"1637092341000000000","fullText":"I like &lt;this&gt;","expandedUrl":"https://x.com/i/web/status/1"}}"#,
        #"{"like":{"tweetId":"20"}}"#,
      ])
    try home.write("x/data/direct-messages.js", "secret")
    let result = try Tool.run("tw-parse", ["x"], home: home)
    #expect(result.status == 0 && result.lines.count == 6, "\(result.errors)\(result.output)")
    let text = whole.replacing("&amp;", with: "&")
    #expect(result.lines[1].contains("\"text\":\"\(text)\""), "\(result.lines[1])")
    #expect(result.lines[1].contains(#"{"start":\#(tag),"end":\#(tag + 6),"tag":"swift"}"#), "\(result.lines[1])")
    #expect(result.lines[1].contains(#""expanded_url":"https://example.com/a""#))
    #expect(result.lines[2].contains(#""text":"another long""#) && result.lines[3].contains("more other"))
    #expect(
      result.lines[4].hasPrefix(#"{"tw":"tweet","id":"1637092341000000000","service":"x","#)
        && result.lines[4].contains(
          #""text":"I like <this>","viewer":{"account":"jack","liked":true},"feeds":["likes"]"#),
      "\(result.lines[4])")
    #expect(result.lines[4].contains(#""created_at":"2023-03-1"#) && result.lines[5].contains(#""code":"like""#))
    // In a store they are found as liked, and a version with an author completes them.
    let added = try Tool.shell("tw-parse x | tw-cache add > /dev/null && tw-cache list is:liked", home: home)
    #expect(added.lines.count == 1 && added.errors == "", "\(added.errors)")
  }

  /// The beginning of a reply has the names that it answers, of which the whole text knows nothing; its links have
  /// other short addresses; and a short beginning is known by its second.
  @Test func longRepliesAreWhole() throws {
    let home = try TemporaryDirectory()
    let long = String(repeating: "many words ", count: 30)
    let notes = [
      #"{"noteTweet":{"noteTweetId":"900","createdAt":"2024-02-22T10:23:49.000Z","core":{"styletags":[],"text":"see https://t.co/NEW #tea \#(long)","mentions":[],"cashtags":[],"hashtags":[{"text":"tea","fromIndex":"21","toIndex":"25"}],"urls":[{"shortUrl":"https://t.co/NEW","expandedUrl":"https://example.com/a","displayUrl":"example.com/a","fromIndex":"4","toIndex":"20"}]}}}"#,
      #"{"noteTweet":{"noteTweetId":"901","createdAt":"2024-02-23T10:00:00.000Z","core":{"text":"\#(long)one"}}}"#,
      #"{"noteTweet":{"noteTweetId":"902","createdAt":"2024-02-24T10:00:00.000Z","core":{"text":"\#(long)two"}}}"#,
    ]
    func tweet(_ id: Int, _ day: Int, _ time: String, _ text: String, _ entities: String = "{}") -> String {
      #"{"tweet":{"id_str":"\#(id)","created_at":"Thu Feb \#(day) \#(time) +0000 2024","full_text":"\#(text)","entities":\#(entities)}}"#
    }
    let mention = #"{"user_mentions":[{"screen_name":"bo","name":"Bo","id_str":"7","indices":["0","3"]}]}"#
    let tweets = [
      tweet(1, 22, "10:23:49", "@bo see https://t.co/OLD #tea many… https://t.co/self", mention),
      tweet(2, 24, "10:00:00", long.prefix(250) + "…"), tweet(3, 24, "10:00:01", "many words…"),
    ]
    try home.write("x/data/note-tweet.js", "window.YTD.note_tweet.part0 = [\(notes.joined(separator: ","))]")
    try home.write("x/data/tweets.js", "window.YTD.tweets.part0 = [\(tweets.joined(separator: ","))]")
    let result = try Tool.run("tw-parse", ["--owner", "12:jack", "x"], home: home)
    #expect(result.status == 0 && result.lines.count == 3, "\(result.errors)\(result.output)")
    #expect(
      result.lines[0].contains(#""text":"@bo see https://t.co/NEW #tea \#(long)""#)
        && result.lines[0].contains(#"{"start":25,"end":29,"tag":"tea"}"#)
        && result.lines[0].contains(#"{"start":0,"end":3,"username":"bo","id":"7","name":"Bo"}"#)
        && result.lines[0].contains(
          #"{"start":8,"end":24,"url":"https://t.co/NEW","expanded_url":"https://example.com/a""#),
      "\(result.lines[0])")
    // Of two that begin alike, the one of the same second.
    #expect(result.lines[1].contains("\(long)two") && result.lines[2].contains(#""text":"many words…""#))
  }

  /// Mastodon lists what was liked and bookmarked by addresses; X's bookmarks are as its likes.
  @Test func likesAndBookmarksAreRead() throws {
    let home = try TemporaryDirectory()
    let context = #"{"@context":"https://www.w3.org/ns/activitystreams","#
    try home.write(
      "m/actor.json",
      context
        + #""id":"https://a.example/users/maja","type":"Person","preferredUsername":"maja","inbox":"https://a.example/i"}"#
    )
    try home.write("m/outbox.json", context + #""type":"OrderedCollection","orderedItems":[]}"#)
    for (file, items) in [
      ("likes", #""https://b.example/p/7","https://c.example/o/9""#), ("bookmarks", #""https://b.example/p/8""#),
    ] {
      try home.write(
        "m/\(file).json", context + #""id":"\#(file).json","type":"OrderedCollection","orderedItems":[\#(items)]}"#)
    }
    try home.write("m/media_attachments/a.png", "x")
    let result = try Tool.run("tw-parse", ["--summary", "m"], home: home)
    let like =
      #"{"tw":"notice","level":"info","code":"like","message":"a post was liked","service":"mastodon:a.example","url":"https://b.example/p/7"}"#
    #expect(
      result.status == 0 && result.lines.count == 4 && result.lines[1] == like, "\(result.errors)\(result.output)")
    #expect(result.lines[3].contains(#""code":"bookmark","message":"a post was bookmarked""#))
    #expect(result.errors.contains("m/likes.json: read 2 documents"), "\(result.errors)")
    #expect(result.errors.contains("not read: 1 file of media_attachments\n"))
    // Elsewhere an address is no document.
    try home.write("m/other.json", try home.read("m/likes.json"))
    #expect(try Tool.run("tw-parse", ["m/other.json"], home: home).status == 65)
    let marked = [
      #"{"bookmark":{"tweetId":"1637092341000000000","fullText":"keep"}}"#, #"{"bookmark":{"tweetId":"20"}}"#,
    ]
    try home.write("bookmark.js", "window.YTD.bookmark.part0 = [\(marked.joined(separator: ","))]")
    let bookmarks = try Tool.run("tw-parse", ["--owner", "12:jack", "bookmark.js"], home: home)
    #expect(
      bookmarks.lines[0].contains(#""text":"keep","viewer":{"account":"jack","bookmarked":true},"feeds":["bookmarks"]"#)
    )
    #expect(bookmarks.lines[1].contains(#""code":"bookmark""#) && bookmarks.status == 0)
  }

  /// An archive's owner is not the author of what the next archive has.
  @Test func anotherArchiveHasAnotherOwner() throws {
    let home = try makeX()
    try home.write("y/data/tweets.js", "window.YTD.tweets.part0 = [\(tweet(21))]")
    try home.write("z/data/tweets.js", "window.YTD.tweets.part0 = [\(tweet(31))]")
    try home.write("z/data/manifest.js", #"window.__THAR_CONFIG = {"userInfo":{"accountId":"7","userName":"zoe"}}"#)
    let result = try Tool.run("tw-parse", ["x", "y", "z"], home: home)
    #expect(!result.lines.contains { $0.contains(#""id":"21""#) })
    #expect(result.lines.last?.contains(#""id":"31","service":"x","url":"https://x.com/zoe/status/31""#) ?? false)
    #expect(result.ending == .status(1))
  }

  /// The archives before 2018, with a file a month.
  @Test func monthsOfOldArchivesAreRead() throws {
    let home = try TemporaryDirectory()
    for month in ["2015_02", "2015_01"] {
      let user = #""user":{"id_str":"12","screen_name":"jack"}"#
      let tweet = #"{"id_str":"\#(month.suffix(1))","text":"hi",\#(user),"created_at":"2015-01-02 03:04:05 +0000"}"#
      try home.write("old/data/js/tweets/\(month).js", "Grailbird.data.tweets_\(month) = [\(tweet)]")
    }
    try home.write("old/data/js/user_details.js", "var user_details = {}")
    let result = try Tool.run("tw-parse", ["old"], home: home)
    #expect(result.lines.map { $0.prefix(25) } == [#"{"tw":"tweet","id":"1","s"#, #"{"tw":"tweet","id":"2","s"#])
    #expect(result.ending == .status(0))
  }

  @Test(arguments: [
    ("zip -q a.zip x/data/like.js && tw-parse a.zip", 65, "it is an archive without data/tweets.js (X)"),
    ("tar -cf a.tar x/data/like.js && tw-parse a.tar", 65, "without outbox.json (Mastodon)"),
    ("zip -qr a.zip x && head -c 900 a.zip > b.zip && tw-parse b.zip", 65, "damaged or cut off"),
    ("zip -qr -P secret a.zip x && tw-parse a.zip < /dev/null", 65, "it is encrypted; decrypt it first"),
    ("zip -qr a.zip x && cat a.zip | tw-parse", 66, "can only be read from a file, not from a pipe"),
    ("tar -czf a.tgz x && cat a.tgz | tw-parse", 66, "can only be read from a file, not from a pipe"),
    ("mkdir empty && tw-parse empty", 66, "it is a directory without data/tweets.js (X)"),
    ("zip -qr a.zip x && tw-render a.zip", 65, "it is an archive, which tw-parse reads"),
    ("tw-parse --rejects x/data/tweets.js x", 64, "is an input"),
    ("zip -qr a.zip x && PATH=$(dirname $(command -v tw-parse)) tw-parse a.zip", 66, "it needs 'unzip', which is not"),
  ])
  func whatIsNoArchiveIsNamed(_ reading: String, _ status: Int, _ message: String) throws {
    if try !has("zip", "unzip") { return }
    let home = try makeX()
    let result = try Tool.shell(reading, home: home)
    #expect(result.ending == .status(Int32(status)))
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(result.stdout.isEmpty)
    #expect(try home.read("x/data/tweets.js").count > 100)
  }

  /// A folder of captures is read in the order of their names; other files, and hidden files and folders, are left out.
  @Test func capturesOfAFolderAreRead() throws {
    let home = try TemporaryDirectory()
    for (number, name) in ["b.ndjson", "c.jsonl", "a.json", "notes.txt", ".d.ndjson", ".now/e.ndjson"].enumerated() {
      try home.write("hours/\(name)", #"{"id":"\#(number + 1)","text":"hi","author_id":"5"}"# + "\n")
    }
    _ = try Tool.shell("gzip hours/c.jsonl", home: home)
    for folder in ["hours", "hours/"] {
      let result = try Tool.run("tw-parse", [folder], home: home)
      #expect(result.lines.map { $0.prefix(21) } == ["3", "1", "2"].map { #"{"tw":"tweet","id":"\#($0)"# })
      #expect(result.ending == .status(0) && result.errors == "")
    }
    let rejects = try Tool.run("tw-parse", ["--rejects", "hours/b.ndjson", "hours"], home: home)
    #expect(rejects.ending == .status(64) && rejects.errors.contains("is an input"))
  }

  /// A damaged file costs itself, and is named.
  @Test func damageWithinAnArchiveIsReported() throws {
    if try !has("zip", "unzip") { return }
    let home = try makeX()
    _ = try Tool.shell("zip -qr -0 a.zip x", home: home)
    var bytes = try home.read("a.zip")
    let at = try #require(bytes.indices.first { bytes[$0...].starts(with: "tweet 5".utf8) })
    bytes[at] = UInt8(ascii: "T")
    try home.write("a.zip", bytes)
    let result = try Tool.run("tw-parse", ["a.zip"], home: home)
    #expect(result.lines.count == 10)
    #expect(
      result.errors
        == "tw-parse: cannot read 'a.zip/x/data/tweets-part1.js' to its end: 'unzip' says that the file is damaged or cut off\n"
    )
    #expect(result.ending == .status(1))
  }

  /// Names with `..` are nobody's archive, and no name makes a program do anything else.
  @Test func hostileNamesAreNotRead() throws {
    if try !has("zip", "unzip", "tar") { return }
    let home = try makeX()
    _ = try Tool.shell(
      "mkdir -p -- '-x' 'a*/data' in && cp x/data/*.js ./-x && cp x/data/*.js 'a*/data' && cd in"
        + " && zip -q ../a.zip ../x/data/tweets.js ../x/data/account.js && cd .. && zip -qr a.zip -- './-x' 'a*'",
      home: home)
    let result = try Tool.run("tw-parse", ["a.zip"], home: home)
    #expect(result.errors.contains("it is an archive without data/tweets.js"), "\(result.errors)")
    #expect(result.ending == .status(65))
  }

  #if os(Linux)
    /// A file that is a thousand times as long as its archive, and an archive of 100 000 files, need no more memory.
    @Test(arguments: [false, true])
    func archivesNeedLittleMemory(_ hasManyFiles: Bool) throws {
      if try !has("zip", "unzip") { return }
      let home = try makeX()
      if hasManyFiles {
        let names = (0..<100_000).map { "data/tweets_media/\($0)-\(String(repeating: "x", count: 40)).jpg" }
        let account = try home.read("x/data/account.js")
        try home.write("a.zip", ZipSample.file(names.map { ($0, []) } + [("data/account.js", account)]))
      } else {
        _ = try Tool.shell(
          "head -c 200000000 /dev/zero | tr '\\0' '\\n' > x/data/tweets-part2.js && zip -qr -1 a.zip x", home: home)
        #expect(try home.read("a.zip").count < 2 << 20)
      }
      // The rest of the input does not come before the archive was read.
      let tool = try RunningTool("tw-parse", ["--only", "user", "a.zip", "-"], home: home)
      tool.send(ToolInput(#"[{"account":{"accountId":"1","username":"last"}}]"# + "\n"))
      try tool.waitForLines(2, timeout: 120)
      if let peak = tool.peakMemory { #expect(peak < 64 << 20) }
      #expect(try tool.finish().ending == .status(0))
    }
  #endif

  // MARK: Mastodon

  private static let actor = """
    {"@context":["https://www.w3.org/ns/activitystreams",{"orderedItems":{"@id":"x"}}],"id":"https://tea.example/users/ada",\
    "type":"Person","inbox":"https://tea.example/users/ada/inbox","preferredUsername":"ada","name":"Ada","summary":"<p>hi</p>",\
    "url":"https://tea.example/@ada","manuallyApprovesFollowers":true,"published":"2017-04-01T00:00:00Z",\
    "icon":{"type":"Image","url":"avatar.png"},"attachment":[{"type":"PropertyValue","name":"web","value":"x"}]}
    """

  private func note(_ id: Int, _ more: String = "", content: String = "<p>hello</p>") -> String {
    let uri = "https://tea.example/users/ada/statuses/\(id)"
    return """
      {"id":"\(uri)/activity","type":"Create","actor":"https://tea.example/users/ada","published":"2021-03-28T02:57:55Z",\
      "object":{"id":"\(uri)","type":"Note","published":"2021-03-28T02:57:55Z","url":"https://tea.example/@ada/\(id)",\
      "attributedTo":"https://tea.example/users/ada","to":["https://www.w3.org/ns/activitystreams#Public"],\
      "content":"\(content)"\(more)}}
      """
  }

  private func outbox(_ items: [String]) -> String {
    """
    {"@context":"https://www.w3.org/ns/activitystreams","id":"outbox.json","type":"OrderedCollection",\
    "totalItems":\(items.count),"orderedItems":[\(items.joined(separator: ","))]}
    """
  }

  @Test func anExportOfMastodonIsMapped() throws {
    let tags = """
      ,"tag":[{"type":"Mention","href":"https://b.example/users/bo","name":"@bo@b.example"},\
      {"type":"Hashtag","href":"https://tea.example/tags/tea","name":"#tea"}],\
      "inReplyTo":"https://tea.example/users/ada/statuses/1","sensitive":true,"summary":"careful",\
      "contentMap":{"en":"x"},"likes":{"totalItems":3},"shares":{"totalItems":2},\
      "attachment":[{"type":"Document","mediaType":"image/png","url":"/media/1.png","name":"alt","width":2,"height":3}]
      """
    let content =
      #"<p><a class=\"u-url mention\" href=\"https://b.example/@bo\">@<span>bo</span></a> on "#
      + #"<a class=\"mention hashtag\" href=\"https://tea.example/tags/tea\">#<span>tea</span></a></p>"#
    let boost = """
      {"id":"https://tea.example/users/ada/statuses/3/activity","type":"Announce","actor":"https://tea.example/users/ada",\
      "published":"2021-04-09T14:04:27Z","to":["https://tea.example/users/ada/followers"],\
      "object":"https://b.example/users/bo/statuses/77?a=1&b=<2>"}
      """
    let poll = #","oneOf":[{"type":"Note","name":"yes","replies":{"totalItems":4}}],"endTime":"2022-01-01T00:00:00Z""#
    let items = [note(1), note(2, tags, content: content), boost, note(4, poll)]
    let result = try Tool.run("tw-parse", stdin: ToolInput(Self.actor + "\n" + outbox(items)))
    #expect(result.errors == "" && result.ending == .status(0))
    let records = try JSONObject.list(result.lines)
    try #require(records.count == 5)
    #expect(records.map { $0["tw"] as? String } == ["user", "tweet", "tweet", "tweet", "tweet"])
    #expect(records.allSatisfy { $0["service"] as? String == "mastodon:tea.example" })
    #expect(records.dropFirst().map { $0["id"] as? String } == ["1", "2", "3", "4"])
    #expect(records[0]["profile_image_url"] == nil && records[0]["protected"] as? Bool == true)
    let author = try #require(records[1]["author"] as? [String: Any])
    #expect(author["username"] as? String == "ada" && author["name"] as? String == "Ada")
    let second = records[2]
    try JSONObject.checkOffsets(of: second)
    #expect(second["text"] as? String == "@bo on #tea" && second["lang"] as? String == "en")
    #expect(
      result.lines[2].contains(
        #""mentions":[{"start":0,"end":3,"username":"bo@b.example","url":"https://b.example/users/bo"}]"#))
    #expect(result.lines[2].contains(#""hashtags":[{"start":7,"end":11,"tag":"tea"}]"#))
    #expect(result.lines[2].contains(#""referenced_tweets":[{"type":"replied_to","id":"1"}]"#))
    #expect(result.lines[2].contains(#""public_metrics":{"retweet_count":2,"like_count":3}"#))
    #expect(result.lines[2].contains(#""alt_text":"alt","width":2,"height":3,"extra":{"file":"/media/1.png""#))
    let address = #""uri":"https://tea.example/users/ada/statuses/2""#
    #expect(result.lines[2].contains(#""extra":{"spoiler_text":"careful","visibility":"public",\#(address)}"#))
    #expect(records[3]["text"] as? String == "RT @bo@b.example: https://b.example/users/bo/statuses/77?a=1&b=<2>")
    #expect(result.lines[3].contains(#""type":"retweeted","id":"https://b.example/users/bo/statuses/77?a=1&b=<2>""#))
    #expect(result.lines[3].contains(#""visibility":"private""#))
    #expect(result.lines[4].contains(#""options":[{"position":1,"label":"yes","votes":4}]"#))
    #expect(try Tool.run("tw-parse", stdin: ToolInput(result.stdout)).stdout == result.stdout)
  }

  /// An outbox may be laid out in any way, and have members after its posts; what is cut off is said.
  @Test(arguments: [
    "one line", "pretty", "totals last", "cut off", "bad post", "posts after it", "deep key",
    "empty before it", "objects after it", "cut off after its posts",
  ])
  func outboxesOfEveryLayout(_ kind: String) throws {
    let items = (1...30).map { note($0) }
    var text = outbox(items)
    var expected = (ids: (1...30).map(String.init), status: Int32(0))
    switch kind {
    case "pretty":
      let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
      let pretty = try JSONSerialization.data(withJSONObject: value, options: [.prettyPrinted, .sortedKeys])
      text = String(decoding: pretty, as: UTF8.self)
    case "totals last":
      text =
        "{\n\t\"@context\": \"x\",\n\t\"orderedItems\" : [\n\(items.joined(separator: ",\n"))\n],\n\"totalItems\": 30, \"a\":\"]}\"}\n"
    case "cut off":
      text = String(text.dropLast(2))
      expected.status = 1
    case "bad post":
      text = outbox(items.prefix(10) + [#"{"type":"Create","actor":"a","object":"b"}"#, "7"] + items.dropFirst(10))
      expected.status = 1
    case "empty before it": text = text.replacing(#""orderedItems":"#, with: #""orderedItems" : [ ], "orderedItems": "#)
    case "objects after it":
      text = text.dropLast() + #","generator":{"a":[{"b":"}"}]},"x":["]",[]],"y":null,"orderedItems":[\#(note(31))]}"#
      text += "\n" + note(32)
      expected.ids += ["31", "32"]
    case "cut off after its posts":
      text = text.dropLast() + ",\"more\":\n" + note(31)
      expected.status = 1
    case "posts after it":
      text += "\n" + note(31) + "\n" + outbox([note(32)]) + outbox([]) + note(33)
      expected.ids += ["31", "32", "33"]
    case "deep key": text = #"{"@context":{"orderedItems":["x"]},"type":"a","# + text.dropFirst(1)
    default: break
    }
    let result = try Tool.run("tw-parse", stdin: ToolInput(text))
    #expect(try JSONObject.list(result.lines).map { $0["id"] as? String } == expected.ids)
    #expect(result.ending == .status(expected.status), "\(result.errors)")
  }

  /// What mastodon-archive keeps of others says why it is there: their posts are not the account's.
  @Test func marksOfAnArchiveAreKnown() throws {
    let account = #"{"id":"1","username":"ada","acct":"ada","url":"https://tea.example/@ada"}"#
    let other = #"{"id":"5","username":"bo","acct":"bo@b.example","url":"https://b.example/@bo"}"#
    func status(_ id: Int, _ account: String, _ more: String = "") -> String {
      #"{"id":"\#(id)","content":"x","visibility":"public","account":\#(account)\#(more)}"#
    }
    let archive = """
      {"account":\(account),"statuses":[\(status(1, account))],"favourites":[\(status(2, other, #","favourited":true"#))],\
      "bookmarks":[\(status(3, other, #","bookmarked":true"#))],"mentions":[\(status(4, other))],"followers":[\(other)]}
      """
    let result = try Tool.run("tw-parse", stdin: ToolInput(archive + "\n" + status(5, other)))
    let records = try JSONObject.list(result.lines)
    #expect(
      records.map { $0["service"] as? String }.dropLast() == Array(repeating: "mastodon:tea.example", count: 6)[...])
    #expect(records.map { $0["feeds"] as? [String] } == [nil, nil, ["likes"], ["bookmarks"], ["mentions"], nil, nil])
    let marks = records.map { ($0["viewer"] as? [String: Any])?.keys.sorted() ?? [] }
    #expect(marks == [[], [], ["account", "liked"], ["account", "bookmarked"], [], [], []], "\(result.output)")
    #expect(result.lines[5].contains(#""code":"not-read","message":"not read: 1 followers""#))
    #expect(result.lines[6].contains(#""service":"mastodon:b.example""#) && result.ending == .status(0))
  }

  /// An outbox is one document, and may be larger than any record.
  @Test func aLargeOutboxNeedsLittleMemory() throws {
    let filler = String(repeating: "x", count: 4000)
    let text = outbox((1...10_000).map { note($0, content: filler) })
    #expect(text.utf8.count > 40 << 20)
    let tool = try RunningTool("tw-parse", ["--only", "user"])
    tool.send(ToolInput(text + "\n" + Self.actor + "\n"))
    try tool.waitForLines(1, timeout: 120)
    #if os(Linux)
      if let peak = tool.peakMemory { #expect(peak < 64 << 20) }
    #endif
    let result = try tool.finish()
    #expect(result.errors == "" && result.ending == .status(0))
  }

  @Test(arguments: [
    "tw-parse m", "cd m && zip -qr ../m.zip . && tw-parse ../m.zip", "tar -czf m.tgz -C m . && tw-parse m.tgz",
    "tw-parse m/actor.json m/outbox.json",
  ])
  func archivesOfMastodonAreRead(_ reading: String) throws {
    if try !has("zip", "unzip") { return }
    let home = try TemporaryDirectory()
    try home.write("m/outbox.json", outbox((1...3).map { note($0) }))
    try home.write("m/actor.json", Self.actor)
    try home.write("m/likes.json", outbox([#""https://b.example/1""#]))
    try home.write("m/media_attachments/1.png", [UInt8](repeating: 1, count: 10_000))
    let result = try Tool.shell(reading, home: home)
    let likes = reading.contains("m/actor.json") ? 0 : 1
    #expect(result.lines.count == 4 + likes, "\(result.errors)")
    #expect(result.lines.prefix(4).allSatisfy { $0.contains(#""name":"Ada""#) })
    #expect(result.lines.dropFirst(4).allSatisfy { $0.contains(#""code":"like""#) })
    #expect(result.ending == .status(0))
  }
}

/// A zip archive of files that are not compressed (PKWARE's APPNOTE.TXT, 4.3).
private enum ZipSample {
  static func file(_ members: [(name: String, bytes: [UInt8])]) -> [UInt8] {
    var file: [UInt8] = []
    var directory: [UInt8] = []
    for (name, bytes) in members {
      let offset = file.count
      let facts =
        little(10, 2) + little(0, 8) + little(Int(CRC32.of(bytes)), 4) + little(bytes.count, 4) + little(bytes.count, 4)
        + little(name.utf8.count, 2) + little(0, 2)
      file += [0x50, 0x4B, 3, 4] + facts + Array(name.utf8) + bytes
      directory += [0x50, 0x4B, 1, 2] + little(10, 2) + facts + little(0, 10) + little(offset, 4) + Array(name.utf8)
    }
    // More than 65 535 files: their number is that of the zip64 record.
    let end64 = [0x50, 0x4B, 6, 6] + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8)
    let counts64 = little(members.count, 8) + little(members.count, 8)
    let place64 = little(directory.count, 8) + little(file.count, 8)
    let locator = [0x50, 0x4B, 6, 7] + little(0, 4) + little(file.count + directory.count, 8) + little(1, 4)
    let count = min(members.count, 0xFFFF)
    let end = [0x50, 0x4B, 5, 6] + little(0, 4) + little(count, 2) + little(count, 2)
    return file + directory + end64 + counts64 + place64 + locator + end + little(directory.count, 4)
      + little(file.count, 4) + little(0, 2)
  }

  private static func little(_ number: Int, _ length: Int) -> [UInt8] {
    (0..<length).map { $0 < 8 ? UInt8(truncatingIfNeeded: number >> ($0 * 8)) : 0 }
  }
}
