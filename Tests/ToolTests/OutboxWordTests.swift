import Foundation
import Synchronization
import TestSupport
import Testing

/// What a person sees of the outbox and changes in it, by its words.
@Suite(.onOwnThread) struct OutboxWordTests {
  private let site: CrosspostSite

  init() throws { site = try CrosspostSite(longest: 20) }

  private var maja: [String] { ["--account", "\(site.mastodon.name):maja"] }

  private static func editor(_ text: String) -> [String: String] {
    ["EDITOR": "sh -c 'printf \"\(text)\" >\"$1\"' x"]
  }

  // MARK: edit

  /// What the server would refuse at night is refused while its author is there.
  @Test func anEditIsHeldToTheServersLimit() throws {
    #expect(try site.post(maja + ["--later", "it is short"]).status == 0)
    let long = try site.post(["outbox", "edit", "1"], Self.editor("this text is much too long"))
    #expect(long.status == 65 && long.errors.contains("26 of 20"), "\(long.errors)")
    #expect(try site.outbox().map { $0[5] } == ["it is short"])
    let edited = try site.post(["outbox", "edit", "1"], Self.editor("it is not short"))
    #expect(edited.status == 0, "\(edited.errors)")
    #expect(edited.errors.contains("write 1: 'it is short' → 'it is not short'"), "\(edited.errors)")
  }

