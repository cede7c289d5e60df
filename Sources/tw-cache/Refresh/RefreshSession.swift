import Libc
import TweetCLI
import TweetCore
import TweetStore

/// One run of `tw-cache refresh`: decides which sources are due, runs their rounds, prints the results and reports
/// failures.
struct RefreshSession: ~Copyable {
  /// Milliseconds that a request for older posts waits for a round of another process.
  private static let patience = 30_000

  private let round: RefreshRound
  private let store: TweetStore
  private let lock: RefreshLock
  private let avatars: AvatarFetch?
  /// The sources named on the command line; if none, all registered sources that are due.
  private let names: [RefreshedSource.Name]
  /// Without names: the account whose sources are refreshed; `nil` for all.
  private let account: String?
  private let prints: Bool
  private let complainAfter: Int?
  private let showsSummary: Bool
  /// Whether somebody is told that nothing is to be done, who may wonder why nothing happens.
  private let tellsIdleness: Bool
  /// Whether its messages are mailed: cron runs it.
  private let isJob: Bool
  private var output = RecordWriter()
  /// Sources with a failure that only a person can fix. They are not refreshed again in this run.
  private var abandoned: Set<RefreshedSource.Name> = []
  /// Sources that a rate limit ended, and when they may be asked again, on the monotonic clock.
  private var limited: [RefreshedSource.Name: Int] = [:]
  private var worst = ExitStatus.done
  private var failures = SourceFailures(action: "refresh")
  private var reports = FailureReports()

  /// - Parameters:
  ///   - account: without names, refresh only the sources of this account.
  ///   - prints: whether new tweets go to standard output.
  ///   - complainAfter: milliseconds that a failure that may pass must have lasted before it is reported.
  ///   - showsSummary: whether the result of each round is reported.
  ///   - tellsIdleness: whether it is reported that no source is due.
  ///   - isRepeated: whether it keeps running.
  init(
    _ settings: RefreshRound.Settings, names: [RefreshedSource.Name], account: String?, prints: Bool,
    fetchesAvatars: Bool, complainAfter: Int?, showsSummary: Bool, tellsIdleness: Bool, isRepeated: Bool
  ) throws(ToolError) {
    let programs = Programs()
    let round = try RefreshRound(settings, programs)
    let store = try TweetStore(settings.store, .readWrite)
    let known = try Self.knownNames(names, in: store)
    let lock = try RefreshLock(of: settings.store)
    UnnamedFile.removeAbandoned()
    self.round = round
    self.store = store
    self.lock = lock
    avatars = fetchesAvatars ? AvatarFetch(programs, store: settings.store) : nil
    self.names = known
    self.account = account
    self.prints = prints
    self.complainAfter = complainAfter
    self.showsSummary = showsSummary
    self.tellsIdleness = tellsIdleness
    isJob = !isRepeated && isatty(2) == 0 && (names.isEmpty || complainAfter != nil)
  }

  /// Each name once, as the store spells it.
  private static func knownNames(
    _ names: [RefreshedSource.Name], in store: borrowing TweetStore
  ) throws(ToolError) -> [RefreshedSource.Name] {
    var known: [RefreshedSource.Name] = []
    for name in names {
      let name = try store.findOrAddSource(name).name
      if !known.contains(name) { known.append(name) }
    }
    return known
  }

  /// Prints the newest stored tweets, oldest first. To be called before the first request.
  mutating func printBacklog(_ limit: Int) throws(ToolError) {
    guard limit > 0 else { return }
    var query = TweetQuery()
    query.limit = limit
    let hidden = round.settings.hidden
    query.hide(hidden.mute.map { TweetQuery(mutedBy: $0) }, hidden.kinds)
    var found: [Int: [UInt8]] = [:]
    for name in names.isEmpty ? [nil] : names.map({ Optional($0) }) {
      query.feeds = name.map { [$0.source] } ?? []
      query.service = name.flatMap { $0.plugin == nil ? $0.service : nil }
      guard var pages = try store.pages(query) else { continue }
      try pages.read { (key, record) throws(ToolError) in
        found[key] = Array(record)
        return .more
      }
    }
    for (_, record) in found.sorted(by: { $0.key < $1.key }).suffix(limit) { try output.write(line: record) }
    try output.flush()
  }

  /// The sources in the store, of the account that was asked for.
  private func registeredSources() throws(ToolError) -> [RefreshedSource] {
    try store.sources().filter { account == nil || $0.name.account == account }
  }

  /// Whether no source is named and none has an interval: there is nothing to do now or later.
  var isIdle: Bool {
    get throws(ToolError) {
      if !names.isEmpty { return false }
      let known = try registeredSources()
      return known.allSatisfy { $0.every == nil }
    }
  }

