import Dispatch
import Libc
import Synchronization
import TweetCore

/// The command that runs against the service.
///
/// It gets a process group of its own, so that signals reach all that it has started, and with the group the terminal,
/// as a job of a shell does. Where other processes of our group read from the terminal too (`tw-local -- command |
/// less`), the command stays in our group, and the terminal sends its signals to all of them.
final class ChildCommand: Sendable {
  private let process: pid_t
  private let hasOwnGroup: Bool
  private let terminal = Terminal()
  private let waitStatus = Atomic<Int32>(0)

  /// Starts the command.
  /// - Parameters:
  ///   - variables: changes of its environment; `nil` removes a variable.
  ///   - events: gets an event when the command stops or ends.
  init(_ command: [String], variables: [String: String?], events: EventPipe) throws(ToolError) {
    let isForeground = terminal?.foreground == getpgrp()
    let takesTerminal = isForeground && isatty(1) != 0
    hasOwnGroup = takesTerminal || isatty(0) == 0
    guard let started = ChildProcess.spawn(command, variables: variables, leadsGroup: hasOwnGroup) else {
      throw .usage("cannot run '\(command[0])': \(describe(errno: errno))")
    }
    process = started
    // A command that has read from the terminal before this is stopped; `resume(after:)` continues it.
    if takesTerminal { terminal?.setForeground(process) }
    // On a thread of its own, since waiting would block one of the few threads that the service runs on.
    DispatchQueue(label: "command").async { [self] in
      var status: Int32 = 0
      while true {
        let result = waitpid(process, &status, WUNTRACED)
        if result < 0, errno == EINTR { continue }
        if result < 0 { status = ExitStatus.bug.rawValue << 8 }
        guard result > 0, status & 0xFF == 0x7F else { break }
        events.post(.commandStopped(status >> 8 & 0xFF))
      }
      waitStatus.store(status, ordering: .releasing)
      events.post(.commandEnded)
    }
  }

  /// Sends the command a signal that this process got.
  /// - Parameter isFromTerminal: whether the terminal sent it, to all of this process's group.
  func forward(_ number: Int32, isFromTerminal: Bool) {
    if hasOwnGroup {
      kill(-process, number)
      // A stopped process handles signals only after it continues.
      kill(-process, SIGCONT)
    } else if !isFromTerminal {
      kill(process, number)
    }
  }

  /// Does what a shell expects of a job whose command the terminal has stopped: stops this process too, and then
  /// continues the command, in the foreground if this process is there.
  func resume(after number: Int32) {
    guard hasOwnGroup, let terminal, number != SIGSTOP else { return }
    if number == SIGTSTP || ![process, getpgrp()].contains(terminal.foreground) { kill(0, number) }
    if terminal.foreground == getpgrp() { terminal.setForeground(process) }
    // A command that was stopped because it wanted the terminal continues only where it has it.
    if number == SIGTSTP || terminal.foreground == process { kill(-process, SIGCONT) }
  }

  /// Makes this process's group the foreground one again, after the end of the command.
  func returnTerminal() {
    if let terminal, terminal.foreground == process { terminal.setForeground(getpgrp()) }
  }

  /// How the command ended; valid after the event of its end.
  var ending: ChildProcess.Ending { ChildProcess.Ending(waitStatus: waitStatus.load(ordering: .acquiring)) }
}

/// The controlling terminal, which sends signals such as that of Ctrl-C to its foreground process group.
struct Terminal: Sendable {
  private let descriptor: Int32

  /// `nil` for a process without a terminal.
  init?() {
    let opened = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard opened >= 0 else { return nil }
    descriptor = opened
  }

  /// The process group that may read from the terminal and gets its signals.
  var foreground: pid_t { tcgetpgrp(descriptor) }

  /// Makes a process group the foreground one. A process in the background can do that too.
  func setForeground(_ group: pid_t) {
    var (set, saved) = (sigset_t(), sigset_t())
    sigemptyset(&set)
    sigaddset(&set, SIGTTOU)
    pthread_sigmask(SIG_BLOCK, &set, &saved)
    // It fails only where the terminal is gone, and then no group needs it.
    _ = tcsetpgrp(descriptor, group)
    pthread_sigmask(SIG_SETMASK, &saved, nil)
  }
}
