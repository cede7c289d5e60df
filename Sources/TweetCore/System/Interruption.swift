import Libc
import Synchronization

/// Records SIGINT, SIGTERM and SIGHUP. A tool then finishes the current record, flushes, leaves the store and the
/// service tidy, and ends by that signal.
package enum Interruption {
  // A signal handler reads and writes these: plain atomics, initialised before the handler is installed.
  private static let noted = Atomic<Int32>(0)
  private static let readEnd = Atomic<Int32>(-1)
  private static let writeEnd = Atomic<Int32>(-1)
  /// When the first signal came, in milliseconds of the monotonic clock.
  private static let notedAt = Atomic<Int>(0)
  /// timeout(1) sends its signal to the process and to its group at once. Signals within this time count as one.
  private static let patience = 300

  /// Installs the handlers. From then on a signal ends a blocking read with EINTR. A signal that was ignored when the
  /// process started (as under nohup(1)) stays ignored. A second signal some time later ends the process at once.
  package static func install() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    readEnd.store(ends[0], ordering: .relaxed)
    writeEnd.store(ends[1], ordering: .relaxed)
    noted.store(0, ordering: .relaxed)
    notedAt.store(0, ordering: .relaxed)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      if isIgnored(number) { continue }
      var action = sigaction()
      action.setHandler { number in Interruption.record(number) }
      // Without SA_RESTART, because a blocking read must end.
      sigaction(number, &action, nil)
    }
  }

  private static func record(_ number: Int32) {
    let saved = errno
    let now = MonotonicClock.milliseconds
    if noted.load(ordering: .relaxed) == 0 {
      notedAt.store(now, ordering: .relaxed)
      noted.store(number, ordering: .relaxed)
    } else if now - notedAt.load(ordering: .relaxed) > patience {
      die(by: number)
    }
    var byte: UInt8 = 1
    _ = write(writeEnd.load(ordering: .relaxed), &byte, 1)
    errno = saved
  }

  /// The signal that came; `nil` when none has.
  package static var signal: Int32? {
    let number = noted.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }

  /// A descriptor that becomes readable when a signal has come, for poll(2); -1 before ``install()``.
  package static var descriptor: Int32 { readEnd.load(ordering: .relaxed) }

  /// Ends the process by the signal that came, with its default action. Does nothing when none has come.
  package static func dieIfInterrupted() {
    if let number = signal { die(by: number) }
  }

  /// Ends the process by a signal, with its default action, as if it had not been caught.
  package static func die(by number: Int32) {
    var action = sigaction()
    action.setDefaultHandler()
    sigaction(number, &action, nil)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    sigprocmask(SIG_UNBLOCK, &set, nil)
    kill(getpid(), number)
  }

  /// Whether the process ignores a signal, as the program that started it may have set it up.
  package static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return action.ignoresSignal
  }
}

/// Ctrl-Z, while a process has something that others wait for: it stops when it has given that back.
///
/// The kernel keeps a blocked signal until it is let through, or until SIGCONT. So nothing else must be done: no
/// handler, and a signal that the process ignores stays ignored. SIGSTOP cannot be held back.
package enum StopSignal {
  private static var signals: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGTSTP)
    // It comes when a process in the background writes to a terminal that wants that.
    sigaddset(&set, SIGTTOU)
    return set
  }

  /// Holds the signals back in this thread, the only one of the process that gets any.
  /// - Returns: false if they are held back already: then it is not for the caller to let them through.
  package static func hold() -> Bool {
    var (set, before) = (signals, sigset_t())
    pthread_sigmask(SIG_BLOCK, &set, &before)
    return sigismember(&before, SIGTSTP) == 0
  }

  /// Lets them through again. If one has come, the process stops here, until it is continued.
  package static func release() {
    var set = signals
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// Whether one of them has come and is held back.
  package static var isPending: Bool {
    var set = sigset_t()
    sigpending(&set)
    return sigismember(&set, SIGTSTP) == 1 || sigismember(&set, SIGTTOU) == 1
  }
}
