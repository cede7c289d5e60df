import Foundation
import Libc
import TestSupport
import Testing
import TweetCore

@testable import SQLite
@testable import TweetStore

/// `tw-cache check --repair` says what it could not save, and does no harm; `check` sees what does not belong.
@Suite(.onOwnThread) struct CacheRepairTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// A store with rows in the tables that only a repair would lose.
  private func fill() throws {
    let tweets = (0..<60).map {
      tweet($0, second: $0, text: "text \($0)", read: 1, tags: ["t\($0 % 7)"], feeds: ["#a"])
    }
    let edit = tweet(3, second: 3, text: "another text", read: 9)
    let deletion = #"{"tw":"delete","service":"x","id":"5"}"# + "\n"
    let withheld = #"{"tw":"notice","code":"withheld","service":"x","id":"7","countries":["DE"]}"# + "\n"
    let liked = #"{"tw":"notification","service":"x","id":"n1","kind":"like","at":"2021-11-03T21:30:00.000Z"}"# + "\n"
    #expect(try add(tweets.joined() + edit + deletion + withheld + liked).status == 0)
    #expect(try cache("label", "+later", stdin: tweet(1) + tweet(2)).status == 0)
    #expect(try cache("query", "save", "mine", "text").status == 0)
  }

  private func execute(_ sql: String) throws {
    try Database(store, TweetStore.kind, .readWrite).execute(sql)
  }

  @Test func aHealthyStoreIsLeftAlone() throws {
    try fill()
    let before = try home.read(".local/share/tw/tw.db")
    let repair = try cache("check", "--repair")
    #expect(repair.status == 0 && repair.errors == "tw-cache: '\(store)' has no faults: nothing was changed\n")
    #expect(try home.read(".local/share/tw/tw.db") == before)
    let left = try FileManager.default.contentsOfDirectory(atPath: home.path + "/.local/share/tw")
    #expect(!left.contains { $0.contains("damaged") || $0.contains("rep") || $0.contains("recov") }, "\(left)")
  }

  /// One row of each kind is not as it was written: each is told.
  @Test(arguments: [
    "tweet_versions", "tombstones", "withheld", "tweet_labels", "saved_queries", "tweet_feeds", "notifications",
  ])
  func lostRowsAreCounted(table: String) throws {
    try fill()
    try execute("UPDATE \(table) SET checksum = checksum + 1")
    let repair = try cache("check", "--repair")
    #expect(repair.status == 1 && repair.output.contains("lost\trows\t\(table)\t"), "\(repair.output)\(repair.errors)")
    #expect(try cache("check").output == "")
  }

  /// Of a user who is called as at first again one other name is lost. The row with this name says what the user's
  /// does.
  @Test func aRowThatSaysNothingNewIsNotLost() throws {
    let names = ["ann", "bea", "ann"].enumerated().map { number, name in
      #"{"tw":"user","service":"x","id":"1","username":"\#(name)","name":"N","retrieved_at":"\#(time(number))"}"# + "\n"
    }
    #expect(try add(names.joined()).status == 0)
    #expect(try count("user_names") == 2)
    try execute("UPDATE user_names SET checksum = checksum + 1 WHERE username = 'bea'")
    let repair = try cache("check", "--repair")
    #expect(repair.status == 1 && repair.output == "lost\trows\tuser_names\t1\n", "\(repair.output)\(repair.errors)")
    #expect(try cache("users", "--names").output.contains("ann") && cache("check").output == "")
  }

  @Test(arguments: ["tombstones", "saved_queries", "tweets", "runs"]) func aDroppedTableIsToldAsUnknown(table: String)
    throws
  {
    try fill()
    try execute("DROP TABLE \(table)")
    let check = try cache("check")
    #expect(check.status == 1 && check.lines.contains("the table \(table) is missing"), "\(check.errors)")
    let repair = try cache("check", "--repair")
    #expect(repair.status == 1 && repair.output.contains("lost\trows\t\(table)\tunknown\n"), "\(repair.output)")
    #expect(try cache("check").output == "")
  }

  /// What is not ours survives a repair, or is named.
  @Test func tablesOfTheUser() throws {
    try fill()
    try execute(
      """
      CREATE TABLE notes (tweet, note); INSERT INTO notes VALUES ('1', 'mine'), ('2', 'too');
      CREATE INDEX notes_by_tweet ON notes (tweet);
      CREATE VIEW noted AS SELECT note FROM notes;
      CREATE VIRTUAL TABLE found USING fts5(a);
      CREATE TRIGGER noting AFTER INSERT ON notes BEGIN INSERT INTO found VALUES (new.note); END;
      UPDATE tweets SET text = 'altered' WHERE id = '9';
      """)
    let repair = try cache("check", "--repair")
    #expect(repair.status == 1 && repair.output.contains("lost\tother\tfound\n"), "\(repair.output)\(repair.errors)")
    // A trigger that names what is not there would fail each change of its table.
    #expect(repair.output.contains("lost\tother\tnoting\n"), "\(repair.output)")
    let database = try Database(store, TweetStore.kind, .readOnly)
    #expect(try database.first("SELECT group_concat(note) FROM noted") { $0.text(0) } == "mine,too")
    #expect(try database.first("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'notes%'") { $0.integer(0) } == 2)
  }

  /// Sources, and the log of their refreshes, are those from before.
  @Test func sourcesAndTheirLogAreKept() throws {
    try fill()
    for source in ["#a", "#b"] { #expect(try cache("source", "add", source, "--every", "1h").status == 0) }
    #expect(try cache("source", "pause", "#b").status == 0)
    #expect(try cache("refresh", "-q", "#a").status == 77)
    let before = try (cache("source", "list").output, cache("log").output)
    #expect(before.0.contains("failing") && before.0.contains("paused") && before.1.contains("#a"), "\(before)")
    try execute("UPDATE tweets SET text = 'altered' WHERE id = '9'")
    let repair = try cache("check", "--repair")
    #expect(repair.status == 1, "\(repair.errors)")
    #expect(repair.output == "altered\ttweet\tx\t9\nlost\trows\ttweet_feeds\t1\n")
    #expect(try (cache("source", "list").output, cache("log").output) == before)
    // It has its log within it: nothing is beside the file that gets lost with another name.
    #expect(try count("tweets") == 58 && cache("check").output == "")
  }

  @Test(arguments: [512, 4096, 16_384, 1]) func aWrongSizeOfPagesInTheHead(size: Int) throws {
    try fill()
    var bytes = try home.read(".local/share/tw/tw.db")
    (bytes[16], bytes[17]) = (UInt8(size >> 8), UInt8(size & 0xFF))
    try home.write(".local/share/tw/tw.db", bytes)
    let repair = try cache("check", "--repair")
    #expect(repair.errors.contains("saved 59 tweets"), "\(repair.errors)")
    // Nobody could count before.
    #expect(repair.status == 1 && repair.errors.contains("whether others are lost is not known"))
  }

  /// A file that is half a tebibyte long, most of it holes: neither time nor memory is taken for them.
  @Test func aFileFullOfHoles() throws {
    try fill()
    try #require(truncate(store, 512 << 30) == 0)
    #expect(try cache("check").status == 0)
    // The head tells pages of 512 bytes.
    var size: [UInt8] = [2, 0]
    let file = open(store, O_WRONLY)
    try #require(file >= 0 && pwrite(file, &size, 2, 16) == 2)
    close(file)
    #expect(try cache("check").status != 0)
    let repair = try cache("check", "--repair")
    #expect(repair.errors.contains("saved 59 tweets"), "\(repair.errors)")
  }

  /// Rows that follow from no record are faults, as those are that are missing.
  @Test(arguments: [
    "tweet_hashtags (tag, tweet)", "tweet_mentions (username, tweet)", "tweet_urls (url, tweet)",
    "tweet_references (id, tweet, type)",
  ])
  func rowsOfNoRecord(table: String) throws {
    try fill()
    let type = table.contains("type") ? ", 'quoted'" : ""
    try execute("INSERT INTO \(table) SELECT 'more', key\(type) FROM tweets WHERE id = '1'")
    let name = String(table.prefix { $0 != " " })
    #expect(try cache("check").lines == ["1 row of \(name) is of no record"])
  }

  /// A signal ends long work soon, whatever it does, and nothing is left of it: the store is the one that was there.
  @Test func aSignalEndsLongWork() throws {
    #expect(try add((0..<20_000).map { tweet($0, second: $0, text: "some text \($0)") }.joined()).status == 0)
    let folder = home.path + "/.local/share/tw"
    try execute("UPDATE tweets SET text = 'altered' WHERE id = '9'")
    let (before, rows) = (try FileManager.default.contentsOfDirectory(atPath: folder).sorted(), try count("tweets"))
    // It has begun once a file of its own is there. A repair first finds the rows, then makes the new store of them.
    for (command, file) in [
      (["backup", "copy.db"], "copy.db"), (["check", "--repair"], "tw.db.recovered"),
      (["check", "--repair"], "tw.db.repaired"),
    ] {
      let tool = try RunningTool("tw-cache", command, home: home)
      try waitUntil {
        try
          (FileManager.default.contentsOfDirectory(atPath: folder)
          + FileManager.default.contentsOfDirectory(atPath: home.path)).contains { $0.hasPrefix(file) }
      }
      tool.signal(SIGTERM)
      #expect(try tool.finish().ending == .signal(SIGTERM), "\(command)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == before, "\(file)")
      #expect(try !FileManager.default.contentsOfDirectory(atPath: home.path).contains { $0.hasPrefix("copy.db") })
      #expect(try count("tweets") == rows, "\(file)")
    }
  }

  private func count(_ table: String) throws -> Int? {
    try Database(store, TweetStore.kind, .readOnly).first(sql: "SELECT count(*) FROM \(table)", []) { $0.integer(0) }
  }

  /// Whoever writes comes first: nothing is read before the lock is there, and what was written meanwhile is saved.
  @Test func aRepairWaitsForWhoWrites() throws {
    try fill()
    try execute("UPDATE tweets SET text = 'altered' WHERE id = '9'")
    let writer = try Database(store, TweetStore.kind, .readWrite)
    try writer.begin()
    try writer.execute("DELETE FROM saved_queries")
    let tool = try RunningTool("tw-cache", ["check", "--repair"], home: home)
    try waitUntil { try LockQueue.count(of: store) > 0 || home.exists(".local/share/tw/tw.db.damaged") }
    #expect(!home.exists(".local/share/tw/tw.db.damaged") && !home.exists(".local/share/tw/tw.db.recovered"))
    try writer.commit()
    let repair = try tool.finish()
    #expect(repair.status == 1 && repair.errors.contains("saved 58 tweets"), "\(repair.errors)")
    #expect(!repair.output.contains("saved_queries"), "\(repair.output)")
    #expect(try count("saved_queries") == 0 && cache("check").output == "")
  }
}
