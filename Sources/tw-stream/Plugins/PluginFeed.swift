import Services
import TweetCore
import TweetNet
import TweetServices

/// A source that another program brings: `tw-source-NAME` with the rest of the SOURCE as its argument, as tw-source(7)
/// describes. Its lines are copied as they are; it makes its connections itself. A live one is started again after a
/// failure that may pass, where it stopped.
struct PluginFeed: Feed {
  private enum Phase {
    /// It is started at this time.
    case waiting(until: Int)
    case reading(PluginProcess)
    /// Its output has ended, and the process is about to: when it is stopped, and when to look again.
    case ending(PluginProcess, until: Int, nextLook: Int)
    case over
  }

  private let setup: PluginSetup
  private let path: String
  private var phase = Phase.over
  /// `nil` keeps the cursor for this run only.
  private var progress: FeedProgress?
  /// What the plugin goes on from when it is started again; `nil` at the beginning.
  private var cursor: String?
  private var hasCursor = false
  /// Whether the cursor is still to be saved.
  private var isUnsaved = false
  private var splitter = MessageSplitter(.lines)
  private let reader = JSONReader()
  private var authority: RecordAuthority
  private var reads: PluginReads?
  private var restarts = PluginRestarts()
  /// When a plugin that was told to end is killed.
  private var killsAt: Int?
  private var hasPosts = false
  /// Whether enough posts are written.
  private var isLimited = false
  /// Whether a post was left out because of that: no later checkpoint is true.
  private var hasLeftOut = false
  private(set) var unansweredReason: String?
  private(set) var resumesAt: Int?
  private(set) var hangsUpUntil: Int?

  /// Milliseconds between looks at whether the process has ended.
  private static let lookInterval = 5

  /// - Throws: `ToolError.usage` when there is no such program, and what reading its checkpoint throws.
  init(_ setup: PluginSetup) throws(ToolError) {
    self.setup = setup
    path = try setup.path()
    authority = setup.authority
    progress = setup.checkpoints.map { FeedProgress($0, savedAt: 0) }
    cursor = try progress?.checkpoint(of: setup.feed)?.cursor
    reads = setup.budget.map { PluginReads($0) }
  }

  mutating func begin(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    try start(&writer)
  }

  private mutating func start(_ writer: inout FeedWriter) throws(ToolError) {
    phase = .over
    if let wait = try reads?.begin(&writer) { return try pause(forBudget: wait, &writer) }
    var variables = setup.variables
    variables["TW_CHECKPOINT"] = cursor
    variables["TW_BUDGET"] = reads?.left.map { String($0) }
    variables["TW_TOKEN"] = try setup.token()?.exposed
    restarts.began()
    phase = .reading(try PluginProcess(path, setup.argument, input: setup.input, variables: variables))
  }

  var descriptors: [Int32] {
    if case .reading(let plugin) = phase { [plugin.output] } else { [] }
  }

  var isOver: Bool {
    if case .over = phase { true } else { false }
  }

  var wakesAt: Int? {
    let next: Int? =
      switch phase {
      case .waiting(let until): until
      case .reading: killsAt
      case .ending(_, _, let nextLook): nextLook
      case .over: nil
      }
    return [next, savesAt, reads?.dueAt].compactMap { $0 }.min()
  }

  private var savesAt: Int? { isUnsaved ? progress?.due() : nil }
  private var checkpoints: [String: Checkpoint] {
    isUnsaved ? cursor.map { [setup.feed: Checkpoint(cursor: $0)] } ?? [:] : [:]
  }

  // MARK: Lines

  mutating func handle(
    _ event: TransferLoop.Event, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    guard case .reading(let plugin) = phase, case .readable(plugin.output) = event else { return }
    guard let bytes = try plugin.read() else { return }
    if bytes.isEmpty { return try endOutput(of: plugin, &writer) }
    try copy(bytes, &writer)
    if try reads?.isUsedUp() == true, killsAt == nil {
      // What is on its way is billed, so it is still read.
      plugin.terminate()
      killsAt = MonotonicClock.milliseconds + PluginProcess.grace
    }
  }

  private mutating func endOutput(of plugin: PluginProcess, _ writer: inout FeedWriter) throws(ToolError) {
    let now = MonotonicClock.milliseconds
    (hangsUpUntil, killsAt) = (nil, nil)
    phase = .ending(plugin, until: now + PluginProcess.grace, nextLook: now)
    if splitter.isMidMessage {
      try writer.writeBadMessage(of: setup.feed, "\(setup.program) ended in the middle of it")
    }
    splitter.reset()
  }

  /// Copies the lines that the bytes complete.
  private mutating func copy(_ bytes: [UInt8], _ writer: inout FeedWriter) throws(ToolError) {
    // Moved out meanwhile, because the callback changes self.
    var splitter = MessageSplitter(.lines)
    swap(&splitter, &self.splitter)
    defer { self.splitter = splitter }
    try splitter.append(bytes) { (piece) throws(ToolError) in
      switch piece {
      case .message(let line): try copy(line, &writer)
      case .keepAlive, .wrongLength: return
      case .tooLong(let length): try writer.writeBadMessage(of: setup.feed, "it has \(length) bytes")
      }
    }
  }

