import TestSupport
import Testing
import TweetCore

@testable import SQLite
@testable import TweetStore

struct StoreExportTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func add(_ records: [String], to path: String) throws {
    var writer = try TweetWriter(try TweetStore(path, .readWrite))
    try writer.begin()
    for record in records {
      let document = try JSONDocument(record)
      #expect(try writer.add(document).fault == nil)
    }
    try writer.commit()
  }

  private func tweet(_ id: Int) -> String {
    #"{"tw":"tweet","id":"\#(id)","service":"x","text":"t","author":{"id":"\#(id)"}}"#
  }

  /// A backup has all that was in the store when it began, and nothing that came later: neither half a deletion nor a
  /// tweet without its author.
  @Test func anExportShowsTheStoreAtOneMoment() throws {
    let path = scratch.path + "/tw.db"
    try add([tweet(1), tweet(2), tweet(3)], to: path)
    let store = try TweetStore(path, .readOnly)
    var lines: [String] = []
    var failure: (any Error)?
    _ = try store.export { line in
      if lines.isEmpty {
        do {
          try add([#"{"tw":"delete","service":"x","id":"2"}"#, tweet(4)], to: path)
        } catch { failure = error }
      }
      lines.append(String(decoding: line, as: UTF8.self))
      return true
    }
    #expect(failure == nil)
    for type in ["tweet", "user"] {
      let ids = lines.filter { $0.hasPrefix(#"{"tw":"\#(type)""#) }.compactMap { line in
        (1...4).first { line.contains(#""id":"\#($0)""#) }
      }
      #expect(ids == [1, 2, 3], "\(type)")
    }
    #expect(!lines.contains { $0.hasPrefix(#"{"tw":"delete""#) })
  }
  /// A row that belongs to another user or tweet, because its key is damaged, is missing in an export, and that is
  /// reported.
  @Test(arguments: [
    "user_names SET user = user + 4 WHERE username = 'u1'", "tweet_feeds SET tweet = tweet + 4",
    "tweet_versions SET tweet = tweet + 4", "tweet_labels SET tweet = tweet + 4", "tweet_counts SET tweet = tweet + 4",
    "feeds SET key = key + 4", "labels SET key = key + 4",
  ])
  func aRowWithADamagedKeyIsMissed(change: String) throws {
    let path = scratch.path + "/tw.db"
    func version(_ likes: Int, _ time: String) -> String {
      #"{"tw":"tweet","id":"1","service":"mastodon:a","text":"\#(likes)","feeds":["f"],"#
        + #""author":{"id":"1","username":"u\#(likes)"},"public_metrics":{"like_count":\#(likes)},"retrieved_at":"\#(time)"}"#
    }
    try add([version(1, "2021-11-03T21:30:00Z"), version(2, "2021-11-05T21:30:00Z")], to: path)
    let database = try Database(path, TweetStore.kind, .readWrite)
    try database.write { () throws(ToolError) in
      let tweet = try database.first("SELECT key FROM tweets") { $0.integer(0) } ?? 0
      try database.run(sql: RowSum.labels.insertNext(["'later'"]))
      try database.run(sql: RowSum.tweetLabels.insert(["1", "?1"]), .integer(tweet))
    }
    let store = try TweetStore(path, .readOnly)
    #expect(try store.export { _ in true }.count == 0)
    try database.write { () throws(ToolError) in
      try database.execute("UPDATE \(change)")
      #expect(database.changes == 1)
    }
    #expect(try store.export { _ in true }.count == 1)
  }
}
