import CProcess
@preconcurrency import Libc

/// A program that this one started. It is waited for once, and ended when its owner is destroyed.
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

    /// - Parameter waitStatus: what waitpid(2) says of a process that has ended.
    package init(waitStatus: Int32) {
      let number = waitStatus & 0x7F
      self = number == 0 ? .exited(waitStatus >> 8 & 0xFF) : .killed(number)
    }

    /// The status in the kit's table; `nil` for one that is not in it.
    package var status: ExitStatus? {
      if case .exited(let code) = self { ExitStatus(rawValue: code) } else { nil }
    }
  }

  private var process: pid_t
  private let leadsGroup: Bool
  private var ending: Ending?

  /// Starts a program, as ``spawn(_:named:input:output:errors:variables:keepsCredentials:leadsGroup:leadsSession:)``
  /// does.
  ///
  /// - Returns: `nil` with `errno` set when it cannot be run.
  package init?(
    _ command: [String], named name: String? = nil, input: Int32? = nil, output: Int32? = nil, errors: Int32? = nil,
    variables: [String: String?] = [:], keepsCredentials: Bool = false, leadsGroup: Bool = false
  ) {
    let started = Self.spawn(
      command, named: name, input: input, output: output, errors: errors, variables: variables,
      keepsCredentials: keepsCredentials, leadsGroup: leadsGroup)
    guard let started else { return nil }
    process = started
    self.leadsGroup = leadsGroup
  }

  deinit {
    // The owner is destroyed early: the process may be waiting for input that does not come.
    if ending == nil { _ = Self.stop(process, target: target, grace: Self.grace) }
  }

  /// What signals are sent to: the process, or the group that it leads.
  private var target: pid_t { leadsGroup ? -process : process }

  /// Sends it a signal, unless it has been waited for.
  package func send(_ number: Int32) { if ending == nil { kill(target, number) } }

  /// Waits until it has ended.
  package mutating func wait() -> Ending {
    if let ending { return ending }
    return note(Self.waitStatus(of: process))
  }

  /// How it ended; `nil` while it runs.
  package mutating func hasEnded() -> Ending? {
    if let ending { return ending }
    return Self.waitStatusIfEnded(of: process).map { note($0) }
  }

  /// Sends SIGTERM, and SIGKILL when it has not ended after `grace` milliseconds.
  package mutating func stop(grace: Int) -> Ending {
    if let ending { return ending }
    return note(Self.stop(process, target: target, grace: grace))
  }

  /// The grace in milliseconds of a process whose owner is destroyed.
  private static let grace = 5_000
  /// Milliseconds between looks at whether it has ended.
  private static let glance: Int32 = 5

  /// - Returns: what waitpid(2) says of it.
  private static func stop(_ process: pid_t, target: pid_t, grace: Int) -> Int32 {
    let deadline = MonotonicClock.milliseconds + grace
    kill(target, SIGTERM)
    while MonotonicClock.milliseconds < deadline {
      if let status = waitStatusIfEnded(of: process) { return status }
      poll(nil, 0, glance)
    }
    kill(target, SIGKILL)
    return waitStatus(of: process)
  }

  /// Waits until it has ended.
  private static func waitStatus(of process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 { if errno != EINTR { return unknownStatus } }
    return status
  }

  /// - Returns: what waitpid(2) says of it; `nil` while it runs.
  private static func waitStatusIfEnded(of process: pid_t) -> Int32? {
    var status: Int32 = 0
    let result = waitpid(process, &status, WNOHANG)
    if result < 0, errno == ECHILD { return unknownStatus }
    return result > 0 ? status : nil
  }

  /// What is taken for the wait status of a process that another part of this one has waited for: a bug here, and never
  /// the success of that process.
  private static let unknownStatus = ExitStatus.bug.rawValue << 8

  private mutating func note(_ status: Int32) -> Ending {
    let result = Ending(waitStatus: status)
    ending = result
    return result
  }
}

