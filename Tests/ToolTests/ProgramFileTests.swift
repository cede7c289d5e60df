import Foundation
import TestSupport
import Testing

/// Several tools are one program file, which looks at the name that it is started by.
@Suite(.onOwnThread) struct ProgramFileTests {
  @Test(arguments: LinkageTests.tools)
  func eachToolIsItself(_ tool: String) throws {
    let help = try Tool.run(tool, ["--help"])
    #expect(help.output.contains(tool == "tw" ? "USAGE: tw " : "USAGE: \(tool) "))
    #expect(help.status == 0)
  }

  /// A name that a person gave, as in `ln -s tw-parse ~/bin/parse`.
  @Test func linksUnderOtherNamesAreFollowed() throws {
    let folder = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: folder.path + "/inner", withIntermediateDirectories: false)
    func link(_ name: String, to target: String) throws {
      try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/\(name)", withDestinationPath: target)
    }
    try link("parse", to: Tool.path("tw-parse"))
    try link("inner/p", to: "../parse")
    try link("q", to: "inner/p")
    for name in ["parse", "inner/p", "q"] {
      let result = try Tool.run("\(folder.path)/\(name)", ["--help"])
      #expect(result.output.contains("USAGE: tw-parse "), "\(name)")
    }
    // By PATH, argv[0] has no folder.
    let result = try Tool.run("/bin/sh", ["-c", "q --help"], environment: ["PATH": folder.path])
    #expect(result.output.contains("USAGE: tw-parse "))
  }

  @Test func theNameThatACallerGivesTakesPrecedence() throws {
    let result = try Tool.shell("exec -a tw-render \"$(command -v tw-parse)\" --help")
    #expect(result.output.contains("USAGE: tw-render "))
    // A login shell's dash, or any other word, names no tool: the file does.
    let other = try Tool.shell("exec -a -tw \"$(command -v tw-parse)\" --help")
    #expect(other.output.contains("USAGE: tw-parse "))
    let empty = try Tool.shell("exec -a '' \"$(command -v tw-cache)\" --help")
    #expect(empty.output.contains("USAGE: tw-cache "))
  }

  /// A tool copied away, as by `cp -L`, is a program of its own.
  @Test func aCopyIsTheToolOfItsName() throws {
    let folder = try TemporaryDirectory()
    for name in ["tw-render", "other"] {
      try FileManager.default.copyItem(
        atPath: URL(fileURLWithPath: Tool.path("tw-render")).resolvingSymlinksInPath().path,
        toPath: "\(folder.path)/\(name)")
    }
    #expect(try Tool.run(folder.path + "/tw-render", ["--help"]).output.contains("USAGE: tw-render "))
    let other = try Tool.run(folder.path + "/other", ["--help"])
    #expect(other.status == 64 && other.output == "")
    let tools = "tw, tw-parse, tw-cache, tw-render, tw-browse"
    #expect(
      other.errors == "other: a program of this file is chosen by its name, which must be one of: \(tools)\n")
  }

  @Test func messagesHaveTheNameOfTheTool() throws {
    let result = try Tool.run("tw-render", ["--format", "nothing"])
    #expect(result.status == 64 && result.errors.hasPrefix("tw-render: "))
  }
}
