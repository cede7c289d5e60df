import Services
import TweetCore
import TweetServices

/// What a poll round asks for.
extension PollFeed {
  /// The newest 3200 posts, as far back as X goes for an account.
  private static let mostPages = 32

  /// What is new. Services take ids or times, not both, so times become ids where ids tell the time.
  func newRange() throws(ToolError) -> PageRange {
    var range = options.range
    if case .text(_, order: nil)? = range.untilID {
      throw .usage("'\(feed)' is not in the order of ids: no id says where older posts begin")
    }
    if let newestID = plan.newestID {
      // Nothing older than what was fetched is new.
      if let since = range.since, source.firstID(at: since) == nil { range.since = nil }
      range.sinceID = PostID.newer(range.sinceID, newestID)
      if let horizon, range.untilID == nil, range.until == nil {
        let oldest = Timestamp(milliseconds: Timestamp.shown.milliseconds - horizon)
        if let id = source.lastID(before: oldest), newestID.isOlder(than: id) {
          (range.sinceID, range.since) = (nil, oldest)
        }
      }
    }
    let hasIDs = range.sinceID != nil || range.untilID != nil
    guard hasIDs || !source.takesTimes else { return range }
    for time in [range.since, range.until].compactMap({ $0 }) where source.firstID(at: time) == nil {
      throw .usage("the ids of '\(feed)' do not tell whether a post is from before \(time.rfc3339)")
    }
    if let time = range.since { range.sinceID = PostID.newer(range.sinceID, source.lastID(before: time)) }
    if let time = range.until { range.untilID = PostID.older(range.untilID, source.firstID(at: time)) }
    (range.since, range.until) = (nil, nil)
    return range
  }

  func mostPages(_ run: PollPlan.PageRun, _ remaining: Int?) -> Int {
    if options.all { return .max }
    if let pages = options.pages { return pages }
    // Whoever asks once for a number of posts gets that number.
    if options.every == nil, remaining != nil { return .max }
    return run.floorID == nil && run.range.since == nil && run.isNew ? 1 : Self.mostPages
  }
}
