import TweetCore

/// What a round of requests still has to fetch, and what is left over for the next: first the holes that earlier rounds
/// left, then what is new. Pure bookkeeping, so that a place can be kept after each page.
package struct RoundPlan: Sendable {
  /// One run of pages, newest first.
  package struct Stretch: Sendable {
    /// What the next page is asked with.
    package var range: PageRange
    /// What is new, not a hole.
    package let isNewest: Bool
    /// The newest post below it, where it has a lower end.
    package var floor: String?
    /// The oldest post fetched so far.
    package fileprivate(set) var oldest: String?
    /// Pages fetched.
    package fileprivate(set) var pages = 0
    /// It was asked for otherwise already, because the service refused.
    package var isRemedied = false
    fileprivate var emptyPages = 0
    fileprivate var tokens: Set<String> = []

    /// A hole as large as what has not been fetched; `nil` before the first page of what is new.
    package var rest: Place.Hole? {
      (oldest ?? (isNewest ? nil : range.untilID)).map { Place.Hole(since: floor, until: $0) }
    }
  }

  package enum Progress: Sendable, Equatable {
    case more, complete
    /// Following pages leads nowhere, for this reason.
    case stuck(String)
  }

  /// Empty pages in a row that are followed. X sends some where it has filtered all their posts; a server that sends
  /// nothing else would be asked for ever.
  package static let mostEmptyPages = 32
  /// Holes that are remembered. More come up only where a feed is always faster than its rounds.
  package static let mostHoles = 64

  /// What has been fetched up to now, rest of the current stretch included.
  package var place: Place {
    var place = Place(newestID: newestID)
    place.holes = left
    for stretch in stretches where !stretch.isNewest || stretch.floor != nil || wantsAll {
      if let rest = stretch.rest { place.holes.append(rest) }
    }
    return place
  }

  /// The stretch being fetched; `nil` when the round is over.
  package var current: Stretch? {
    get { stretches.first }
    set { if let newValue, !stretches.isEmpty { stretches[0] = newValue } }
  }

  package private(set) var newestID: String?
  private let wantsAll: Bool
  private var stretches: [Stretch] = []
  /// Holes that the next round goes on with.
  private var left: [Place.Hole]

  /// - Parameters:
  ///   - place: where an earlier run stopped.
  ///   - wantsAll: whether what is new has no lower end but the service's own.
  package init(from place: Place?, wantsAll: Bool) {
    newestID = place?.newestID
    left = place?.holes ?? []
    self.wantsAll = wantsAll
  }

  /// Begins a round.
  ///
  /// - Parameters:
  ///   - newest: what is new.
  ///   - floor: the newest post below it, where it has a lower end.
  package mutating func begin(_ newest: PageRange, floor: String?) {
    stretches = left.map { hole in
      var range = PageRange()
      range.sinceID = hole.since
      range.untilID = hole.until
      return Stretch(range: range, isNewest: false, floor: hole.since)
    }
    left = []
    if !newest.isEmpty { stretches.append(Stretch(range: newest, isNewest: true, floor: floor)) }
  }

  /// Takes note of a page of the current stretch that has been written.
  package mutating func took(_ page: FeedPage) -> Progress {
    guard var stretch = current else { return .complete }
    defer { current = stretch }
    stretch.pages += 1
    stretch.emptyPages = page.sent == 0 ? stretch.emptyPages + 1 : 0
    stretch.oldest = PostOrder.older(stretch.oldest, page.oldestID)
    if stretch.isNewest { newestID = PostOrder.newer(newestID, page.newestID) }
    if page.count < page.kept { return .more }
    guard let token = page.nextToken else { return .complete }
    // Some endpoints cannot be told where to stop.
    if let floor = stretch.floor, let oldest = page.oldestID, !PostOrder.isOlder(floor, oldest) { return .complete }
    if stretch.emptyPages >= Self.mostEmptyPages { return .stuck("\(stretch.emptyPages) empty pages in a row") }
    if !stretch.tokens.insert(token).inserted { return .stuck("the service's pages go round in a circle") }
    stretch.range.token = token
    return .more
  }

  /// The current stretch is fetched, or what is left of it cannot be had.
  package mutating func finish() {
    if !stretches.isEmpty { stretches.removeFirst() }
  }

  /// Leaves what is left of the current stretch to the next round.
  ///
  /// - Returns: the oldest hole, if there are more than can be remembered.
  package mutating func leave() -> Place.Hole? {
    guard let stretch = current else { return nil }
    stretches.removeFirst()
    guard !stretch.isNewest || stretch.floor != nil || wantsAll, let rest = stretch.rest else { return nil }
    left.append(rest)
    return left.count > Self.mostHoles ? left.removeFirst() : nil
  }

  /// Leaves all that is left to the next round.
  package mutating func leaveAll() {
    left = place.holes
    stretches = []
  }
}
