import TestSupport
import Testing
import TweetCore

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
    "tweets 1", "users 1", "user_names 1", "feeds 1", "tweet_feeds 1", "tweet_hashtags 1", "recent 1",
  ]

  /// A statement that begins a savepoint makes FTS5 write a segment, and later merge it with others. New users did that once.
  @Test func aTransactionIsOneSegmentOfTheFullTextIndex() throws {
    var writer = try writer()
    try writer.begin()
    for id in 1...100 {
      let inside =
        #"[{"type":"quoted","id":"\#(id + 1000)","text":"in","author":{"id":"q\#(id)","username":"q\#(id)"}}]"#
      let record = try JSONDocument(
        #"{"tw":"tweet","id":"\#(id)","service":"x","text":"word\#(id)","author":{"id":"a\#(id)","username":"a\#(id)"},"#
          + #""feeds":["f\#(id)"],"entities":{"hashtags":[{"tag":"t\#(id)"}]},"referenced_tweets":\#(inside)}"#)
      #expect(try writer.add(record.root).isNew)
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
    #expect(try writer.add(record.root).isNew)
    try breakCommit(writer)
    var failed: ToolError?
    do throws(ToolError) { try writer.commit() } catch { failed = error }
    #expect(failed?.message?.contains("FOREIGN KEY constraint failed") == true)
    #expect(try state(writer) == Self.empty)
    // Others can write: the transaction has ended, and the lock is free.
    try writer.database.write { () throws(ToolError) in }

    try writer.begin()
    #expect(try writer.add(record.root).isNew)
    try writer.commit()
    #expect(try state(writer) == Self.one)
    try writer.begin()
    #expect(try !writer.add(record.root).isNew)
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
    #expect(try writer.add(record.root).isNew)
    var failed: ToolError?
    do throws(ToolError) { try writer.commit() } catch { failed = error }
    #expect(failed?.message?.contains("refused") == true)
    #expect(try state(writer) == Self.empty)
    try writer.database.write { () throws(ToolError) in try writer.database.run("DROP TRIGGER refuse") }

    // `recent` gets only the second tweet.
    let other = try tweet(2)
    try writer.begin()
    #expect(try writer.add(other.root).isNew)
    try writer.commit()
    #expect(try state(writer) == Self.one)
  }

  @Test func nothingOfARollbackIsRemembered() throws {
    var writer = try writer()
    let record = try tweet(1)
    let deletion = try JSONDocument(#"{"tw":"delete","service":"x","id":"1"}"#)
    try writer.begin()
    #expect(try writer.add(record.root).isNew)
    #expect(try writer.add(deletion.root).isNew)
    writer.rollback()
    #expect(try state(writer) == Self.empty)

    try writer.begin()
    let added = try writer.add(record.root)
    #expect(added.isNew && !added.isDeleted)
    try writer.commit()
    #expect(try state(writer) == Self.one)
  }

  /// Another process removes a user whose key this writer remembers.
  @Test func rememberedUsersAreForgottenWhenOthersWrite() throws {
    var writer = try writer()
    let first = try tweet(1)
    let second = try tweet(2)
    try writer.begin()
    #expect(try writer.add(first.root).isNew)
    try writer.commit()
    let other = try Database(scratch.path + "/t.db", TweetStore.kind, .readWrite)
    try other.write { () throws(ToolError) in
      for sql: StaticString in [
        "DELETE FROM tweets", "DELETE FROM tweet_feeds", "DELETE FROM tweet_hashtags", "DELETE FROM user_names",
        "DELETE FROM users", "DELETE FROM recent",
      ] { try other.run(sql) }
    }
    try writer.begin()
    #expect(try writer.add(second.root).isNew)
    try writer.commit()
    #expect(try state(writer) == Self.one)
  }
}
