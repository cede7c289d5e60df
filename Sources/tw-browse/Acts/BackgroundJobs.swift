import Libc
import TweetCore

/// Commands that run meanwhile, and what is done when each has ended.
struct BackgroundJobs {
  typealias Finish = (ChildProcess.Ending, BackgroundCommand) -> Void

  private var running: [(command: BackgroundCommand, finish: Finish)] = []

  /// Starts commands, joined by pipes.
  /// - Parameters:
  ///   - readsOutput: whether what they print is kept.
  ///   - finish: is called by what ``takeEnded()`` returns.
  mutating func start(
    _ commands: [Tools.Command], input: [UInt8]? = nil, readsOutput: Bool = false, finish: @escaping Finish
  ) throws(ToolError) {
    running.append((try BackgroundCommand(commands, input: input, readsOutput: readsOutput), finish))
  }

  /// Adds one that runs already.
  mutating func append(_ command: BackgroundCommand, finish: @escaping Finish) { running.append((command, finish)) }

  /// What runs, in the order in which it was started.
  var commands: [BackgroundCommand] { running.map(\.command) }

  var isEmpty: Bool { running.isEmpty }

  /// For poll(2).
  var descriptors: [Int32] { running.flatMap { $0.command.descriptors } }

  /// Reads what they say, and takes out those that have ended. What is returned may start others.
  mutating func takeEnded() -> [() -> Void] {
    var (left, ended): ([(command: BackgroundCommand, finish: Finish)], [() -> Void]) = ([], [])
    for (command, finish) in running {
      if let ending = command.read() {
        ended.append { finish(ending, command) }
      } else {
        left.append((command, finish))
      }
    }
    running = left
    return ended
  }

  /// Waits until all have ended.
  func waitForAll() { for (command, _) in running { while command.read() == nil { usleep(5_000) } } }
}
