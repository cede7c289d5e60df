import Foundation
import Synchronization

/// A process with live pipes: give it some input, wait until it has printed something, send it a signal, and so on.
///
/// One thread serves all three pipes whenever the test waits for something, so no amount of input or output can
/// dead-lock the two. A process that is still there at the end of the object's life is killed with all it started.
package final class RunningTool {
  package let name: String
  package let processID: Int32
  /// What it has printed so far, as far as it was waited for.
  package private(set) var stdout: [UInt8] = []
  package private(set) var stderr: [UInt8] = []

  private let home: TemporaryDirectory
  private var input: Int32
  private var output: Int32
  private var errors: Int32
  private var unsent: [UInt8] = []
  private var sent = 0
  private var closesInput = false
  private var lineStart = 0
  private var ending: Ending?
  private let test = WaitingTest.current

  /// Starts a tool. The parameters are those of ``Tool/run(_:_:stdin:environment:home:directory:stdoutPath:timeout:)``.
  package init(
    _ name: String, _ arguments: [String] = [], environment: [String: String] = [:], home: TemporaryDirectory? = nil,
    directory: String? = nil, stdoutPath: String? = nil
  ) throws {
    try WaitingTest.check(for: "running a tool")
    self.name = name
    let home = try home ?? TemporaryDirectory()
    self.home = home
    (processID, input, output, errors) = try Self.starting.withLock { _ in
      let inputPipe = try Self.pipe()
      let errorPipe = try Self.pipe()
      let outputPipe =
        if let stdoutPath {
          (read: Int32(-1), write: open(stdoutPath, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
        } else {
          try Self.pipe()
        }
      defer { for end in [inputPipe.read, outputPipe.write, errorPipe.write] { close(end) } }
      let child = try Self.spawn(
        [Tool.path(name)] + arguments, Tool.environment(home: home.path, adding: environment), directory ?? home.path,
        [inputPipe.read, outputPipe.write, errorPipe.write])
      return (child, inputPipe.write, outputPipe.read, errorPipe.read)
    }
    for end in [input, output, errors] where end >= 0 { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    test?.started(processID)
  }

  deinit {
    test?.ended(processID)
    if ending == nil {
      kill(-processID, SIGKILL)
      var status: Int32 = 0
      waitpid(processID, &status, 0)
    }
    for end in [input, output, errors] where end >= 0 { close(end) }
  }

  /// Puts bytes in line for its standard input; they go out while the test waits for something.
  package func send(_ bytes: ToolInput) {
    unsent += bytes.bytes
    pump(milliseconds: 0)
  }

  /// How many of the bytes that were sent it has not taken yet.
  package var unsentBytes: Int { unsent.count - sent }

  /// Ends its standard input after all that was sent.
  package func closeInput() {
    closesInput = true
    pump(milliseconds: 0)
  }

  /// The next line of standard output, without its newline; `nil` when there is no more.
  package func line(timeout: Double = 30) throws -> String? {
    try wait(timeout) { stdout[lineStart...].contains(0x0A) || output < 0 }
    let rest = stdout[lineStart...]
    guard let end = rest.firstIndex(of: 0x0A) else {
      lineStart = stdout.count
      return rest.isEmpty ? nil : String(decoding: rest, as: UTF8.self)
    }
    lineStart = end + 1
    return String(decoding: rest[..<end], as: UTF8.self)
  }

  /// Waits until standard error has `text` in it.
  package func waitForErrors(containing text: String, timeout: Double = 30) throws {
    try wait(timeout) { String(decoding: stderr, as: UTF8.self).contains(text) || errors < 0 }
  }

  /// Waits until standard output has `text` in it so many times, or ends.
  package func waitForOutput(containing text: String, times: Int = 1, timeout: Double = 30) throws {
    let wanted = Data(text.utf8)
    // Each byte is looked at once: what a busy tool prints may be megabytes.
    var (found, searched) = (0, 0)
    try wait(timeout) {
      let new = Data(stdout[searched...])
      var rest = new.startIndex
      while let match = new.range(of: wanted, in: rest..<new.endIndex) {
        found += 1
        rest = match.upperBound
      }
      searched += max(rest, new.count - wanted.count + 1)
      return found >= times || output < 0
    }
  }

  /// Waits until standard output has `count` newlines in it, or ends.
  package func waitForLines(_ count: Int, timeout: Double = 30) throws {
    try wait(timeout) { stdout.count { $0 == 0x0A } >= count || output < 0 }
  }

  /// Sends a signal to the process itself.
  package func signal(_ number: Int32) {
    kill(processID, number)
  }

  /// Stops reading its standard output, as `head` does.
  package func closeOutput() {
    if output >= 0 { close(output) }
    output = -1
  }

  /// The most memory it has held at once so far, in bytes. `nil` where that is not known: outside Linux, after its end,
  /// and under a sanitizer (`TW_SANITIZER`), which takes a multiple of the tool's own.
  package var peakMemory: Int? {
    guard Sanitizer.name == nil,
      let text = try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
    else { return nil }
    return line.split(separator: " ").compactMap { Int($0) }.first.map { $0 * 1024 }
  }

  /// Waits for both outputs to end and for the process, and gives what it left.
  package func finish(timeout: Double = 60) throws -> ToolResult {
    closesInput = true
    let deadline = Date(timeIntervalSinceNow: timeout * Sanitizer.slowness)
    try wait(timeout) { output < 0 && errors < 0 }
    while ending == nil {
      var status: Int32 = 0
      if waitpid(processID, &status, WNOHANG) == processID {
        test?.ended(processID)
        ending = status & 0x7F == 0 ? .status(status >> 8 & 0xFF) : .signal(status & 0x7F)
      } else {
        if Date() > deadline { try giveUp() }
        usleep(1000)
      }
    }
    return ToolResult(stdout: stdout, stderr: stderr, ending: ending ?? .status(-1))
  }

  private func wait(_ timeout: Double, until isDone: () -> Bool) throws {
    let deadline = Date(timeIntervalSinceNow: timeout * Sanitizer.slowness)
    while !isDone() {
      if Date() > deadline { try giveUp() }
      pump(milliseconds: 50)
    }
  }

  private func giveUp() throws {
    kill(-processID, SIGKILL)
    throw ToolTimeout(tool: name, stdout: stdout, stderr: stderr)
  }

  /// Moves what can be moved through the pipes, waiting at most so long for the first of them.
  private func pump(milliseconds: Int32) {
    if closesInput, sent == unsent.count, input >= 0 { end(&input) }
    var watched = [
      pollfd(fd: sent < unsent.count ? input : -1, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&watched, nfds_t(watched.count), milliseconds) > 0 else { return }
    if watched[0].revents != 0 { sendSome() }
    if watched[1].revents != 0 { Self.receive(&output, into: &stdout) }
    if watched[2].revents != 0 { Self.receive(&errors, into: &stderr) }
  }

  private func sendSome() {
    let count = unsent[sent...].withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
    if count >= 0 {
      sent += count
    } else if errno != EAGAIN && errno != EINTR {
      // The tool does not read any more, which is its right.
      sent = unsent.count
      end(&input)
    }
  }

  private static func receive(_ descriptor: inout Int32, into bytes: inout [UInt8]) {
    var piece = [UInt8](repeating: 0, count: 65_536)
    let count = read(descriptor, &piece, piece.count)
    if count > 0 {
      bytes += piece[..<count]
    } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
      close(descriptor)
      descriptor = -1
    }
  }

  private func end(_ descriptor: inout Int32) {
    close(descriptor)
    descriptor = -1
  }
}
