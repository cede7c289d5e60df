import Services
import TweetCore
import TweetServices

/// What a polled source says of its rounds.
extension PollFeed {
  /// Has the next page wait.
  mutating func pause(until time: Int, _ writer: inout FeedWriter) throws(ToolError) {
    request.pause(until: time)
    let milliseconds = time - MonotonicClock.milliseconds
    guard milliseconds >= Self.longestQuietPause, !hasToldPause else { return }
    hasToldPause = true
    let text = "\(feed): a next page is asked for in \(seconds(milliseconds)) s, to keep the service's limit"
    var notice = Notice(.info, "pace", text)
    notice.add("wait", milliseconds: milliseconds)
    try writer.write(notice)
  }

  /// Milliseconds that nobody is told of.
  private static let longestQuietPause = 10_000

  /// Reports what of the current run is not fetched.
  func reportRemaining(_ writer: inout FeedWriter) throws(ToolError) {
    guard let current = plan.current, let gap = current.remainingGap else { return }
    // If there is no lower end, there are always older posts.
    guard current.floorID != nil || !current.isNew || options.all else { return }
    if checkpoints == nil, options.every == nil {
      try writer.write(notice(of: gap, "the round ended before them; --state keeps such a gap for the next round"))
    } else {
      var notice = notice(of: gap, "they are fetched next time")
      (notice.level, notice.code) = (.info, "unfinished")
      try writer.write(notice)
    }
  }

  func notice(of gap: Checkpoint.Gap, _ reason: String) -> Notice {
    let lower = gap.since.map { "between \($0) and" } ?? "before"
    var notice = Notice(.warning, "gap", "posts \(lower) \(gap.until) were left out: \(reason)")
    notice.add("feed", text: feed)
    notice.add("last_id", text: gap.since)
    notice.add("next_id", text: gap.until)
    return notice
  }
}
