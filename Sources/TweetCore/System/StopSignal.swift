import Libc

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
