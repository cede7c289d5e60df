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

  private static func die(by number: Int32) {
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
