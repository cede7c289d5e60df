import Foundation
import Synchronization
import TestSupport
import Testing

@testable import tw_post

/// What one takes back is what was written last, by whichever account, and it does not come back.
@Suite(.onOwnThread) struct WhoWritesTests {
  private let site: CrosspostSite

  init() throws { site = try CrosspostSite() }

  private static let refusal = FakePDS.Fault.answer(400, #"{"error":"InvalidRequest","message":"no"}"#, [])

  private func refuseAtBluesky() { site.bluesky.state.withLock { $0.faults = [Self.refusal] } }

  // MARK: What was taken back

  /// The records of copies that are gone must not stand for posts that nobody made.
  @Test func theSameTextLaterIsANewPost() throws {
    refuseAtBluesky()
    #expect(try site.post(["--to", site.all, "part one"]).status == 1)
    #expect(site.counts == [1, 1, 0])
    #expect(try site.post(["undo", "--yes"]).status == 0)
    let again = try site.post(["--to", site.all, "part one"])
    #expect(again.status == 0 && again.lines.count == 3, "\(again.errors)")
    #expect(site.counts[0] == 2 && site.counts[2] == 1, "\(site.counts)")
    #expect(!again.errors.contains("cut off before"))
  }

  /// One copy alone is gone, and the group with it.
  @Test func theSameTextAfterADeletionIsANewPost() throws {
    refuseAtBluesky()
    #expect(try site.post(["--to", "x,bluesky", "part one"]).status == 1)
    #expect(try site.post(["delete", "--yes", "--to", "x", "x:1000"]).status == 0)
    let again = try site.post(["--to", "x,bluesky", "part one"])
    #expect(again.status == 0 && site.x.posts.count == 2 && site.counts[2] == 1, "\(again.errors)")
  }

  /// By itself too: its record was never printed, and it was deleted by its address.
  @Test func onePostThatWasDeletedIsNotPrinted() throws {
    #expect(
      try Tool.run("tw-post", ["hello there"], environment: site.environment, home: site.home, stdoutPath: "/dev/full")
        .status
        == 74)
    #expect(try site.post(["delete", "--yes", "1000"]).status == 0)
    let again = try site.post(["hello there"])
    #expect(again.status == 0 && again.output.contains(#""id":"1001""#), "\(again.output)\(again.errors)")
    #expect(try site.post(["flush"]).output.isEmpty)
  }

  @Test func aRefusedCopyOfAWithdrawnPostIsNeverSent() throws {
    refuseAtBluesky()
    #expect(try site.post(["--to", "x,bluesky", "part one"]).status == 1)
    let number = try #require(site.outbox().first?.first)
    // The other copy is deleted by itself: this one is still there.
    #expect(try site.post(["delete", "--yes", "--to", "x", "x:1000"]).status == 0)
    let retried = try site.post(["outbox", "retry", number])
    #expect(retried.status == 69 && retried.errors.contains("was taken back"), "\(retried.errors)")
    #expect(try site.post(["flush"]).output.isEmpty && site.counts[2] == 0)
    refuseAtBluesky()
    #expect(try site.post(["--to", "x,bluesky", "part two"]).status == 1)
    #expect(try site.post(["undo", "--yes"]).status == 0)
    #expect(try site.outbox().count == 1, "that of part one")
  }

  // MARK: The last one

  @Test func theLastPostOfAnyAccountIsTakenBack() throws {
    #expect(try site.post(["at x"]).status == 0)
    #expect(try site.post(["--account", "\(site.mastodon.name):maja", "at Mastodon"]).status == 0)
    let asked = try site.post(["undo"])
    #expect(asked.status == 64 && asked.errors.contains("delete 'at Mastodon' at \(site.mastodon.name):maja, of "))
    #expect(try site.post(["undo", "--yes", "--dry-run"]).output.contains("/api/v1/statuses/2000"))
    #expect(try site.post(["undo", "--yes"]).output.contains(#""service":"\#(site.mastodon.name)""#))
    #expect(try site.post(["undo", "--yes"]).output.contains(#""service":"x""#))
    #expect(try site.post(["undo", "--yes"]).status == 66)
  }

