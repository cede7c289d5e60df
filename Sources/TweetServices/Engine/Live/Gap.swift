package import TweetCore

/// A stretch for which no connection was open, so that posts may be missing.
package struct Gap: Sendable {
  /// The newest post of each feed before it; a feed that had none is asked from `from` on.
  package let starts: [(feed: String, id: Int?)]
  /// The newest post before it.
  package let last: Int?
  /// When it began; `nil` where only its posts are known.
  package let from: Timestamp?
  /// The first post behind it that the stream brought.
  package private(set) var next: Int?
  /// Posts from this one on were all brought by the stream.
  package private(set) var until: Int?
  /// When it may be filled; `nil` while there is no connection again.
  var dueAt: Int?
  private var connectedAt = 0
  /// The newest post that the stream brought behind it, until that settles what came.
  private var newest: Int?
  /// Messages behind it went out already.
  var isLate = false
  /// It began before the time that the service's search reaches back to.
  var isCutShort = false

  init(starts: [(feed: String, id: Int?)], last: Int?, from: Timestamp?) {
    self.starts = starts
    self.last = last
    self.from = from
  }

  /// One that an earlier run left.
  init(_ feed: String, since: Int, until: Int) {
    self.init(starts: [(feed, since)], last: since, from: nil)
    next = until
    self.until = until
    isLate = true
  }

  /// It, as the place of a feed keeps it: what is newer than everything that was written is no hole.
  func hole(of feed: String) -> Place.Hole? {
    guard let start = starts.first(where: { $0.feed == feed })?.id ?? last, let next else { return nil }
    return Place.Hole(since: String(start), until: String(next))
  }

  /// The connection is there again.
  mutating func connected(at now: Int, lag: Int) {
    (connectedAt, newest) = (now, nil)
    dueAt = now + lag
  }

  /// A new post came by the stream.
  ///
  /// - Parameter settling: milliseconds within which the service delivers a post: before that, one that was delivered to
  ///   nobody may be newer than one that comes now.
  mutating func arrived(_ id: Int, at now: Int, settling: Int) {
    // A straggler from before the gap says nothing of what is behind it.
    if let last, id < last { return }
    next = next ?? id
    guard until == nil else { return }
    let newest = max(newest ?? id, id)
    self.newest = newest
    if now - connectedAt >= settling { until = newest }
  }

  /// That posts may be missing for good.
  func notice(_ reason: String? = nil) -> Notice {
    let stretch =
      switch (last, next) {
      case (let last?, let next?): "between \(last) and \(next)"
      case (let last?, nil): "after \(last)"
      case (nil, let next?): "from \(beginning) to \(next)"
      case (nil, nil): "from \(beginning) on"
      }
    var notice = Notice(.warning, "gap", "posts \(stretch) may be missing" + (reason.map { ": \($0)" } ?? ""))
    addMembers(to: &notice)
    return notice
  }

  /// That posts were fetched and follow.
  ///
  /// - Parameter isWhole: all that could be found; else older ones come later.
  func filledNotice(count: Int, isWhole: Bool) -> Notice {
    var text = "\(count) posts that were missed follow" + (isLate ? ", out of order" : "")
    if isWhole {
      text += "; without those deleted meanwhile, and retweets that the search does not find"
      if isCutShort { text += ", and all that is older than the search reaches back" }
    } else {
      text += "; older ones come later"
    }
    var notice = Notice(isLate || isCutShort ? .warning : .info, "gap-filled", text)
    notice.members.append(("count", String(count)))
    addMembers(to: &notice)
    if isLate { notice.members.append(("late", "true")) }
    return notice
  }

  private func addMembers(to notice: inout Notice) {
    if starts.count == 1 { notice.add("feed", text: starts.first?.feed) }
    notice.add("last_id", text: last.map { String($0) })
    notice.add("next_id", text: next.map { String($0) })
    notice.add("from", text: from?.rfc3339)
  }

  private var beginning: String { from?.rfc3339 ?? "the beginning" }
}