  /// Runs a round of each source that is due or named.
  ///
  /// - Parameter schedule: the schedule of a run with `--every`; `nil` for a single check.
  mutating func refresh(_ schedule: RefreshSchedule? = nil) throws(ToolError) -> ExitStatus {
    // Nobody would learn there that a source was refreshed, and it would be asked again and again.
    if store.isReplaced { throw .tryLater("'\(store.path)' is another file now: start again") }
    // What the budget cut off before comes first.
    let sources = try sourcesToRefresh().enumerated()
      .sorted { ($0.element.progress, $0.offset) < ($1.element.progress, $1.offset) }.map(\.element)
    if sources.isEmpty, tellsIdleness, schedule == nil { try reportNothingDue() }
    for group in round.groups(sources) where Interruption.signal == nil {
      let locked = try lockSources(group)
      if !locked.isEmpty { try refresh(locked, schedule) }
      for source in locked { lock.release(source.key) }
    }
    for line in failures.finish() {
      if schedule != nil { try writeNotice(line) }
      // If standard error is a terminal and standard output is not, a program that shows our records there shows the
      // notice too.
      if schedule == nil || isatty(2) == 0 || isatty(1) == 1 { Diagnostics.warn(line) }
    }
    if let line = try reports.finish(store) { Diagnostics.warn(line) }
    return worst
  }

  /// Locks the sources of a group that no other process refreshes now.
  private mutating func lockSources(_ group: [RefreshedSource]) throws(ToolError) -> [RefreshedSource] {
    var locked: [RefreshedSource] = []
    for source in group {
      guard try acquire(source.key) else {
        let error = ToolError.tryLater("a refresh by another process is running")
        worst = worst.worse(error.status)
        if showsSummary { Diagnostics.warn("'\(source.name.source)': \(error.message ?? "")") }
        // What another process has kept from being refreshed for long is a failure that lasts.
        if !showsSummary { try reportFailure(of: source, error, since: source.failingSince ?? source.dueAt) }
        continue
      }
      // Another process may have refreshed or removed it since `sourcesToRefresh` read it.
      if let source = try store.source(source.name), try shouldRefresh(source) {
        locked.append(source)
      } else {
        lock.release(source.key)
      }
    }
    return locked
  }

  /// Locks a source. Older posts are asked for by a person, who rather waits than asks again.
  private func acquire(_ key: Int) throws(ToolError) -> Bool {
    let deadline = MonotonicClock.milliseconds + (round.settings.isOlder ? Self.patience : 0)
    while try !lock.acquire(key) {
      let now = MonotonicClock.milliseconds
      if now >= deadline || Interruption.signal != nil { return false }
      try Self.sleep(until: min(now + 50, deadline))
    }
    return true
  }

  private func reportNothingDue() throws(ToolError) {
    let registered = try registeredSources().filter { $0.every != nil }
    if registered.isEmpty { return }
    let times = registered.compactMap { source in source.dueAt.map { (name: source.name.source, time: $0) } }
    if let next = times.min(by: { $0.time < $1.time }) {
      Diagnostics.warn(
        "no source is due: the next is '\(next.name)', at \(next.time.rfc3339); one that is named is asked at once")
    } else {
      Diagnostics.warn("no source is due: all are paused")
    }
  }

  /// Checks the sources again and again, until a signal comes or no source can be refreshed any more.
  ///
  /// - Parameter every: milliseconds from the beginning of one check to that of the next.
  mutating func refreshRepeatedly(every: Int) throws(ToolError) -> ExitStatus {
    var schedule = RefreshSchedule(every: every)
    while Interruption.signal == nil {
      schedule.begin()
      // Failures that may pass are tried again. So the final status is that of the last check.
      let before = worst
      worst = .done
      _ = try refresh(schedule)
      if try !canStillSucceed() {
        worst = worst.worse(before)
        break
      }
      guard Interruption.signal == nil else { break }
      try Self.sleep(until: schedule.next)
    }
    return worst
  }

  // MARK: Choosing sources

  private func sourcesToRefresh() throws(ToolError) -> [RefreshedSource] {
    var sources: [RefreshedSource] = []
    if names.isEmpty {
      sources = try registeredSources()
    } else {
      for name in names where !abandoned.contains(name) { sources.append(try store.findOrAddSource(name)) }
    }
    var wanted: [RefreshedSource] = []
    for source in sources where try shouldRefresh(source) { wanted.append(source) }
    return wanted
  }

  /// A named source is refreshed at each check, whatever interval it was registered with. Without names, a source is
  /// refreshed when it is due.
  private func shouldRefresh(_ source: RefreshedSource) throws(ToolError) -> Bool {
    if abandoned.contains(source.name) { return false }
    if let time = limited[source.name], MonotonicClock.milliseconds < time { return false }
    return names.isEmpty ? try store.isDue(source, at: .shown, signInChange: try SignInChange.time()) : true
  }

