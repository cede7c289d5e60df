import Foundation
import TestSupport
import Testing

/// One folder of `Golden/<tool>/`: how the tool is run and just what it must print and end with.
///
/// Files, all optional:
///
/// - `args` (an argument a line), `stdin`, `env` (`NAME=value` a line), `setup` (a shell script that runs first, with
///   the same home, working directory and variables);
/// - `service`: a script of `Tests/TestSupport/Server/Script.swift`, for a service on a loopback port. `{base}` in
///   `args`, `stdin` and `env` becomes its address, `{host}` its host and port; in what comes out it is the other way
///   round;
/// - `stdout`, `stderr`, `status`, and `requests` of a service (a line each: method, target, body). They are empty,
///   empty, 0 and empty where they are absent; no file is empty.
///
/// All files of the folder lie in the tool's working directory. `RECORD=tw-render/html` writes anew what is expected of
/// one case, `RECORD=1` of all: review the diff.
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

  var files: [String] { Self.names(in: directory) }

  /// Whether the run writes what is expected, in place of comparing it.
  var isRecorded: Bool {
    let wanted = ProcessInfo.processInfo.environment["RECORD"] ?? ""
    return wanted == "1" || wanted.split(separator: ",").contains { $0 == testDescription }
  }

  func bytes(_ file: String) -> [UInt8] {
    FileManager.default.contents(atPath: directory + "/" + file).map { Array($0) } ?? []
  }

  func text(_ file: String) -> String { String(decoding: bytes(file), as: UTF8.self) }

  /// Compares what came out with a file, or writes it there.
  /// - Parameter usual: what is expected where there is no such file.
  func check(_ file: String, _ found: [UInt8], usual: String = "") throws {
    let path = directory + "/" + file
    if isRecorded {
      if found.elementsEqual(usual.utf8) {
        try? FileManager.default.removeItem(atPath: path)
      } else {
        try Data(found).write(to: URL(fileURLWithPath: path))
      }
      return
    }
    let expected = FileManager.default.fileExists(atPath: path) ? bytes(file) : Array(usual.utf8)
    if found != expected { Issue.record("\(Self.difference(file, expected, found))") }
  }

  /// The first lines that differ: those with `-` are expected, those with `+` came.
  private static func difference(_ file: String, _ expected: [UInt8], _ found: [UInt8]) -> String {
    let lines = [expected, found].map { $0.split(separator: 0x0A, omittingEmptySubsequences: false) }
    let changes = lines[1].difference(from: lines[0]).map { change in
      switch change {
      case .remove(let at, let line, _): (at: at, text: "-\(at + 1): \(printable(line))")
      case .insert(let at, let line, _): (at: at, text: "+\(at + 1): \(printable(line))")
      }
    }
    let shown = changes.sorted { $0.at < $1.at }.prefix(20).map(\.text)
    let rest = changes.count > shown.count ? ["and \(changes.count - shown.count) more lines"] : []
    return ([file] + shown + rest).joined(separator: "\n")
  }

  private static func printable(_ line: ArraySlice<UInt8>) -> String {
    let text = String(decoding: line, as: UTF8.self).replacing("\u{1B}", with: "\\e")
    return text.count > 400 ? text.prefix(400) + "…" : text
  }
}

@Suite(.onOwnThread) struct GoldenTests {
  @Test(arguments: GoldenCase.all)
  func golden(_ golden: GoldenCase) throws {
    let home = try TemporaryDirectory()
    // A copy, so that no run can change the case.
    let place = try TemporaryDirectory()
    for name in golden.files {
      try FileManager.default.copyItem(atPath: golden.directory + "/" + name, toPath: place.path + "/" + name)
    }
    let script = golden.text("service")
    let service = script.isEmpty ? nil : try FaultyService(script)
    let host = "127.0.0.1:\(service?.port ?? 0)"
    let named = { (text: String) in
      text.replacing("{base}", with: "http://" + host).replacing("{host}", with: host)
    }
    let plain = { (bytes: [UInt8]) -> [UInt8] in
      if service == nil { return bytes }
      let text = String(decoding: bytes, as: UTF8.self)
      return Array(text.replacing("http://" + host, with: "{base}").replacing(host, with: "{host}").utf8)
    }

    var environment: [String: String] = [:]
    for line in named(golden.text("env")).split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      environment[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
    }
    if golden.files.contains("setup") {
      let setup = try Tool.run(
        "/bin/sh", ["-e", "setup"], environment: environment, home: home, directory: place.path)
      try #require(setup.ending == .status(0), "setup failed: \(setup.errors)")
    }
    let arguments = named(golden.text("args")).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    let stdin = service == nil ? golden.bytes("stdin") : Array(named(golden.text("stdin")).utf8)
    let result = try Tool.run(
      golden.tool, arguments.map(String.init), stdin: ToolInput(stdin), environment: environment, home: home,
      directory: place.path)
    try golden.check("stdout", plain(result.stdout))
    try golden.check("stderr", plain(result.stderr))
    try golden.check("status", Array("\(result.ending)\n".utf8), usual: "0\n")
    let requests = service?.requests.map { request in
      request.target + (request.body.isEmpty ? "" : " " + request.body) + "\n"
    }
    try golden.check("requests", plain(Array((requests ?? []).joined().utf8)))
  }

  /// Every tool has some, but tw-browse, whose screens are in BrowseScreens. What is expected by default has no file.
  @Test func everyToolHasCases() {
    let tools = Set(GoldenCase.all.map(\.tool))
    #expect(
      tools == [
        "tw", "tw-auth", "tw-avatar", "tw-cache", "tw-linkcheck", "tw-local", "tw-parse", "tw-post", "tw-render",
        "tw-stream",
      ])
    for golden in GoldenCase.all {
      let empty = golden.files.filter { golden.bytes($0).isEmpty }
      #expect(empty.isEmpty && golden.text("status") != "0\n", "\(golden.testDescription)")
    }
  }
}
