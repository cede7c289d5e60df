import Libc
import TweetCLI
import TweetCore

/// Records that would go to a terminal: `tw-render` shows them to the person there. Programs get the records.
enum ShownRecords {
  /// - Parameters:
  ///   - format: tw-render's.
  ///   - options: further ones for tw-render.
  ///   - body: writes records to standard output.
  static func show(
    _ format: String, _ options: [String] = [], _ body: () throws(ToolError) -> Void
  ) throws(ToolError) {
    guard isatty(1) == 1 else { return try body() }
    guard let render = Programs().path(of: "render") else {
      try body()
      return Diagnostics.noteRecords()
    }
    let pipe = try makePipe()
    let terminal = fcntl(1, F_DUPFD_CLOEXEC, 3)
    defer { close(terminal) }
    guard terminal >= 0,
      var child = ChildProcess([render, "--format", format] + options, input: pipe.reading, output: terminal)
    else {
      close(pipe.reading)
      close(pipe.writing)
      throw .inputOutput("cannot run '\(render)': \(describe(errno: errno))")
    }
    close(pipe.reading)
    dup2(pipe.writing, 1)
    close(pipe.writing)
    let result = Result { () throws(ToolError) in try body() }
    // The last writing end: tw-render's input ends, and what comes next is below what it has drawn.
    dup2(terminal, 1)
    _ = child.wait()
    try result.get()
  }
}
