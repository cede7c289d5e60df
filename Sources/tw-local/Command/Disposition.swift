import Libc

/// sigaction(2), whose structure has another shape on each system.
enum Disposition {
  static func handle(_ number: Int32, _ handler: @escaping SignalInfoHandler) {
    var action = sigaction()
    action.setInfoHandler(handler)
    action.sa_flags = SA_SIGINFO | SA_RESTART
    sigaction(number, &action, nil)
  }

  static func setDefault(_ number: Int32) {
    signal(number, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    sigprocmask(SIG_UNBLOCK, &set, nil)
  }
}
