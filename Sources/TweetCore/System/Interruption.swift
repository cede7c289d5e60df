import Libc
import Synchronization

/// SIGINT, SIGTERM and SIGHUP, taken note of: the tool finishes the record in hand, flushes, leaves the store and the
/// service tidy, and then dies by that signal.
package enum Interruption {
  // Read and written by a signal handler: plain atomics, set up before the handler is.
  private static let noted = Atomic<Int32>(0)
  private static let readEnd = Atomic<Int32>(-1)
  private static let writeEnd = Atomic<Int32>(-1)
  /// When the first signal came, in milliseconds of the monotonic clock.
  private static let notedAt = Atomic<Int>(0)
  /// timeout(1) sends its signal to the process and to its group, at once: that is one wish, not two.
  private static let patience = 300

  /// Starts taking note. Blocking reads then end early with EINTR when a signal comes. A signal that was ignored when
  /// the process started (as under nohup(1)) stays ignored. A second signal, some time later, ends the process at once.
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
      action.setHandler { number in Interruption.note(number) }
      // Without SA_RESTART, since a read that waits must end.
      sigaction(number, &action, nil)
    }
  }

  private static func note(_ number: Int32) {
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

  /// The signal that came, `nil` as long as none has.
  package static var signal: Int32? {
    let number = noted.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }

  /// A descriptor that becomes readable when a signal has come, for poll(2); -1 before ``install()``.
  package static var descriptor: Int32 { readEnd.load(ordering: .relaxed) }

  /// Ends the process by the signal that came, as if it had never been caught. Does nothing when none has.
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

  /// Whether a signal is ignored, as whoever started us may have wanted it.
  package static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return action.ignoresSignal
  }
}
