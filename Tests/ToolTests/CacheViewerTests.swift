import Foundation
import TestSupport
import Testing

/// What each account did with a tweet: one state for each, whichever account reads the tweet next.
@Suite(.onOwnThread) struct CacheViewerTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func state(_ account: String?, _ more: String = "\"liked\":true", read: Int? = nil) -> String {
    let members = [
      account.map { "\"account\":\"\($0)\"" }, more, read.map { "\"retrieved_at\":\"\(time($0))\"" },
    ].compactMap(\.self)
    return "{\(members.joined(separator: ","))}"
  }

  private func viewer(_ state: String, others: [String] = []) -> String {
    ",\"viewer\":\(state)" + (others.isEmpty ? "" : ",\"viewers\":[\(others.joined(separator: ","))]")
  }

  @Test func aRecordWithoutAViewerTakesNoneAway() throws {
    _ = try add(tweet(1, likes: 1, read: 10, more: viewer(state("ann"))))
    _ = try add(tweet(1, likes: 2, read: 20))
    let kept = tweet(1, likes: 2, read: 20, more: viewer(state("ann", read: 10)))
    #expect(try cache("list").output == kept)
    // What the account did since then, read before the record was.
    _ = try add(tweet(1, likes: 1, read: 15, more: viewer(state("ann", "\"liked\":false"))))
    #expect(
      try cache("list").output
        == tweet(1, likes: 2, read: 20, more: viewer(state("ann", "\"liked\":false", read: 15))))
    // And before that.
    _ = try add(tweet(1, likes: 1, read: 5, more: viewer(state("ann", "\"liked\":true,\"bookmarked\":true"))))
    #expect(
      try cache("list").output
        == tweet(1, likes: 2, read: 20, more: viewer(state("ann", "\"liked\":false,\"bookmarked\":true", read: 15))))
  }

  @Test func eachAccountHasAStateOfItsOwn() throws {
    _ = try add(tweet(1, read: 10, more: viewer(state("ann"))))
    _ = try add(tweet(1, read: 20, more: viewer(state("bob", "\"liked\":false"))))
    // A record of nobody's does not come before those of accounts.
    _ = try add(tweet(1, read: 30, more: viewer(state(nil, "\"retweeted\":false"))))
    let (ann, bob, nobody) = (
      state("ann", read: 10), state("bob", "\"liked\":false", read: 20), state(nil, "\"retweeted\":false")
    )
    let all = tweet(1, read: 30, more: viewer(bob, others: [nobody, ann]))
    func check() throws {
      #expect(try cache("list").output == all)
      #expect(try cache("list", "--account", "bob").output == all)
      #expect(
        try cache("list", "--account", "@Ann").output == tweet(1, read: 30, more: viewer(ann, others: [nobody, bob])))
      #expect(
        try cache("show", "--account", "ann", "1").output
          == tweet(1, read: 30, more: viewer(ann, others: [nobody, bob])))
      #expect(
        try cache("list", "--account", "eve").output
          == tweet(1, read: 30, more: ",\"viewers\":[\(nobody),\(bob),\(ann)]"))
      try checkStore()
    }
    try check()
    let export = try cache("export")
    try FileManager.default.removeItem(atPath: store)
    #expect(try cache("import", stdin: export.output).status == 0)
    try check()
    // The records that a list prints are the same in another store.
    let list = try cache("list", "--account", "ann").output
    try FileManager.default.removeItem(atPath: store)
    _ = try add(tweet(1, read: 20, more: viewer(state("bob", "\"liked\":false"))) + list)
    try check()
  }

  @Test func thoseInsideOtherTweets() throws {
    func quote(_ read: Int, _ account: String, _ more: String) -> String {
      let inner = "{\"type\":\"quoted\",\"id\":\"1\",\"text\":\"in\"\(viewer(state(account)))\(more)}"
      return tweet(2, read: read, more: ",\"referenced_tweets\":[\(inner)]")
    }
    _ = try add(quote(10, "ann", ""))
    _ = try add(quote(20, "bob", ""))
    let shown = try cache("list", "--account", "ann").output
    #expect(shown.contains(viewer(state("ann", read: 10), others: [state("bob")])))
    #expect(try cache("list").output.contains(viewer(state("bob"), others: [state("ann", read: 10)])))
  }

  /// Tweets that come alone wait in another table until they are moved.
  @Test func statesOfALiveStream() throws {
    let tool = try RunningTool("tw-cache", ["add"], home: home)
    for (account, read) in [("ann", 10), ("bob", 20)] {
      let record = tweet(1, read: read, more: viewer(state(account)))
      tool.send(ToolInput(record))
      #expect(try tool.line(timeout: 20).map { $0 + "\n" } == record)
    }
    #expect(
      try cache("list").output == tweet(1, read: 20, more: viewer(state("bob"), others: [state("ann", read: 10)])))
    tool.closeInput()
    #expect(try tool.finish().status == 0)
    #expect(
      try cache("list", "--account", "ann").output
        == tweet(1, read: 20, more: viewer(state("ann", read: 10), others: [state("bob")])))
  }
}
