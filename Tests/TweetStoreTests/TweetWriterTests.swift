import TestSupport
import Testing
import TweetCore

@testable import SQLite
@testable import TweetStore

/// A transaction that is rolled back leaves nothing, neither in the file nor in the caches of the writer.
struct TweetWriterTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func writer() throws -> TweetWriter {
    try TweetWriter(try TweetStore(scratch.path + "/t.db", .readWrite))
  }

  private func tweet(_ id: Int, more: String = "") throws -> JSONDocument {
    try JSONDocument(
      """
      {"tw":"tweet","id":"\(id)","service":"x","created_at":"2021-11-03T21:30:00.000Z","text":"t",
       "author":{"id":"2","username":"jack"},"entities":{"hashtags":[{"tag":"a"}]},"feeds":["#a"]\(more)}
      """)
  }

  private func error(_ body: () throws(ToolError) -> Void) -> ToolError? {
    do throws(ToolError) { try body() } catch { return error }
    return nil
  }

  /// Adds a row with a reference to a missing row. SQLite refuses that at the commit.
  private func breakCommit(_ writer: borrowing TweetWriter) throws {
    try writer.database.run("PRAGMA defer_foreign_keys = ON")
    try writer.database.run("INSERT INTO tweet_hashtags (tag, tweet) VALUES ('nothing', 77)")
  }

  /// How many rows the tables have, and which references lead nowhere.
  private func state(_ writer: borrowing TweetWriter) throws -> [String] {
    var found: [String] = []
    for table in ["tweets", "users", "user_names", "feeds", "tweet_feeds", "tweet_hashtags", "recent"] {
      let count = try writer.database.prepare("SELECT count(*) FROM \(table)")
      _ = try count.step()
      found.append("\(table) \(count.row.integer(0))")
    }
    try writer.database.forEachRow("SELECT \"table\", parent FROM pragma_foreign_key_check") { row in
      found.append("\(row.text(0) ?? "") refers to no row of \(row.text(1) ?? "")")
    }
    return found
  }

  private static let empty = [
    "tweets 0", "users 0", "user_names 0", "feeds 0", "tweet_feeds 0", "tweet_hashtags 0", "recent 0",
  ]
  private static let one = [
    "tweets 1", "users 1", "user_names 0", "feeds 1", "tweet_feeds 1", "tweet_hashtags 1", "recent 1",
  ]

  /// A statement that begins a savepoint makes FTS5 write a segment, and later merge it with others. New users did that
  /// once.
  @Test func aTransactionIsOneSegmentOfTheFullTextIndex() throws {
    var writer = try writer()
    try writer.begin()
    for id in 1...100 {
      let inside =
        #"[{"type":"quoted","id":"\#(id + 1000)","text":"in","author":{"id":"q\#(id)","username":"q\#(id)"}}]"#
      let record = try JSONDocument(
        #"{"tw":"tweet","id":"\#(id)","service":"x","text":"word\#(id)","author":{"id":"a\#(id)","username":"a\#(id)"},"#
          + #""feeds":["f\#(id)"],"entities":{"hashtags":[{"tag":"t\#(id)"}]},"referenced_tweets":\#(inside)}"#)
      #expect(try writer.add(record).isNew)
    }
    try writer.commit()
    let segments = try writer.database.first("SELECT count(DISTINCT segid) FROM tweet_search_idx") { $0.integer(0) }
    #expect(segments == 1)
  }

  @Test func aFailedCommitIsRolledBackAndCanBeRepeated() throws {
    var writer = try writer()
    try writer.database.run("PRAGMA foreign_keys = ON")
    let record = try tweet(1)
    try writer.begin()
    #expect(try writer.add(record).isNew)
    try breakCommit(writer)
    var failed: ToolError?
    do throws(ToolError) { try writer.commit() } catch { failed = error }
    #expect(failed?.message?.contains("FOREIGN KEY constraint failed") == true)
    #expect(try state(writer) == Self.empty)
    // Others can write: the transaction has ended, and the lock is free.
    try writer.database.write { () throws(ToolError) in }

    try writer.begin()
    #expect(try writer.add(record).isNew)
    try writer.commit()
    #expect(try state(writer) == Self.one)
    try writer.begin()
    #expect(try !writer.add(record).isNew)
    try writer.commit()
    #expect(try state(writer) == Self.one)
  }

  /// The table `recent` is written before COMMIT. Here that fails.
  @Test func aFailureBeforeTheCommitIsRolledBackToo() throws {
    var writer = try writer()
    try writer.database.write { () throws(ToolError) in
      try writer.database.run(
        "CREATE TRIGGER refuse BEFORE INSERT ON recent BEGIN SELECT raise(ABORT, 'refused'); END")
    }
    let record = try tweet(1)
    try writer.begin()
    #expect(try writer.add(record).isNew)
    var failed: ToolError?
    do throws(ToolError) { try writer.commit() } catch { failed = error }
    #expect(failed?.message?.contains("refused") == true)
    #expect(try state(writer) == Self.empty)
    try writer.database.write { () throws(ToolError) in try writer.database.run("DROP TRIGGER refuse") }

    // `recent` gets only the second tweet.
    let other = try tweet(2)
    try writer.begin()
    #expect(try writer.add(other).isNew)
    try writer.commit()
    #expect(try state(writer) == Self.one)
  }

  @Test func nothingOfARollbackIsRemembered() throws {
    var writer = try writer()
    let record = try tweet(1)
    let deletion = try JSONDocument(#"{"tw":"delete","service":"x","id":"1"}"#)
    try writer.begin()
    #expect(try writer.add(record).isNew)
    #expect(try writer.add(deletion).isNew)
    writer.rollback()
    #expect(try state(writer) == Self.empty)

    try writer.begin()
    let added = try writer.add(record)
    #expect(added.isNew && added.absence == nil)
    try writer.commit()
    #expect(try state(writer) == Self.one)
  }

  /// The rows of entities are written at the end of a transaction.
  @Test func noEntitiesOfARollbackAreWrittenLater() throws {
    var writer = try writer()
    let record = try tweet(1)
    let other = try tweet(2)
    try writer.begin()
    #expect(try writer.add(record).isNew)
    writer.rollback()
    try writer.begin()
    #expect(try writer.add(other).isNew)
    try writer.commit()
    #expect(try state(writer) == Self.one)
  }

  /// Newer versions, deletions and new keys of tweets that were stored in the same transaction. Of equal names the
  /// first one counts, as in SQLite, where only ASCII has two cases.
  @Test func entitiesThatChangeInOneTransaction() throws {
    var writer = try writer()
    func record(_ id: Int, _ names: [String], _ time: Int) -> String {
      let list = names.map { #"{"tag":"\#($0)","username":"\#($0)","url":"https://\#($0)","id":"\#($0)"}"# }
      let entities = ["hashtags", "mentions", "urls"].map { #""\#($0)":[\#(list.joined(separator: ","))]"# }
      return #"{"tw":"tweet","id":"\#(id)","service":"x","text":"t\#(time)","#
        + #""entities":{\#(entities.joined(separator: ","))},"retrieved_at":"2021-11-03T21:3\#(time):00.000Z"}"#
    }
    let records = [
      record(1, ["b", "B", "a"], 0), record(2, ["c"], 0), record(1, ["Ä", "ä", "a", "d\\u00e9"], 1),
      record(3, ["a"], 0),
      #"{"tw":"delete","service":"x","id":"2"}"#, record(3, ["E", "e"], 1),
    ]
    try writer.begin()
    for record in records {
      let document = try JSONDocument(record)
      _ = try writer.add(document)
    }
    try writer.commit()
    var rows: [String] = []
    try writer.database.forEachRow(
      """
      SELECT 't', tag, t.id FROM tweet_hashtags JOIN tweets t ON t.key = tweet
      UNION ALL SELECT 'm' || user_id, username, t.id FROM tweet_mentions JOIN tweets t ON t.key = tweet
      UNION ALL SELECT 'u' || short_url, url, t.id FROM tweet_urls JOIN tweets t ON t.key = tweet ORDER BY 3, 1, 2
      """
    ) { row in rows.append((0..<3).compactMap { row.text($0) }.joined(separator: " ")) }
    #expect(
      rows == [
        "ma a 1", "md\u{e9} d\u{e9} 1", "m\u{c4} \u{c4} 1", "m\u{e4} \u{e4} 1", "t a 1", "t d\u{e9} 1", "t \u{e4} 1",
        "uhttps://a https://a 1", "uhttps://d\u{e9} https://d\u{e9} 1", "uhttps://\u{c4} https://\u{c4} 1",
        "uhttps://\u{e4} https://\u{e4} 1", "mE E 3", "t e 3", "uhttps://E https://E 3", "uhttps://e https://e 3",
      ])
    var faults: [String] = []
    try TweetStore(scratch.path + "/t.db", .readOnly).check { faults.append($0) }
    #expect(faults == [])
  }

  /// `user_names` has rows only for users who have had several names.
  @Test func namesOfUsers() throws {
    var writer = try writer()
    func add(_ names: String?, _ minute: Int, to user: String = "u") throws {
      let user = try JSONDocument(
        #"{"tw":"user","service":"x","id":"\#(user)"\#(names ?? ""),"retrieved_at":"2021-11-03T21:3\#(minute):00.000Z"}"#
      )
      try writer.begin()
      _ = try writer.add(user)
      try writer.commit()
    }
    func names() throws -> [String] {
      var found: [String] = []
      try writer.database.forEachRow(
        "SELECT username || ' ' || name || ' ' || substr(first_seen, 15, 2) FROM user_names ORDER BY 1"
      ) {
        found.append($0.text(0) ?? "")
      }
      return found
    }
    try add(nil, 1)
    #expect(try names() == [])
    // There was no name before: its time is not that of the user.
    try add(#","username":"b""#, 2)
    #expect(try names() == ["b  32"])
    try add(#","username":"b","name":"B""#, 3)
    #expect(try names() == ["b  32", "b B 33"])
    try add(#","username":"b","name":"B""#, 4)
    // An older version, which says what the name was before.
    try add(#","username":"a","name":"A""#, 0)
    #expect(try names() == ["a A 30", "b  32", "b B 33"])
    try add(#","username":"d""#, 2, to: "v")
    try add(#","username":"c""#, 1, to: "v")
    #expect(try names().dropFirst(3) == ["c  31", "d  32"])
  }

  /// Another process removes a user whose key this writer remembers.
  @Test func rememberedUsersAreForgottenWhenOthersWrite() throws {
    var writer = try writer()
    let first = try tweet(1)
    let second = try tweet(2)
    try writer.begin()
    #expect(try writer.add(first).isNew)
    try writer.commit()
    let other = try Database(scratch.path + "/t.db", TweetStore.kind, .readWrite)
    try other.write { () throws(ToolError) in
      for sql: StaticString in [
        "DELETE FROM tweets", "DELETE FROM tweet_feeds", "DELETE FROM tweet_hashtags", "DELETE FROM user_names",
        "DELETE FROM users", "DELETE FROM recent",
      ] { try other.run(sql) }
    }
    try writer.begin()
    #expect(try writer.add(second).isNew)
    try writer.commit()
    #expect(try state(writer) == Self.one)
  }
}
