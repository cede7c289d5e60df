import Libc
import TweetCore

/// A running plugin, and the pipe that its lines come through. A class, since feeds are copied.
final class PluginProcess {
  private var process: ChildProcess
  private let path: String
  /// The pipe's end to read from: readable when there are lines, and at their end.
  let output: Int32

  /// Milliseconds that a plugin has to end in.
  static let grace = 2_000

  /// Starts it in a process group of its own, so that what a script started ends with it.
  ///
  /// - Parameters:
  ///   - path: the program.
  ///   - input: a file that is its standard input; `-` is that of this process, `nil` nothing.
  ///   - errors: a descriptor for its messages; `nil` is standard error of this process.
  ///   - variables: variables of its environment; `nil` removes one.
  init(
    _ path: String, _ argument: String, input: String? = nil, errors: Int32? = nil, variables: [String: String?]
  ) throws(ToolError) {
    let source = input == "-" ? 0 : open(input ?? "/dev/null", O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw .noInput("cannot open '\(input ?? "/dev/null")'", errno) }
    defer { if source > 0 { close(source) } }
    let (reading, writing) = try makePipe()
    defer { close(writing) }
    guard
      let process = ChildProcess(
        [path, argument], input: source, output: writing, errors: errors, variables: variables, leadsGroup: true)
    else {
      let reason = describe(errno: errno)
      close(reading)
      throw .refused("cannot run '\(path)': \(reason)")
    }
    self.process = process
    self.path = path
    output = reading
  }

  deinit { close(output) }

  /// Reads the next bytes, waiting for some.
  ///
  /// - Returns: none at the end; `nil` when a signal came before there were any.
  func read() throws(ToolError) -> [UInt8]? { try readSome(output, name: "what '\(path)' prints") }

  /// How it ended; `nil` while it runs.
  func ending() -> ChildProcess.Ending? { process.hasEnded() }

  /// Tells it, and what it has started, to end.
  func terminate() { process.send(SIGTERM) }

  /// Ends it, and what it has started, at once.
  func kill() { process.send(SIGKILL) }

  /// Stops it, and what it has started.
  func stop() -> ChildProcess.Ending { process.stop(grace: Self.grace) }
}
