import TweetCLI
import TweetCore
import TweetStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The rounds of one `tw-cache refresh`: which sources are due, what becomes of failures, and what is printed.
struct RefreshSession: ~Copyable {
  private let round: RefreshRound
  private let store: TweetStore
  private let lock: RefreshLock
  private let pictures: AvatarFetch?
  /// What was asked for by name; empty: whatever is registered and due.
  private let names: [RefreshedSource.Name]
  private let prints: Bool
  private let complainAfter: Int?
  private let tells: Bool
  private var output = RecordWriter()
  /// Sources that a person must mend something for: they are not asked again in this run.
  private var hopeless: Set<RefreshedSource.Name> = []
  private var worst = ExitStatus.done

  /// - Parameters:
  ///   - prints: new tweets go to standard output.
  ///   - complainAfter: milliseconds that a passing failure must have lasted before it is told.
  ///   - tells: how each round went is told.
  init(
    _ settings: RefreshRound.Settings, names: [RefreshedSource.Name], prints: Bool, fetchesAvatars: Bool,
    complainAfter: Int?, tells: Bool
  ) throws(ToolError) {
    let programs = Programs()
    let round = try RefreshRound(settings, programs)
    let store = try TweetStore(settings.store, .readWrite)
    let lock = try RefreshLock(of: settings.store)
    self.round = round
    self.store = store
    self.lock = lock
    pictures = fetchesAvatars ? AvatarFetch(programs, store: settings.store) : nil
    self.names = names
    self.prints = prints
    self.complainAfter = complainAfter
    self.tells = tells
  }

  /// Prints the newest tweets stored, the oldest of them first, as they will go on: before any request is made.
  mutating func printBacklog(_ limit: Int) throws(ToolError) {
    guard limit > 0 else { return }
    var query = TweetQuery()
    query.limit = limit
    var records: [[UInt8]] = []
    for feed in names.isEmpty ? [nil] : names.map({ Optional($0) }) {
      query.feed = feed?.source
      query.service = feed?.service
      var found: [[UInt8]] = []
      guard var pages = try store.pages(query) else { continue }
      try pages.read { (_, record) throws(ToolError) in
        found.append(Array(record))
        return .more
      }
      records += found.reversed()
    }
    for record in records { try output.write(line: record) }
    try output.flush()
  }

  /// Makes a round of every source that is wanted now.
  ///
  /// - Parameter nextAt: when the next one begins, for those who show a countdown.
  mutating func refresh(nextAt: Timestamp?) throws(ToolError) -> ExitStatus {
    for source in try wanted() where Interruption.signal == nil {
      guard try lock.take(source.key) else {
        let error = ToolError.tryLater("cannot refresh '\(source.name.source)': another process is at it")
        note(error.status)
        complain(of: source, error, since: source.failingSince)
        continue
      }
      defer { lock.release(source.key) }
      // Another process may have refreshed it since it was looked up.
      guard let source = try store.source(source.name) else { continue }
      try refresh(source, nextAt: nextAt)
    }
    return worst
  }

  /// Goes on until a signal comes or nothing is left that could be refreshed.
  ///
  /// - Parameter every: milliseconds from the beginning of one round to that of the next.
  mutating func keepOn(every: Int) throws(ToolError) -> ExitStatus {
    var next = MonotonicClock.milliseconds
    while Interruption.signal == nil {
      next = max(next + every, MonotonicClock.milliseconds)
      let wait = Int64(next - MonotonicClock.milliseconds)
      // What will pass is tried again soon; only what was said last counts at the end.
      worst = .done
      _ = try refresh(nextAt: Timestamp(milliseconds: Timestamp.shown.milliseconds + wait))
      if !names.isEmpty, hopeless.count == Set(names).count { break }
      guard Interruption.signal == nil else { break }
      try Self.sleep(until: next)
    }
    return worst
  }

  // MARK: Choosing

  private func wanted() throws(ToolError) -> [RefreshedSource] {
    let now = Timestamp.now
    if names.isEmpty {
      return try store.sources().filter { !hopeless.contains($0.name) && $0.isDue(at: now) }
    }
    var sources: [RefreshedSource] = []
    for name in names where !hopeless.contains(name) { sources.append(try store.findOrAddSource(name)) }
    return sources
  }

