import CSQLite
import Foundation
import TestSupport
import Testing
import TweetCore

@testable import MediaStore
@testable import SQLite
@testable import TweetStore

/// tw-cache forget --person: of the person nothing stays, in no table and no file, and nothing comes back. Each field
/// of the person has a word that begins with `zqvx`, and nobody else's has one.
@Suite(.onOwnThread(minutes: 2)) struct CachePersonTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private static let profile = """
    {"id":"u77","username":"zqvxname","name":"Zqvxshown","description":"zqvxbio","location":"zqvxplace",\
    "url":"https://zqvxsite.example/","profile_image_url":"https://pics.example/zqvxface_normal.jpg"}
    """

  private func post(_ id: Int, _ text: String, more: String = "", second: Int = 0) -> String {
    """
    {"tw":"tweet","id":"\(id)","service":"x","created_at":"\(time(second))","text":"\(text)",\
    "author":\(Self.profile)\(more),"retrieved_at":"\(time(60))"}\n
    """
  }

  private func reference(_ type: String, _ id: Int, _ text: String) -> String {
    """
    ,"referenced_tweets":[{"type":"\(type)","id":"\(id)","text":"\(text)","author":\(Self.profile),\
    "media":[{"type":"photo","url":"https://pics.example/zqvxphoto.jpg","alt_text":"zqvxseen"}]}]
    """
  }

  private static let link = #""url":"https://t.co/a","expanded_url":"https://zqvxlink.example/page""#

  private func records() -> String {
    func urls(_ link: String, _ more: String = "") -> String {
      #","entities":{"urls":[{"start":0,"end":1,\#(link)}]\#(more)}"#
    }
    let tag = #","hashtags":[{"start":0,"end":2,"tag":"zqvxtag"}]"#
    let shared = urls(#""url":"https://t.co/b","expanded_url":"https://news.example/""#)
    return post(1, "zqvxfirst words", more: urls(Self.link, tag)) + post(2, "zqvxsecond words", more: shared, second: 1)
      // Somebody retweets, quotes a post that is stored and one that never was, and has done so before an edit.
      + tweet(
        3, second: 3, text: "RT @zqvxname: zqvxfirst", author: "ben", more: reference("retweeted", 1, "zqvxfirst"))
      + tweet(4, second: 4, text: "see this", author: "cleo", more: reference("quoted", 1, "zqvxfirst words"))
      + tweet(5, second: 5, text: "and this", author: "cleo", more: reference("quoted", 99, "zqvxnever stored"))
      + tweet(6, second: 6, text: "draft", author: "cleo", read: 10, more: reference("quoted", 98, "zqvxearlier"))
      + tweet(6, second: 6, text: "final", author: "cleo", read: 20, more: reference("quoted", 98, "zqvxearlier"))
      + tweet(7, second: 7, text: "news", author: "dan", more: shared)
      + #"{"tw":"user","service":"x","id":"u77","username":"zqvxformer","name":"Zqvxbefore","#
      + #""retrieved_at":"2020-01-01T00:00:00.000Z"}"#
      + "\n"
      + #"{"tw":"notification","service":"x","account":"me","id":"n1","kind":"follow","type":"follow","at":"\#(time(9))","#
      + #""user":\#(Self.profile)}"# + "\n"
  }

  private var media: String { home.path + "/.local/share/tw/media.db" }

  /// Pictures and links, as tw-avatar and tw-linkcheck store them.
  private func addMedia() throws {
    let store = try MediaStore(media) { _ in }
    let now = Timestamp.now
    for name in ["zqvxface_normal", "zqvxface_400x400", "zqvxphoto", "other"] {
      try store.store([StoredAvatar(url: "https://pics.example/\(name).jpg", fetchedAt: now, error: "http 404")])
    }
    try store.store(
      [
        StoredLink(
          url: "https://zqvxlink.example/page", title: "Zqvxtitle", verdict: "ok", linkKind: "page", checkedAt: now),
        StoredLink(url: "https://news.example/", verdict: "ok", linkKind: "page", checkedAt: now),
      ], hops: [(StoredHop(url: "https://t.co/a", target: "https://zqvxlink.example/page"), now)])
  }

  private func trace(_ word: String) throws -> ToolResult { try cache("check", "--trace", word) }

  /// All bytes of the files of the stores.
  private func files() throws -> [String: Data] {
    let folder = URL(fileURLWithPath: home.path + "/.local/share/tw")
    var found: [String: Data] = [:]
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      found[file.lastPathComponent] = try? Data(contentsOf: file)
    }
    return found
  }

  private func expectNothing() throws {
    let left = try trace("zqvx")
    #expect(left.output == "" && left.status == 0, "\(left.output)")
    for (name, bytes) in try files() {
      let text = String(decoding: bytes, as: UTF8.self).lowercased()
      #expect(!text.contains("zqvx"), "\(name)")
    }
    for command in ["export", "users", "users --names", "notifications", "list --all", "forget --list"] {
      let result = try Tool.run("tw-cache", command.split(separator: " ").map(String.init) + ["--quiet"], home: home)
      #expect(!result.output.lowercased().contains("zqvx") && result.status == 0, "\(command): \(result.output)")
    }
    #expect(try cache("check").output == "")
    try checkStore()
  }

  @Test func nothingOfAPersonIsLeftAndNothingComesBack() throws {
    #expect(try add(records()).status == 0)
    try addMedia()
    // What could bring back an earlier post goes too.
    #expect(try add(post(8, "zqvxforgotten")).status == 0)
    #expect(try cache("forget", "--yes", "8").status == 0)
    // Another program has removed rows and left their words in free pages.
    let rows = """
      PRAGMA secure_delete = 0; CREATE TABLE gone (text); BEGIN;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      INSERT INTO gone SELECT 'zqvxfree page ' || i FROM n; COMMIT; DROP TABLE gone
      """
    do {
      let connection = try Connection(store, flags: SQLITE_OPEN_READWRITE)
      try connection.execute(rows)
    }
    #expect(try files().contains { String(decoding: $0.1, as: UTF8.self).contains("zqvxfree page 499") })
    let before = try cache("export").output
    for word in [
      "zqvxbio", "zqvxplace", "zqvxformer", "zqvxfirst", "zqvxnever", "zqvxearlier", "zqvxforgotten", "ZQVXTITLE",
      "zqvxtag",
    ] {
      let found = try trace(word)
      #expect(found.status == 1 && !found.lines.isEmpty, "\(word): \(found.errors)")
    }
    #expect(try trace("zqvxbio").output.contains("tw.db\tusers\tx:u77\n"))
    #expect(try trace("zqvxnever").output.contains("tw.db\ttweets\tx:5\n"))

    let asked = try cache("forget", "--person", "zqvxname")
    let question =
      "forget x:u77 (@zqvxname) for good: 2 tweets, copies in 4 tweets of others, 1 notification, the profile"
    #expect(asked.status == 64 && asked.errors.contains(question), "\(asked.errors)")
    let dry = try cache("forget", "--dry-run", "--person", "@zqvxformer")
    #expect(dry.output.hasPrefix("would " + question))
    #expect(try cache("export").output == before)
    let forgot = try cache("forget", "--yes", "--person", "zqvxname")
    #expect(forgot.status == 0 && forgot.errors.contains("forgot x:u77 and 2 tweets"), "\(forgot.errors)")
    try expectNothing()
    // What is others' stays: their posts, the link that somebody else posted, and a picture.
    #expect(try list("--all") == ["7", "6", "5", "4"])
    let others = try MediaStore(media) { _ in }
    #expect(try others.pictureURLs(nil) == ["https://pics.example/other.jpg"])
    #expect(try others.link("https://news.example/") != nil)

    // Whatever brings it again: a refresh, a file, a stream, an export of earlier times.
    #expect(try !add(records()).output.lowercased().contains("zqvx"))
    #expect(try add(post(20, "zqvxlater")).errors.contains("1 tweet was forgotten before: not stored"))
    #expect(try cache("import", stdin: before).status == 0)
    let live = try RunningTool("tw-cache", ["add"], home: home)
    for record in records().split(separator: "\n") { live.send(ToolInput(record + "\n")) }
    live.closeInput()
    #expect(try !live.finish().output.lowercased().contains("zqvx"))
    try expectNothing()

    // Another store learns it from an export.
    #expect(try cache("import", "--db", "other.db", stdin: before + cache("export").output).status == 0)
    #expect(try !cache("export", "--db", "other.db").output.lowercased().contains("zqvx"))
    #expect(try !cache("check", "--db", "other.db", "--trace", "zqvx").output.contains("other.db"))
    #expect(try cache("forget", "--list").errors.contains("forgotten people: x:u77"))
    // Who changes their mind has what comes from then on.
    #expect(try cache("forget", "--undo", "--person", "x:u77").status == 0)
    #expect(try cache("forget", "--undo", "--person", "x:u77").status == 66)
    #expect(try add(records()).status == 0)
    #expect(try list("--author", "zqvxname") == ["2", "1"])
  }

  /// A name that two people had is not decided by the tool.
  @Test func aNameThatMeansTwoIsSaid() throws {
    func named(_ id: String, _ name: String, _ tweet: Int, read: Int) -> String {
      """
      {"tw":"tweet","id":"\(tweet)","service":"x","created_at":"\(time(tweet))","text":"t","author":{"id":"\(id)",\
      "username":"\(name)","name":"N"},"retrieved_at":"\(time(read))"}\n
      """
    }
    #expect(
      try add(
        named("1", "carol", 1, read: 10) + named("1", "carol_new", 2, read: 20) + named("2", "carol", 3, read: 30)
          + named("3", "dave", 4, read: 30)
      ).status == 0)
    let both = "'carol' names 2 people: x:1 (@carol_new), x:2 (@carol)"
    #expect(try cache("list", "--author", "carol").errors.contains(both))
    #expect(try cache("list", "author:carol").errors.contains(both))
    #expect(try ids(cache("list", "--author", "carol").lines) == ["3", "2", "1"])
    #expect(try list("--author", "x:1") == ["2", "1"] && list("--author", "x:2") == ["3"])
    #expect(try list("--author", "3") == ["4"])
    #expect(try list("author:x:2") == ["3"] && list("--author", "dave") == ["4"])
    #expect(try cache("forget", "--dry-run", "--author", "carol").errors.contains(both))
    let refused = try cache("forget", "--yes", "--person", "carol")
    #expect(refused.status == 64 && refused.errors.contains(both) && refused.errors.contains("name one as service:id"))
    #expect(try cache("forget", "--yes", "--person", "nobody").status == 66)
    #expect(try cache("forget", "--yes", "--person", "x:1").status == 0)
    #expect(try list() == ["4", "3"])
    for wrong in [["--person", "a", "1"], ["--person", "a", "--author", "b"], ["--person", "a", "--list"]] {
      #expect(try Tool.run("tw-cache", ["forget"] + wrong, home: home).status == 64)
    }
  }

  /// A person of more posts than go in one transaction, killed at any moment, is forgotten by the next run.
  @Test func aPersonOfManyPostsGoes() throws {
    let many = (1...450).map { post($0, "zqvxmany \($0)", second: $0) }.joined()
    #expect(try add(many + tweet(1000, author: "ben")).status == 0)
    #expect(try cache("forget", "--yes", "--person", "u77").errors.contains("and 450 tweets"))
    try expectNothing()
    #expect(try list() == ["1000"])
  }

  /// An older copy of the store brings nobody back unasked.
  @Test func anOlderCopyAsksFirst() throws {
    #expect(try add(records()).status == 0)
    let copy = home.path + "/copy.db"
    #expect(try cache("backup", copy).status == 0)
    #expect(try cache("restore", copy).status == 0)
    #expect(try cache("forget", "--yes", "7").status == 0)
    #expect(try cache("forget", "--yes", "--person", "zqvxname").status == 0)
    #expect(try add("{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"4\"}\n").status == 0)
    let asked = try cache("restore", copy)
    #expect(asked.status == 64 && asked.errors.contains("from which can come back: "), "\(asked.errors)")
    #expect(
      asked.errors.contains("forgotten tweets, forgotten people (x:u77), 1 deleted tweet"), "\(asked.errors)")
    #expect(try list() == ["6", "5"])
    #expect(try cache("restore", "--dry-run", copy).output.contains("forgotten people (x:u77)"))
    #expect(try list() == ["6", "5"])
    // A copy that knows it asks nothing.
    #expect(try cache("backup", home.path + "/new.db").status == 0)
    #expect(try cache("restore", home.path + "/new.db").status == 0)
    #expect(try cache("restore", "--yes", copy).status == 0)
    #expect(try list("--author", "zqvxname") == ["2", "1"])
    // The store that was there is kept, and found.
    #expect(try trace("zqvxbio").output.contains("tw.db\tusers\tx:u77\n"))
  }
}
