import Foundation

/// A built tool, run as a user's shell would run it, in an environment that has nothing of the caller's.
package enum Tool {
  /// The directory of the built tools: `$TW_TEST_TOOLS`, else the one this test program lies in.
  package static let directory: String = {
    if let path = ProcessInfo.processInfo.environment["TW_TEST_TOOLS"], !path.isEmpty { return path }
    // On Linux the test program lies beside the tools; on macOS it is a bundle loaded by another program.
    var candidates = Bundle.allBundles.filter { $0.bundlePath.hasSuffix(".xctest") }.map(\.bundleURL)
    candidates.append(Bundle.main.bundleURL.appendingPathComponent("x"))
    if let path = Bundle.main.executableURL { candidates.append(path) }
    candidates.append(URL(fileURLWithPath: CommandLine.arguments[0]))
    let directories = candidates.map { $0.deletingLastPathComponent().resolvingSymlinksInPath().path }
    let found = directories.first { FileManager.default.isExecutableFile(atPath: $0 + "/tw") } ?? directories[0]
    let links = Process()
    links.executableURL = URL(fileURLWithPath: Package.root + "/packaging/links")
    links.arguments = [found]
    do { try links.run() } catch { fatalError("the tools' links cannot be made: \(error)") }
    links.waitUntilExit()
    if links.terminationStatus != 0 { fatalError("the tools' links cannot be made") }
    return found
  }()

  /// The absolute path of a tool, or of any program whose name has a slash in it.
  package static func path(_ name: String) -> String {
    name.contains("/") ? name : directory + "/" + name
  }

  /// What every run starts with: the tools first on PATH, UTC, UTF-8, a home of its own, none of the caller's variables
  /// but those of the sanitizers, which tools may be built with.
  package static func environment(home: String, adding variables: [String: String] = [:]) -> [String: String] {
    var base = [
      "PATH": directory + ":/usr/local/bin:/usr/bin:/bin", "HOME": home, "TMPDIR": home, "TZ": "UTC",
      "LC_ALL": "C.UTF-8",
    ]
    for name in ["ASAN_OPTIONS", "TSAN_OPTIONS"] { base[name] = ProcessInfo.processInfo.environment[name] }
    return base.merging(variables) { $1 }
  }

  /// Runs a tool to its end.
  /// - Parameters:
  ///   - name: a tool's name, or the path of any program.
  ///   - stdin: what it reads; it sees the end of it.
  ///   - environment: variables added to (or put in place of) those of ``environment(home:adding:)``.
  ///   - home: its HOME, where it keeps config, data and state; a new one when `nil`. Pass one to several runs to have
  ///     them share these.
  ///   - directory: its working directory; the home when `nil`.
  ///   - stdoutPath: a file that gets standard output, `/dev/full` for example; captured when `nil`.
  ///   - timeout: seconds until it and all it started are killed and ``ToolTimeout`` is thrown.
  package static func run(
    _ name: String, _ arguments: [String] = [], stdin: ToolInput = "", environment: [String: String] = [:],
    home: TemporaryDirectory? = nil, directory: String? = nil, stdoutPath: String? = nil, timeout: Double = 60
  ) throws -> ToolResult {
    let tool = try RunningTool(
      name, arguments, environment: environment, home: home, directory: directory, stdoutPath: stdoutPath)
    tool.send(stdin)
    tool.closeInput()
    return try tool.finish(timeout: timeout)
  }

  /// Runs a shell script, the tools on its PATH; pipelines are written as users write them.
  package static func shell(
    _ script: String, stdin: ToolInput = "", environment: [String: String] = [:], home: TemporaryDirectory? = nil,
    directory: String? = nil, timeout: Double = 60
  ) throws -> ToolResult {
    try run(
      "/bin/bash", ["-c", script], stdin: stdin, environment: environment, home: home, directory: directory,
      timeout: timeout)
  }
}

/// Bytes for a tool's standard input, written as text or as bytes.
package struct ToolInput: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, Sendable {
  package var bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }
  package init(_ text: String) { bytes = Array(text.utf8) }
  package init(stringLiteral text: String) { bytes = Array(text.utf8) }
}

/// How a process ended.
package enum Ending: Equatable, Sendable, CustomStringConvertible {
  case status(Int32)
  case signal(Int32)

  package var description: String {
    switch self {
    case .status(let number): "\(number)"
    case .signal(let number): "signal \(number)"
    }
  }
}

/// What a process left behind.
package struct ToolResult: Sendable {
  package var stdout: [UInt8]
  package var stderr: [UInt8]
  package var ending: Ending

  /// Standard output as text.
  package var output: String { String(decoding: stdout, as: UTF8.self) }
  /// Standard error as text.
  package var errors: String { String(decoding: stderr, as: UTF8.self) }
  /// The lines of standard output, without their newlines.
  package var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: true).map(String.init) }
  /// The exit status; `nil` when a signal ended it.
  package var status: Int32? {
    if case .status(let number) = ending { number } else { nil }
  }
}

/// A process did not do in time what a test waited for. It has been killed.
package struct ToolTimeout: Error, CustomStringConvertible {
  package var tool: String
  package var stdout: [UInt8]
  package var stderr: [UInt8]

  package var description: String {
    """
    \(tool) took too long; its output so far:
    \(String(decoding: stdout.suffix(6000), as: UTF8.self))
    \(String(decoding: stderr.suffix(2000), as: UTF8.self))
    """
  }
}
