import Services
import TweetCore
import TweetServices

/// Sources that are polled once, some of them side by side. A failure ends only its source.
struct SourceQueue {
  /// How many sources are polled at the same time. A service counts requests by minutes, so more would not be faster,
  /// and a page of each is held in memory.
  static let width = 8

  /// Makes the feeds of a SOURCE.
  let feeds: (Source) throws(ToolError) -> [RunningFeed]
  /// Whether there was one source from the beginning.
  let hasOne: Bool
  private var waiting: ArraySlice<Source>

  /// - Parameter sources: in the order in which they begin.
  init(_ sources: [Source], feeds: @escaping (Source) throws(ToolError) -> [RunningFeed]) {
    self.feeds = feeds
    waiting = sources[...]
    hasOne = sources.count == 1
  }

  var isEmpty: Bool { waiting.isEmpty }

  mutating func removeNext() -> Source? { waiting.popFirst() }
}
