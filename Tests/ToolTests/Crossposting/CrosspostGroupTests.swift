import Foundation
import Synchronization
import TestSupport
import Testing

/// What is done with one copy of a crosspost is done with all of them, unless a person wants one alone.
@Suite(.onOwnThread(minutes: 5)) struct CrosspostGroupTests {
  private let site: CrosspostSite

  init() throws { site = try CrosspostSite() }

  private var deletedAtX: [String] {
    site.x.requests.map(\.target).filter { $0.hasPrefix("DELETE ") }.map { String($0.split(separator: "/").last ?? "") }
  }

  private var blueskyPage: String {
    get throws {
      "https://bsky.app/profile/alice.example/post/\(try #require(site.bluesky.records().keys.min()))"
    }
  }

  private static let full = FakePDS.Fault.answer(429, #"{"error":"RateLimitExceeded"}"#, [])

  // MARK: Answers

  @Test func anAnswerIsAtEachService() throws {
    #expect(try site.post(["--to", site.all, "Hello there"]).status == 0)
    let replied = try site.post(["reply", "--to", site.all, "https://x.com/jack/status/1000", "And more"])
    #expect(replied.status == 0 && replied.lines.count == 3, "\(replied.errors)")
    #expect(site.x.posts.map(\.replyTo) == [nil, "1000"])
    #expect(site.mastodon.posts.map(\.replyTo) == ["", "2000"])
    let key = try #require(site.bluesky.records().keys.min())
    let reply = try #require(site.bluesky.records().max { $0.key < $1.key }?.value)
    #expect(
      reply.contains(#""parent":{"cid":"own\#(key.suffix(4))","uri":"at://did:plc:alice/app.bsky.feed.post/\#(key)"}"#))
    // By the address of another copy, at two of them.
    let second = try site.post(["reply", "--to", "bluesky,x", blueskyPage, "And this"])
    #expect(second.status == 0 && site.x.posts.last?.replyTo == "1000", "\(second.errors)")
    #expect(site.counts == [3, 2, 3])
    let quoted = try site.post(["quote", "--to", "x,bluesky", "x:1000", "Look here"])
    #expect(quoted.status == 0, "\(quoted.errors)")
    #expect(site.x.requests.last { $0.target == "POST /2/tweets" }?.body.contains(#""quote_tweet_id":"1000""#) == true)
    let counts = site.counts
    let closed = try site.post(["reply", "--to", "x,bluesky", "x:1000", "--reply-settings", "following", "And more"])
    #expect(closed.status == 64 && closed.errors.contains("bluesky:alice.example: "), "\(closed.errors)")
    #expect(site.counts == counts, "what one of them cannot take is said before anything is sent")
    let stranger = try site.post(["reply", "--to", site.all, "https://x.com/jack/status/77", "And more"])
    #expect(stranger.status == 66 && stranger.errors.contains("is not a crosspost that the outbox knows"))
    let narrow = try site.post(["--to", "x,bluesky", "Hello again"])
    #expect(narrow.status == 0)
    let wide = try site.post(["reply", "--to", site.all, "x:\(site.x.posts.last?.id ?? 0)", "And more"])
    #expect(
      wide.status == 64 && wide.errors.contains("\(site.mastodon.name):maja: the post that is named has no copy here"),
      "\(wide.errors)")
    #expect(site.counts == [5, 2, 5])
  }

  /// The copy is not posted yet, so its answer waits for it.
  @Test func anAnswerWaitsForWhatItAnswers() throws {
    site.bluesky.state.withLock { $0.faults = [Self.full] }
    #expect(try site.post(["--to", "x,bluesky", "Hello there"]).status == 75)
    let replied = try site.post(["reply", "--to", "x,bluesky", "x:1000", "And more"])
    #expect(replied.status == 75 && site.x.posts.count == 2 && site.bluesky.records().isEmpty, "\(replied.errors)")
    #expect(replied.errors.contains("the post that it answers, write 2, is not made yet"), "\(replied.errors)")
    // Nor is it another one when it is said again.
    #expect(try site.post(["reply", "--to", "x,bluesky", "x:1000", "And more"]).status == 75)
    let flushed = try site.post(["flush"])
    #expect(flushed.status == 0 && flushed.lines.count == 2, "\(flushed.errors)")
    #expect(site.blueskyTexts == ["Hello there", "And more"])
    #expect(site.bluesky.records().values.contains { $0.contains("\"parent\"") } && site.x.posts.count == 2)
  }

  @Test func threadsOfOtherLengthsAreAnsweredAtTheirEnds() throws {
    let site = try CrosspostSite(longest: 40)
    let text = "One short sentence here. Another short sentence there. And one more sentence to it."
    #expect(try site.post(["--thread", "--to", "x,\(site.mastodon.name)", text]).status == 0)
    #expect(site.counts == [1, 3, 0])
    #expect(try site.post(["reply", "--to", "x,\(site.mastodon.name)", "x:1000", "And more"]).status == 0)
    #expect(site.mastodon.posts.last?.replyTo == "2002")
    let middle = try site.post(["reply", "--to", "x,\(site.mastodon.name)", "\(site.mastodon.name):2001", "And more"])
    #expect(middle.status == 64 && middle.errors.contains("none that stands where it does"), "\(middle.errors)")
    let deleted = try site.post(["delete", "--yes", "\(site.mastodon.name):2001"])
    #expect(deleted.status == 64 && deleted.errors.contains("different numbers of posts"), "\(deleted.errors)")
    #expect(try site.post(["delete", "--to", site.mastodon.name, "\(site.mastodon.name):2001"]).status == 0)
    #expect(site.mastodon.deleted == ["2001"])
  }

  // MARK: Taking back

  @Test func oneIsDeletedAndSoAreAll() throws {
    #expect(try site.post(["--to", site.all, "Hello there"]).status == 0)
    let asked = try site.post(["delete", "https://x.com/jack/status/1000"])
    #expect(asked.status == 64 && asked.errors.contains("delete 3 posts 'Hello there' at "), "\(asked.errors)")
    #expect(
      asked.errors.contains("at bluesky:alice.example, \(site.mastodon.name):maja, x:jack, of "), "\(asked.errors)")
    let shown = try site.post(["delete", "--dry-run", "https://x.com/jack/status/1000"])
    #expect(shown.lines.contains("x:jack: delete https://x.com/jack/status/1000"), "\(shown.output)")
    #expect(deletedAtX.isEmpty)
    let deleted = try site.post(["delete", "--yes", blueskyPage])
    #expect(deleted.status == 0 && deleted.lines.count == 3, "\(deleted.errors)")
    #expect(deletedAtX == ["1000"] && site.mastodon.deleted == ["2000"] && site.bluesky.records().isEmpty)
    #expect(try site.outbox().isEmpty)
  }

  @Test func oneAloneIsDeleted() throws {
    #expect(try site.post(["--to", site.all, "Hello there"]).status == 0)
    let one = try site.post(["delete", "--to", "x", "x:1000"])
    #expect(one.status == 0 && one.lines.count == 1 && deletedAtX == ["1000"], "\(one.errors)")
    #expect(site.mastodon.deleted.isEmpty && site.bluesky.records().count == 1)
    // A list names what it names.
    let list = try site.post(
      ["delete", "--yes", "-"], stdin: "\(site.mastodon.name):2000\n", ["TW_SERVICE": site.mastodon.name])
    #expect(
      list.status == 0 && site.mastodon.deleted == ["2000"] && site.bluesky.records().count == 1, "\(list.errors)")
    let rest = try site.post(["delete", "--yes", blueskyPage])
    #expect(rest.status == 0 && rest.lines.count == 1 && site.bluesky.records().isEmpty, "\(rest.errors)")
    #expect(deletedAtX == ["1000"] && site.mastodon.deleted == ["2000"])
  }

  @Test func aDeletionThatOneRefusesIsAskedForAgainThere() throws {
    #expect(try site.post(["--to", site.all, "Hello there"]).status == 0)
    let refusal = FakePDS.Fault.answer(400, #"{"error":"InvalidRequest","message":"no"}"#, [])
    site.bluesky.state.withLock { $0.faults = [refusal] }
    let deleted = try site.post(["delete", "--yes", "x:1000"])
    #expect(deleted.status == 1 && deleted.lines.count == 2, "\(deleted.errors)")
    let again = try site.post(["delete", "--yes", "x:1000"])
    #expect(again.status == 0 && site.bluesky.records().isEmpty, "\(again.errors)")
    #expect(deletedAtX == ["1000"] && site.mastodon.deleted == ["2000"])
  }

  @Test func undoTakesAllBack() throws {
    #expect(try site.post(["alone at first"]).status == 0)
    site.bluesky.state.withLock { $0.faults = [Self.full] }
    #expect(try site.post(["--to", site.all, "Hello there"]).status == 75)
    #expect(try site.post(["undo"]).errors.contains("undo 3 posts 'Hello there' at "))
    let undone = try site.post(["undo", "--yes"])
    #expect(undone.status == 0 && undone.lines.count == 2, "\(undone.errors)")
    #expect(undone.errors.contains("not posted, and removed from the outbox: one post"), "\(undone.errors)")
    #expect(deletedAtX == ["1001"] && site.mastodon.deleted == ["2000"])
    #expect(try site.post(["flush"]).status == 0 && site.bluesky.records().isEmpty)
    // What is before it is next.
    let before = try site.post(["undo", "--yes"])
    #expect(before.status == 0 && deletedAtX == ["1001", "1000"], "\(before.errors)")
  }

  @Test func undoAtOneService() throws {
    #expect(try site.post(["--to", site.all, "Hello there"]).status == 0)
    #expect(try site.post(["undo", "--yes", "--to", "bluesky"]).status == 0)
    #expect(site.bluesky.records().isEmpty && deletedAtX.isEmpty && site.mastodon.deleted.isEmpty)
    #expect(try site.post(["undo", "--yes", "--to", "x,\(site.mastodon.name)"]).status == 0)
    #expect(deletedAtX == ["1000"] && site.mastodon.deleted == ["2000"])
  }

  // MARK: The outbox

  @Test func copiesThatWaitAreEditedTogether() throws {
    #expect(try site.post(["--later", "--to", site.all, "Helo there"]).status == 0)
    let editor = ["EDITOR": "sh -c 'echo Hello there >\"$1\"' x"]
    let edited = try site.post(["outbox", "edit", "2"], editor)
    #expect(edited.status == 0 && edited.errors.contains("the copies 1, 2, 3 have the new text"), "\(edited.errors)")
    let one = try site.post(["outbox", "edit", "--to", "bluesky", "3"], ["EDITOR": "sh -c 'echo Hello sky >\"$1\"' x"])
    #expect(one.status == 0, "\(one.errors)")
    let long = try site.post(["outbox", "edit", "1"], ["EDITOR": "sh -c 'seq 1 120 >\"$1\"' x"])
    #expect(long.status == 65 && long.errors.contains("your text is in '"), "\(long.errors)")
    #expect(try site.post(["flush"]).lines.count == 3)
    #expect(site.x.posts.map(\.text) == ["Hello there"] && site.mastodon.posts.map(\.text) == ["Hello there"])
    #expect(site.blueskyTexts == ["Hello sky"])
  }

  // MARK: Addresses

  /// A page of bsky.app names its account by the handle, which the account's server knows.
  @Test func anAddressWithAHandleIsUnderstood() throws {
    let page = "https://bsky.app/profile/bob.example/post/3mabcdefghi22"
    let liked = try site.post(["like", page], ["TW_SERVICE": "bluesky"])
    #expect(liked.status == 0, "\(liked.errors)")
    #expect(
      site.bluesky.records("app.bsky.feed.like").values.first?.contains(
        "at://did:plc:bob/app.bsky.feed.post/3mabcdefghi22") == true)
    let listed = try site.post(["unlike", "-"], stdin: "\(page)\n", ["TW_SERVICE": "bluesky"])
    #expect(listed.status == 0 && site.bluesky.records("app.bsky.feed.like").isEmpty, "\(listed.errors)")
    let replied = try site.post(["reply", page, "And more"], ["TW_SERVICE": "bluesky"])
    #expect(
      replied.status == 0 && site.bluesky.records().values.first?.contains("did:plc:bob") == true, "\(replied.errors)")
    let nobody = try site.post(
      ["like", "https://bsky.app/profile/nobody.example/post/3mabcdefghi22"], ["TW_SERVICE": "bluesky"])
    #expect(nobody.status == 64 && nobody.errors.contains("there is no account of that name"), "\(nobody.errors)")
  }
}
