extension PollFeed {
  /// How a source is polled.
  package struct Options: Sendable {
    /// The bounds of the first round; later ones begin where it ended.
    package var range = PageRange()
    /// Pages of a run and round at most; `nil`: one, up to `mostPages` down to a lower bound, and in a single round as
    /// many as a limit on posts needs.
    package var pages: Int?
    /// Follow the pages to their end.
    package var all = false
    /// Milliseconds between rounds; `nil` makes one round.
    package var every: Int?

    package init() {}
  }
}
