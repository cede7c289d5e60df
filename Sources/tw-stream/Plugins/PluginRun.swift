import Libc
import TweetCore
import TweetServices

/// One run of a plugin for a check: all that it prints, and how it ends.
struct PluginRun {
  /// Its whole lines, without their ends.
  private(set) var lines: [[UInt8]] = []
  private var splitter = MessageSplitter(.lines, maxMessage: mostBytes)
  private var bytes = 0
  /// How it ended by itself, or after it was told to; `nil` if it had to be killed.
  private(set) var ending: ChildProcess.Ending?

  /// More than any round of a plugin prints.
  private static let mostBytes = 64 << 20
  /// Milliseconds in which a live run comes to where it waits for more.
  private static let moment = 1_000
  /// Milliseconds between looks at whether the process has ended.
  private static let glance: Int32 = 10

  /// Runs it to its end.
  ///
  /// - Parameters:
  ///   - milliseconds: how long it may take.
  ///   - isTold: whether it is told to end (SIGTERM) when that time is over, or a moment after its first line; else it
  ///     is killed.
  init(
    _ path: String, _ argument: String, input: String?, variables: [String: String?], milliseconds: Int,
    isTold: Bool = false
  ) throws(ToolError) {
    let plugin = try PluginProcess(path, argument, input: input, variables: variables)
    var deadline = MonotonicClock.milliseconds + milliseconds
    var (wasTold, hasEnded) = (false, false)
    while ending == nil, Interruption.signal == nil {
      if MonotonicClock.milliseconds >= deadline {
        if wasTold || !isTold { break }
        plugin.terminate()
        (wasTold, deadline) = (true, MonotonicClock.milliseconds + PluginProcess.grace)
      }
      var entry = pollfd(fd: hasEnded ? -1 : plugin.output, events: Int16(POLLIN), revents: 0)
      if poll(&entry, 1, Self.glance) > 0, let bytes = try plugin.read() {
        let isFirst = isTold && !wasTold && lines.isEmpty
        hasEnded = bytes.isEmpty
        append(bytes)
        if isFirst, !lines.isEmpty { deadline = min(deadline, MonotonicClock.milliseconds + Self.moment) }
      }
      if hasEnded { ending = plugin.ending() }
    }
    if ending == nil { _ = plugin.stop() }
  }

  /// Whether something came after the last newline.
  var hasHalfLine: Bool { splitter.isMidMessage }

  private mutating func append(_ new: [UInt8]) {
    bytes += new.count
    guard bytes <= Self.mostBytes else { return }
    splitter.append(new) { piece in
      switch piece {
      case .message(let line): lines.append(Array(line))
      // Counted, as a check names lines by their numbers.
      case .keepAlive: lines.append([])
      // Not with this framing, and not below `mostBytes`.
      case .tooLong, .wrongLength: break
      }
    }
  }
}
