// `environ` is a variable of C; it is only read, and nothing in the kit changes it.
#if canImport(Glibc)
  @preconcurrency import Glibc
#else
  @preconcurrency import Darwin
#endif

/// A program that this one started and looks after: it is waited for once, and ended when its owner goes away.
package struct ChildProcess: ~Copyable {
  /// How it ended.
  package enum Ending: Equatable, Sendable, CustomStringConvertible {
    case exited(Int32)
    /// By a signal of this number.
    case killed(Int32)

    package var description: String {
      switch self {
      case .exited(let code): "with status \(code)"
      case .killed(let signal): "by signal \(signal)"
      }
    }

    /// The row of the kit's one table that the status stands for; `nil` for statuses that are not in it.
    package var status: ExitStatus? {
      if case .exited(let code) = self { ExitStatus(rawValue: code) } else { nil }
    }
  }

  private var process: pid_t
  private let leadsGroup: Bool
  private var ending: Ending?

  /// Starts a program with signals as a new program expects them: those that the kit's tools catch or ignore are at
  /// their defaults, unless whoever started us had them ignored (nohup(1)), and none is blocked.
  ///
  /// - Parameters:
  ///   - command: the program, found on PATH unless it has a slash, and its arguments.
  ///   - name: what it sees as its own name; `nil`: the first of `command`.
  ///   - input: what becomes its standard input, `output` and `errors` likewise; `nil` leaves it ours.
  ///   - variables: what its environment has in place of ours; `nil` takes a variable out.
  ///   - leadsGroup: whether it leads a process group of its own, so that signals reach what it has started as well.
  /// - Returns: `nil`, with `errno` set, where it cannot be run.
  package init?(
    _ command: [String], named name: String? = nil, input: Int32? = nil, output: Int32? = nil, errors: Int32? = nil,
    variables: [String: String?] = [:], leadsGroup: Bool = false
  ) {
    self.leadsGroup = leadsGroup
    #if canImport(Glibc)
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #else
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (target, source) in [input, output, errors].enumerated() {
      if let source { posix_spawn_file_actions_adddup2(&actions, source, Int32(target)) }
    }
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in [SIGPIPE, SIGXFSZ] { sigaddset(&defaults, number) }
    for number in [SIGINT, SIGTERM, SIGHUP] where !Interruption.isIgnored(number) { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    var mask = sigset_t()
    sigemptyset(&mask)
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setpgroup(&attributes, 0)
    let group = leadsGroup ? POSIX_SPAWN_SETPGROUP : 0
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | group))
    var words = command.map { strdup($0) } + [nil]
    if let name {
      free(words[0])
      words[0] = strdup(name)
    }
    let settings = Self.environment(replacing: variables).map { strdup($0) } + [nil]
    defer { for word in words + settings { free(word) } }
    process = 0
    let result = posix_spawnp(&process, command[0], &actions, &attributes, words, settings)
    guard result == 0 else {
      // `deinit` runs all the same, and process 0 is everybody in our own group.
      ending = .exited(127)
      errno = result
      return nil
    }
  }

  private static func environment(replacing variables: [String: String?]) -> [String] {
    var settings: [String] = []
    var place = environ
    while let entry = place.pointee {
      place += 1
      let setting = String(cString: entry)
      if variables.index(forKey: String(setting.prefix { $0 != "=" })) == nil { settings.append(setting) }
    }
    return settings + variables.compactMap { name, value in value.map { "\(name)=\($0)" } }
  }

  deinit {
    // Its owner left early: it may be waiting for input that is long in coming.
    if ending == nil {
      kill(leadsGroup ? -process : process, SIGTERM)
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
  }

  /// Sends it a signal, unless it has been waited for.
  package func send(_ number: Int32) { if ending == nil { kill(leadsGroup ? -process : process, number) } }

  /// Waits until it has ended.
  package mutating func wait() -> Ending {
    if let ending { return ending }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return note(status)
  }

  /// How it ended; `nil` while it runs.
  package mutating func hasEnded() -> Ending? {
    if let ending { return ending }
    var status: Int32 = 0
    return waitpid(process, &status, WNOHANG) > 0 ? note(status) : nil
  }

  /// Tells it to end (SIGTERM), and kills it when it has not after `grace` milliseconds.
  package mutating func stop(grace: Int) -> Ending {
    let deadline = MonotonicClock.milliseconds + grace
    send(SIGTERM)
    while MonotonicClock.milliseconds < deadline {
      if let ending = hasEnded() { return ending }
      poll(nil, 0, Self.glance)
    }
    send(SIGKILL)
    return wait()
  }

  /// Milliseconds between looks at whether it has ended.
  private static let glance: Int32 = 5

  private mutating func note(_ status: Int32) -> Ending {
    let number = status & 0x7F
    let result = number == 0 ? Ending.exited(status >> 8 & 0xFF) : .killed(number)
    ending = result
    return result
  }
}

/// A pipe(2) whose ends no program started later inherits by accident.
///
/// - Returns: the end to read from and the end to write to, both the caller's to close.
package func makePipe() throws(ToolError) -> (reading: Int32, writing: Int32) {
  var ends: [Int32] = [-1, -1]
  guard pipe(&ends) == 0 else { throw .inputOutput("cannot make a pipe: \(describe(errno: errno))") }
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return (ends[0], ends[1])
}
