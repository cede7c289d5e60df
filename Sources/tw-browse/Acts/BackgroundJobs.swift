import Libc
import TweetCore

/// Commands that run meanwhile, and what is done with what each prints and when it has ended. A class: what is done may
/// start and stop others.
final class BackgroundJobs {
  /// What runs, in the order in which it was started.
  private(set) var commands: [BackgroundCommand] = []

  /// Starts commands, joined by pipes.
  /// - Parameters:
  ///   - input: what the first one reads; see ``BackgroundCommand``.
  ///   - readsOutput: whether `finish` finds what they print.
  ///   - line: takes each line that they print.
  ///   - record: takes each record that they print, where they are tools of the kit.
  ///   - finish: is called when they have ended.
  @discardableResult
  func start(
    _ commands: [Tools.Command], input: [UInt8]? = nil, reading descriptor: Int32? = nil, readsOutput: Bool = false,
    line: (([UInt8]) -> Void)? = nil, record: ((JSONDocument) -> Void)? = nil,
    finish: @escaping BackgroundCommand.Finish
  ) throws(ToolError) -> BackgroundCommand {
    let command = try BackgroundCommand(
      commands, input: input, reading: descriptor, readsOutput: readsOutput || line != nil || record != nil)
    command.takeLine = line ?? record.map { take in { if let record = try? JSONDocument($0) { take(record) } } }
    command.finish = finish
    self.commands.append(command)
    return command
  }

  var isEmpty: Bool { commands.isEmpty }

  /// For poll(2).
  var descriptors: [Int32] { commands.flatMap(\.descriptors) }

  func contains(_ command: BackgroundCommand) -> Bool { commands.contains { $0 === command } }

  /// Reads what they say, and does what is to be done with it.
  func read() {
    // What is done for one may have stopped another.
    for command in commands where contains(command) {
      let ending = command.read()
      if let takeLine = command.takeLine { command.takeLines().forEach(takeLine) }
      guard let ending, contains(command) else { continue }
      forget(command)
      command.finish?(ending, command)
    }
  }

  /// Ends a command; what was to be done then is not.
  func stop(_ command: BackgroundCommand?) {
    guard let command else { return }
    command.stop()
    forget(command)
  }

  private func forget(_ command: BackgroundCommand) { commands.removeAll { $0 === command } }
}
