import CTestSupport
import Foundation
import Synchronization

extension RunningTool {
  /// A tool's early end must show as a failed write here, not end the tests.
  private static let ignoresBrokenPipes: Bool = {
    Foundation.signal(SIGPIPE, SIG_IGN)
    return true
  }()

  /// One process starts at a time: a pipe made meanwhile, not yet marked as ours alone, would be inherited by the wrong
  /// tool, and its reader would wait for an end that never comes.
  static let starting = Mutex(())

  static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Foundation.pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Starts `words[0]` in a process group of its own, with default signal dispositions and just these three
  /// descriptors.
  static func spawn(
    _ words: [String], _ environment: [String: String], _ directory: String, _ descriptors: [Int32]
  ) throws -> Int32 {
    guard ignoresBrokenPipes else { return -1 }
    guard FileManager.default.isExecutableFile(atPath: words[0]) else {
      throw CocoaError(.executableNotLoadable, userInfo: [NSLocalizedDescriptionKey: "'\(words[0])' is no program"])
    }
    #if os(Linux)
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
    for (number, descriptor) in descriptors.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
    }
    // Nothing else goes on to it: neither what other tests have open, nor what these were started with.
    let others = tw_spawn_only_below(&actions, Int32(descriptors.count))
    var all = sigset_t()
    var none = sigset_t()
    sigfillset(&all)
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP | others
    posix_spawnattr_setflags(&attributes, Int16(flags))
    // posix_spawn(3) has no portable way to set the working directory; the shell becomes the tool.
    let words = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, directory] + words
    var arguments = words.map { strdup($0) } + [nil]
    var variables = environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var processID: pid_t = 0
    let result = posix_spawn(&processID, words[0], &actions, &attributes, &arguments, &variables)
    guard result == 0 else {
      throw CocoaError(
        .executableNotLoadable,
        userInfo: [NSLocalizedDescriptionKey: "cannot run \(words[0]): \(String(cString: strerror(result)))"])
    }
    return processID
  }
}
