import MediaStore
import TweetCLI
import TweetCore
import TweetNet

/// The results of earlier runs, and of this one, in the store of pictures and links.
///
/// It is a class because Swift cannot borrow an optional noncopyable store in place.
final class LinkCache {
  /// Results wait this many milliseconds for others, so that one transaction stores them all: each waits for the disk.
  /// A killed run loses no more than these.
  private static let commitInterval = 1000
  /// This many results do not wait. The pipeline remembers twice as many answers: none is asked for again before it is
  /// stored.
  private static let commitCount = 4096

  private let media: MediaStore
  private let maxAge: Int
  private let accepted: Set<Int>
  /// Links with these verdicts are checked again.
  private let rechecked: Set<LinkVerdict>
  /// Where pages are saved. What is stored as saved must be on the disk before.
  private let pages: PageArchive?
  private var pending: [StoredLink] = []
  private var pendingHops: [String: (target: String, seenAt: Timestamp)] = [:]
  /// Whether the store could not be read or written: this run goes on without it.
  private var isLost = false
  /// Whether a read transaction is open.
  private var isReading = false
  /// When pending results are stored, on the monotonic clock.
  private var commitTime: Int?

  /// Opens the store; `nil`, and a message, if that fails for the disk.
  static func open(
    path: String, maxAge: Int, accepted: Set<Int>, rechecked: Set<LinkVerdict>, pages: PageArchive?
  ) throws(ToolError) -> LinkCache? {
    do throws(ToolError) {
      return try LinkCache(path: path, maxAge: maxAge, accepted: accepted, rechecked: rechecked, pages: pages)
    } catch {
      guard error.status == .inputOutput else { throw error }
      warn(error)
      return nil
    }
  }

  private static func warn(_ error: ToolError) {
    Diagnostics.warn("links are checked without a store: \(error.message ?? "")")
  }

  /// - Parameters:
  ///   - path: of the store, which is created when it is missing.
  ///   - maxAge: how long a verdict is used again, in milliseconds; `Int.max` for always.
  ///   - accepted: statuses that make a link `ok` in this run, and only in runs that say so.
  ///   - rechecked: verdicts of links that are checked again.
  ///   - pages: where pages are saved; `nil` for nowhere.
  init(
    path: String, maxAge: Int, accepted: Set<Int> = [], rechecked: Set<LinkVerdict> = [], pages: PageArchive? = nil
  ) throws(ToolError) {
    self.rechecked = rechecked
    self.pages = pages
    media = try MediaStore(path, note: Diagnostics.warn)
    self.accepted = accepted
    self.maxAge = maxAge
  }

  /// The last answer for `url`; `nil` when it is too old, or its page was not read although its title is wanted.
  ///
  /// It begins a read transaction: ``pauseReading()`` must follow before the tool waits.
  /// - Parameters:
  ///   - withCopy: whether the Internet Archive must have been asked for a copy of a dead link,
  ///   - withOwnCopy: or of a page that works.
  ///   - isSaved: whether a page must be saved.
  func answer(
    _ url: String, withTitle: Bool, withChain: Bool, withCopy: Bool, withOwnCopy: Bool, isSaved: Bool
  ) throws(ToolError) -> LinkAnswer? {
    let stored = try orWithout(nil) { () throws(ToolError) in
      try beginReading()
      return try media.answer(url, withChain: withChain, withText: pages != nil)
    }
    guard let stored, let answer = LinkAnswer(stored) else { return nil }
    let age = stored.checkedAt.age
    guard maxAge == .max || age < min(maxAge, answer.verdict.lifetime ?? maxAge) else { return nil }
    if rechecked.contains(answer.verdict) { return nil }
    if let status = stored.status, accepted.contains(status), !answer.verdict.isGood { return nil }
    if withTitle, answer.verdict.isGood, answer.isPage, !stored.isPageRead { return nil }
    if withCopy, answer.verdict == .dead, !stored.isArchiveAsked { return nil }
    if withOwnCopy, answer.verdict.isGood, answer.isPage, !stored.isArchiveAsked { return nil }
    if isSaved, answer.verdict.isGood, let pages, stored.savedIn != pages.directory {
      let host = WebAddress(answer.unwoundURL)?.host
      if host.map(pages.choice.contains(host:)) == true { return nil }
    }
    return answer
  }

  private func beginReading() throws(ToolError) {
    if !isReading { try media.beginReading() }
    isReading = true
  }

  /// Ends the read transaction before a wait, unless a commit will end it within a second: to begin one takes locks.
  func pauseReading() throws(ToolError) {
    if commitTime == nil { try endReading() }
  }

  private func endReading() throws(ToolError) {
    guard isReading else { return }
    isReading = false
    try orWithout(()) { () throws(ToolError) in try media.endReading() }
  }

