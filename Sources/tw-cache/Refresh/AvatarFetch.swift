import Libc
import TweetCLI
import TweetCore

/// Runs tw-avatar as a child: it fetches the profile pictures of the records' authors into the media store.
struct AvatarFetch {
  private let program: String
  private let store: String

  /// `nil` if tw-avatar is not installed. Tweets can be read without pictures.
  init?(_ programs: Programs, store: String) {
    guard let path = programs.path(of: "avatar") else { return nil }
    program = path
    self.store = store
  }

  /// Runs it on the records in a file and waits for its end.
  ///
  /// - Parameters:
  ///   - input: a descriptor of the file, at its beginning.
  ///   - prints: whether tw-avatar prints the records, with their pictures, to standard output.
  /// - Returns: what failed; `nil` if nothing did.
  func run(input: Int32, prints: Bool) -> String? {
    guard
      var child = ChildProcess(
        [program, "--quiet", "--db", store], named: "tw-avatar", input: input,
        output: prints ? nil : ChildProcess.nothing, errors: Diagnostics.isQuiet ? ChildProcess.nothing : nil)
    else { return "cannot run '\(program)': \(describe(errno: errno))" }
    while true {
      guard let ending = child.hasEnded() else {
        // After a signal there is no wait for slow servers: the pictures can be fetched later.
        if Interruption.signal != nil { return "interrupted" }
        var entry = pollfd(fd: Interruption.descriptor, events: Int16(POLLIN), revents: 0)
        poll(&entry, 1, Self.interval)
        continue
      }
      return Self.problem(ending)
    }
  }

  /// Milliseconds between two checks whether it has ended.
  private static let interval: Int32 = 10

  private static func problem(_ ending: ChildProcess.Ending) -> String? {
    // Some pictures could not be fetched. That is not a failure of the refresh: they are tried again later.
    if ending.status == .done || ending.status == .someBad { return nil }
    return "no profile pictures: tw-avatar ended \(ending)"
  }
}
