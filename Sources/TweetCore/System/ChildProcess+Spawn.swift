// `environ` is a variable of C. The kit only reads it.
import CProcess
@preconcurrency import Libc

extension ChildProcess {
  /// Starts a program that the caller must wait for. Signals that the kit's tools catch or ignore have their default
  /// action in it, unless they were ignored when this process started (nohup(1)); no signal is blocked.
  ///
  /// - Parameters:
  ///   - command: the program, which is searched on PATH unless it has a slash, and its arguments.
  ///   - name: its `argv[0]`; `nil`: the first of `command`.
  ///   - input: its standard input; `nil` is that of this process. The same holds for `output` and `errors`.
  ///   - variables: environment variables to set; the value `nil` removes a variable.
  ///   - keepsCredentials: whether it gets the ``credentialVariables`` of this process, which else it does not.
  ///   - leadsGroup: whether it leads a process group of its own, so that signals also reach what it starts.
  ///   - leadsSession: whether it leads a session of its own, so that what ends this process, its group or its terminal
  ///     does
  ///     not reach it.
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
