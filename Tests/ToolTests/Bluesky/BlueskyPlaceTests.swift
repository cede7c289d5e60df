// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import Services
import Synchronization
import TestSupport
import Testing
import TweetCore

/// Rounds of sources whose posts have times and keys that their authors' programs chose, and nobody has checked.
@Suite(.onOwnThread) struct BlueskyPlaceTests {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// Minutes after noon.
  private static func time(_ minute: Int) -> Timestamp {
    Timestamp(milliseconds: 1_793_534_400_000 + Int64(minute) * 60_000)
  }

  private struct Post {
    var name: String
    var key: Int
    var created: Int
    var indexed: Int

    init(_ name: String, _ minute: Int, key: Int? = nil, created: Int? = nil) {
      (self.name, self.key, self.created, indexed) = (name, key ?? minute, created ?? minute, minute)
    }

    var json: String {
      let key = TimeKey.key(at: time(key), number: name.utf8.reduce(7) { $0 &* 31 &+ Int($1) } & 0xFFFF)
      return
        #"{"uri":"at://did:plc:bo/app.bsky.feed.post/\#(key)","cid":"c","author":{"did":"did:plc:bo","handle":"bo.example"},"#
        + #""record":{"text":"\#(name)","createdAt":"\#(time(created).rfc3339)"},"indexedAt":"\#(time(indexed).rfc3339)"}"#
    }
  }

  /// As the AppView lists them: by the lower of both times. Two posts a page.
  private final class Server: Sendable {
    let posts = Mutex<[Post]>([])
    let box = Mutex<LoopbackServer?>(nil)

    init() throws {
      let server = try LoopbackServer { [weak self] request, connection in
        guard let self else { return }
        let all = posts.withLock { $0 }.sorted { min($0.created, $0.indexed) > min($1.created, $1.indexed) }
        let start = request.parameter("cursor").flatMap { Int($0) } ?? 0
        let page = all.dropFirst(start).prefix(2).map(\.json)
        let cursor = start + 2 < all.count ? #","cursor":"\#(start + 2)""# : ""
        if request.target.contains("getTimeline") {
          connection.answer(200, #"{"feed":[\#(page.map { #"{"post":\#($0)}"# }.joined(separator: ","))]\#(cursor)}"#)
        } else {
          let name = request.target.contains("searchPosts") ? "posts" : "notifications"
          connection.answer(200, #"{"\#(name)":[\#(page.joined(separator: ","))]\#(cursor)}"#)
        }
      }
      box.withLock { $0 = server }
    }

    var base: String { box.withLock { $0!.base } }
  }

  /// The texts that one more round brings.
  private func round(_ server: Server, _ source: String, adding posts: [Post]) throws -> [String] {
    server.posts.withLock { $0 += posts }
    let result = try Tool.run(
      "tw-stream", ["--once", "--state", "places", source],
      environment: ["TW_ENDPOINT_BLUESKY": server.base, "TW_SERVICE": "bluesky", "TW_TOKEN": "t0k"], home: home)
    #expect(result.status == 0, "\(result.errors)")
    return result.lines.compactMap { $0.firstMatch(of: /"text":"(\w+)"/).map { String($0.1) } }.sorted()
  }

  @Test(arguments: ["search:tea", "home", "mentions"])
  func noPostHidesOthers(_ source: String) throws {
    let server = try Server()
    #expect(try round(server, source, adding: [Post("a", 1), Post("b", 2)]) == ["a", "b"])
    // A key of the far future, and times of it.
    #expect(try round(server, source, adding: [Post("future", 5, key: 9_000_000, created: 9_000_000)]) == ["future"])
    #expect(try round(server, source, adding: []) == [])
    #expect(try round(server, source, adding: [Post("c", 6), Post("d", 7), Post("e", 8)]) == ["c", "d", "e"])
    // An old key at the end of a page ends no round, and the post is not lost.
    let old = [Post("f", 10), Post("old", 11, key: -9000), Post("g", 12), Post("h", 13), Post("i", 14)]
    #expect(try round(server, source, adding: old) == ["f", "g", "h", "i", "old"])
    #expect(try round(server, source, adding: []) == [])
    // A bridge writes late what was made before: it stands below what is known, on the page that is read.
    #expect(try round(server, source, adding: [Post("late", 20, created: 14)]) == ["late"])
    #expect(try round(server, source, adding: [Post("j", 21)]) == ["j"])
    #expect(try round(server, source, adding: []) == [])
  }
}
