import TweetCLI
import TweetCore
import TweetStore

/// What a job reports of its sources, which cron mails: a failure when it begins, each week while it lasts, and when it
/// ends. The store keeps what was said, so that the next job knows.
struct FailureReports {
  /// What went wrong with a source.
  struct Trouble {
    let status: ExitStatus
    let message: String
    /// Whether it fails, and so is mended when it succeeds. A budget that is used up, or what was lost, is not.
    let isFailure: Bool
  }

  /// Milliseconds from one report of a trouble to the next.
  private static let interval: Int64 = 7 * 86_400_000

  private let now = Timestamp.shown
  private var said: [(source: RefreshedSource, reported: String?, at: Timestamp?)] = []
  private var mended: [(source: RefreshedSource, reported: String)] = []

  /// Whether a trouble is to be reported.
  ///
  /// - Parameters:
  ///   - source: as it was before the round.
  ///   - others: all sources.
  mutating func isNews(_ trouble: Trouble, of source: RefreshedSource, among others: [RefreshedSource]) -> Bool {
    let key = Self.key(trouble, source)
    let isLoss = trouble.status == .done || trouble.status == .someBad
    if !isLoss, let reported = source.reported, !Self.isNote(reported) {
      // What passes is no news of a source that fails for another reason.
      if !Self.isPassing(reported), trouble.status == .tryLater || !trouble.isFailure { return false }
      let isWorse = Self.isPassing(reported) && trouble.isFailure && trouble.status != .tryLater
      if isRecent(source), !isWorse { return false }
    } else if source.reported == key, isRecent(source) || !trouble.isFailure && isSameSpell(source) {
      return false
    }
    let known = others.first { other in
      let isTold = other.key != source.key && other.reported == key && !other.isPaused
      return isTold && (isRecent(other) || !trouble.isFailure && isSameSpell(other))
    }
    said.append((source, key, known?.reportedAt ?? now))
    return known == nil
  }

  /// Takes note of a source that was refreshed without a failure.
  ///
  /// - Parameters:
  ///   - source: as it was before the round.
  ///   - reported: what was said of it last; another process may have said it meanwhile.
  mutating func succeeded(_ source: RefreshedSource, _ reported: String?) {
    guard let reported, !Self.isNote(reported) else { return }
    mended.append((source, reported))
    said.append((source, nil, nil))
  }

  /// Returns what has ended, and records all that was said, which is then on standard error.
  mutating func finish(_ store: borrowing TweetStore) throws(ToolError) -> String? {
    try store.setReported(said)
    let left = try store.sources().filter { !$0.isPaused }.compactMap(\.reported)
    let ended = mended.filter { !left.contains($0.reported) }.map(\.source)
    (said, mended) = ([], [])
    if ended.isEmpty { return nil }
    let since = ended.compactMap(\.failingSince).min().map { ", which failed since \($0.rfc3339)" }
    return "refreshed again: " + ended.map { "'\($0.name.source)'" }.joined(separator: ", ") + (since ?? "")
  }

  /// A report of the future is one of a clock that was wrong.
  private func isRecent(_ source: RefreshedSource) -> Bool {
    source.reportedAt.map { (0..<Self.interval).contains(now.milliseconds - $0.milliseconds) } ?? false
  }

  /// Whether the trouble that was reported has not ended since.
  private func isSameSpell(_ source: RefreshedSource) -> Bool {
    guard let since = source.failingSince, let told = source.reportedAt else { return false }
    return since <= told && told <= now
  }

  /// The same for all sources that an outage or a sign-in concerns.
  private static func key(_ trouble: Trouble, _ source: RefreshedSource) -> String {
    let isShared = trouble.status == .tryLater || trouble.status == .notAllowed
    let status = trouble.isFailure ? trouble.status.rawValue : 0
    let owner = "\(source.name.service) \(source.name.account)\(isShared ? "" : " \(source.name.source)")"
    return "\(status) \(owner): \(SourceFailures.key(trouble.message))"
  }

  private static func isNote(_ reported: String) -> Bool { reported.hasPrefix("0 ") }
  private static func isPassing(_ reported: String) -> Bool {
    reported.hasPrefix("\(ExitStatus.tryLater.rawValue) ")
  }
}
