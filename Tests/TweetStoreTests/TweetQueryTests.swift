import TestSupport
import Testing
import TweetCore

@testable import SQLite
@testable import TweetStore

struct TweetQueryTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// Each filter of a list, by the name of its option.
  private static let filters: [(name: String, set: @Sendable (inout TweetQuery) -> Void)] = [
    ("since", { $0.since = Timestamp(milliseconds: 1_635_975_000_000) }),
    ("until", { $0.until = Timestamp(milliseconds: 1_635_975_000_000) }),
    ("author", { $0.authors = ["B"] }), ("tag", { $0.tags = ["T"] }), ("search", { $0.search = "a" }),
    ("search #tag", { $0.search = "#t" }), ("search @name", { $0.search = "@b" }), ("match", { $0.match = "a OR b*" }),
    ("service", { $0.service = "x" }), ("feed", { $0.feeds = ["f"] }), ("lang", { $0.lang = "en" }),
    ("has media", { $0.hasMedia = true }), ("has links", { $0.hasLinks = true }), ("links", { $0.linkKind = "music" }),
    ("after", { $0.after = "1" }), ("before", { $0.before = "x:1" }), ("min likes", { $0.minLikes = 5 }),
    ("min retweets", { $0.minRetweets = 6 }), ("is", { $0.kinds = [.quote, .reply] }),
  ]

  private func store() throws -> TweetStore {
    let path = scratch.path + "/tw.db"
    do {
      var writer = try TweetWriter(try TweetStore(path, .readWrite))
      try writer.begin()
      // Two users have the same name, so one author has two keys.
      for (number, service) in ["x", "y"].enumerated() {
        let record = try JSONDocument(
          """
          {"tw":"tweet","id":"1","service":"\(service)","text":"a","lang":"en","author":{"id":"2","username":"b"},
           "entities":{"hashtags":[{"tag":"t"}],"mentions":[{"username":"b"}],
            "urls":[{"url":"https://t.co/\(number)","link_kind":"music"},{"url":"https://t.co/a","link_kind":"music"}]},
           "attachments":{"media":[{"type":"photo"}]},"public_metrics":{"like_count":5,"retweet_count":6},
           "referenced_tweets":[{"type":"replied_to","id":"7"}],"feeds":["f"],"retrieved_at":"2021-11-03T21:30:00.000Z"}
          """)
        #expect(try writer.add(record).isNew)
      }
      try writer.commit()
    }
    return try TweetStore(path, .readOnly)
  }

  private func plan(_ store: borrowing TweetStore, _ query: TweetQuery) throws -> [String] {
    let sql = try #require(try store.plan(for: query)).sql(TweetPages.columns)
    let statement = try store.database.prepare("EXPLAIN QUERY PLAN " + sql.text)
    statement.bind(QuerySQL.low, 0)
    statement.bind(QuerySQL.high, 1)
    for (place, value) in sql.values.enumerated() { statement.bind(Int32(place) + QuerySQL.high + 1, value) }
    var plan: [String] = []
    while try statement.step() { plan.append(statement.row.text(3) ?? "") }
    return plan
  }

  /// Each list is read in the order of an index, without a full scan and without sorting. For a virtual table SQLite
  /// says "scan" in any case.
  @Test func listsUseIndexesAndSortNothing() throws {
    let store = try store()
    for isOldestFirst in [false, true] {
      for (place, one) in Self.filters.enumerated() {
        for other in Self.filters[place...] {
          var query = TweetQuery()
          one.set(&query)
          other.set(&query)
          query.isOldestFirst = isOldestFirst
          let plan = try plan(store, query)
          #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(one.name), \(other.name): \(plan)")
          let scans = plan.filter { $0.hasPrefix("SCAN") && !$0.contains("VIRTUAL TABLE") }
          #expect(scans == [], "\(one.name), \(other.name): \(plan)")
        }
      }
      var query = TweetQuery()
      query.isOldestFirst = isOldestFirst
      #expect(try plan(store, query) == ["SEARCH t USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"])
    }
  }

  /// With any leading filter and with pages of one tweet, each tweet comes once.
  @Test func pagesContinueWhereTheLastOneEnded() throws {
    let store = try store()
    for filter in Self.filters where !["since", "until", "after", "before"].contains(filter.name) {
      var query = TweetQuery()
      filter.set(&query)
      guard var pages = try store.pages(query) else {
        Issue.record("nothing fits \(filter.name)")
        continue
      }
      var keys: [Int] = []
      while !pages.isAtEnd {
        try pages.read { (key, _) throws(ToolError) in
          keys.append(key)
          return .pause
        }
      }
      #expect(keys.count == (filter.name == "service" ? 1 : 2), "\(filter.name)")
      #expect(keys == keys.sorted(by: >) && Set(keys).count == keys.count)
    }
  }

  @Test func aWrongQueryOfFTS5IsReported() throws {
    let store = try store()
    var query = TweetQuery()
    query.match = "a AND ("
    var error: ToolError?
    do throws(ToolError) { _ = try store.plan(for: query) } catch let fault { error = fault }
    #expect(error == .usage("'a AND (' is not a query of FTS5: fts5: syntax error near \"\""))
  }

  @Test(arguments: [
    ("20", [nil: "20"]), ("https://x.com/jack/status/20?s=20#m", ["x": "20"]),
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
