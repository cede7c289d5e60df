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
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard null >= 0 else { throw .inputOutput("cannot open '/dev/null'", errno) }
    defer { close(null) }
    let ends = try makePipe()
    defer { close(ends.reading) }
    guard var child = ChildProcess(["/bin/sh", "-c", command], input: null, output: ends.writing) else {
      let fault = errno
      close(ends.writing)
      throw .configuration("\(what): cannot run '\(command)': \(describe(errno: fault))")
    }
    close(ends.writing)
    var bytes: [UInt8] = []
    while bytes.count <= longest {
      guard let more = try readSome(ends.reading, name: "the output of '\(command)'") else {
        if Interruption.signal != nil { throw .tryLater("interrupted while waiting for '\(command)'") }
        continue
      }
      if more.isEmpty { break }
      bytes += more
    }
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
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let start = line.drop { $0.isWhitespace }
      guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { continue }
      self.init(String(start[...last]))
      return
    }
    return nil
  }
}
