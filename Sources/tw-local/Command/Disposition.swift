#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// sigaction(2), whose structure has another shape on each system.
enum Disposition {
  typealias Handler = @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void

  #if canImport(Glibc)
    static let coreLimit = __rlimit_resource_t(RLIMIT_CORE.rawValue)
  #else
    static let coreLimit = RLIMIT_CORE
  #endif

  static func handle(_ number: Int32, _ handler: @escaping Handler) {
    var action = sigaction()
    #if canImport(Glibc)
      action.__sigaction_handler.sa_sigaction = handler
    #else
      action.__sigaction_u.__sa_sigaction = handler
    #endif
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
