// What the two C libraries declare in different ways. Everything else is used as `Libc` exports it.

// MARK: Sockets

#if canImport(Glibc)
  /// The type of a stream socket, for socket(2).
  package let streamSocketType = Int32(SOCK_STREAM.rawValue)
  /// The type of a datagram socket, for socket(2).
  package let datagramSocketType = Int32(SOCK_DGRAM.rawValue)
#else
  /// The type of a stream socket, for socket(2).
  package let streamSocketType = SOCK_STREAM
  /// The type of a datagram socket, for socket(2).
  package let datagramSocketType = SOCK_DGRAM
#endif

/// Whether the system's sources of host names agree that there is no such host. getaddrinfo(3) of the GNU C library
/// gives EAI_NONAME for some failures of a name server too (FORMERR, NOTIMP); the older function tells them apart.
/// - Returns: `nil` where only getaddrinfo can be asked.
package func isUnknownHost(_ name: String) -> Bool? {
  #if canImport(Glibc)
    var entry = hostent()
    var result: UnsafeMutablePointer<hostent>?
    var reason: Int32 = 0
    var buffer = [CChar](repeating: 0, count: 16 << 10)
    _ = gethostbyname2_r(name, AF_INET, &entry, &buffer, buffer.count, &result, &reason)
    return result == nil && reason == HOST_NOT_FOUND
  #else
    return nil
  #endif
}

// MARK: Clocks

#if canImport(Glibc)
  /// A clock that only goes forward, and goes on while the machine is suspended, for clock_gettime(2).
  package var monotonicClock: clockid_t { CLOCK_BOOTTIME }
#else
  /// A clock that only goes forward, and goes on while the machine is suspended, for clock_gettime(2).
  package var monotonicClock: clockid_t { CLOCK_MONOTONIC }
#endif

// MARK: Processes

#if canImport(Glibc)
  /// The file actions of posix_spawn(3), to be initialised by `posix_spawn_file_actions_init`.
  package typealias SpawnFileActions = posix_spawn_file_actions_t
  /// The attributes of posix_spawn(3), to be initialised by `posix_spawnattr_init`.
  package typealias SpawnAttributes = posix_spawnattr_t
  /// The resource number of the size of core files, for setrlimit(2).
  package let coreSizeLimit = __rlimit_resource_t(RLIMIT_CORE.rawValue)
  package let openFilesLimit = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
  /// The file actions of posix_spawn(3), to be initialised by `posix_spawn_file_actions_init`.
  package typealias SpawnFileActions = posix_spawn_file_actions_t?
  /// The attributes of posix_spawn(3), to be initialised by `posix_spawnattr_init`.
  package typealias SpawnAttributes = posix_spawnattr_t?
  /// The resource number of the size of core files, for setrlimit(2).
  package let coreSizeLimit = RLIMIT_CORE
  package let openFilesLimit = RLIMIT_NOFILE
#endif

// MARK: Files

extension stat {
  /// What is at a path; `nil` with `errno` set if nothing is, or if that cannot be said.
  /// - Parameter followsLink: whether it is what a symbolic link leads to, not the link.
  package init?(of path: String, followsLink: Bool = true) {
    self.init()
    if fstatat(AT_FDCWD, path, &self, followsLink ? 0 : AT_SYMLINK_NOFOLLOW) != 0 { return nil }
  }

  /// What a descriptor is open for.
  package init?(of descriptor: Int32) {
    self.init()
    if fstat(descriptor, &self) != 0 { return nil }
  }

  package var isFile: Bool { st_mode & S_IFMT == S_IFREG }
  package var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
  /// In bytes.
  package var size: Int { Int(st_size) }

  /// When the file's content was changed last.
  package var modificationTime: timespec {
    #if canImport(Glibc)
      st_mtim
    #else
      st_mtimespec
    #endif
  }
}

// MARK: Signals

/// What a signal handler gets when `SA_SIGINFO` is set: the signal's number, who sent it, the interrupted context.
package typealias SignalInfoHandler =
  @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void

extension sigaction {
  #if canImport(Glibc)
    /// Sets the function that a signal calls with its number.
    package mutating func setHandler(_ handler: @escaping @convention(c) (Int32) -> Void) {
      __sigaction_handler.sa_handler = handler
    }

    /// Sets the function that a signal calls; the flag `SA_SIGINFO` must be set too.
    package mutating func setInfoHandler(_ handler: @escaping SignalInfoHandler) {
      __sigaction_handler.sa_sigaction = handler
    }

    /// Sets the system's default action.
    package mutating func setDefaultHandler() { __sigaction_handler.sa_handler = SIG_DFL }

    /// Whether the signal is ignored.
    package var ignoresSignal: Bool {
      unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
  #else
    /// Sets the function that a signal calls with its number.
    package mutating func setHandler(_ handler: @escaping @convention(c) (Int32) -> Void) {
      __sigaction_u.__sa_handler = handler
    }

    /// Sets the function that a signal calls; the flag `SA_SIGINFO` must be set too.
    package mutating func setInfoHandler(_ handler: @escaping SignalInfoHandler) {
      __sigaction_u.__sa_sigaction = handler
    }

    /// Sets the system's default action.
    package mutating func setDefaultHandler() { __sigaction_u.__sa_handler = SIG_DFL }

    /// Whether the signal is ignored.
    package var ignoresSignal: Bool {
      unsafeBitCast(__sigaction_u.__sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
  #endif
}

// MARK: Threads

/// Runs a function in a new thread, which nobody joins. Signals of the process go to its other threads: one of them may
/// hold some back for a while, and what is done when they come is its business.
/// - Returns: 0, or the error number of pthread_create(3).
package func startThread(_ body: @escaping @Sendable () -> Void) -> Int32 {
  final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  let box = Unmanaged.passRetained(Box(body))
  // The new thread inherits what is blocked.
  var (all, saved) = (sigset_t(), sigset_t())
  sigfillset(&all)
  pthread_sigmask(SIG_SETMASK, &all, &saved)
  defer { pthread_sigmask(SIG_SETMASK, &saved, nil) }
  #if canImport(Glibc)
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { argument in
        argument.map { Unmanaged<Box>.fromOpaque($0).takeRetainedValue().body() }
        return nil
      }, box.toOpaque())
    if result == 0 { pthread_detach(thread) }
  #else
    var thread: pthread_t?
    let result = pthread_create(
      &thread, nil,
      { argument in
        Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    if let thread { pthread_detach(thread) }
  #endif
  if result != 0 { box.release() }
  return result
}
