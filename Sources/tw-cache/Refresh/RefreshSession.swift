import Libc
import TweetCLI
import TweetCore
import TweetStore

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
  private var failures = RefreshFailures()

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
    var found: [Int: [UInt8]] = [:]
    for name in names.isEmpty ? [nil] : names.map({ Optional($0) }) {
      query.feed = name?.source
      query.service = name.flatMap { $0.isPlugin ? nil : $0.service }
      guard var pages = try store.pages(query) else { continue }
      try pages.read { (key, record) throws(ToolError) in
        found[key] = Array(record)
        return .more
      }
    }
    for (_, record) in found.sorted(by: { $0.key < $1.key }).suffix(limit) { try output.write(line: record) }
    try output.flush()
  }

  /// Whether there is nothing to do, now or later.
  var isIdle: Bool {
    get throws(ToolError) {
      if !names.isEmpty { return false }
      let known = try store.sources()
      return known.allSatisfy { $0.every == nil }
    }
  }

  /// Makes a round of every source that is wanted now.
  ///
  /// - Parameter tick: when sources are looked at next, where the run goes on.
  mutating func refresh(_ tick: RefreshTick? = nil) throws(ToolError) -> ExitStatus {
    for source in try wanted(tick) where Interruption.signal == nil {
      guard try lock.take(source.key) else {
        let error = ToolError.tryLater("another process is at it")
        note(error.status)
        complain(of: source, error, since: source.failingSince)
        continue
      }
      defer { lock.release(source.key) }
      // Another process may have refreshed it, or taken it out, since it was looked up.
      guard let source = try store.source(source.name), isWanted(source, tick) else { continue }
      try refresh(source, tick)
    }
    for line in failures.take() {
      if tick != nil { try writeNotice(line) }
      // Whoever shows our records on this terminal shows that one too, and in its place.
      if tick == nil || isatty(2) == 0 || isatty(1) == 1 { Diagnostics.warn(line) }
    }
    return worst
  }

  /// Goes on until a signal comes or nothing is left that could be refreshed.
  ///
  /// - Parameter every: milliseconds from the beginning of one round to that of the next.
  mutating func keepOn(every: Int) throws(ToolError) -> ExitStatus {
    var tick = RefreshTick(every: every)
    while Interruption.signal == nil {
      tick.begin()
      // What will pass is tried again soon; only what was said last counts at the end.
      let mended = worst
      worst = .done
      _ = try refresh(tick)
      if try !hasHope() {
        note(mended)
        break
      }
      guard Interruption.signal == nil else { break }
      try Self.sleep(until: tick.next)
    }
    return worst
  }

  // MARK: Choosing

  private func wanted(_ tick: RefreshTick?) throws(ToolError) -> [RefreshedSource] {
    var sources: [RefreshedSource] = []
    if names.isEmpty {
      sources = try store.sources()
    } else {
      for name in names where !hopeless.contains(name) { sources.append(try store.findOrAddSource(name)) }
    }
    return sources.filter { isWanted($0, tick) }
  }

  /// A source that is named is refreshed at once; after that, and where none is named, when it is due.
  private func isWanted(_ source: RefreshedSource, _ tick: RefreshTick?) -> Bool {
    if hopeless.contains(source.name) { return false }
    if !names.isEmpty, tick?.isFirst != false || source.every == nil { return true }
    return source.isDue(at: .now)
  }

  /// Whether something is left that may work the next time.
  private func hasHope() throws(ToolError) -> Bool {
    if !names.isEmpty { return !names.allSatisfy { hopeless.contains($0) } }
    let registered = try store.sources().filter { $0.every != nil }
    return !registered.allSatisfy { hopeless.contains($0.name) }
  }

  // MARK: One source

  private mutating func refresh(_ source: RefreshedSource, _ tick: RefreshTick?) throws(ToolError) {
    let held = try HeldFile()
    let isOlder = round.settings.isOlder
    let oldest = isOlder ? try store.oldestID(from: source.name) : nil
    let outcome = round.make(source, oldest: oldest, to: held.descriptor)
    let run = outcome.run
    if Interruption.signal == nil || run.hasWorked {
      // The place comes last: what it stands for is on disk.
      let place = source.isPlugin && run.hasWorked && !isOlder ? try store.newestID(from: source.name) : outcome.place
      try store.note(run, of: source, place: place, isOlder: isOlder)
    }
    note(run.status)
    if prints { try held.sortByTime() }
    if prints || pictures != nil { try passOn(held) }
    if Interruption.signal != nil, !run.hasWorked { return }
    if prints { try writeRefresh(of: source, new: run.new, next: tick?.next(of: source)) }
    if tells {
      let result = run.message.map { "; \($0)" } ?? ""
      Diagnostics.warn(
        "'\(source.name.source)': \(run.new) new of \(run.read) read in \(run.milliseconds) ms\(result)")
    }
    if let error = ToolError(run.status, run.message ?? "it failed") {
      if error.status != .tryLater { hopeless.insert(source.name) }
      // Told already, with what else the round had to tell.
      if !tells { complain(of: source, error, since: source.failingSince ?? run.beganAt) }
    } else if !tells, let message = run.message ?? (run.status == .someBad ? "some of it was bad" : nil) {
      // Nothing failed, but something was lost.
      failures.note("'\(source.name.source)': \(message)")
    }
  }

  /// Lets new tweets go on to the pictures' fetcher or to standard output.
  private mutating func passOn(_ held: borrowing HeldFile) throws(ToolError) {
    if held.isEmpty { return }
    held.rewind()
    if let pictures {
      try output.flush()
      guard let problem = try pictures.run(input: held.descriptor, prints: prints) else { return }
      Diagnostics.note(problem)
      guard prints, Interruption.signal == nil else { return }
      // Tweets that were printed before it failed are printed again, which is an update.
      held.rewind()
    }
    while true {
      guard let piece = try readSome(held.descriptor, name: "what was stored") else { continue }
      if piece.isEmpty { return }
      output.buffer.append(piece)
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

  private mutating func writeNotice(_ message: String) throws(ToolError) {
    output.buffer.append("{\"tw\":\"notice\",\"level\":\"warning\",\"code\":\"refresh\",\"message\":")
    output.buffer.appendJSONString(message)
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

  private mutating func complain(of source: RefreshedSource, _ error: ToolError, since: Timestamp?) {
    if error.status == .tryLater, let complainAfter {
      let lasted = since.map { Timestamp.now.milliseconds - $0.milliseconds } ?? 0
      if lasted < Int64(complainAfter) { return }
    }
    failures.note(source.name.source, error.message ?? "")
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
      if entries[1].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { throw .readerGone }
    }
  }
}
