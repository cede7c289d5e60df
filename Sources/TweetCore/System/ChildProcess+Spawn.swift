// `environ` is a variable of C. The kit only reads it.
@preconcurrency import Libc

extension ChildProcess {
  /// Starts a program that the caller must wait for. Signals that the kit's tools catch or ignore have their default action
  /// in it, unless they were ignored when this process started (nohup(1)); no signal is blocked.
  ///
  /// - Parameters:
  ///   - command: the program, which is searched on PATH unless it has a slash, and its arguments.
  ///   - name: its `argv[0]`; `nil`: the first of `command`.
  ///   - input: its standard input; `nil` is that of this process. The same holds for `output` and `errors`.
  ///   - variables: environment variables to set; the value `nil` removes a variable.
  ///   - leadsGroup: whether it leads a process group of its own, so that signals also reach what it starts.
  /// - Returns: the process; `nil` with `errno` set when it cannot be run.
  package static func spawn(
    _ command: [String], named name: String? = nil, input: Int32? = nil, output: Int32? = nil, errors: Int32? = nil,
    variables: [String: String?] = [:], leadsGroup: Bool = false
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
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | group))
    let words = ([name ?? command[0]] + command.dropFirst()).map { strdup($0) } + [nil]
    let settings = environment(replacing: variables).map { strdup($0) } + [nil]
    defer { for word in words + settings { free(word) } }
    var process: pid_t = 0
    let result = posix_spawnp(&process, command[0], &actions, &attributes, words, settings)
    guard result == 0 else {
      errno = result
      return nil
    }
    return process
  }

  private static func environment(replacing variables: [String: String?]) -> [String] {
    var settings: [String] = []
    var next = environ
    while let entry = next.pointee {
      next += 1
      let setting = String(cString: entry)
      if variables.index(forKey: String(setting.prefix { $0 != "=" })) == nil { settings.append(setting) }
    }
    return settings + variables.compactMap { name, value in value.map { "\(name)=\($0)" } }
  }
}