// `environ` is a variable of C. The kit only reads it.

extension ChildProcess {
  /// Starts a program that the caller must wait for. Signals that the kit's tools catch or ignore have their default
  /// action in it, unless they were ignored when this process started (nohup(1)); no signal is blocked.
  ///
  /// - Parameters:
  ///   - command: the program, which is searched on PATH unless it has a slash, and its arguments.
  ///   - name: its `argv[0]`; `nil`: the first of `command`.
  ///   - input: its standard input; `nil` is that of this process, ``nothing`` is /dev/null. The same holds for
  ///     `output` and `errors`.
  ///   - variables: environment variables to set; the value `nil` removes a variable.
  ///   - keepsCredentials: whether it gets the ``credentialVariables`` of this process, which else it does not.
  ///   - leadsGroup: whether it leads a process group of its own, so that signals also reach what it starts.
  ///   - leadsSession: whether it leads a session of its own, so that what ends this process, its group or its terminal
  ///     does not reach it.
  /// - Returns: the process; `nil` with `errno` set when it cannot be run.
  package static func spawn(
    _ command: [String], named name: String? = nil, input: Int32? = nil, output: Int32? = nil, errors: Int32? = nil,
    variables: [String: String?] = [:], keepsCredentials: Bool = false, leadsGroup: Bool = false,
    leadsSession: Bool = false
  ) -> Int32? {
    var actions = SpawnFileActions()
    var attributes = SpawnAttributes()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (target, source) in [input, output, errors].enumerated() {
      switch source {
      case nil: break
      case Self.nothing?: posix_spawn_file_actions_addopen(&actions, Int32(target), "/dev/null", O_RDWR, 0)
      case let source?: posix_spawn_file_actions_adddup2(&actions, source, Int32(target))
      }
    }
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in [SIGPIPE, SIGXFSZ] { sigaddset(&defaults, number) }
    for number in [SIGINT, SIGTERM, SIGHUP] where !Interruption.isIgnored(number) { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    var mask = sigset_t()
    sigemptyset(&mask)
    posix_spawnattr_setsigmask(&attributes, &mask)
    // 0 makes a new group, whose number is the process's own.
    posix_spawnattr_setpgroup(&attributes, 0)
    let group = leadsGroup ? POSIX_SPAWN_SETPGROUP : 0
    let session = leadsSession ? tw_spawn_session : 0
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | group) | session)
    let words = ([name ?? command[0]] + command.dropFirst()).map { strdup($0) } + [nil]
    let settings = environment(replacing: variables, keepsCredentials: keepsCredentials) + [nil]
    defer { for word in words + settings { free(word) } }
    var process: pid_t = 0
    let result = posix_spawnp(&process, command[0], &actions, &attributes, words, settings)
    guard result == 0 else {
      errno = result
      return nil
    }
    return process
  }

  /// In place of a descriptor: there is nothing to read, and what is written goes nowhere.
  package static let nothing: Int32 = -1

  /// What a program has no use for that makes no requests in the name of the account: editors, browsers, commands that
  /// print secrets, decoders. A plugin has an account of its own.
  package static let credentialVariables: Set<String> = ["TW_TOKEN", "TW_TOKEN_FILE"]

  /// - Returns: copies for free(3), byte for byte: not all values are UTF-8.
  private static func environment(
    replacing variables: [String: String?], keepsCredentials: Bool
  ) -> [UnsafeMutablePointer<CChar>?] {
    var settings: [UnsafeMutablePointer<CChar>?] = []
    var next = environ
    while let entry = next.pointee {
      next += 1
      let name = String(String(cString: entry).prefix { $0 != "=" })
      let isLeftOut = !keepsCredentials && credentialVariables.contains(name)
      if variables.index(forKey: name) == nil, !isLeftOut { settings.append(strdup(entry)) }
    }
    return settings + variables.compactMap { name, value in value.map { strdup("\(name)=\($0)") } }
  }
}
