import Libc

/// The terminal that signals like Ctrl-C come from, and the process group it sends them to.
struct Terminal: Sendable {
  private let descriptor: Int32

  /// The process's controlling terminal; `nil` where it has none.
  init?() {
    let opened = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard opened >= 0 else { return nil }
    descriptor = opened
  }

  /// The group that may read and gets the keyboard's signals.
  var foreground: pid_t { tcgetpgrp(descriptor) }

  /// Makes a group the foreground one. Works also for a process that is not in the foreground itself.
  func give(to group: pid_t) {
    var (set, saved) = (sigset_t(), sigset_t())
    sigemptyset(&set)
    sigaddset(&set, SIGTTOU)
    pthread_sigmask(SIG_BLOCK, &set, &saved)
    // Fails where the terminal is gone, and with it all reason to have it.
    _ = tcsetpgrp(descriptor, group)
    pthread_sigmask(SIG_SETMASK, &saved, nil)
  }
}
