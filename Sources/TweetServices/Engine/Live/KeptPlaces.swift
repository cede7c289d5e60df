import TweetCore

/// The places of live feeds in the file of `--state`: read at the start, kept every few seconds and at the end.
///
/// A place is kept only after what led to it was written out. So a program that is killed repeats, when it starts again,
/// what it wrote in its last seconds; one that ends in good order repeats nothing.
struct KeptPlaces: Sendable {
  /// Each time costs an fsync(2) a feed.
  private static let interval = 5_000

  private let file: Places
  private var kept: [String: Place] = [:]
  private var keptAt = MonotonicClock.milliseconds
  /// Whether it was said that keeping failed.
  private var hasFailed = false

  init(_ file: Places) { self.file = file }

  /// What an earlier run left: the gap since then, and before it those it had not filled.
  mutating func gaps(of feeds: [String]) throws(ToolError) -> (gaps: [Gap], newest: [String: Int]) {
    var gaps: [Gap] = []
    var newest: [String: Int] = [:]
    var since: Timestamp?
    for feed in feeds {
      guard let place = try file.place(of: feed) else { continue }
      kept[feed] = place
      for hole in place.holes {
        guard let start = hole.since.flatMap({ Int($0) }), let end = Int(hole.until) else { continue }
        gaps.append(Gap(feed, since: start, until: end))
      }
      guard let id = place.newestID.flatMap({ Int($0) }) else { continue }
      newest[feed] = id
      since = min(since ?? place.updatedAt, place.updatedAt)
    }
    if let since {
      let starts = feeds.compactMap { feed in newest[feed].map { (feed, Optional($0)) } }
      gaps.append(Gap(starts: starts, last: newest.values.min(), from: since))
    }
    return (gaps, newest)
  }

  /// When the places are due to be kept, if they changed.
  func dueAt(_ order: borrowing StreamOrder) -> Int? {
    order.hasMoved ? keptAt + Self.interval : nil
  }

  /// Keeps the places that changed if all was written; else, while a slow reader is behind, later. A disk that is full
  /// does not end a stream: what is not kept now is kept when there is room, or the end says so.
  mutating func keepIfWritten(
    _ order: inout StreamOrder, late: [Gap], to writer: inout FeedWriter
  ) throws(ToolError) {
    try writer.push()
    keptAt = MonotonicClock.milliseconds
    if writer.held > 0 { return }
    do throws(ToolError) {
      try save(&order, late)
      hasFailed = false
    } catch {
      order.placesWereNotKept()
      if hasFailed { return }
      hasFailed = true
      try writer.write(.notKept(error))
    }
  }

  /// Writes all, and keeps the places that changed.
  mutating func keep(_ order: inout StreamOrder, late: [Gap], to writer: inout FeedWriter) throws(ToolError) {
    guard try writer.flush() else { return }
    keptAt = MonotonicClock.milliseconds
    try save(&order, late)
  }

  private mutating func save(_ order: inout StreamOrder, _ late: [Gap]) throws(ToolError) {
    for (feed, id) in order.takePlaces() {
      let holes = late.compactMap { $0.hole(of: feed) }
      let place = Place(newestID: String(id), holes: holes)
      guard kept[feed]?.newestID != place.newestID || kept[feed]?.holes != holes else { continue }
      try file.save(place, of: feed)
      kept[feed] = place
    }
  }
}
