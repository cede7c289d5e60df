import TweetCLI
import TweetCore
import TweetNet

/// Which dead link the Internet Archive is asked about next, and when: one request at a time, with some time between
/// two, and none while the archive wants to be left alone. Times are milliseconds of the caller's monotonic clock.
struct ArchiveQueue {
  /// A checked link that waits for its copy.
  struct Waiting {
    let key: String
    var result: LinkResult
    /// Of ``LinkCache/complete(_:failedAt:)``.
    let chain: String?
    /// When the link was posted: the copy that is nearest to that is the best.
    var postedAt: Timestamp?
    /// What the archive is asked for next.
    fileprivate(set) var task = Task.find

    init(key: String, result: LinkResult, chain: String?, postedAt: Timestamp? = nil) {
      (self.key, self.result, self.chain, self.postedAt) = (key, result, chain, postedAt)
    }
  }

  enum Task {
    /// A copy.
    case find
    /// A copy once more: its API says at times that there is none where there is one.
    case findAgain
    /// To make a copy of a page that works.
    case save
  }

  /// The archive publishes no limit. Clients that ask 15 times a minute are told to slow down by few.
  static let interval = 4000
  /// A longer rest is not waited for: the next run asks.
  static let longestRest = 60_000
  /// After this many failures in a row the archive is not asked again in this run.
  private static let mostFailures = 3

  private var waiting = Queue<Waiting>()
  private(set) var asked: Waiting?
  private var nextTime = 0
  private var failures = 0
  /// Why the archive is not asked again in this run, for a person; `nil` while it is.
  private(set) var refusal: String?

  var isEmpty: Bool { waiting.isEmpty && asked == nil }

  mutating func append(_ link: Waiting) { waiting.append(link) }

  /// When the next request may be made; `nil` if there is none to make, or one is under way.
  var nextRequest: Int? { waiting.isEmpty || asked != nil || refusal != nil ? nil : nextTime }

  /// The link to ask about now, until ``finish(_:at:)``.
  mutating func startNext(at now: Int) -> Waiting? {
    guard let time = nextRequest, time <= now, let link = waiting.popFirst() else { return nil }
    asked = link
    nextTime = now + Self.interval
    return link
  }

  /// Takes the answer to the last request.
  /// - Returns: the link, with the copy if there is one; `nil` if it is asked about again.
  mutating func finish(_ outcome: ArchiveSearch.Outcome, at now: Int) -> Waiting? {
    guard var link = asked else { return nil }
    asked = nil
    switch outcome {
    case .found(nil) where link.task == .find:
      failures = 0
      link.task = link.result.verdict.isGood ? .save : .findAgain
      waiting.append(link)
      return nil
    case .found(nil) where link.task == .save:
      failures += 1
      if failures == Self.mostFailures { refusal = "it makes no copies" }
      return link
    case .found(let copy):
      failures = 0
      link.result.archived = copy
      link.result.archiveAskedAt = .shown
      return link
    case .refused(let rest):
      failures += 1
      guard rest <= Self.longestRest, failures < Self.mostFailures else {
        refusal = "it wants fewer requests"
        return link
      }
      nextTime = max(nextTime, now + rest)
      waiting.prepend(link)
      return nil
    case .failed(let reason):
      failures += 1
      if failures == Self.mostFailures { refusal = reason }
      return link
    }
  }

  /// Removes the links that are not asked about any more, since the archive refuses; they have no copy.
  mutating func drainRefused() -> [Waiting] {
    guard refusal != nil else { return [] }
    var links: [Waiting] = []
    while let link = waiting.popFirst() { links.append(link) }
    return links
  }
}

/// What tw-linkcheck looks up: a link, or the copy of a dead one.
enum LinkSearch: Lookup {
  case check(LinkCheck)
  case copy(ArchiveSearch)

  enum Outcome {
    case checked(LinkResult)
    case searched(ArchiveSearch.Outcome)
  }

  var host: String {
    switch self {
    case .check(let check): check.host
    case .copy(let search): search.host
    }
  }

  var target: WebAddress? {
    switch self {
    case .check(let check): check.target
    case .copy(let search): search.target
    }
  }

  var request: HTTPRequest {
    switch self {
    case .check(let check): check.request
    case .copy(let search): search.request
    }
  }

  var leavesRestsToLoop: Bool {
    switch self {
    case .check(let check): check.leavesRestsToLoop
    case .copy(let search): search.leavesRestsToLoop
    }
  }

  func changesAfterRefusal() -> Bool {
    if case .check(let check) = self { check.changesAfterRefusal() } else { false }
  }

  func begin() -> LookupStep<Outcome> {
    switch self {
    case .check(let check): check.begin().map { .checked($0) }
    case .copy(let search): search.begin().map { .searched($0) }
    }
  }

  func receive(_ result: Result<HTTPResponse, TransferError>, millisecondsLeft: Int) -> LookupStep<Outcome> {
    switch self {
    case .check(let check): check.receive(result, millisecondsLeft: millisecondsLeft).map { .checked($0) }
    case .copy(let search): search.receive(result, millisecondsLeft: millisecondsLeft).map { .searched($0) }
    }
  }
}