  // MARK: One source

  private mutating func refresh(_ source: RefreshedSource, nextAt: Timestamp?) throws(ToolError) {
    let held = try HeldFile()
    let oldest = round.settings.isOlder ? try store.oldestID(from: source.name) : nil
    let outcome = round.make(source, oldest: oldest, to: held.descriptor)
    let run = outcome.run
    if Interruption.signal == nil || run.hasWorked {
      // The place comes last: what it stands for is on disk.
      try store.note(run, of: source, place: outcome.place)
    }
    note(run.status)
    if prints || pictures != nil { try passOn(held) }
    if prints { try writeRefresh(of: source, new: run.new, next: nextAt) }
    if tells {
      let result = run.message.map { "; \($0)" } ?? ""
      Diagnostics.warn(
        "'\(source.name.source)': \(run.new) new of \(run.read) read in \(run.milliseconds) ms\(result)")
    }
    if !run.hasWorked, Interruption.signal == nil,
      let error = ToolError(run.status, "cannot refresh '\(source.name.source)': \(run.message ?? "it failed")")
    {
      if error.status != .tryLater { hopeless.insert(source.name) }
      complain(of: source, error, since: source.failingSince ?? run.beganAt)
    }
  }

  /// Lets new tweets go on to the pictures' fetcher or to standard output.
  private mutating func passOn(_ held: borrowing HeldFile) throws(ToolError) {
    held.rewind()
    if let pictures {
      try output.flush()
      if let problem = try pictures.run(input: held.descriptor, prints: prints) { Diagnostics.note(problem) }
      return
    }
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(held.descriptor, &piece, piece.count)
      if count == 0 { return try output.flush() }
      if count < 0 {
        if errno == EINTR { continue }
        throw .inputOutput("cannot read what was stored: \(describe(errno: errno))")
      }
      piece[..<count].withUnsafeBufferPointer { output.buffer.append($0) }
      try output.flush()
    }
  }

  private mutating func writeRefresh(of source: RefreshedSource, new: Int, next: Timestamp?) throws(ToolError) {
    output.buffer.append("{\"tw\":\"refresh\",\"feed\":")
    output.buffer.appendJSONString(source.name.source)
    output.buffer.append(",\"service\":")
    output.buffer.appendJSONString(source.name.service)
    output.buffer.append(",\"new\":\(new)")
    if let next { output.buffer.append(",\"next_at\":\"\(next.rfc3339)\"") }
    output.buffer.append(",\"at\":\"\(Timestamp.shown.rfc3339)\"}")
    try output.endLine()
    try output.flush()
  }

  // MARK: Failures

  /// The status of a run is that of what a person must mend, before that of what will pass.
  private mutating func note(_ status: ExitStatus) {
    let ranks: [ExitStatus] = [.done, .someBad, .tryLater]
    let rank = { (status: ExitStatus) in ranks.firstIndex(of: status) ?? ranks.count }
    if rank(status) > rank(worst) { worst = status }
  }

  private func complain(of source: RefreshedSource, _ error: ToolError, since: Timestamp?) {
    if error.status == .tryLater, let complainAfter {
      let lasted = since.map { Timestamp.now.milliseconds - $0.milliseconds } ?? 0
      if lasted < Int64(complainAfter) { return }
    }
    // Told already, with what else the round had to tell.
    if !tells { Diagnostics.report(error) }
  }

  /// Waits, unless a signal comes.
  private static func sleep(until time: Int) throws(ToolError) {
    while Interruption.signal == nil {
      let left = time - MonotonicClock.milliseconds
      if left <= 0 { return }
      var entries = [
        pollfd(fd: Interruption.descriptor, events: Int16(POLLIN), revents: 0),
        // Whoever shows the tweets may go away while nothing is printed.
        pollfd(fd: 1, events: 0, revents: 0),
      ]
      _ = poll(&entries, 2, Int32(min(left, 3_600_000)))
      if entries[1].revents & Int16(POLLERR | POLLHUP) != 0 { throw .readerGone }
    }
  }
}