  /// Who is not signed in any more cannot ask it, and one that is down cannot say it.
  @Test(arguments: [true, false]) func anEditNeedsNoServer(_ isSignedOut: Bool) throws {
    if !isSignedOut { try site.changeAccounts { $0.replacing(site.mastodon.base, with: "http://127.0.0.1:9") } }
    #expect(try site.post(maja + ["--later", "it is short"]).status == 0)
    if isSignedOut { try site.changeAccounts { $0.replacing(#""name":"maja""#, with: #""name":"otto""#) } }
    let edited = try site.post(["outbox", "edit", "1"], Self.editor("this text is much too long"))
    #expect(edited.status == 0 && edited.errors.contains("does not say how long a post may be"), "\(edited.errors)")
    #expect(try site.outbox().map { $0[5] } == ["this text is much too long"])
  }

  @Test func anEditSaysWhichPostOfAThreadItIs() throws {
    #expect(try site.post(["--later", "--thread", "one\n---\ntwo\n---\nthree"]).status == 0)
    let edited = try site.post(["outbox", "edit", "2"], Self.editor("zwei"))
    #expect(
      edited.errors.contains("write 2 is post 2 of 3 of a thread; the others stay as they are"), "\(edited.errors)")
    #expect(edited.errors.contains("'two' → 'zwei'"), "\(edited.errors)")
    #expect(try site.outbox().map { $0[5] } == ["one", "zwei", "three"])
  }

  // MARK: show

  @Test func allThatIsToBeSentIsShown() throws {
    let options = ["--at", "2030-01-01 10:00", "--not-after", "2030-01-01 12:00", "--warning", "soup"]
    let parts = ["--visibility", "unlisted", "--language", "sv", "--poll", "ja", "--poll", "nej"]
    let later = try site.post(maja + options + parts + ["Hej"])
    #expect(later.status == 0 && later.errors.contains("from 2030-01-01 10:00 on, and not after"), "\(later.errors)")
    let shown = try site.post(["outbox", "show", "1"])
    #expect(shown.output == "Hej\n")
    for fact in [
      "this is write 1, queued at \(site.mastodon.name):maja", "to be sent: for 2030-01-01 10:00, not after",
      "warning: soup", "visibility: unlisted", "language: sv", "choice: ja", "choice: nej", "poll: 1440 minutes",
    ] {
      #expect(shown.errors.contains(fact), "\(fact): \(shown.errors)")
    }
    let line = try #require(site.outbox().first)
    #expect(line[2].wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d/) != nil, "\(line)")
    #expect(line[3] == "\(site.mastodon.name):maja" && line[6] == "for 2030-01-01 10:00, not after 2030-01-01 12:00")
  }

  // MARK: Numbers

  @Test func rangesAndAll() throws {
    for number in 1...4 { #expect(try site.post(["--later", "write \(number)"]).status == 0) }
    let asked = try site.post(["outbox", "drop", "2-3"])
    #expect(asked.status == 64 && asked.errors.contains("drop 2 writes, write 2 at x:jack 'write 2', write 3"))
    #expect(try site.post(["--yes", "outbox", "drop", "2-3"]).status == 0)
    #expect(try site.post(["outbox", "show", "1-4"]).output == "write 1\nwrite 4\n")
    #expect(try site.post(["--yes", "outbox", "drop", "2-3"]).status == 66)
    for word in ["3-2", "0", "1-", "none"] { #expect(try site.post(["outbox", "show", word]).status == 64, "\(word)") }
    #expect(try site.post(["--yes", "outbox", "drop", "all"]).status == 0)
    #expect(try site.outbox().isEmpty)
    #expect(try site.post(["--yes", "outbox", "drop", "all"]).status == 0)
  }

  /// What may have been posted is sent again by its own number alone.
  @Test func whatWasRefusedIsRetriedAtOnce() throws {
    for number in 1...2 { #expect(try site.post(["--later", "write \(number)"]).status == 0) }
    let refusal = PostService.Behaviour.status(403, #"{"detail":"no","status":403}"#)
    site.x.expect(posts: [refusal, refusal])
    _ = try site.post(["flush"])
    #expect(try site.outbox().map { $0[1] } == ["refused", "refused"])
    #expect(try site.post(["outbox", "retry", "all"]).status == 0)
    #expect(try site.outbox().map { $0[1] } == ["queued", "queued"])
    #expect(try site.post(["outbox", "retry", "1-2"]).status == 66)
  }

  // MARK: Times

  @Test func anotherTimeIsForTheWhole() throws {
    #expect(try site.post(["--at", "2h", "--thread", "one\n---\ntwo"]).status == 0)
    #expect(try site.post(["--later", "--to", site.all, "Hello there"]).status == 0)
    let thread = try site.post(["outbox", "reschedule", "2", "2030-01-01 10:00"])
    #expect(thread.errors.contains("sends write 1, 2 from 2030-01-01 10:00 on"), "\(thread.errors)")
    let copies = try site.post(["outbox", "reschedule", "4", "2030-01-02 10:00"])
    #expect(copies.errors.contains("sends write 3, 4, 5 from 2030-01-02 10:00 on"), "\(copies.errors)")
    let times = try site.outbox().map { $0[6] }
    #expect(
      times == Array(repeating: "for 2030-01-01 10:00", count: 2) + Array(repeating: "for 2030-01-02 10:00", count: 3))
    #expect(try site.post(["flush"]).output.isEmpty)
    for (words, status) in [(["9", "2h"], 66), (["1"], 64), (["1", "soon"], 64), (["1", "2020-01-01 10:00"], 64)] {
      #expect(try site.post(["outbox", "reschedule"] + words).status == Int32(status), "\(words)")
    }
  }

  @Test func whatIsTooLateIsNotSent() throws {
    #expect(try site.post(["--later", "--not-after", "1s", "too late"]).status == 0)
    #expect(try site.post(["outbox", "reschedule", "1", "2h"]).status == 64)
    usleep(1_500_000)
    let flushed = try site.post(["flush"])
    #expect(flushed.status == 69 && flushed.errors.contains("write 1: its time was over at "), "\(flushed.errors)")
    #expect(site.x.posts.isEmpty)
    #expect(try site.outbox().map { $0[1] } == ["refused"])
    // Who asks for it again has it sent.
    #expect(try site.post(["outbox", "retry", "1"]).status == 0)
    #expect(try site.post(["flush"]).status == 0 && site.x.posts.map(\.text) == ["too late"])
    for words in [["--not-after", "2h", "a text"], ["--at", "2h", "--not-after", "1h", "a text"]] {
      #expect(try site.post(words).status == 64, "\(words)")
    }
  }

  // MARK: Messages

  @Test func whatWouldBeSentAndWhen() throws {
    let options = [["--at", "2030-01-01 10:00"], ["--to", site.all, "--at", "2030-01-01 10:00"]]
    for words in options {
      let shown = try site.post(["--dry-run"] + words + ["Hello there"])
      #expect(shown.status == 0 && shown.output.contains("Hello there"), "\(shown.errors)")
      #expect(shown.errors.contains("sent: by 'tw-post flush' from 2030-01-01 10:00 on"), "\(shown.errors)")
    }
    #expect(try site.post(["--dry-run", "--later", "Hello there"]).errors.contains("sent: by 'tw-post flush'"))
    #expect(try site.outbox().isEmpty && site.counts == [0, 0, 0])
  }

  @Test func whatIsNotKeptSaysSo() throws {
    let away = ["TW_SERVICE": "local", "TW_ENDPOINT": "http://127.0.0.1:9", "TW_TOKEN": "t"]
    let alone = try site.post(["Hello there"], away)
    #expect(alone.status == 75 && alone.errors.contains("not posted, not kept: --later keeps it"), "\(alone.errors)")
    let down = FakePDS.Fault.answer(429, #"{"error":"RateLimitExceeded"}"#, [])
    site.bluesky.state.withLock { $0.faults = [down] }
    let copies = try site.post(["--to", "bluesky", "Hello there"])
    #expect(copies.status == 75 && copies.errors.contains("not posted, not kept: --later keeps it"), "\(copies.errors)")
    #expect(try site.outbox().isEmpty)
  }

  @Test func whatWasRefusedWasNotCutOff() throws {
    let refusal = FakePDS.Fault.answer(400, #"{"error":"InvalidRequest","message":"no"}"#, [])
    site.bluesky.state.withLock { $0.faults = [refusal] }
    #expect(try site.post(["--to", "x,bluesky", "Hello there"]).status == 1)
    let again = try site.post(["--to", "x,bluesky", "Hello there"])
    #expect(again.status == 0 && again.errors.contains("was refused of it is asked for again (write 2)"))
    #expect(!again.errors.contains("cut off"), "\(again.errors)")
  }

  @Test func whoSignsOutIsToldWhatWaits() throws {
    #expect(try site.post(["--later", "Hello there"]).status == 0)
    let signedOut = try Tool.run("tw-auth", ["logout", "x:jack"], environment: site.environment, home: site.home)
    #expect(signedOut.errors.contains("one write of x:jack waits in the outbox"), "\(signedOut.errors)")
  }
}
