import Services
import TweetCore
import TweetServices

/// A gap in a live stream: posts may be missing because no connection was open.
struct LiveGap: Sendable {
  /// The newest post of each feed before the gap; the posts of a feed that had none are asked for from `startedAt` on.
  let lastIDs: [(feed: String, id: PostID?)]
  /// The newest post before the gap.
  let lastID: PostID?
  /// When it began; `nil` if only its posts are known.
  let startedAt: Timestamp?
  /// The first post after it that the stream brought.
  private(set) var nextID: PostID?
  /// The stream brought all posts from this one on.
  private(set) var endID: PostID?
  /// When it may be searched for; `nil` while there is no connection again.
  var searchDueAt: Int?
  private var connectedAt = 0
  /// The newest post that the stream brought after it, until `endID` is known.
  private var newestID: PostID?
  /// Messages after it were delivered already.
  var isLate = false
  /// It began before the time that the service's search reaches back to.
  var isCutShort = false
  /// Others had removed rules, so that a post which comes again does not show that nothing is missing.
  var hasLostRules = false

  init(lastIDs: [(feed: String, id: PostID?)], lastID: PostID?, startedAt: Timestamp?) {
    self.lastIDs = lastIDs
    self.lastID = lastID
    self.startedAt = startedAt
  }

  /// A gap of an earlier run.
  init(_ feed: String, since: PostID, until: PostID) {
    self.init(lastIDs: [(feed, since)], lastID: since, startedAt: nil)
    nextID = until
    endID = until
    isLate = true
  }

  /// One gap of this one and another, as if no connection was open since the earlier beginning; it has no end yet.
  func joined(_ other: LiveGap) -> LiveGap {
    var ids = lastIDs
    for entry in other.lastIDs {
      if let index = ids.firstIndex(where: { $0.feed == entry.feed }) {
        ids[index].id = Self.earlier(ids[index].id, entry.id)
      } else {
        ids.append(entry)
      }
    }
    let start = [startedAt, other.startedAt].compactMap { $0 }.min()
    var gap = LiveGap(lastIDs: ids, lastID: Self.earlier(lastID, other.lastID), startedAt: start)
    gap.nextID = PostID.older(nextID, other.nextID)
    (gap.isLate, gap.isCutShort) = (isLate || other.isLate, isCutShort || other.isCutShort)
    gap.hasLostRules = hasLostRules || other.hasLostRules
    return gap
  }

  /// `nil` is before all posts.
  private static func earlier(_ one: PostID?, _ other: PostID?) -> PostID? {
    one == nil || other == nil ? nil : PostID.older(one, other)
  }

  /// The gap as the checkpoint of a feed keeps it; `nil` if nothing newer was delivered, since then it is no gap yet.
  func checkpointGap(of feed: String) -> Checkpoint.Gap? {
    guard let last = lastIDs.first(where: { $0.feed == feed }), let since = last.id ?? lastID, let nextID else {
      return nil
    }
    return Checkpoint.Gap(since: since.description, until: nextID.description)
  }

  /// Records that the connection is there again.
  ///
  /// - Parameter lag: milliseconds from then to the search.
  mutating func recordConnection(at now: Int, lag: Int) {
    (connectedAt, newestID) = (now, nil)
    searchDueAt = now + lag
  }

  /// Records a new post that the stream brought.
  ///
  /// - Parameter deliveryTime: milliseconds within which the service delivers a post. Until they have passed since the
  ///   connection, a post of the gap may be newer than one that comes now.
  mutating func recordPost(_ id: PostID, at now: Int, deliveryTime: Int) {
    // A straggler from before the gap says nothing about the posts after it.
    if let lastID, id.isOlder(than: lastID) { return }
    nextID = nextID ?? id
    guard endID == nil else { return }
    let newest = newestID.map { PostID.newer($0, id) } ?? id
    newestID = newest
    if now - connectedAt >= deliveryTime { endID = newest }
  }

  /// That posts may be missing for good.
  func notice(_ reason: String? = nil) -> Notice {
    let range =
      switch (lastID, nextID) {
      case (let last?, let next?): "between \(last) and \(next)"
      case (let last?, nil): "after \(last)"
      case (nil, let next?): "from \(beginning) to \(next)"
      case (nil, nil): "from \(beginning) on"
      }
    return withMembers(
      Notice(.warning, "gap", "posts \(range) may be missing" + (reason.map { ": \($0)" } ?? "")))
  }

  /// That posts were fetched and follow.
  ///
  /// - Parameter isWhole: these are all that could be found; else older ones come later.
  func backfillNotice(count: Int, isWhole: Bool) -> Notice {
    var text = "\(count) \(count == 1 ? "post" : "posts") of the gap \(count == 1 ? "follows" : "follow")"
    if count == 0 { text = "no post of the gap was found" }
    if isLate, count > 0 { text += ", out of order" }
    if isWhole {
      text += "; the search does not find deleted posts and some retweets"
      if isCutShort { text += ", nor posts older than the search reaches back: those may be missing for good" }
    } else {
      text += "; older ones follow later"
    }
    let notice = Notice(isLate || isCutShort ? .warning : .info, "gap-filled", text)
    return withMembers(notice.with("count", json: String(count))).with("late", json: isLate ? "true" : nil)
  }

  private func withMembers(_ notice: Notice) -> Notice {
    notice.with("feed", lastIDs.count == 1 ? lastIDs.first?.feed : nil).with("last_id", lastID?.description)
      .with("next_id", nextID?.description).with("from", startedAt?.rfc3339)
  }

  private var beginning: String { startedAt?.rfc3339 ?? "the beginning" }
}
