import Testing
import TweetCore

@testable import TweetStore

struct RefreshedSourceTests {
  private static let now = Timestamp(milliseconds: 1_700_000_000_000)

  private static func ago(_ seconds: Double) -> Timestamp {
    Timestamp(milliseconds: now.milliseconds - Int64(seconds * 1000))
  }

  private static func source(every: Int?, isPaused: Bool = false, refreshed: Double?, retryIn: Double? = nil)
    -> RefreshedSource
  {
    RefreshedSource(
      key: 1, name: .init(service: "x", account: "", source: "tag:tea"), every: every, isPaused: isPaused,
      checkpoint: nil, refreshedAt: refreshed.map(ago), failingSince: nil, retryAt: retryIn.map { ago(-$0) },
      refusedToken: nil, reported: nil, reportedAt: nil)
  }

  /// Seconds since the last refresh: a tenth of the interval early is early enough, and never more than a minute.
  @Test(arguments: [
    (60, 30, false), (60, 53.9, false), (60, 54, true), (60, 55, true), (60, 600, true), (900, 809, false),
    (900, 840, true), (86_400, 86_339, false), (86_400, 86_340, true), (60, -5, true),
  ])
  func itIsDueAfterItsInterval(every: Int, refreshed: Double, isDue: Bool) {
    #expect(Self.source(every: every, refreshed: refreshed).isDue(at: Self.now) == isDue)
  }

  @Test func withoutARefreshItIsDueAtOnceUnlessNobodyWantsIt() {
    #expect(Self.source(every: 60, refreshed: nil).isDue(at: Self.now))
    #expect(!Self.source(every: nil, refreshed: nil).isDue(at: Self.now))
    #expect(!Self.source(every: 60, isPaused: true, refreshed: nil).isDue(at: Self.now))
  }

  /// After a failure the time to ask again counts, not the interval.
  @Test func afterAFailureItWaitsForItsTime() {
    #expect(!Self.source(every: 60, refreshed: 600, retryIn: 30).isDue(at: Self.now))
    #expect(Self.source(every: 60, refreshed: 10, retryIn: -1).isDue(at: Self.now))
  }
}
