import Dispatch
import Libc
import Synchronization
import TweetCore

/// The command that is run against the service.
///
/// It gets a process group of its own, so that a signal sent to this process reaches all that the command has started,
/// and with it the terminal, as a job of a shell does. Where the terminal is to be read by this process's neighbours too
/// (`tw-local -- command | less`) all stay in one group, which the terminal itself sends its signals to.
final class ChildCommand: Sendable {
  private let process: pid_t
  private let hasOwnGroup: Bool
  private let terminal = Terminal()
  private let waitStatus = Atomic<Int32>(0)

  /// Starts it; `events` is told when it has ended.
  ///
  /// - Parameter variables: what its environment has in place of ours; `nil` takes a variable out.
  init(_ command: [String], variables: [String: String?], events: EventPipe) throws(ToolError) {
    let isForeground = terminal?.foreground == getpgrp()
    let takesTerminal = isForeground && isatty(1) != 0
    hasOwnGroup = takesTerminal || isatty(0) == 0
    guard let started = ChildProcess.spawn(command, variables: variables, leadsGroup: hasOwnGroup) else {
      throw .usage("cannot run '\(command[0])': \(describe(errno: errno))")
    }
    process = started
    // Should it have read before, it was stopped, and goes on when that is told.
    if takesTerminal { terminal?.give(to: process) }
    // A thread of its own, since waiting would block one of the few that the service runs on.
    DispatchQueue(label: "command").async { [self] in
      var status: Int32 = 0
      while true {
        let found = waitpid(process, &status, WUNTRACED)
        if found < 0, errno == EINTR { continue }
        guard found > 0, status & 0xFF == 0x7F else { break }
        events.tell(.commandStopped(status >> 8 & 0xFF))
      }
      waitStatus.store(status, ordering: .releasing)
      events.tell(.commandEnded)
    }
  }

  /// Passes a signal on that has come to this process.
  /// - Parameter isFromTerminal: whether the terminal sent it, to all of this process's group.
  func send(_ number: Int32, isFromTerminal: Bool) {
    if hasOwnGroup {
      kill(-process, number)
      // What is stopped takes no signal before it goes on.
      kill(-process, SIGCONT)
    } else if !isFromTerminal {
      kill(process, number)
    }
  }

  /// Does what a shell expects of a job whose command was stopped by the terminal: stops, too, and has the command go on
  /// afterwards, in the foreground if this process is there.
  func wasStopped(by number: Int32) {
    guard hasOwnGroup, let terminal, number != SIGSTOP else { return }
    if number == SIGTSTP || ![process, getpgrp()].contains(terminal.foreground) { kill(0, number) }
    if terminal.foreground == getpgrp() { terminal.give(to: process) }
    // One that wants to read goes on only where it may.
    if number == SIGTSTP || terminal.foreground == process { kill(-process, SIGCONT) }
  }

  /// Takes the terminal back after the command's end, for whoever started this process.
  func returnTerminal() {
    if let terminal, terminal.foreground == process { terminal.give(to: getpgrp()) }
  }

  /// How it ended; to be asked only after `events` was told.
  var ending: ChildProcess.Ending { ChildProcess.Ending(waitStatus: waitStatus.load(ordering: .acquiring)) }
}
