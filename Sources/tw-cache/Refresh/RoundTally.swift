import Services
import TweetCore
import TweetStore

/// What a poll round has brought of each of its sources. It follows the records that are stored, and records in the
/// store how each source did as soon as all of it is on disk, with its checkpoint.
final class RoundTally: AddObserver {
  /// How a source did.
  struct Outcome {
    let source: RefreshedSource
    let run: RefreshRun
    /// Milliseconds after which the source may be asked again, if the service said so.
    let wait: Int?
    /// Whether its message is of a budget: it is used up, or what is left is for later.
    let isOfBudget: Bool
  }

  private struct Part {
    let source: RefreshedSource
    /// How many tweets came, and how many of them were new.
    var tweets = (read: 0, new: 0)
    /// The same of notifications. What they are about comes with them and does not count.
    var notifications = (read: 0, new: 0)
    var counted: (read: Int, new: Int) { notifications.read > 0 ? notifications : tweets }
    /// What notices say of gaps and of other names, and the last one of something bad that was left out.
    var gap: String?
    var fault: String?
    /// That the budget leaves the rest for later.
    var kept: String?
    var ending: Ending?
    /// The checkpoints to continue from: all posts before them are on disk.
    var checkpoints: CheckpointList?
    /// The newest checkpoint that came since the last commit.
    var pending: (key: Checkpoint.Key, checkpoint: Checkpoint)?
    var outcome: Outcome?
  }

  /// How a source ended, as tw-stream says.
  private struct Ending {
    let status: ExitStatus
    let message: String?
    let wait: Int?
    let milliseconds: Int
  }

  /// A source keeps the checkpoints of this many addresses of its service.
  private static let mostAddresses = 8

  private let store: TweetStore
  private let isOlder: Bool
  private var parts: [Part]
  private let indices: [String: Int]
  private var current = 0
  /// What went wrong for no source alone, as tw-stream says.
  private(set) var cause: String?
  /// That the budget is used up, as one of the sources said it.
  private var usedUp: String?
  private let began = Timestamp.shown
  private let start = MonotonicClock.milliseconds

  /// - Parameters:
  ///   - sources: at least one.
  ///   - isOlder: whether older posts are fetched, not what is new.
  init(_ sources: [RefreshedSource], _ store: consuming TweetStore, isOlder: Bool) {
    self.store = store
    self.isOlder = isOlder
    parts = sources.map { Part(source: $0) }
    indices = Dictionary(sources.enumerated().map { ($1.name.source, $0) }) { first, _ in first }
  }

  // MARK: Records

  func receiveTweet(isNew: Bool) {
    parts[current].tweets.read += 1
    if isNew { parts[current].tweets.new += 1 }
  }

  func receiveNotification(isNew: Bool) {
    parts[current].notifications.read += 1
    if isNew { parts[current].notifications.new += 1 }
  }

  /// Records about the progress of the round are not printed: tw-cache refresh prints its own.
  func receive(_ type: JSONValue, _ record: JSONValue) -> Bool {
    if type.equals("notice") { return receive(notice: record) }
    let isProgress = type.equals("refresh") || type.equals("context") || type.equals("checkpoint")
    guard isProgress, let index = index(of: record["feed"]) else { return isProgress }
    if type.equals("context") {
      current = index
    } else if type.equals("refresh") {
      end(index, .done, nil, wait: nil)
    } else if let key = Checkpoint.Key(record),
      parts[index].source.isPlugin || key.service == parts[index].source.name.service
    {
      parts[index].pending = (key, Checkpoint(record))
    }
    return true
  }

  private func receive(notice: JSONValue) -> Bool {
    guard let code = notice["code"] else { return false }
    let message = notice["message"]?.string
    if code.equals("bad-source") {
      guard let index = index(of: notice["source"]) else {
        cause = message
        return true
      }
      let status = notice["status"]?.integer.flatMap { ExitStatus(rawValue: Int32(truncatingIfNeeded: $0)) }
      let wait = notice["wait"]?.double.map { Int($0.clamped * 1000) }
      end(index, status ?? .refused, message, wait: wait)
      return true
    }
    if code.equals("budget"), notice["feed"] != nil {
      if notice["level"]?.equals("info") != true {
        usedUp = message
      } else if let index = index(of: notice["feed"]) {
        parts[index].kept = message
      }
      return true
    }
    let isFault = code.equals("bad-message") || code.equals("fault")
    if let index = index(of: notice["feed"]) {
      if code.equals("gap") || code.equals("renamed") {
        parts[index].gap = [parts[index].gap, message].compactMap { $0 }.joined(separator: "; ")
      }
      if isFault { parts[index].fault = message }
    } else if isFault {
      cause = message
    }
    return code.equals("reconnect") || code.equals("rate-limit")
  }

  /// The source that a record names. With a single source, whatever comes is of that one.
  private func index(of feed: JSONValue?) -> Int? {
    parts.count == 1 ? 0 : feed?.string.flatMap { indices[$0] }
  }

  private func end(_ index: Int, _ status: ExitStatus, _ message: String?, wait: Int?) {
    parts[index].ending = Ending(
      status: status, message: message, wait: wait, milliseconds: MonotonicClock.milliseconds - start)
  }

  /// Whether something bad of one of the sources was left out.
  var hasFaults: Bool { parts.contains { $0.fault != nil } }

  // MARK: Results

