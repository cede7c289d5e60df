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

  /// Starts it with nothing on standard input, and in a process group of its own, so that what a script started ends with
  /// it.
  ///
  /// - Parameters:
  ///   - path: the program.
  ///   - variables: variables of its environment; `nil` removes one.
  init(_ path: String, _ argument: String, variables: [String: String?]) throws(ToolError) {
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard null >= 0 else { throw .inputOutput("cannot open '/dev/null': \(describe(errno: errno))") }
    defer { close(null) }
    let (reading, writing) = try makePipe()
    defer { close(writing) }
    guard
      let process = ChildProcess(
        [path, argument], input: null, output: writing, variables: variables, leadsGroup: true)
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

  /// Stops it, and what it has started.
  func stop() -> ChildProcess.Ending { process.stop(grace: Self.grace) }
}
