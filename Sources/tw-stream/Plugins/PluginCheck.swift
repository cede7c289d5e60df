import Libc
import TweetCore

/// Runs a plugin through the contract of tw-source(7): a wrong argument, a poll round, a second one after its
/// checkpoint, and a live run that is told to end.
struct PluginCheck {
  enum Finding: Equatable {
    case fine(String)
    case fault(String)
    /// What could not be checked, or what the plugin need not do.
    case note(String)
  }

  private let setup: PluginSetup
  private let path: String
  private let milliseconds: Int
  private let report: (Finding) throws(ToolError) -> Void
  private var faults = 0

  /// Milliseconds that it may take to refuse an argument, and to print the first line of a live run.
  private static let (refusal, start) = (15_000, 15_000)

  /// - Parameters:
  ///   - milliseconds: how long a poll round may take.
  ///   - report: is told what was found, when it is.
  /// - Throws: `ToolError.usage` when there is no such program.
  init(
    _ setup: PluginSetup, milliseconds: Int, report: @escaping (Finding) throws(ToolError) -> Void
  ) throws(ToolError) {
    self.setup = setup
    self.milliseconds = milliseconds
    self.report = report
    path = try setup.path()
  }

  /// - Returns: how the whole plugin did: `.someBad` with faults, and the plugin's own status if its service could not
  ///   be asked.
  mutating func run() throws(ToolError) -> ExitStatus {
    if !setup.argument.isEmpty { try checkRefusal() }
    let round = try run(once: true)
    if Interruption.signal != nil { return .tryLater }
    let failure = try checkEnd(of: round, "a poll round")
    let lines = try checkLines(of: round)
    if let failure { return faults > 0 ? .someBad : failure }
    try checkOrder(lines)
    try checkCheckpoint(lines)
    if setup.input == nil, Interruption.signal == nil { try checkSignal() }
    return faults > 0 ? .someBad : .done
  }

  private mutating func fault(_ text: String) throws(ToolError) {
    faults += 1
    try report(.fault(text))
  }

  private func run(once: Bool, cursor: String? = nil) throws(ToolError) -> PluginRun {
    var variables = setup.variables
    variables["TW_ONCE"] = once ? "1" : nil
    variables["TW_EVERY"] = once ? nil : "60"
    variables["TW_CHECKPOINT"] = cursor
    variables["TW_TOKEN"] = try setup.token()?.exposed
    return try PluginRun(
      path, setup.argument, input: setup.input, variables: variables,
      milliseconds: once ? milliseconds : Self.start, isTold: !once)
  }

  // MARK: Ends

  private mutating func checkRefusal() throws(ToolError) {
    var variables = setup.variables
    variables["TW_ONCE"] = "1"
    // Its message is one that it should print.
    try report(.note("an empty argument, which the plugin may refuse:"))
    let run = try PluginRun(path, "", input: nil, variables: variables, milliseconds: Self.refusal)
    switch run.ending {
    case .exited(ExitStatus.usage.rawValue) where run.lines.isEmpty && !run.hasHalfLine:
      try report(.fine("it refuses an empty argument with status 64"))
    case .exited(ExitStatus.usage.rawValue): try fault("it prints lines before it refuses an empty argument")
    case .exited(ExitStatus.done.rawValue): try report(.note("it takes an empty argument"))
    case let ending?: try fault("it ended \(ending) with an empty argument, not with status 64")
    case nil: try fault("with an empty argument it did not end within \(Self.refusal / 1000) s")
    }
  }

  /// - Returns: the plugin's status if nothing more can be checked.
  private mutating func checkEnd(of run: PluginRun, _ what: String) throws(ToolError) -> ExitStatus? {
    guard let ending = run.ending else {
      try fault("\(what) (TW_ONCE=1) did not end within \(seconds(milliseconds)) s")
      return .someBad
    }
    switch ending.status {
    case .done:
      try report(.fine("\(what) ends with status 0"))
      return nil
    case .someBad:
      try report(.note("\(what) ends with status 1: a part of it was bad"))
      return nil
    case let status?:
      try report(.note("\(what) ended with status \(status.rawValue), so the rest was not checked"))
      return status
    case nil:
      try fault("\(what) ended \(ending), which is none of tw-source(7)")
      return .someBad
    }
  }

