import Testing
import TweetCore

struct ExitStatusTests {
  /// What a person must repair is worse than what may pass, and that is worse than some bad records. Of two that a
  /// person must repair the first one counts.
  @Test(arguments: [
    (TweetCore.ExitStatus.done, TweetCore.ExitStatus.someBad, TweetCore.ExitStatus.someBad),
    (.done, .tryLater, .tryLater), (.done, .refused, .refused), (.someBad, .tryLater, .tryLater),
    (.someBad, .notAllowed, .notAllowed), (.tryLater, .refused, .refused), (.tryLater, .inputOutput, .inputOutput),
    (.tryLater, .configuration, .configuration),
  ])
  func theWorseOneCounts(
    _ better: TweetCore.ExitStatus, _ worse: TweetCore.ExitStatus, _ expected: TweetCore.ExitStatus
  ) {
    #expect(better.worse(worse) == expected && worse.worse(better) == expected)
  }

  @Test func ofTwoFailuresTheFirstCounts() {
    for status in TweetCore.ExitStatus.allCases { #expect(status.worse(status) == status) }
    #expect(TweetCore.ExitStatus.refused.worse(.notAllowed) == .refused)
    #expect(TweetCore.ExitStatus.notAllowed.worse(.refused) == .notAllowed)
  }
}
