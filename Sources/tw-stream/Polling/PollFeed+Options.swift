import TweetServices

extension PollFeed {
  /// How a source is polled.
  struct Options: Sendable {
    /// The bounds of the first round; later ones begin where it ended.
    var range = PageRange()
    /// Pages of a run and round at most; `nil`: one, up to `mostPages` down to a lower bound, and in a single round as
    /// many as a limit on posts needs.
    var pages: Int?
    /// Follow the pages to their end.
    var all = false
    /// Milliseconds between rounds; `nil` makes one round.
    var every: Int?

    init() {}
  }
}
