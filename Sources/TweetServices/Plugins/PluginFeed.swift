package import TweetCore
package import TweetNet

/// A source that another program brings: `tw-source-NAME` with the rest of the SOURCE as its argument, as tw-source(7)
/// describes. Its lines are passed on as they are; how it stays connected is its own business.
package struct PluginFeed: Feed {
  private enum Phase {
    case waiting
    case reading(PluginProcess)
    /// Its output is at its end, and it itself should be.
    case ending(PluginProcess, until: Int, look: Int)
    case over
  }

  private let feed: String
  private let program: String
  private let path: String
  private let rest: String
  private let variables: [String: String?]
  private var phase = Phase.waiting
  private var splitter = MessageSplitter(.lines)
  private let reader = JSONReader()

  /// Milliseconds between looks at whether it has ended.
  private static let pause = 5

  /// - Parameters:
  ///   - feed: the SOURCE.
  ///   - name: what stands before its colon.
  ///   - rest: what stands behind it.
  ///   - variables: the environment's variables that the plugin is to go by; `nil` takes one out.
  /// - Throws: `ToolError.usage` when there is no such program.
  package init(feed: String, name: String, rest: String, variables: [String: String?]) throws(ToolError) {
    program = "tw-source-\(name)"
    guard let path = Programs().path(of: "source-\(name)") else {
      throw .usage("source '\(feed)' needs the program '\(program)', which is neither beside this one nor on PATH")
    }
    self.path = path
    self.feed = feed
    self.rest = rest
    self.variables = variables
  }

  package mutating func begin(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    do throws(ToolError) {
      phase = .reading(try PluginProcess(path, rest, variables: variables))
    } catch {
      phase = .over
      throw error
    }
  }

  package var descriptors: [Int32] {
    if case .reading(let plugin) = phase { [plugin.output] } else { [] }
  }

  package var isOver: Bool {
    if case .over = phase { true } else { false }
  }

  package var wakesAt: Int? {
    if case .ending(_, _, let look) = phase { look } else { nil }
  }

  package mutating func handle(
    _ event: TransferLoop.Event, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    guard case .reading(let plugin) = phase, case .readable(plugin.output) = event else { return }
    guard let bytes = try plugin.read() else { return }
    if bytes.isEmpty { return try outputEnded(plugin, &writer) }
    try take(bytes, &writer)
  }

  private mutating func outputEnded(_ plugin: PluginProcess, _ writer: inout FeedWriter) throws(ToolError) {
    let now = MonotonicClock.milliseconds
    phase = .ending(plugin, until: now + PluginProcess.grace, look: now)
    if splitter.isMidMessage { try writer.writeBadMessage(of: feed, "\(program) ended in the middle of it") }
    splitter.reset()
  }

  private mutating func take(_ bytes: [UInt8], _ writer: inout FeedWriter) throws(ToolError) {
    // Taken out while it runs, since its callback reads the rest of us.
    var splitter = MessageSplitter(.lines)
    swap(&splitter, &self.splitter)
    defer { self.splitter = splitter }
    try splitter.feed(bytes) { (piece) throws(ToolError) in
      switch piece {
      case .message(let line): try take(line, &writer)
      case .keepAlive, .wrongLength: return
      case .tooLong(let length): try writer.writeBadMessage(of: feed, "it has \(length) bytes")
      }
    }
  }

  private func take(_ line: UnsafeBufferPointer<UInt8>, _ writer: inout FeedWriter) throws(ToolError) {
    let message: JSONValue
    do throws(JSONFault) {
      message = try reader.read(line)
    } catch {
      return try writer.writeBadMessage(of: feed, "\(program) printed a line that is no JSON: \(error.reason)")
    }
    try writer.pass(line, LineContents(message), of: feed)
  }

  package mutating func wake(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    guard case .ending(let plugin, let until, let look) = phase else { return }
    let now = MonotonicClock.milliseconds
    guard now >= look else { return }
    if let ending = plugin.hasEnded() ?? (now >= until ? plugin.stop() : nil) {
      phase = .over
      try judge(ending, &writer)
    } else {
      phase = .ending(plugin, until: until, look: now + Self.pause)
    }
  }

  /// A plugin's status means what ours does.
  private func judge(_ ending: ChildProcess.Ending, _ writer: inout FeedWriter) throws(ToolError) {
    switch ending {
    case .exited(ExitStatus.done.rawValue): return
    case .exited(ExitStatus.someBad.rawValue): try writer.writeFault(of: feed, "\(program) left out what was bad")
    case .exited(let number): throw .ofProgram(status: number, "\(program) ended with status \(number)")
    case .killed(let number): throw .tryLater("\(program) was ended by signal \(number)")
    }
  }

  /// Ends the program, and what it has started.
  package mutating func end(in loop: inout TransferLoop) -> ToolError? {
    switch phase {
    case .waiting, .over: break
    case .reading(let plugin), .ending(let plugin, _, _): _ = plugin.stop()
    }
    phase = .over
    return nil
  }
}