  /// Whether a source is left that may be refreshed with success.
  private func canStillSucceed() throws(ToolError) -> Bool {
    if !names.isEmpty { return !names.allSatisfy { abandoned.contains($0) } }
    let registered = try registeredSources().filter { $0.every != nil }
    return !registered.allSatisfy { abandoned.contains($0.name) }
  }

  // MARK: A round

  private mutating func refresh(
    _ sources: [RefreshedSource], _ schedule: RefreshSchedule?
  ) throws(ToolError) {
    let records = try UnnamedFile()
    let oldest = round.settings.isOlder ? try store.oldestID(from: sources[0].name) : nil
    let result = try round.run(sources, oldest: oldest, pace: pace(of: sources, schedule), to: records.descriptor)
    if prints { try records.sortByTime() }
    if prints || avatars != nil { try deliver(records) }
    for outcome in result.outcomes { try report(outcome, schedule) }
    if let loss = result.loss {
      worst = worst.worse(.someBad)
      failures.add(loss)
    }
  }

  private mutating func report(
    _ outcome: RoundTally.Outcome, _ schedule: RefreshSchedule?
  ) throws(ToolError) {
    let (source, run) = (outcome.source, outcome.run)
    worst = worst.worse(run.status)
    if Interruption.signal != nil, !run.isSuccess { return }
    if prints { try writeRefresh(of: source, run, next: try next(of: source, schedule)) }
    if showsSummary {
      let result = run.message.map { "; \($0)" } ?? ""
      Diagnostics.warn(
        "'\(source.name.source)': \(run.new) new of \(run.read) read in \(run.milliseconds) ms\(result)")
    }
    limited[source.name] = outcome.wait.map { MonotonicClock.milliseconds + $0 }
    if let error = ToolError(run.status, run.message ?? "it failed") {
      if error.status != .tryLater { abandoned.insert(source.name) }
      // With the summary the failure has been reported already.
      if !showsSummary {
        try reportFailure(of: source, error, since: source.failingSince ?? run.beganAt, isOfBudget: outcome.isOfBudget)
      }
      return
    }
    if isJob { reports.succeeded(source, try store.source(source.name)?.reported) }
    let message = run.message ?? (run.status == .someBad ? "some of it was bad" : nil)
    if !showsSummary, !outcome.isOfBudget, let message {
      // Nothing failed, but something was lost.
      let loss = FailureReports.Trouble(status: run.status, message: message, isFailure: false)
      if try isNews(loss, of: source) { failures.add("'\(source.name.source)': \(message)") }
    }
  }

  /// How the round of a group spends the budget: sources that are due later today have their share then.
  private func pace(
    of group: [RefreshedSource], _ schedule: RefreshSchedule?
  ) throws(ToolError) -> RefreshRound.Pace? {
    if round.settings.isOlder { return nil }
    let now = Timestamp.shown
    let end = BudgetPeriod.day.end(of: now)
    let others = try store.sources().filter { other in
      other.every != nil && !other.isPaused && other.payee == group[0].payee && !group.contains { $0.key == other.key }
    }
    let today = BudgetPeriod.day.firstDay(of: now)
    let waiting = others.count { other in
      other.refreshedAt.map(BudgetPeriod.day.firstDay) != today && other.dueAt.map { $0 < end } ?? false
    }
    let left = end.milliseconds - now.milliseconds
    let every = group.compactMap(\.every).min().map { Int64($0) * 1000 } ?? schedule.map { Int64($0.every) } ?? left
    return RefreshRound.Pace(
      rounds: Int((left + every - 1) / every), keep: waiting * 100 / (others.count + group.count))
  }

  /// When a source that was just refreshed is refreshed next.
  private func next(of source: RefreshedSource, _ schedule: RefreshSchedule?) throws(ToolError) -> Timestamp? {
    guard let schedule else { return nil }
    return schedule.next(dueAt: names.isEmpty ? try store.source(source.name)?.dueAt : nil, source.tolerance)
  }

  /// Passes the new tweets to tw-avatar, and to standard output if they are printed.
  private mutating func deliver(_ records: borrowing UnnamedFile) throws(ToolError) {
    if records.isEmpty { return }
    records.rewind()
    if let avatars {
      try output.flush()
      guard let problem = avatars.run(input: records.descriptor, prints: prints) else { return }
      Diagnostics.note(problem)
      guard prints, Interruption.signal == nil else { return }
      // Tweets that tw-avatar printed before it failed are printed again. A reader takes that for an update.
      records.rewind()
    }
    while true {
      guard let piece = try readSome(records.descriptor, name: "the new tweets") else { continue }
      if piece.isEmpty { return }
      output.buffer.append(piece)
      try output.flush()
    }
  }

