import Libc

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