  private mutating func checkSignal() throws(ToolError) {
    let run = try run(once: false)
    if Interruption.signal != nil { return }
    switch run.ending {
    case nil: try fault("a live run did not end within \(seconds(PluginProcess.grace)) s of SIGTERM, and was killed")
    case .killed, .exited: try report(.fine("a live run ends soon after SIGTERM"))
    }
  }

  // MARK: Lines

  private mutating func checkLines(of run: PluginRun) throws(ToolError) -> [PluginCheckLine] {
    var lines: [PluginCheckLine] = []
    let before = faults
    var authority = setup.authority
    for (number, bytes) in run.lines.enumerated() where !bytes.isEmpty {
      let line: PluginCheckLine
      do throws(JSONFault) {
        line = try PluginCheckLine(bytes, feed: setup.feed, &authority)
      } catch {
        try fault("line \(number + 1) is not JSON: \(error.reason)")
        continue
      }
      for text in line.faults { try fault("line \(number + 1): \(text)") }
      lines.append(line)
    }
    if run.hasHalfLine { try fault("the last line has no newline at its end, so it is left out") }
    let secret = try setup.token()?.exposed
    if let secret, !secret.isEmpty, run.lines.contains(where: { String(decoding: $0, as: UTF8.self).contains(secret) })
    {
      try fault("it prints the token of the account")
    }
    try checkShapes(of: run.lines)
    if faults == before { try report(.fine("all \(run.lines.count) lines can be read")) }
    return lines
  }

  /// Has tw-parse read them.
  private mutating func checkShapes(of lines: [[UInt8]]) throws(ToolError) {
    guard let parse = Programs().path(of: "parse") else {
      return try report(.note("there is no tw-parse, which would say whether it can read the messages"))
    }
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard null >= 0 else { throw .inputOutput("cannot open '/dev/null'", errno) }
    defer { close(null) }
    let (input, messages) = (try makePipe(), try makePipe())
    defer { close(messages.reading) }
    let child = ChildProcess([parse], input: input.reading, output: null, errors: messages.writing)
    for end in [input.reading, messages.writing] { close(end) }
    // It reports only the first few bad records, so this pipe does not fill up.
    let text = lines.map { $0 + [UInt8(ascii: "\n")] }.joined()
    _ = writeAll(Array(text), to: input.writing)
    close(input.writing)
    guard var child else { throw .inputOutput("cannot run '\(parse)'") }
    var said: [UInt8] = []
    while let bytes = try readSome(messages.reading, name: "what tw-parse says"), !bytes.isEmpty { said += bytes }
    guard child.wait() != .exited(0) else { return }
    for line in String(decoding: said, as: UTF8.self).split(separator: "\n") {
      try fault("tw-parse cannot read it: \(line.replacing("tw-parse: -:", with: "line "))")
    }
  }

  private mutating func checkOrder(_ lines: [PluginCheckLine]) throws(ToolError) {
    let before = faults
    if lines.first?.record != "context" { try fault("the first line is no 'context' record") }
    if lines.last(where: { $0.record != "notice" && $0.record != "checkpoint" })?.record != "refresh" {
      try fault("the poll round does not end with a 'refresh' record")
    }
    var seen: Set<String> = []
    for id in lines.flatMap(\.posts) where !seen.insert(id).inserted {
      try fault("post \(id) is printed twice")
      break
    }
    if faults == before { try report(.fine("the round begins, ends and has each of \(seen.count) posts once")) }
  }

  private mutating func checkCheckpoint(_ lines: [PluginCheckLine]) throws(ToolError) {
    guard let last = lines.lastIndex(where: { $0.cursor != nil }), let cursor = lines[last].cursor else {
      try report(.note("it prints no 'checkpoint' record: --state and --resume cannot continue it"))
      return
    }
    let next = try run(once: true, cursor: cursor)
    if Interruption.signal != nil { return }
    guard try checkEnd(of: next, "a round after its checkpoint") == nil else { return }
    let before = Set(lines[..<last].flatMap(\.posts))
    var authority = setup.authority
    let again = next.lines.compactMap { try? PluginCheckLine($0, feed: setup.feed, &authority) }.flatMap(\.posts)
    if let id = again.first(where: before.contains) {
      try fault("with TW_CHECKPOINT it prints post \(id) again, which came before the checkpoint")
    } else {
      try report(.fine("with TW_CHECKPOINT it continues where it stopped"))
    }
  }
}
