import Services
import TweetCore
import TweetServices

/// What a poll round still has to fetch, and what it leaves to the next round: first what is new, then the gaps that
/// earlier rounds left, the newest first. It makes no requests, and its checkpoint is valid after each page.
struct PollPlan: Sendable {
  /// Pages that follow one another: those of what is new, or of a gap. They go down from the newest, or up from the
  /// newest post that is known.
  struct PageRun: Sendable {
    /// What the next page is asked with.
    var range: PageRange
    /// It is of what is new, not of a gap.
    let isNew: Bool
    /// The newest post below it, if it has a lower end.
    var floorID: PostID?
    /// The oldest post fetched so far.
    fileprivate(set) var oldestID: PostID?
    /// Pages fetched.
    fileprivate(set) var pages = 0
    /// The service refused its request, and it was asked for in another way.
    var isRemedied = false
    /// The posts of the last page: posts that are made meanwhile move some of them to the next one.
    fileprivate(set) var lastPage: Set<PostID> = []
    fileprivate var emptyPages = 0
    fileprivate let needsTokens: Bool
    fileprivate var tokens: Set<String> = []

    /// What has not been fetched; `nil` before the first page of what is new.
    var remainingGap: Checkpoint.Gap? {
      guard let until = oldestID ?? (isNew ? nil : range.untilID) else { return nil }
      return Checkpoint.Gap(
        since: floorID?.description, until: until.description, cursor: needsTokens ? range.token : nil)
    }
  }

  enum Progress: Sendable, Equatable {
    case more, complete
    /// The next page leads nowhere, for this reason.
    case stuck(String)
  }

  /// Empty pages in a row that are followed. X sends some where it has filtered all their posts; a server that sends
  /// nothing else would be asked for ever.
  static let mostEmptyPages = 32
  /// Gaps that a checkpoint keeps. More come up only if a feed is always faster than its rounds.
  static let mostGaps = 64

  /// What has been fetched up to now, and the gaps that remain.
  var checkpoint: Checkpoint {
    let left = runs.reversed().compactMap { hasGap($0) ? $0.remainingGap : nil }
    return Checkpoint(newestID: newestID?.description, gaps: left + postponed)
  }

  /// The run being fetched; `nil` when the round is over.
  var current: PageRun? {
    get { runs.first }
    set { if let newValue, !runs.isEmpty { runs[0] = newValue } }
  }

  private(set) var newestID: PostID?
  private let source: any PagedSource
  private let wantsAll: Bool
  private var runs: [PageRun] = []
  /// Gaps that the next round fetches, the oldest first. Those of ``runs`` are older.
  private var postponed: [Checkpoint.Gap]

  /// - Parameters:
  ///   - source: whose ids these are.
  ///   - checkpoint: where an earlier run stopped.
  ///   - wantsAll: whether what is new has no lower end but the service's own.
  init(_ source: any PagedSource, from checkpoint: Checkpoint?, wantsAll: Bool) {
    self.source = source
    newestID = checkpoint?.newestID.map(source.postID)
    postponed = checkpoint?.gaps ?? []
    self.wantsAll = wantsAll
  }

  /// Records that no post is there yet, and that later rounds need no post older than this id.
  mutating func recordBeginning(_ id: PostID) { newestID = newestID ?? id }

  /// Forgets the gaps that no post newer than this one is in.
  mutating func dropGaps(below id: PostID) -> [Checkpoint.Gap] {
    let lost = postponed.filter { source.postID($0.until).isReached(by: id) }
    postponed.removeAll(where: lost.contains)
    return lost
  }

  /// Begins a round.
  ///
  /// - Parameters:
  ///   - range: what is new.
  ///   - floorID: the newest post below it, if it has a lower end.
  mutating func begin(_ range: PageRange, floorID: PostID?) {
    runs = postponed.reversed().map { gap in
      var range = PageRange()
      range.sinceID = gap.since.map(source.postID)
      range.untilID = source.postID(gap.until)
      range.token = gap.cursor
      range.ascends = source.ascends && range.sinceID != nil
      return PageRun(range: range, isNew: false, floorID: range.sinceID, needsTokens: source.needsTokens)
    }
    postponed = []
    if !range.isEmpty {
      var range = range
      range.ascends = source.ascends && range.sinceID != nil
      runs.insert(PageRun(range: range, isNew: true, floorID: floorID, needsTokens: source.needsTokens), at: 0)
    }
  }

  /// Records a page of the current run that has been written.
  mutating func record(_ page: FeedPage) -> Progress {
    guard var run = current else { return .complete }
    defer { current = run }
    if run.range.ascends { return record(page, above: &run) }
    let oldest = run.oldestID
    run.pages += 1
    run.emptyPages = page.sent == 0 ? run.emptyPages + 1 : 0
    run.lastPage = Set(page.sentIDs)
    run.oldestID = PostID.older(run.oldestID, page.oldestID)
    // Without an order the first page has the newest.
    if run.isNew, let newest = page.newestID,
      newestID.map({ $0.isOlder(than: newest) || run.pages == 1 && !newest.isOlder(than: $0) }) ?? true
    {
      newestID = newest
    }
    if page.count < page.kept { return .more }
    guard let token = page.nextToken else { return .complete }
    // Some endpoints cannot be told where to stop.
    if let floor = run.floorID, page.sentIDs.contains(floor) || page.oldestID?.isOlder(than: floor) ?? false {
      return .complete
    }
    if page.sent > 0, !source.repeatsPosts, let oldest, let next = page.oldestID, oldest.isReached(by: next) {
      return .stuck("a page has nothing older than the page before it")
    }
    if run.emptyPages >= Self.mostEmptyPages { return .stuck("\(run.emptyPages) empty pages in a row") }
    if !run.tokens.insert(token).inserted { return .stuck("the service repeats a page token") }
    run.range.token = token
    return .more
  }

  /// The posts of the next page are newer. So there is no gap, wherever the run ends.
  private mutating func record(_ page: FeedPage, above run: inout PageRun) -> Progress {
    run.pages += 1
    guard let newest = page.newestID else { return .complete }
    if let floor = run.floorID, !floor.isOlder(than: newest) {
      return .stuck("a page has nothing newer than the one before it")
    }
    (run.range.sinceID, run.floorID) = (newest, newest)
    if run.isNew { newestID = PostID.newer(newestID, newest) }
    return .more
  }

  /// Ends the current run: it is fetched, or what remains of it is not available.
  mutating func finishCurrent() {
    if !runs.isEmpty { runs.removeFirst() }
  }

  /// Leaves what remains of the current run to the next round.
  ///
  /// - Returns: the oldest gap, if there are more than a checkpoint keeps. It is dropped.
  mutating func postponeCurrent() -> Checkpoint.Gap? {
    guard let run = current else { return nil }
    runs.removeFirst()
    guard hasGap(run), let gap = run.remainingGap else { return nil }
    postponed.insert(gap, at: 0)
    return postponed.count > Self.mostGaps ? postponed.removeFirst() : nil
  }

  /// Leaves everything that remains to the next round.
  mutating func postponeAll() {
    postponed = checkpoint.gaps
    runs = []
  }

  /// Whether what remains of a run is to be fetched. If what is new has no lower end, there are always older posts.
  private func hasGap(_ run: PageRun) -> Bool { !run.isNew || run.floorID != nil || wantsAll }
}
