import Libc
package import TweetCore

/// A secret as `credentials.json` keeps it: its text, or a command that prints it, such as `pass show x`.
package enum StoredSecret: Sendable, Equatable {
  case text(Secret)
  case command(String)

  /// The secret itself. A command runs in sh(1), on this process's terminal but not with its standard input, where the
  /// tool's data may come from. Its first line counts.
  ///
  /// - Parameter what: what the secret is, for messages.
  /// - Throws: `ToolError.configuration` when the command fails or prints nothing.
  package func reveal(_ what: String) throws(ToolError) -> Secret {
    switch self {
    case .text(let secret): return secret
    case .command(let command): return try Self.output(of: command, what)
    }
  }

  /// More than any token or password has.
  private static let longest = 64 << 10

  private static func output(of command: String, _ what: String) throws(ToolError) -> Secret {
    let ends = try makePipe()
    defer { close(ends.reading) }
    let started = ChildProcess(["/bin/sh", "-c", command], input: ChildProcess.nothing, output: ends.writing)
    let fault = errno
    close(ends.writing)
    guard var child = started else {
      throw .configuration("\(what): cannot run '\(command)': \(describe(errno: fault))")
    }
    let bytes = try readAll(ends.reading, name: "the output of '\(command)'", most: longest)
    if Interruption.signal != nil { throw .tryLater("interrupted while waiting for '\(command)'") }
    let ending = child.wait()
    guard ending == .exited(0) else { throw .configuration("\(what): '\(command)' ended \(ending)") }
    guard let secret = Secret(firstLineOf: bytes) else {
      throw .configuration("\(what): '\(command)' printed nothing")
    }
    return secret
  }
}

extension Secret {
  /// The first line that is not blank, without the white space around it; `nil` when there is none. A password may have
  /// spaces inside.
  package init?(firstLineOf bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    guard let line = lines.lazy.map(\.trimmed).first(where: { !$0.isEmpty }) else { return nil }
    self.init(line)
  }
}
