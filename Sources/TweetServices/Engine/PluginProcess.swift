import TweetCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A running plugin, and the pipe that its lines come through. A class, since feeds are copied.
final class PluginProcess {
  private var process: ChildProcess
  /// Becomes readable when there are lines, and at their end.
  let output: Int32

  /// Milliseconds that a plugin gets to end in.
  static let grace = 2_000
  /// What a Linux pipe holds.
  private static let readSize = 64 << 10

  /// Starts it: with nothing on standard input, and in a group of its own, so that what a script started ends with it.
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
    output = reading
  }

  deinit { close(output) }

  /// The next bytes, once there are some; none at the end, `nil` when it turns out that there are none yet.
  func read() -> [UInt8]? {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: Self.readSize) { room, count in
      #if canImport(Glibc)
        let got = Glibc.read(output, room.baseAddress, room.count)
      #else
        let got = Darwin.read(output, room.baseAddress, room.count)
      #endif
      if got < 0 { failure = errno }
      count = max(0, got)
    }
    return failure == EINTR || failure == EAGAIN ? nil : bytes
  }

  /// How it ended; `nil` while it runs.
  func hasEnded() -> ChildProcess.Ending? { process.hasEnded() }

  /// Ends it, and what it has started.
  func stop() -> ChildProcess.Ending { process.stop(grace: Self.grace) }
}
