import Foundation
import SQLite
import Synchronization
import TestSupport
import Testing
import TweetCore
import TweetServices

@testable import tw_post

/// What is written at several services, and taken back there, is what was meant: judged by what each service was asked
/// and by what is left in the outbox.
@Suite(.onOwnThread(minutes: 5)) struct CrosspostAstrayTests {
  private let site: CrosspostSite

  init() throws { site = try CrosspostSite() }

  private func outbox() throws -> Outbox {
    try Outbox(path: site.home.path + "/.local/share/tw/outbox.db")
  }

  /// What was deleted at each service, in order; of Bluesky how many.
  private func deleted(_ site: CrosspostSite? = nil) -> [[String]] {
    let site = site ?? self.site
    let atX = site.x.requests.map(\.target).filter { $0.hasPrefix("DELETE ") }.map {
      String($0.split(separator: "/").last ?? "")
    }
    return [atX, site.mastodon.deleted, site.bluesky.calls("com.atproto.repo.deleteRecord").map { _ in "one" }]
  }

  private func states() throws -> [String] { try site.outbox().map { $0[1] } }

  private static let nothing: [[String]] = [[], [], []]
  private static let full = FakePDS.Fault.answer(429, #"{"error":"RateLimitExceeded"}"#, [])
  private static let refusal = FakePDS.Fault.answer(400, #"{"error":"InvalidRequest","message":"no"}"#, [])

  // MARK: Taking back

  /// Of a copy that may be there, or whose id nobody knows, nothing is known: the others stay too.
  @Test func nothingIsTakenBackWhileNobodyKnowsOfOneCopy() throws {
    #expect(try site.post(["--to", site.all, "Hello there"]).status == 0)
    let outbox = try outbox()
    for (state, result, status) in [
      (Outbox.State.sending, nil, 75), (.unsettled, nil, 75), (.done, nil, 66),
    ] as [(Outbox.State, String?, Int32)] {
      try outbox.set(state, of: 2, at: .now, result: result)
      for command in [["undo"], ["delete", "x:1000"], ["undo", "--to", "x,\(site.mastodon.name)"]] {
        let result = try site.post(command + ["--yes"])
        #expect(result.status == status && result.output.isEmpty, "\(state) \(command): \(result.errors)")
      }
    }
    #expect(deleted() == Self.nothing)
    try outbox.set(.done, of: 2, at: .now, result: "2000")
    #expect(try site.post(["undo", "--yes"]).status == 0)
    #expect(deleted() == [["1000"], ["2000"], ["one"]])
  }

  /// Threads are taken back from their ends, so that what is left is a beginning.
  @Test func theLastPostOfAThreadGoesFirst() throws {
    let text = "one\n---\ntwo\n---\nthree"
    #expect(try site.post(["--thread", "--to", "x,\(site.mastodon.name)", text]).status == 0)
    #expect(try site.post(["undo", "--yes"]).lines.count == 6)
    #expect(deleted() == [["1002", "1001", "1000"], ["2002", "2001", "2000"], []])
  }

  @Test func whatIsDeletedIsDeletedOnce() throws {
    #expect(try site.post(["--to", "x,\(site.mastodon.name)", "Hello there"]).status == 0)
    // It is gone at both, and nobody has seen that it is at one.
    let atX = try site.post(["delete", "--yes", "--to", "x", "x:1000"])
    #expect(atX.status == 0, "\(atX.errors)")
    let outbox = try outbox()
    let deletion = try #require(try outbox.copies(of: 1).first?.deletion)
    try outbox.database.write { () throws(ToolError) in
      try outbox.database.run("UPDATE writes SET is_reported = 0 WHERE id = ?", .integer(deletion))
    }
    #expect(try site.post(["undo", "--yes"]).lines.count == 2)
    #expect(deleted() == [["1000"], ["2000"], []])
  }

  /// A copy that was refused is not a copy to take back.
  @Test func aRefusedCopyIsNone() throws {
    site.bluesky.state.withLock { $0.faults = [Self.refusal] }
    #expect(try site.post(["--to", "x,bluesky", "Hello there"]).status == 1)
    for command in [["undo", "--to", "bluesky"], ["delete", "--to", "bluesky", "x:1000"]] {
      #expect(try [64, 66].contains(site.post(command + ["--yes"]).status ?? 0), "\(command)")
    }
    let answer = try site.post(["reply", "--to", "x,bluesky", "x:1000", "And more"])
    #expect(answer.status == 64 && site.x.posts.count == 1, "\(answer.errors)")
    #expect(deleted() == Self.nothing)
    #expect(try site.post(["undo", "--yes"]).lines.count == 1)
    #expect(deleted() == [["1000"], [], []])
    let late = try site.post(["reply", "--to", "x", "x:1000", "And more"])
    #expect(late.status == 64 && site.x.posts.count == 1, "what is gone is not answered: \(late.errors)")
  }

  /// Which post is the last one, of those at one account and those at several.
  @Test func theLastOfAllIsTakenBack() throws {
    #expect(try site.post(["--to", "x,bluesky", "At two"]).status == 0)
    #expect(try site.post(["At one"]).status == 0)
    let several = try site.post(["undo", "--yes", "--to", "bluesky,x"])
    #expect(several.status == 64 && deleted() == Self.nothing, "\(several.errors)")
    #expect(try site.post(["undo", "--yes"]).lines.count == 1)
    #expect(deleted() == [["1001"], [], []])
    #expect(try site.post(["undo", "--yes"]).lines.count == 2)
    #expect(deleted() == [["1001", "1000"], [], ["one"]])
  }

  /// A bare id is one of the service in use, whatever posts of others have it.
  @Test func aBareIDIsOfTheServiceInUse() throws {
    #expect(try site.post(["--to", "x,\(site.mastodon.name)", "Hello there"]).status == 0)
    #expect(try site.post(["delete", "--yes", "2000"]).status == 0)
    #expect(deleted() == [["2000"], [], []])
    #expect(try site.post(["delete", "--yes", "2000"], ["TW_SERVICE": site.mastodon.name]).status == 0)
    #expect(deleted() == [["2000", "1000"], ["2000"], []])
  }

  /// A copy is deleted at the server where it was made, also when the account of that name is at another one by now.
  @Test func aCopyIsDeletedWhereItWasMade() throws {
    #expect(try site.post(["--to", "x,bluesky", "Hello there"]).status == 0)
    let other = try PostService()
    let base = other.environment["TW_ENDPOINT"] ?? ""
    try site.changeAccounts {
      $0.replacing(
        #"{"accounts":["#,
        with: #"{"accounts":[{"service":"x","name":"jack","base":"\#(base)","method":"token","token":"t"},"#,
        maxReplacements: 1)
    }
    #expect(try site.post(["undo", "--yes"]).status == 0)
    #expect(deleted() == [["1000"], [], ["one"]] && other.requests.isEmpty, "\(other.requests.map(\.target))")
  }

  /// What one account was not given is said before anything is gone anywhere.
  @Test func scopesAreLookedAtFirst() throws {
    #expect(try site.post(["--to", site.all, "Hello there"]).status == 0)
    try site.changeAccounts {
      $0.replacing(#""token":"secret-token""#, with: #""token":"secret-token","scopes":["tweet.read","users.read"]"#)
    }
    let undone = try site.post(["undo", "--yes"])
    #expect(undone.status == 77 && undone.errors.contains("'tweet.write'"), "\(undone.errors)")
    #expect(deleted() == Self.nothing)
  }

  // MARK: Writing

  /// Two accounts say the same: what one of them could not say yet the other one does not.
  @Test func anotherAccountsCopyIsNotAdopted() throws {
    try site.changeAccounts { text in
      let jack = try #require(text.firstMatch(of: #/\{[^{}]*"service":"x"[^{}]*\}/#)).output
      return text.replacing(jack, with: jack + "," + jack.replacing("jack", with: "jill"))
    }
    site.x.expect(posts: [.status(400, #"{"detail":"no","status":400}"#)])
    #expect(try site.post(["--to", "x:jill,bluesky", "Hello there"]).status == 1)
    let own = try site.post(["--to", "x:jack,\(site.mastodon.name)", "Hello there"])
    #expect(own.status == 0 && own.lines.count == 2, "\(own.errors)")
    let groups = try (1...4).map { try outbox().entry($0)?.group }
    #expect(groups == [1, 1, 3, 3])
    #expect(try outbox().entry(1)?.state == .refused)
    #expect(try site.post(["undo", "--yes"]).lines.count == 2)
    #expect(deleted() == [["1000"], ["2000"], []])
  }

  /// Nobody can say whether the first was made, so what waits beside it stays.
  @Test func whatWaitsBesideAnUnansweredCopyStays() throws {
    let site = try CrosspostSite(refusals: ["GET /2/users/7/tweets": (403, #"{"detail":"No.","status":403}"#)])
    site.x.expect(posts: [.lose])
    site.bluesky.state.withLock { $0.faults = [Self.full] }
    let posted = try site.post(["--to", "x,bluesky", "Hello there"])
    #expect(posted.status == 75 && posted.output.isEmpty, "\(posted.errors)")
    #expect(try site.outbox().map { $0[1] } == ["unsettled", "queued"])
    #expect(site.counts == [1, 0, 0])
  }

  /// Who interrupts it has the copy that is under way; the others wait.
  @Test func anInterruptedCrosspostGoesNoFurther() throws {
    site.bluesky.state.withLock { $0.writeDelay = 0.5 }
    let tool = try site.start(["--to", "bluesky,x", "Hello there"])
    try waitUntil { !site.bluesky.records().isEmpty }
    tool.signal(SIGINT)
    _ = try tool.finish()
    #expect(site.counts == [0, 0, 1])
    #expect(try states() == ["queued"])
  }

  /// Refused by all it is nowhere, and not kept; refused by one it stays in the list.
  @Test(arguments: [false, true]) func aRefusalStaysWhereOthersWereMade(_ isMade: Bool) throws {
    if !isMade { site.x.expect(posts: [.status(400, #"{"detail":"no","status":400}"#)]) }
    site.bluesky.state.withLock { $0.faults = [Self.refusal] }
    let posted = try site.post(["--to", "x,bluesky", "Hello there"])
    #expect(posted.status == (isMade ? 1 : 69), "\(posted.errors)")
    #expect(try states() == (isMade ? ["refused"] : []))
  }

  /// An answer that waits for its copy is not a post of the same text.
  @Test func anAnswerIsNotAPostWithItsText() throws {
    site.bluesky.state.withLock { $0.faults = [Self.full] }
    #expect(try site.post(["--to", "x,bluesky", "Hello there"]).status == 75)
    #expect(try site.post(["reply", "--to", "x,bluesky", "x:1000", "And more"]).status == 75)
    let post = try site.post(["--to", "x,bluesky", "And more"])
    #expect(post.status == 0 && site.x.posts.map(\.replyTo) == [nil, "1000", nil], "\(post.errors)")
    #expect(site.blueskyTexts == ["And more"])
  }

  /// Copies that say something else keep their text, and what is sent is not edited.
  @Test func onlyCopiesThatSayTheSameAreEdited() throws {
    let editor = { (text: String) in ["EDITOR": "sh -c 'echo \(text) >\"$1\"' x"] }
    #expect(try site.post(["--later", "--to", site.all, "Helo there"]).status == 0)
    #expect(try site.post(["outbox", "edit", "--to", "bluesky", "3"], editor("Hello sky")).status == 0)
    #expect(try site.post(["outbox", "edit", "1"], editor("Hello there")).status == 0)
    try outbox().set(.done, of: 1, at: .now, result: "1000")
    #expect(try site.post(["outbox", "edit", "2"], editor("Hello tea")).status == 0)
    let texts = try outbox().copies(of: 1).map { $0.draft?.text }
    #expect(texts == ["Hello there", "Hello tea", "Hello sky"])
  }

  /// A text that only some have is kept for its author.
  @Test func aTextThatWasRefusedSomewhereIsKept() throws {
    site.bluesky.state.withLock { $0.faults = [Self.refusal] }
    let posted = try site.post(["--edit", "--to", "x,bluesky"], ["EDITOR": "sh -c 'echo Hello there >\"$1\"' x"])
    #expect(posted.status == 1, "\(posted.errors)")
    let kept = try FileManager.default.contentsOfDirectory(atPath: site.home.path + "/.local/state/tw").filter {
      $0.hasPrefix("post-")
    }
    #expect(kept.count == 1)
  }
}
