import Foundation
import TestSupport
import Testing

/// The completions in the tree are those that the tools print; `.ci/check` has the shells read them.
struct CompletionTests {
  /// `tw` completes the names of other programs, which needs a file of its own making.
  static let tools = ManPage.commands.map(\.subject).filter { $0 != "tw" }

  @Test(arguments: tools, ["bash", "zsh", "fish"])
  func areThoseOfTheTool(_ tool: String, _ shell: String) throws {
    let result = try Tool.run(tool, ["--generate-completion-script", shell])
    let path = Package.root + "/" + Self.path(tool, shell)
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      try Data(result.stdout).write(to: URL(fileURLWithPath: path))
    }
    #expect(result.ending == .status(0))
    let isSame = FileManager.default.contents(atPath: path).map { Array($0) } == result.stdout
    #expect(isSame, "\(Self.path(tool, shell)) is old; RECORD=1 writes it anew")
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func thereAreNoOthers(_ shell: String) throws {
    let expected = (Self.tools + ["tw"]).map { Self.path($0, shell) }.sorted()
    #expect(try Package.names(in: "completions/" + shell).map { "completions/\(shell)/\($0)" } == expected)
  }

  static func path(_ tool: String, _ shell: String) -> String {
    switch shell {
    case "zsh": "completions/zsh/_\(tool)"
    case "fish": "completions/fish/\(tool).fish"
    default: "completions/bash/\(tool)"
    }
  }
}
