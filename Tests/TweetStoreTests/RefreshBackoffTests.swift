import Testing
import TweetCore

@testable import TweetStore

struct RefreshBackoffTests {
  private static let hour: Int64 = 3_600_000

  /// The longer it fails, the longer it waits; what may pass at most an hour, what the service refuses at most a day.
  @Test(arguments: [
    (TweetCore.ExitStatus.tryLater, 0, 15), (.tryLater, 10, 15), (.tryLater, 20, 20), (.tryLater, 6000, 60),
    (.inputOutput, 6000, 60), (.refused, 0, 15), (.refused, 240, 240), (.refused, 100_000, 1440),
    (.notAllowed, 100_000, 1440), (.usage, 100_000, 1440), (.refused, -5, 15),
  ])
  func waitsAsLongAsItHasFailed(status: TweetCore.ExitStatus, lasted: Int64, expected: Int64) {
    let minute: Int64 = 60_000
    let wait = RefreshBackoff.wait(after: status, lasted: lasted * minute, every: 15 * minute, chance: 0)
    #expect(wait == expected * minute)
    let shortest = RefreshBackoff.wait(after: status, lasted: lasted * minute, every: 15 * minute, chance: 1)
    #expect(shortest == max(15 * minute, expected * minute * 3 / 4))
  }

  @Test func neitherTheIntervalNorTheServiceIsAskedTooEarly() {
    #expect(
      RefreshBackoff.wait(after: .tryLater, lasted: 0, every: 7 * 24 * Self.hour, chance: 1) == 7 * 24 * Self.hour)
    #expect(
      RefreshBackoff.wait(after: .tryLater, lasted: 0, every: 1000, wanted: 9 * Self.hour, chance: 1) == 9 * Self.hour)
  }

  /// A source of every minute that is refused for a week is asked a few dozen times, not ten thousand.
  @Test func aWeekOfRefusals() {
    var (now, asked): (Int64, Int) = (0, 0)
    while now < 7 * 24 * Self.hour {
      asked += 1
      now += RefreshBackoff.wait(after: .notAllowed, lasted: now, every: 60_000, chance: 1)
    }
    #expect((10...40).contains(asked))
  }
}
