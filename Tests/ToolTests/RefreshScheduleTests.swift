import Testing
import TweetCore

@testable import tw_cache

/// The time that a `refresh` record promises. Checks are a day apart, so that no machine is too slow for the bounds.
struct RefreshScheduleTests {
  private static let day = 86_400_000

  private static func time(_ days: Double) -> Timestamp {
    Timestamp(milliseconds: Timestamp.now.milliseconds + Int64(days * Double(day)))
  }

  /// Days until a source is due, and until the first check that finds it due.
  @Test(arguments: [(-3, 1), (0.5, 1), (0.9, 1), (1.5, 2), (2.5, 3), (6.9, 7)])
  func aSourceIsRefreshedAtTheFirstCheckAfterItIsDue(due: Double, check: Double) {
    var schedule = RefreshSchedule(every: Self.day)
    schedule.begin()
    let next = schedule.next(dueAt: Self.time(due), 0)
    #expect(abs(next.milliseconds - Self.time(check).milliseconds) < 3_600_000, "\(next.rfc3339)")
  }

  @Test func itMayBeAsEarlyAsItsToleranceSays() {
    var schedule = RefreshSchedule(every: Self.day)
    schedule.begin()
    let next = schedule.next(dueAt: Self.time(1.5), Int64(Self.day) * 3 / 5)
    #expect(abs(next.milliseconds - Self.time(1).milliseconds) < 3_600_000, "\(next.rfc3339)")
  }

  @Test func aNamedSourceIsRefreshedAtEachCheck() {
    var schedule = RefreshSchedule(every: Self.day)
    schedule.begin()
    let next = schedule.next(dueAt: nil, 0)
    #expect(abs(next.milliseconds - Self.time(1).milliseconds) < 3_600_000, "\(next.rfc3339)")
  }
}
