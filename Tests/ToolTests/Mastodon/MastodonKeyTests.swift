import Foundation
import ServiceClients
import Synchronization
import TestSupport
import Testing
import TweetCore
import TweetNet
import TweetServices

@testable import tw_post

/// For how long a server is trusted with a key, by a clock that the test moves.
@Suite(.onOwnThread) struct MastodonKeyTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private static let minute: Int64 = 60_000

  /// - Parameter minutes: how long ago the post was sent by a program that was killed.
  @Test(arguments: [(0, false), (55, false), (59, true), (61, true), (600, true), (-10, true)])
  func aKeyIsTrustedForAnHour(_ minutes: Int, _ isLookedFor: Bool) throws {
    let server = try PostingMastodon(isNew: true)
    let api = try #require(ServiceAPIs.named(server.name))
    let access = ServiceAccess(api, base: server.base, token: Secret("t0k"), account: "maja")
    let start = Timestamp.now.milliseconds
    let waited = Mutex<Int64>(0)
    let clock = WritingClock(now: { Timestamp(milliseconds: start + waited.withLock { $0 }) }) { wait in
      waited.withLock { $0 += Int64(wait) }
    }
    let outbox = try Outbox(path: home.path + "/outbox.db", of: Outbox.Owner(access))
    let way = WritingWay(waits: false, isLater: false, isDryRun: false, needsNoQuestion: true, keepsMetadata: false)
    let session = try WritingSession(access, way, outbox, budget: nil, clock: clock)
    var draft = PostDraft(text: "Hello there")
    draft.keyMemory = 3_600_000
    let id = try session.outbox.add([.post(draft)], command: "a")[0]
    let sent = start - Int64(minutes) * Self.minute
    draft.key = "the-key"
    // As a session makes it.
    draft.keyUntil = Timestamp(milliseconds: sent + session.keyEnd(after: 3_600_000).milliseconds - start)
    try session.outbox.setSending(id, at: Timestamp(milliseconds: sent), draft)
    #expect(try session.carryOut(id) == .done(id: "2000"))
    let looks = server.server.targets.count { $0.contains("/accounts/7/statuses") }
    #expect((looks > 0) == isLookedFor, "\(server.server.targets)")
    #expect(server.tries.map { $0["Idempotency-Key"] } == ["the-key"] && server.posts.count == 1)
    #expect(waited.withLock { $0 } == 0 || isLookedFor)
  }
}
