import Foundation
import TestSupport
import Testing

/// One folder of `Golden/<tool>/`: how the tool is run and just what it must print and end with.
///
/// Files, all optional: `args` (an argument a line), `stdin`, `env` (`NAME=value` a line), `setup` (a shell script run
/// first, with the same home, working directory and variables); `stdout`, `stderr` and `status`, which are empty, empty
/// and 0 when absent. All files of the folder lie in the tool's working directory. `RECORD=1` rewrites what is expected:
/// review the diff.
struct GoldenCase: CustomTestStringConvertible, Sendable {
  let tool: String
  let name: String

  var testDescription: String { "\(tool)/\(name)" }

  static let root = Package.root + "/Tests/ToolTests/Golden"

  static let all: [GoldenCase] = names(in: root).flatMap { tool in
    names(in: root + "/" + tool).map { GoldenCase(tool: tool, name: $0) }
  }

  private static func names(in directory: String) -> [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: directory)
    return (names ?? []).filter { !$0.hasPrefix(".") }.sorted()
  }

  var directory: String { "\(Self.root)/\(tool)/\(name)" }

  func bytes(_ file: String) -> [UInt8] {
    FileManager.default.contents(atPath: directory + "/" + file).map { Array($0) } ?? []
  }

  func lines(_ file: String) -> [String] {
    String(decoding: bytes(file), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init).dropLast()
  }

  func record(_ file: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: directory + "/" + file))
  }
}

@Suite(.onOwnThread) struct GoldenTests {
  @Test(arguments: GoldenCase.all)
  func golden(_ golden: GoldenCase) throws {
    let home = try TemporaryDirectory()
    // A copy, so that no run can change the case.
    let place = try TemporaryDirectory()
    for name in try FileManager.default.contentsOfDirectory(atPath: golden.directory) {
      try FileManager.default.copyItem(atPath: golden.directory + "/" + name, toPath: place.path + "/" + name)
    }
    var environment: [String: String] = [:]
    for line in golden.lines("env") {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      environment[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
    }
    if FileManager.default.fileExists(atPath: golden.directory + "/setup") {
      let setup = try Tool.run(
        "/bin/sh", ["-e", "setup"], environment: environment, home: home, directory: place.path)
      try #require(setup.ending == .status(0), "setup failed: \(setup.errors)")
    }
    let result = try Tool.run(
      golden.tool, golden.lines("args"), stdin: ToolInput(golden.bytes("stdin")), environment: environment,
      home: home, directory: place.path)
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      try golden.record("stdout", result.stdout)
      try golden.record("stderr", result.stderr)
      try golden.record("status", Array("\(result.ending)\n".utf8))
      return
    }
    let status = golden.lines("status").first ?? "0"
    #expect(result.output == String(decoding: golden.bytes("stdout"), as: UTF8.self))
    #expect(result.stdout == golden.bytes("stdout"))
    #expect(result.errors == String(decoding: golden.bytes("stderr"), as: UTF8.self))
    #expect("\(result.ending)" == status)
  }

  @Test func thereAreCases() {
    #expect(GoldenCase.all.count > 10)
  }
}