  func commit() throws(ToolError) {
    var ended: [Int] = []
    for index in parts.indices where parts[index].outcome == nil {
      if let (key, checkpoint) = parts[index].pending {
        var list = parts[index].checkpoints ?? parts[index].source.checkpointList
        list.set(checkpoint, of: key)
        list.keepLast(Self.mostAddresses)
        (parts[index].checkpoints, parts[index].pending) = (list, nil)
      }
      // What a single source did is known when its programs have ended.
      guard parts.count > 1, let ending = parts[index].ending else { continue }
      let status = ending.status == .done && parts[index].fault != nil ? .someBad : ending.status
      let message = ending.message ?? parts[index].fault ?? parts[index].gap ?? parts[index].kept
      parts[index].outcome = outcome(of: index, status, message, ending)
      ended.append(index)
    }
    try record(ended)
  }

  /// Ends the round.
  ///
  /// - Parameters:
  ///   - status: how the sources did whose end has not been recorded.
  ///   - message: what went wrong; `nil` if nothing did.
  ///   - isInterrupted: whether a signal ended it. Then only the checkpoints of failed sources are recorded.
  /// - Returns: how each source did.
  func finish(_ status: ExitStatus, _ message: String?, isInterrupted: Bool) throws(ToolError) -> [Outcome] {
    let open = parts.indices.filter { parts[$0].outcome == nil }
    for index in open {
      let ending = parts[index].ending
      let reason = ending?.status == .done ? nil : ending?.message
      let fault = status == .someBad ? parts[index].fault : nil
      let text = reason ?? fault ?? message ?? parts[index].gap ?? parts[index].kept
      parts[index].outcome = outcome(of: index, status, text, parts[index].ending)
    }
    if isInterrupted, status != .done, status != .someBad {
      for index in open {
        if let list = parts[index].checkpoints, !isOlder { try store.save(list.text, of: parts[index].source) }
      }
    } else {
      try record(open)
    }
    return parts.compactMap(\.outcome)
  }

  private func outcome(of index: Int, _ status: ExitStatus, _ message: String?, _ ending: Ending?) -> Outcome {
    let part = parts[index]
    let milliseconds = parts.count > 1 ? ending?.milliseconds : nil
    let run = RefreshRun(
      beganAt: began, milliseconds: milliseconds ?? MonotonicClock.milliseconds - start, read: part.counted.read,
      new: part.counted.new, status: status, message: message)
    let isOfBudget = message != nil && (message == part.kept || message == usedUp)
    return Outcome(source: part.source, run: run, wait: ending?.wait, isOfBudget: isOfBudget)
  }

  private func record(_ indices: [Int]) throws(ToolError) {
    if indices.isEmpty { return }
    var runs: [(run: RefreshRun, source: RefreshedSource, checkpoint: String?, wait: Int?)] = []
    for index in indices {
      guard let outcome = parts[index].outcome else { continue }
      runs.append((outcome.run, outcome.source, try checkpoint(of: index, outcome.run), outcome.wait))
    }
    try store.record(runs, isOlder: isOlder, token: SignInChange.token)
  }

  /// The checkpoint of a source, as the store keeps it; `nil` keeps the stored one.
  private func checkpoint(of index: Int, _ run: RefreshRun) throws(ToolError) -> String? {
    if isOlder { return nil }
    let part = parts[index]
    if part.checkpoints == nil, run.isSuccess, let key = part.source.keyWithoutCursor,
      let newest = try store.newestID(from: part.source.name)
    {
      var list = CheckpointList()
      list.set(Checkpoint(newestID: newest), of: key)
      return list.text
    }
    return part.checkpoints?.text
  }
}

extension RefreshedSource {
  /// What tw-stream continues from.
  var checkpointList: CheckpointList {
    checkpoint.flatMap { CheckpointList(Array($0.utf8)) } ?? CheckpointList()
  }

  /// Until when it was read, in milliseconds since 1970; the lowest number if it never was.
  var progress: Int64 { checkpointList.updatedAt?.milliseconds ?? .min }

  /// Who is paid for its posts: a service, or a plugin's.
  var payee: String { name.plugin ?? name.service }

  /// What the newest tweet is kept under for a plugin that has printed no checkpoint: its next round begins after that
  /// tweet. `nil` if the plugin has, and for other sources.
  var keyWithoutCursor: Checkpoint.Key? {
    guard let plugin = name.plugin, !checkpointList.hasCursor else { return nil }
    return Checkpoint.Key(service: plugin, base: nil, account: nil, feed: name.source)
  }
}

extension Double {
  /// At most a day, which is longer than any rate limit.
  fileprivate var clamped: Double { Swift.min(Swift.max(0, self), 86_400) }
}

extension CheckpointList {
  fileprivate var text: String { document.string }
}

/// When a person last changed who signs in: a source that failed because nobody was signed in is due again after that.
enum SignInChange {
  /// The time of the last change of the files that tw-auth, `tw config` and the person write; `nil` if there are none.
  static func time() throws(ToolError) -> Timestamp? {
    let files = [Paths.credentials, Settings.path] + (try Settings.load().tokenPaths.map(\.path))
    return files.compactMap(Paths.lastChange).max()
  }

  /// The fingerprint of the token that the environment has; `nil` if it has none.
  static var token: String? { Paths.environment("TW_TOKEN").map { Secret($0).fingerprint } }
}

extension TweetStore {
  /// Whether a source is to be refreshed now, as far as its interval, its failures and the sign-in say.
  /// - Parameter signInChange: ``SignInChange/time()``
  func isDue(_ source: RefreshedSource, at now: Timestamp, signInChange: Timestamp?) throws(ToolError) -> Bool {
    if source.isDue(at: now) { return true }
    guard source.dueAt != nil, source.retryAt != nil, let tried = source.refreshedAt else { return false }
    let isChanged = signInChange.map { $0 > tried } ?? false
    guard isChanged || source.refusedToken != SignInChange.token else { return false }
    return try lastFailure(of: source)?.status == .notAllowed
  }
}
