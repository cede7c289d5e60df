import TestSupport
import Testing
import TweetCore

@testable import TweetStore

struct TweetQueryTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func query(_ change: (inout TweetQuery) -> Void) -> TweetQuery {
    var query = TweetQuery()
    change(&query)
    return query
  }

  /// Every list is read in the order of an index: nothing is sorted, and nothing is gone through but what fits or, with
  /// no filter on an index, the tweets themselves in their order.
  @Test func listsComeFromIndexesInOrder() throws {
    let path = scratch.path + "/tw.db"
    do {
      var writer = try TweetWriter(try TweetStore(path, .readWrite))
      let record = try JSONDocument(
        """
        {"tw":"tweet","id":"1","service":"x","text":"a","author":{"id":"2","username":"b"},"feeds":["f"],
         "retrieved_at":"2021-11-03T21:30:00.000Z"}
        """)
      try writer.begin()
      #expect(try writer.add(record.root).isNew)
      try writer.commit()
    }
    let store = try TweetStore(path, .readOnly)
    let time = Timestamp(milliseconds: 1_635_975_000_000)
    let queries = [
      query { _ in }, query { $0.isOldestFirst = true }, query { $0.since = time }, query { $0.until = time },
      query { $0.author = "B" }, query { $0.tag = "t" }, query { $0.search = "a" }, query { $0.service = "x" },
      query { $0.feed = "f" }, query { $0.after = "1" }, query { $0.before = "x:1" },
      query {
        $0.search = "a"
        $0.tag = "t"
        $0.author = "b"
        $0.feed = "f"
        $0.since = time
        $0.before = "1"
      },
    ]
    for query in queries {
      let sql = try #require(try store.sql(for: query))
      let statement = try store.database.prepare("EXPLAIN QUERY PLAN " + sql.text)
      statement.bind(sql.values)
      var plan: [String] = []
      while try statement.step() { plan.append(statement.row.text(3) ?? "") }
      #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
      let hasIndex = query.service != nil || query.author != nil || query.tag != nil || query.feed != nil
      let hasRange = query.since != nil || query.until != nil || query.after != nil || query.before != nil
      // SQLite calls reading a virtual table a scan, whatever its index does.
      let scans = plan.filter { $0.hasPrefix("SCAN") && !$0.contains("VIRTUAL TABLE") }
      #expect(scans == (hasIndex || hasRange || query.search != nil ? [] : ["SCAN t"]), "\(sql.text): \(plan)")
    }
  }

  @Test(arguments: [
    ("20", [nil: "20"]), ("https://x.com/jack/status/20?s=20#m", [nil: "20"]),
    ("https://social.example/@jack/10963", [nil: "10963"]), ("x:20", ["x": "20"]),
    ("mastodon:social.example:10963", ["mastodon:social.example": "10963"]),
    ("at://did:plc:abc/app.bsky.feed.post/3k", [nil: "at://did:plc:abc/app.bsky.feed.post/3k"]),
    ("bluesky:at://did:plc:abc/p/3k", ["bluesky": "at://did:plc:abc/p/3k"]),
  ])
  func namesOfTweets(name: String, meant: [String?: String]) {
    let candidates = TweetName(name).candidates
    for (service, id) in meant { #expect(candidates.contains { $0.service == service && $0.id == id }) }
  }
}
