import Foundation
import TestSupport
import Testing

/// A network of a tool's own, in which the tests' name server and a web server answer (`name-server.py`). In it every
/// address of IPv4, the public ones too, is this machine.
struct NameServer {
  private let home: TemporaryDirectory

  /// Whether the system lets a process make a network of its own.
  static let isAvailable: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    let unshare = "unshare --user --map-root-user --net --mount"
    process.arguments = ["-c", "\(unshare) sh -c 'ip link set lo up' && python3 -c ''"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  init() throws { home = try TemporaryDirectory() }

  /// The lines that the servers have written: `A silent.example`, `HEAD / ok.example at 93.184.216.34`.
  var lines: [String] {
    ((try? String(contentsOfFile: home.path + "/log", encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
  }

  func start(_ tool: String, _ arguments: [String], environment: [String: String] = [:]) throws -> RunningTool {
    let unshare = ["--user", "--map-root-user", "--net", "--mount"]
    let server = ["python3", "\(Package.root)/Tests/ToolTests/name-server.py", home.path + "/log"]
    return try RunningTool(
      "/usr/bin/unshare", unshare + server + [Tool.path(tool)] + arguments, environment: environment, home: home)
  }

  func run(
    _ tool: String, _ arguments: [String], stdin: String = "", environment: [String: String] = [:]
  ) throws -> ToolResult {
    let tool = try start(tool, arguments, environment: environment)
    tool.send(ToolInput(stdin))
    tool.closeInput()
    return try tool.finish()
  }

  /// Waits until the servers have written a line.
  func wait(for line: String) throws { try waitUntil { lines.contains(line) } }
}