  /// Uses the store. It holds nothing that cannot be found out again, so a disk that is full, read-only or broken is
  /// told once, and links are checked without it.
  private func orWithout<Value>(
    _ substitute: Value, _ body: () throws(ToolError) -> Value
  ) throws(ToolError) -> Value {
    if isLost { return substitute }
    do throws(ToolError) {
      return try body()
    } catch {
      guard error.status == .inputOutput || error.status == .cannotCreate else { throw error }
      isLost = true
      isReading = false
      Self.warn(error)
      return substitute
    }
  }

  /// Where `url` is redirected to permanently, as far as that is known.
  func target(of url: String) throws(ToolError) -> String? {
    if let hop = pendingHops[url] { return hop.target }
    return try orWithout(nil) { () throws(ToolError) in try media.target(of: url) }
  }

  /// Adds what earlier checks found: what the verdict was; of a failure, how long it lasts, and where the link led when
  /// it worked.
  /// - Parameter end: the URL whose request failed.
  /// - Returns: the chain to that target, which stays stored; `nil` if none is known.
  func complete(_ result: inout LinkResult, failedAt end: String) throws(ToolError) -> String? {
    let known = try orWithout(nil) { () throws(ToolError) in
      try beginReading()
      return try media.link(result.url)
    }
    if let known, isStored(result) {
      result.hasChanged = known.verdict != result.verdict.rawValue
      result.was =
        result.hasChanged
        ? EarlierVerdict(verdict: known.verdict, status: known.status, checkedAt: known.checkedAt) : known.was
    }
    if let known, result.verdict == .dead || result.verdict.isGood && known.archivedURL != nil {
      result.archiveAskedAt = known.archiveAskedAt
      if let url = known.archivedURL, let time = known.archivedAt {
        result.archived = ArchivedCopy(url: url, madeAt: time)
      }
    }
    guard !result.verdict.isGood else { return nil }
    if isStored(result) {
      result.failures = (known?.failures ?? 0) + 1
      // A failure to come is one of a clock that was wrong.
      result.failingSince = min(known?.failingSince ?? result.checkedAt, result.checkedAt)
    }
    // The way to the target is broken before its end: the target is still the best that is known.
    guard let known, let target = known.unwoundURL, LinkAddress.withoutFragment(target) != end,
      let text = known.chain, let chain = LinkChain.decode(text),
      known.failures == 0 || end == result.url || chain.contains(where: { $0.url == end })
    else { return nil }
    result.unwoundURL = target
    return text
  }

  /// Results that say more about this run than about the link are not stored.
  private func isStored(_ result: LinkResult) -> Bool {
    result.verdict != .unknown && ![LinkFailure.privateAddress, LinkFailure.limited].contains(result.error)
      && !accepted.contains(result.status ?? 0)
  }

  /// Stores a result soon, and the permanent redirects on its way.
  /// - Parameter chain: what is stored as its chain; `nil` for its own.
  func store(
    _ result: LinkResult, _ answer: LinkAnswer, _ finding: LinkKind.Finding?, chain: String?
  ) throws(ToolError) {
    for (index, hop) in result.chain.enumerated() where hop.status == 301 || hop.status == 308 {
      let target = index + 1 < result.chain.count ? result.chain[index + 1].url : result.unwoundURL
      if target != hop.url { pendingHops[hop.url] = (target, result.checkedAt) }
    }
    if isStored(result) {
      pending.append(
        StoredLink(
          url: result.url, unwoundURL: result.unwoundURL, status: result.status, contentType: result.contentType,
          title: result.title, verdict: result.verdict.rawValue, linkKind: finding?.kind.rawValue,
          linkKindBy: finding?.evidence.rawValue, musicID: result.musicID(finding),
          canonicalURL: answer.canonicalURL, redirects: result.redirects,
          chain: chain ?? String(decoding: answer.chain, as: UTF8.self), checkedAt: result.checkedAt,
          error: result.error,
          failures: result.failures, failingSince: result.failingSince, isPageRead: result.isPageRead,
          members: String(decoding: answer.members, as: UTF8.self), archivedURL: result.archived?.url,
          archivedAt: result.archived?.madeAt, archiveAskedAt: result.archiveAskedAt,
          was: result.was, savedIn: result.savedIn, pageText: result.pageText))
    }
    if commitTime == nil, !(pending.isEmpty && pendingHops.isEmpty) {
      commitTime = MonotonicClock.milliseconds + Self.commitInterval
    }
    if pending.count >= Self.commitCount { try commit() }
  }

  /// Milliseconds until pending results must be stored; `nil` if there are none.
  var millisecondsUntilCommit: Int? { commitTime.map { max(0, $0 - MonotonicClock.milliseconds) } }

  /// Stores pending results.
  func commit() throws(ToolError) {
    try endReading()
    commitTime = nil
    try orWithout(()) { () throws(ToolError) in try pages?.sync() }
    let hops = pendingHops.map { (StoredHop(url: $0.key, target: $0.value.target), $0.value.seenAt) }
    try orWithout(()) { () throws(ToolError) in try media.store(pending, hops: hops) }
    pending.removeAll()
    pendingHops.removeAll()
  }
}
