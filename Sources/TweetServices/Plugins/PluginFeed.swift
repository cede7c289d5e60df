package import TweetCore
package import TweetNet

/// A source that another program brings: `tw-source-NAME` with the rest of the SOURCE as its argument, as tw-source(7)
/// describes. Its lines are copied as they are; it makes its connections itself.
package struct PluginFeed: Feed {
  private enum Phase {
    case waiting
    case reading(PluginProcess)
    /// Its output has ended, and the process is about to: when it is stopped, and when to look again.
    case ending(PluginProcess, until: Int, nextLook: Int)
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

  /// Milliseconds between looks at whether the process has ended.
  private static let lookInterval = 5

  /// - Parameters:
  ///   - feed: the SOURCE.
  ///   - name: the part before its colon.
  ///   - rest: the part behind it.
  ///   - variables: variables of the plugin's environment; `nil` removes one.
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
    if case .ending(_, _, let nextLook) = phase { nextLook } else { nil }
  }

  package mutating func handle(
    _ event: TransferLoop.Event, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    guard case .reading(let plugin) = phase, case .readable(plugin.output) = event else { return }
    guard let bytes = try plugin.read() else { return }
    if bytes.isEmpty { return try endOutput(of: plugin, &writer) }
    try copy(bytes, &writer)
  }

  private mutating func endOutput(of plugin: PluginProcess, _ writer: inout FeedWriter) throws(ToolError) {
    let now = MonotonicClock.milliseconds
    phase = .ending(plugin, until: now + PluginProcess.grace, nextLook: now)
    if splitter.isMidMessage { try writer.writeBadMessage(of: feed, "\(program) ended in the middle of it") }
    splitter.reset()
  }

  /// Copies the lines that the bytes complete.
  private mutating func copy(_ bytes: [UInt8], _ writer: inout FeedWriter) throws(ToolError) {
    // Moved out meanwhile, because the callback reads self.
    var splitter = MessageSplitter(.lines)
    swap(&splitter, &self.splitter)
    defer { self.splitter = splitter }
    try splitter.append(bytes) { (piece) throws(ToolError) in
      switch piece {
      case .message(let line): try copy(line, &writer)
      case .keepAlive, .wrongLength: return
      case .tooLong(let length): try writer.writeBadMessage(of: feed, "it has \(length) bytes")
      }
    }
  }

  private func copy(_ line: UnsafeBufferPointer<UInt8>, _ writer: inout FeedWriter) throws(ToolError) {
    let message: JSONValue
    do throws(JSONFault) {
      message = try reader.read(line)
    } catch {
      return try writer.writeBadMessage(of: feed, "\(program) printed a line that is not JSON: \(error.reason)")
    }
    try writer.copy(line, LineContents(message), of: feed)
  }

  package mutating func wake(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    guard case .ending(let plugin, let until, let nextLook) = phase else { return }
    let now = MonotonicClock.milliseconds
    guard now >= nextLook else { return }
    if let ending = plugin.ending() ?? (now >= until ? plugin.stop() : nil) {
      phase = .over
      try report(ending, &writer)
    } else {
      phase = .ending(plugin, until: until, nextLook: now + Self.lookInterval)
    }
  }

  /// Reports how a plugin ended. Its exit status means the same as a tool's.
  private func report(_ ending: ChildProcess.Ending, _ writer: inout FeedWriter) throws(ToolError) {
    switch ending {
    case .exited(ExitStatus.done.rawValue): return
    case .exited(ExitStatus.someBad.rawValue): try writer.writeFault(of: feed, "\(program) left out bad messages")
    case .exited(let number): throw .ofProgram(status: number, "\(program) ended with status \(number)")
    case .killed(let number): throw .tryLater("\(program) was ended by signal \(number)")
    }
  }

  /// Stops the program, and what it has started.
  package mutating func end(in loop: inout TransferLoop) -> ToolError? {
    switch phase {
    case .waiting, .over: break
    case .reading(let plugin), .ending(let plugin, _, _): _ = plugin.stop()
    }
    phase = .over
    return nil
  }
}
