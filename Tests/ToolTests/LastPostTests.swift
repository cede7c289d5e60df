import Foundation
import TestSupport
import Testing

/// `last` is the post that `undo` takes back, and `undo 2` the one before it.
@Suite(.onOwnThread) struct LastPostTests {
  private let site: CrosspostSite

  init() throws { site = try CrosspostSite() }

  private var deletedAtX: [String] {
    site.x.requests.map(\.target).filter { $0.hasPrefix("DELETE ") }.map {
      String($0.split(separator: "/").last ?? "")
    }
  }

  @Test func theLastPostIsAnsweredByItsAccount() throws {
    let none = try site.post(["reply", "last", "to nobody"])
    #expect(none.status == 66, "\(none.errors)")
    #expect(try site.post(["at x"]).status == 0)
    #expect(try site.post(["--account", "\(site.mastodon.name):maja", "at Mastodon"]).status == 0)
    let answer = try site.post(["reply", "last", "an answer"])
    #expect(answer.status == 0 && answer.errors.contains("reply at \(site.mastodon.name):maja: 'at Mastodon'"))
    #expect(site.mastodon.posts.map(\.replyTo) == ["", "2000"], "\(answer.errors)")
    let own = try site.post(["--account", "x:jack", "reply", "last", "at X again"])
    #expect(own.status == 0 && site.x.posts.map(\.replyTo) == [nil, "1000"], "\(own.errors)")
    let quote = try site.post(["quote", "last", "look at that"])
    #expect(quote.status == 0, "\(quote.errors)")
    #expect(site.x.requests.contains { $0.body.contains(#""quote_tweet_id":"1001""#) })
    let edit = try site.post(["edit", "last", "another text"])
    #expect(edit.status != 0 && edit.errors.contains("has no edits"), "\(edit.errors)")
    #expect(try site.post(["--later", "it waits"]).status == 0)
    let waiting = try site.post(["reply", "last", "too early"])
    #expect(waiting.status == 75 && waiting.errors.contains("is not made yet"), "\(waiting.errors)")
  }

  /// With several accounts it is a crosspost, whose copies are answered each at its own.
  @Test func theLastCrosspostIsAnsweredEverywhere() throws {
    let both = "x,\(site.mastodon.name)"
    #expect(try site.post(["--to", both, "at both"]).status == 0)
    let answer = try site.post(["--to", both, "reply", "last", "an answer"])
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(site.x.posts.map(\.replyTo) == [nil, "1000"] && site.mastodon.posts.map(\.replyTo) == ["", "2000"])
  }

  @Test func theOneBeforeIsTakenBack() throws {
    #expect(try site.post(["--to", "x,\(site.mastodon.name)", "at both"]).status == 0)
    #expect(try site.post(["--thread", "one\n---\ntwo"]).status == 0)
    #expect(try site.post(["by itself"]).status == 0)
    #expect(try site.post(["undo", "2", "--yes"]).status == 0)
    #expect(deletedAtX == ["1002", "1001"])
    #expect(try site.post(["undo", "2", "--yes"]).status == 0)
    #expect(deletedAtX.last == "1000" && site.mastodon.deleted == ["2000"])
    #expect(try site.post(["undo", "2", "--yes"]).status == 66)
    for word in ["0", "-1", "two"] { #expect(try site.post(["undo", "--yes", "--", word]).status != 0, "\(word)") }
    #expect(try site.post(["undo", "1", "--yes"]).status == 0 && deletedAtX.last == "1003")
  }
}