  private mutating func copy(
    _ line: ByteView, _ writer: inout FeedWriter
  ) throws(ToolError) {
    let message: JSONValue
    do throws(JSONFault) {
      message = try reader.read(line)
    } catch {
      return try leaveOut("a line that is not JSON: \(error.reason)", &writer)
    }
    let contents = LineContents(message)
    if let reason = authority.fault(in: message, contents) { return try leaveOut(reason, &writer) }
    switch PluginLine(message) {
    case .checkpoint(let cursor):
      if !hasLeftOut { try advance(to: cursor, &writer) }
      return
    case .bad(let reason): return try leaveOut(reason, &writer)
    case .wait(let milliseconds): restarts.wanted = milliseconds
    case .price(let price): try reads?.setPrice(price, &writer)
    case .other: break
    }
    if contents.record != "context" { unansweredReason = nil }
    if contents.posts > 0 {
      reads?.count(contents.posts)
      hasPosts = true
      hasLeftOut = hasLeftOut || writer.remaining == 0
      if hasLeftOut { hangsUpUntil = nil }
    }
    try writer.copy(line, contents, of: setup.feed)
    isLimited = writer.remaining == 0
  }

  /// Takes note of a cursor. If checkpoints are printed, it is printed where it came.
  private mutating func advance(to cursor: String, _ writer: inout FeedWriter) throws(ToolError) {
    (self.cursor, hasCursor) = (cursor, true)
    guard let checkpoints = setup.checkpoints else { return }
    if !checkpoints.arePrinted { return isUnsaved = true }
    try checkpoints.save(Checkpoint(cursor: cursor), of: setup.feed, to: &writer)
  }

  private func leaveOut(_ reason: String, _ writer: inout FeedWriter) throws(ToolError) {
    try writer.writeBadMessage(of: setup.feed, "\(setup.program) printed \(reason)")
  }

  // MARK: The end, and the next start

  mutating func wake(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    let now = MonotonicClock.milliseconds
    if let due = savesAt, now >= due {
      let checkpoints = checkpoints
      if try progress?.saveIfWritten(checkpoints, to: &writer) == true { isUnsaved = false }
    }
    if let due = reads?.dueAt, now >= due { try reads?.record() }
    switch phase {
    case .waiting(let until) where now >= until: try start(&writer)
    case .reading(let plugin):
      guard let time = killsAt, now >= time else { return }
      plugin.kill()
      killsAt = nil
    case .ending(let plugin, let until, let nextLook) where now >= nextLook:
      if let ending = plugin.ending() ?? (now >= until ? plugin.stop() : nil) {
        phase = .over
        try report(ending, &writer)
      } else {
        phase = .ending(plugin, until: until, nextLook: now + Self.lookInterval)
      }
    case .waiting, .ending, .over: break
    }
  }

  /// Reports how a plugin ended. Its exit status means the same as a tool's.
  private mutating func report(_ ending: ChildProcess.Ending, _ writer: inout FeedWriter) throws(ToolError) {
    let program = setup.program
    if let wait = try reads?.pause() { return try pause(forBudget: wait, &writer) }
    let error: ToolError
    switch ending {
    case .exited(ExitStatus.done.rawValue): return
    case .exited(ExitStatus.someBad.rawValue):
      return try writer.writeFault(of: setup.feed, "\(program) left out bad messages")
    case .exited(let number): error = .ofProgram(status: number, "\(program) ended with status \(number)")
    case .killed(let number): error = .tryLater("\(program) was ended by signal \(number)")
    }
    resumesAt = restarts.wanted.map { MonotonicClock.milliseconds + $0 }
    guard error.status == .tryLater, setup.isRestarted else { throw error }
    let (wait, reason) = (restarts.wait(), error.message ?? "")
    if !hasPosts { unansweredReason = reason }
    phase = .waiting(until: MonotonicClock.milliseconds + wait)
    try writer.write(
      Notice(.warning, "reconnect", "\(reason); starting it again in \(seconds(wait)) s")
        .with("wait", milliseconds: wait).with("feed", setup.feed))
  }

  /// Waits until posts may be read again, or ends a run that does not wait.
  private mutating func pause(
    forBudget pause: PluginReads.Pause, _ writer: inout FeedWriter
  ) throws(ToolError) {
    guard setup.isRestarted else { throw pause.error }
    phase = .waiting(until: MonotonicClock.milliseconds + pause.milliseconds)
    if let notice = pause.notice { try writer.write(notice) }
  }

  /// A plugin that was asked for this many posts prints them, and then its checkpoint: that is waited for.
  mutating func hangUp(in loop: inout TransferLoop) {
    guard case .reading = phase, isLimited, !hasLeftOut, progress != nil else { return }
    hangsUpUntil = MonotonicClock.milliseconds + PluginProcess.grace
  }

  mutating func close(to writer: inout FeedWriter) throws(ToolError) {
    try reads?.settle()
    if progress?.arePrinted == false, hasPosts, !hasCursor {
      let text = "\(setup.program) printed no checkpoint: the next run does not know where this one ended"
      try writer.write(Notice(.warning, "not-kept", text).with("feed", setup.feed))
    }
    let checkpoints = checkpoints
    if isUnsaved, try progress?.flush(checkpoints, to: &writer) == true { isUnsaved = false }
  }

  /// It may fail while its program runs, if posts cannot be counted or a checkpoint cannot be saved.
  mutating func halt(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    _ = end(in: &loop)
    (hangsUpUntil, killsAt) = (nil, nil)
    splitter.reset()
  }

  /// Stops the program, and what it has started.
  mutating func end(in loop: inout TransferLoop) -> ToolError? {
    switch phase {
    case .waiting, .over: break
    case .reading(let plugin), .ending(let plugin, _, _): _ = plugin.stop()
    }
    phase = .over
    return nil
  }
}