  private mutating func writeRefresh(
    of source: RefreshedSource, _ run: RefreshRun, next: Timestamp?
  ) throws(ToolError) {
    let failure = ToolError(run.status, "")?.status
    output.buffer.record("refresh") { out in
      out.member("feed", source.name.source)
      out.member("service", source.name.service)
      out.member("new", run.new)
      out.member("status", failure.map { Int($0.rawValue) })
      out.member("next_at", next)
      out.member("at", .shown)
    }
    try output.flush()
  }

  private mutating func writeNotice(_ message: String) throws(ToolError) {
    output.buffer.notice("warning", "refresh", message) { $0.member("at", .shown) }
    try output.flush()
  }

  // MARK: Failures

  private mutating func reportFailure(
    of source: RefreshedSource, _ error: ToolError, since: Timestamp?, isOfBudget: Bool = false
  ) throws(ToolError) {
    // How long a budget is used up is known at once.
    if error.status == .tryLater, !isOfBudget, let complainAfter {
      let lasted = since.map { Timestamp.shown.milliseconds - $0.milliseconds } ?? 0
      if lasted < Int64(complainAfter) { return }
    }
    let message = error.message ?? ""
    let trouble = FailureReports.Trouble(status: error.status, message: message, isFailure: !isOfBudget)
    if try isNews(trouble, of: source) { failures.add(source.name.source, message) }
  }

  /// A job says once what a person at a terminal, and who keeps it running, is told each time.
  private mutating func isNews(
    _ trouble: FailureReports.Trouble, of source: RefreshedSource
  ) throws(ToolError) -> Bool {
    guard isJob else { return true }
    return reports.isNews(trouble, of: source, among: try store.sources())
  }

  /// Waits until a time of the monotonic clock, or until a signal comes.
  private static func sleep(until time: Int) throws(ToolError) {
    while Interruption.signal == nil {
      let left = time - MonotonicClock.milliseconds
      if left <= 0 { return }
      var entries = [
        pollfd(fd: Interruption.descriptor, events: Int16(POLLIN), revents: 0),
        // The reader of standard output may leave while nothing is printed.
        pollfd(fd: 1, events: 0, revents: 0),
      ]
      _ = poll(&entries, 2, Int32(min(left, MonotonicClock.longestPoll)))
      if entries[1].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { throw .readerGone }
    }
  }
}

/// Prevents two processes from refreshing one source at the same time: a lock file beside the store with one byte for
/// each source. The kernel releases the locks when their process ends, also by a crash.
struct RefreshLock: ~Copyable {
  private let file: Descriptor

  /// Opens the lock file of a store. A process must open it only once: closing any descriptor of the file releases all
  /// locks of the process on it (POSIX, fcntl()).
  init(of store: String) throws(ToolError) {
    let path = store + "-refresh.lock"
    guard let opened = Descriptor(path, O_RDWR | O_CREAT) else { throw .cannotCreate("cannot create '\(path)'", errno) }
    file = opened
  }

  /// Acquires a source's lock without waiting; false if another process has it.
  func acquire(_ key: Int) throws(ToolError) -> Bool {
    if setLock(Int16(F_WRLCK), key) { return true }
    let fault = errno
    guard fault == EAGAIN || fault == EACCES else {
      throw .inputOutput("cannot lock a source: \(describe(errno: fault))")
    }
    return false
  }

  func release(_ key: Int) { _ = setLock(Int16(F_UNLCK), key) }

  private func setLock(_ type: Int16, _ key: Int) -> Bool {
    var lock = flock()
    lock.l_type = type
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(key)
    lock.l_len = 1
    return fcntl(file.number, F_SETLK, &lock) == 0
  }
}

/// When `tw-cache refresh --every` checks which sources are due.
struct RefreshSchedule {
  /// Milliseconds from one check to the next.
  let every: Int
  /// The time of the next check on the monotonic clock.
  private(set) var next = MonotonicClock.milliseconds

  init(every: Int) { self.every = every }

  /// Begins a check. Checks that were missed because rounds took longer are skipped.
  mutating func begin() {
    next = max(next + every, MonotonicClock.milliseconds)
  }

  /// The time of the first check that finds a source due.
  ///
  /// - Parameters:
  ///   - dueAt: `nil` for a source that is refreshed at each check, since it was named.
  ///   - tolerance: milliseconds that it may be early.
  func next(dueAt: Timestamp?, _ tolerance: Int64) -> Timestamp {
    var wait = Int64(next - MonotonicClock.milliseconds)
    if let dueAt {
      let late = dueAt.milliseconds - tolerance - Timestamp.now.milliseconds - wait
      if late > 0 { wait += (late + Int64(every) - 1) / Int64(every) * Int64(every) }
    }
    return Timestamp(milliseconds: Timestamp.shown.milliseconds + max(0, wait))
  }
}
