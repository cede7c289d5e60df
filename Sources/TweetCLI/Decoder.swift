import Dispatch
import TweetCore

// `environ` is a variable of C; it is only read, and nothing in the kit changes it.
#if canImport(Glibc)
  @preconcurrency import Glibc
#else
  @preconcurrency import Darwin
#endif

/// A program of the system that turns an input into plain UTF-8 on its way in: a decompressor, or iconv for UTF-16.
///
/// Which one is told by the input's first bytes, never by its name. It runs as a child process, so that nothing is
/// linked for it and a second core does the work.
final class Decoder {
  /// The kinds of input that need one.
  enum Kind: CaseIterable {
    case gzip, bzip2, xz, zstd, utf16LittleEndian, utf16BigEndian

    /// The bytes that such an input starts with: RFC 1952, bzip2's and xz's formats, RFC 8878, U+FEFF.
    var magic: [UInt8] {
      switch self {
      case .gzip: [0x1F, 0x8B]
      case .bzip2: [0x42, 0x5A, 0x68]
      case .xz: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
      case .zstd: [0x28, 0xB5, 0x2F, 0xFD]
      case .utf16LittleEndian: [0xFF, 0xFE]
      case .utf16BigEndian: [0xFE, 0xFF]
      }
    }

    /// The command that decodes it from standard input to standard output.
    var command: [String] {
      switch self {
      case .gzip: ["gzip", "-dc"]
      case .bzip2: ["bzip2", "-dc"]
      case .xz: ["xz", "-dc"]
      case .zstd: ["zstd", "-dcq"]
      case .utf16LittleEndian, .utf16BigEndian: ["iconv", "-f", "UTF-16", "-t", "UTF-8"]
      }
    }
  }

  /// How many bytes tell every kind.
  static let magicLength = 6

  /// The kind that `head`, an input's first bytes, starts.
  static func kind(of head: [UInt8]) -> Kind? {
    Kind.allCases.first { head.starts(with: $0.magic) }
  }

  /// Whether bytes, perhaps too few, can start no kind.
  static func canBeNone(_ bytes: [UInt8]) -> Bool {
    !Kind.allCases.contains { kind in zip(kind.magic, bytes).allSatisfy { $0 == $1 } }
  }

  private var child: pid_t
  private let kind: Kind
  /// Where the plain bytes come from.
  let output: Int32

  /// Starts the program.
  /// - Parameters:
  ///   - kind: what the input is.
  ///   - descriptor: the input; it must stay open until the decoder is finished.
  ///   - head: bytes already taken from the input, which the program gets first; empty for a file that was put back to
  ///     its start.
  init(_ kind: Kind, descriptor: Int32, head: [UInt8], name: String) throws(ToolError) {
    self.kind = kind
    var plain: [Int32] = [-1, -1]
    var feed: [Int32] = [-1, -1]
    guard pipe(&plain) == 0, head.isEmpty || pipe(&feed) == 0 else {
      throw .inputOutput("cannot make a pipe: \(describe(errno: errno))")
    }
    for end in plain + feed where end >= 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let started = Self.spawn(kind.command, input: head.isEmpty ? descriptor : feed[0], output: plain[1])
    close(plain[1])
    if feed[0] >= 0 { close(feed[0]) }
    guard let started else {
      close(plain[0])
      if feed[1] >= 0 { close(feed[1]) }
      throw .inputOutput("cannot read \(name): it needs '\(kind.command[0])', which is not installed")
    }
    child = started
    output = plain[0]
    if !head.isEmpty { Self.pump(head, from: descriptor, to: feed[1]) }
  }

  deinit {
    close(output)
    // Not read to its end: it may be waiting for input that is long in coming.
    if child > 0 { kill(child, SIGTERM) }
    _ = wait()
  }

  /// Waits for the program, whose output was read to its end, and gives what went wrong with it.
  func finish() -> String? {
    wait() == 0 ? nil : "'\(kind.command[0])' says that the file is damaged or cut off"
  }

  private func wait() -> Int32 {
    guard child > 0 else { return 0 }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    child = 0
    return status
  }

  /// Starts a program found on PATH; standard error stays ours, and signals are as a new program expects them.
  private static func spawn(_ command: [String], input: Int32, output: Int32) -> pid_t? {
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
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in [SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP] { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var arguments = command.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    guard posix_spawnp(&child, command[0], &actions, &attributes, arguments, environ) == 0 else { return nil }
    return child
  }

  /// Copies what was taken already, and then the rest, to the program, on a thread of its own.
  private static func pump(_ head: [UInt8], from source: Int32, to sink: Int32) {
    DispatchQueue.global().async {
      defer { close(sink) }
      var failure = head.withUnsafeBufferPointer { writeAll($0, to: sink) }
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      while failure == 0 {
        let got = buffer.withUnsafeMutableBytes { read(source, $0.baseAddress, $0.count) }
        if got < 0 && errno == EINTR { continue }
        // An unreadable source ends the input early, which the program tells as damage.
        if got <= 0 { return }
        failure = buffer.withUnsafeBufferPointer { writeAll(UnsafeBufferPointer(rebasing: $0[..<got]), to: sink) }
      }
    }
  }
}