  @Test func anAccountsLastPostIsTakenBackByItsName() throws {
    #expect(try site.post(["at x"]).status == 0)
    #expect(try site.post(["--account", "\(site.mastodon.name):maja", "at Mastodon"]).status == 0)
    let own = try site.post(["--account", "x:jack", "undo", "--yes"])
    #expect(own.status == 0 && own.output.contains(#""service":"x""#), "\(own.errors)")
  }

  /// A post that was deleted on the web does not stand in the way of the one before it for ever.
  @Test func whatIsGoneAlreadyCountsAsTakenBack() throws {
    let service = try PostService(refusals: [
      "DELETE /2/tweets/1001": (404, #"{"title":"Not Found Error","status":404}"#)
    ])
    func post(_ arguments: String...) throws -> ToolResult {
      try Tool.run("tw-post", arguments, environment: service.environment, home: site.home)
    }
    for text in ["number one", "number two"] { #expect(try post(text).status == 0) }
    let gone = try post("undo", "--yes")
    #expect(gone.status == 0 && gone.errors.contains("was gone already"), "\(gone.errors)")
    #expect(gone.output.contains(#"{"tw":"delete","service":"local","id":"1001""#))
    #expect(try post("undo", "--yes").output.contains(#""id":"1000""#))
    // What nobody of this machine has posted is a mistake.
    let stranger = try PostService(refusals: ["DELETE /2/tweets/9": (404, #"{"title":"Not Found Error","status":404}"#)]
    )
    #expect(try Tool.run("tw-post", ["delete", "9"], environment: stranger.environment, home: site.home).status == 69)
  }

  // MARK: Tokens

  /// Whose a token of the environment is nobody knows: an account that is named has its own, or none.
  @Test func aNamedAccountNeverGoesWithAToken() throws {
    let token = ["TW_TOKEN": "whose", "TW_ENDPOINT": site.x.environment["TW_ENDPOINT"] ?? ""]
    let named = [
      ["--account", "bert"], ["--account", "x:bert"], ["--account", "\(site.mastodon.name):bert"], ["--to", "x:bert"],
    ]
    for words in named {
      let result = try site.post(words + ["It is me"], token)
      #expect(result.status == 77 && result.errors.contains("bert"), "\(words) \(result.errors)")
    }
    let home = try Tool.run(
      "tw-stream", ["--once", "--account", "bert", "home"], environment: token, home: site.home)
    #expect(home.status == 77, "\(home.errors)")
    #expect(site.counts == [0, 0, 0] && site.x.requests.isEmpty)
    #expect(try site.post(["--account", "jack", "It is me"], token).status == 0)
    #expect(site.x.posts.count == 1)
    #expect(site.x.requests.allSatisfy { $0["Authorization"] == "Bearer secret-token" })
  }

  /// Who an account is, is remembered until somebody else signs in under its name.
  @Test func aSignInAsSomebodyElseIsAskedWhoItIs() throws {
    func asked() -> Int { site.x.requests.count { $0.target.hasPrefix("GET /2/users/me") } }
    for text in ["number one", "number two"] { #expect(try site.post(["--account", "x:jack", text]).status == 0) }
    #expect(asked() == 1)
    try site.changeAccounts { text in
      var file = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      var accounts = try #require(file["accounts"] as? [[String: Any]])
      let index = try #require(accounts.firstIndex { $0["service"] as? String == "x" })
      accounts[index]["id"] = "9"
      file["accounts"] = accounts
      return String(decoding: try JSONSerialization.data(withJSONObject: file), as: UTF8.self)
    }
    #expect(try site.post(["--account", "x:jack", "number three"]).status == 0)
    #expect(asked() == 2)
  }

  // MARK: Threads

  @Test func aThreadIsRetriedAndDroppedAsAWhole() throws {
    #expect(try site.post(["--later", "--thread", "one\n---\ntwo\n---\nthree"]).status == 0)
    site.x.expect(posts: [.status(403, #"{"detail":"no","status":403}"#)])
    _ = try site.post(["flush"])
    #expect(try site.outbox().map { $0[1] } == ["refused", "refused", "refused"])
    let retried = try site.post(["outbox", "retry", "1"])
    #expect(retried.errors.contains("the thread waits again: writes 1, 2, 3"), "\(retried.errors)")
    #expect(try site.post(["flush"]).lines.count == 3)
    #expect(site.x.posts.map(\.text).suffix(3) == ["one", "two", "three"])
    #expect(try site.post(["--later", "--thread", "four\n---\nfive\n---\nsix"]).status == 0)
    let asked = try site.post(["outbox", "drop", "5"])
    #expect(asked.status == 64 && asked.errors.contains("drop 3 writes, write 4 at x:jack 'four', "), "\(asked.errors)")
    #expect(try site.outbox().count == 3)
    let dropped = try site.post(["--yes", "outbox", "drop", "5"])
    #expect(dropped.errors.contains("dropped write 6 at x:jack 'six'"), "\(dropped.errors)")
    #expect(try site.outbox().isEmpty)
  }

  // MARK: Lists

  @Test func aListGoesOnAfterAnAccountThatIsGone() throws {
    let service = try PostService(
      refusals: ["GET /2/users/by/username/ghost": (404, #"{"title":"Not Found Error","status":404}"#)])
    let result = try Tool.run(
      "tw-post", ["--yes", "follow", "ghost", "jill"], environment: service.environment, home: site.home)
    #expect(result.status == 1 && result.errors.contains("ghost: there is no account 'ghost'"), "\(result.errors)")
    #expect(result.lines.count == 1, "\(result.output)")
  }

  // MARK: Options and texts

  /// An option that a word does not use is no wish that may be forgotten.
  @Test func optionsThatAWordDoesNotUse() throws {
    #expect(try site.post(["--later", "it waits"]).status == 0)
    let unused = [
      ["--dry-run", "outbox", "drop", "1"], ["--dry-run", "outbox", "edit", "1"], ["--at", "2h", "outbox"],
      ["--dry-run", "outbox", "retry", "1"], ["--account", "jack", "outbox"], ["--later", "outbox", "drop", "1"],
      ["--wait", "outbox"], ["--to", "x", "outbox", "show", "1"], ["--dry-run", "flush"], ["--to", "x", "flush"],
      ["--at", "2h", "flush"], ["--later", "undo"], ["--at", "2h", "undo"], ["--to", "x", "like", "1"],
      ["--to", "x", "edit", "1", "text"], ["--dry-run", "length", "x"], ["--later", "length", "x"],
    ]
    for words in unused {
      let result = try site.post(words)
      #expect(result.status == 64 && result.errors.contains("\(words[0]) is not for '"), "\(words) \(result.errors)")
    }
    #expect(try site.outbox().map { $0[5] } == ["it waits"])
    #expect(site.counts == [0, 0, 0])
  }

  /// ArgumentParser takes the letters of such a text for options, and stops at the first `h`.
  @Test func aTextThatBeginsWithAHyphenAsksForNoHelp() throws {
    let texts = [
      ["-5 Grad heute"], ["reply", "1", "-oh really"], ["--later", "-30% on everything, hurry"], ["-h5"], ["-qh"],
      ["--30% off, hurry"],
    ]
    for words in texts {
      let result = try site.post(words)
      #expect(
        result.status == 64 && result.output.isEmpty && result.errors.contains("'--'"), "\(words) \(result.errors)")
    }
    #expect(try site.outbox().isEmpty && site.counts == [0, 0, 0])
    #expect(try site.post(["--", "-5 Grad heute"]).status == 0)
    #expect(site.x.posts.map(\.text) == ["-5 Grad heute"])
    for tool in ["tw-parse", "tw-cache", "tw-stream", "tw-render", "tw-linkcheck", "tw-avatar", "tw-auth", "tw"] {
      let result = try Tool.run(tool, ["-5 Grad heute"], home: site.home)
      #expect(result.status == 64 && result.output.isEmpty, "\(tool) \(result.output)")
      #expect(try Tool.run(tool, ["-h"], home: site.home).status == 0)
    }
  }
}
