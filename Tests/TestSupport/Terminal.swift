import Foundation

/// A program in a terminal of its own: a window of tmux(1) that nobody looks at but the test.
package final class Terminal {
  package static let isAvailable = ["/usr/bin/tmux", "/usr/local/bin/tmux"].contains {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  private let home: TemporaryDirectory
  private let environment: [String: String]
  // One server for each terminal: kill-server returns before its socket is free for the next one.
  private let server = String(UUID().uuidString.prefix(8))

  /// Starts a shell command in a window of 30 lines. The window stays when the command has ended.
  package init(
    _ script: String, columns: Int = 100, environment: [String: String] = [:], home: TemporaryDirectory
  ) throws {
    self.home = home
    self.environment = environment.merging(["TMUX_TMPDIR": home.path, "TERM": "xterm-256color"]) { $1 }
    let file = "terminal-\(server).sh"
    try home.write(file, script + "\nexec sleep 600\n")
    let start = try tmux(
      "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "30", "/bin/sh", file)
    guard start.status == 0 else { throw NotInTime(description: "tmux did not start: \(start.errors)") }
  }

  deinit { hangUp() }

  /// Closes the terminal, as a lost connection does.
  package func hangUp() { _ = try? tmux("kill-server") }

  /// The lines on the screen, without empty ones at the end.
  package func screen() throws -> String { try tmux("capture-pane", "-p", "-J").output }

  /// The rows on the screen, without empty ones at the end. A line that is longer than a row has several.
  package func rows() throws -> [Substring] {
    try tmux("capture-pane", "-p").output.trimmingCharacters(in: .newlines).split(
      separator: "\n", omittingEmptySubsequences: false)
  }

  /// The rows once they have stopped changing: for longer than a program waits for what may follow an Esc.
  /// - Parameter process: the program, which must not have anything to do meanwhile: on a busy machine it may have, for
  ///   longer than that.
  package func settled(_ process: Int32? = nil) throws -> [Substring] {
    var (last, same) = ([Substring](), 0)
    while same < 4 {
      usleep(50_000)
      let isIdle = process.map(Self.isIdle) ?? true
      let now = try rows()
      same = now == last && isIdle ? same + 1 : 0
      last = now
    }
    return last
  }

  /// Whether all threads of a process wait for something, or there is none.
  private static func isIdle(_ process: Int32) -> Bool {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
    return tasks.allSatisfy { task in
      guard let stat = try? String(contentsOfFile: "/proc/\(process)/task/\(task)/stat", encoding: .utf8),
        let nameEnd = stat.lastIndex(of: ")")
      else { return true }
      return !["R", "D"].contains(stat[nameEnd...].dropFirst(2).first)
    }
  }

  /// Types text as a person would.
  package func type(_ text: String) throws { _ = try tmux("send-keys", "-l", "--", text) }

  /// Pastes text as a terminal that marks what is pasted.
  package func paste(_ text: String) throws {
    _ = try tmux("set-buffer", "--", text)
    _ = try tmux("paste-buffer", "-p")
  }

  /// Presses a key, by the name that tmux has for it: `Enter`, `Tab`, `C-d`.
  package func press(_ key: String) throws { _ = try tmux("send-keys", key) }

  /// Presses keys, one after the other.
  package func press(_ keys: [String]) throws {
    // A lone semicolon would end tmux's command.
    _ = try run(["send-keys", "--"] + keys.map { $0 == ";" ? "\\;" : $0 })
  }

  /// Gives the terminal another size.
  package func resize(columns: Int, rows: Int) throws {
    _ = try tmux("resize-window", "-x", "\(columns)", "-y", "\(rows)")
  }

  /// Waits until a text is on the screen.
  /// - Returns: the screen.
  @discardableResult
  package func wait(for text: String) throws -> String {
    try wait("'\(text)' on the screen") { $0.contains(text) }
  }

  /// Waits until the screen is as `isDone` wants it.
  @discardableResult
  package func wait(_ description: String, _ isDone: (_ screen: String) -> Bool) throws -> String {
    let deadline = Date(timeIntervalSinceNow: 60 * Sanitizer.slowness)
    while true {
      let screen = try screen()
      if isDone(screen) { return try whole(screen, isDone) }
      if Date() > deadline { throw ToolTimeout(tool: description, stdout: Array(screen.utf8), stderr: []) }
      usleep(50_000)
    }
  }

  /// The screen once it is painted: the terminal may have read the beginning of a frame alone. What passes is returned
  /// as it was.
  private func whole(_ first: String, _ isDone: (_ screen: String) -> Bool) throws -> String {
    var screen = first
    for _ in 1...5 {
      usleep(20_000)
      let next = try self.screen()
      if next == screen || !isDone(next) { break }
      screen = next
    }
    return screen
  }

  private func tmux(_ arguments: String...) throws -> ToolResult { try run(arguments) }

  private func run(_ arguments: [String]) throws -> ToolResult {
    try Tool.run("/usr/bin/env", ["tmux", "-L", server] + arguments, environment: environment, home: home)
  }
}
