import Foundation
import TestSupport
import Testing

/// What tw-stream and tw-auth ask a server of Bluesky, as the lexicons of others judge it.
@Suite(.onOwnThread(minutes: 3)) struct BlueskyQuestionTests {
  private static let sources = [
    "home", "mentions", "notifications", "likes", "bookmarks", "followers", "following", "list:Tea",
    "search:a cup of tea",
    "#tea", "@bob.example", "conversation:at://did:plc:bob/app.bsky.feed.post/3mabcdefghi22",
    "feed:at://did:plc:bob/app.bsky.feed.generator/teas",
  ]
  private static let methods: Set<String> = [
    "app.bsky.feed.getTimeline", "app.bsky.notification.listNotifications", "app.bsky.feed.getActorLikes",
    "app.bsky.bookmark.getBookmarks", "app.bsky.graph.getFollowers", "app.bsky.graph.getFollows",
    "app.bsky.graph.getLists",
    "app.bsky.feed.getListFeed", "app.bsky.feed.searchPostsV2", "app.bsky.feed.searchPosts",
    "app.bsky.feed.getAuthorFeed",
    "app.bsky.feed.getPostThread", "app.bsky.feed.getFeed",
  ]

  private func judge(_ python: String, _ questions: [String]) throws -> ToolResult {
    try Tool.run(
      python, ["\(Package.root)/Tests/ToolTests/lexicon-questions.py"],
      stdin: ToolInput(questions.map { $0 + "\n" }.joined()))
  }

  @Test func whatIsReadIsAskedForAsTheLexiconsSay() throws {
    let python = try PythonPackage.needed("lexrpc")
    let home = try TemporaryDirectory()
    let server = try FakePDS()
    try #require(try server.signIn(home).status == 0)
    for source in Self.sources {
      // The server does not know all of them; what it is asked is what counts.
      _ = try Tool.run(
        "tw-stream", ["--once", source], environment: server.environment, home: home)
    }
    let questions = server.server.requests.map(\.target).filter { $0.hasPrefix("GET /xrpc/") }
    let asked = questions.compactMap { $0.dropFirst("GET /xrpc/".count).split(separator: "?").first.map(String.init) }
    #expect(Self.methods.subtracting(asked) == [])
    let verdict = try judge(python, questions)
    #expect(verdict.status == 0, "\(verdict.output)\(verdict.errors)")
    for wrong in [
      "GET /xrpc/app.bsky.feed.getTimeline?limit=1000", "GET /xrpc/app.bsky.feed.getTimeline?page=2",
      "GET /xrpc/app.bsky.feed.getFeed?limit=5",
    ] {
      let verdict = try judge(python, [wrong])
      #expect(verdict.status == 1, "the judge judges: \(wrong)")
    }
  }
}
