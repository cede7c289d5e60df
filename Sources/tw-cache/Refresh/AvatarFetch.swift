import Libc
import TweetCLI
import TweetCore

/// tw-avatar as a child: it fetches the profile pictures of records' authors into the store beside the tweets'.
struct AvatarFetch {
  private let program: String
  private let store: String

  /// `nil` where tw-avatar is not installed: tweets can be read without pictures.
  init?(_ programs: Programs, store: String) {
    guard let path = programs.path(of: "avatar") else { return nil }
    program = path
    self.store = store
  }

  /// Hands it records and waits until it is done.
  ///
  /// - Parameters:
  ///   - input: what to read them from.
  ///   - prints: the records, with their pictures, go on to standard output.
  /// - Returns: what is wrong where it failed.
  func run(input: Int32, prints: Bool) throws(ToolError) -> String? {
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard null >= 0 else { throw .inputOutput("cannot open '/dev/null': \(describe(errno: errno))") }
    defer { close(null) }
    guard
      var child = ChildProcess(
        [program, "--quiet", "--db", store], named: "tw-avatar", input: input, output: prints ? nil : null,
        errors: Diagnostics.isQuiet ? null : nil)
    else { return "cannot run '\(program)': \(describe(errno: errno))" }
    while true {
      guard let ending = child.hasEnded() else {
        // Who was told to stop does not wait for slow servers: pictures can be fetched another time.
        if Interruption.signal != nil { return "interrupted" }
        var entry = pollfd(fd: Interruption.descriptor, events: Int16(POLLIN), revents: 0)
        poll(&entry, 1, Self.glance)
        continue
      }
      return Self.problem(ending)
    }
  }

  /// Milliseconds between looks at whether it has ended.
  private static let glance: Int32 = 10

  private static func problem(_ ending: ChildProcess.Ending) -> String? {
    // Some pictures that could not be had are none of our failures: they are tried again.
    if ending.status == .done || ending.status == .someBad { return nil }
    return "no profile pictures: tw-avatar ended \(ending)"
  }
}
