import Foundation
import Libc
import TestSupport
import Testing

@Suite(.onOwnThread) struct TwTests {
  /// A directory with a plugin in it.
  static func plugin(_ name: String, _ script: String) throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    try directory.program(name, "#!/bin/sh\n" + script)
    return directory
  }

  @Test func listsToolsThenPlugins() throws {
    let plugins = try Self.plugin("tw-hello", "")
    try plugins.write("tw-notes.txt", "no program")
    try plugins.write("tw-plain", "not executable")
    let lines = try Tool.run("tw", environment: ["PATH": "/nonexistent:\(plugins.path)"]).lines
    #expect(lines.first?.hasPrefix("stream ") == true)
    #expect(lines.last == "hello      \(plugins.path)/tw-hello")
    // Tools, words, plugins.
    #expect(lines.count == 15 && lines[10].hasPrefix("home "))
  }

  @Test func alignsNamesAndListsOnlyNamesThatRun() throws {
    let plugins = try Self.plugin("tw-\u{4E16}\u{754C}", "")
    for name in ["tw-\u{1B}[31mred", "tw-config", "tw-help", "tw--x"] {
      try plugins.program(name, "#!/bin/sh\n")
    }
    let lines = try Tool.run("tw", environment: ["PATH": plugins.path]).lines
    let start = "\(plugins.path)/tw-"
    #expect(
      lines.dropFirst(14) == [
        "\\u{1b}[31mred  \(start)\\u{1b}[31mred", "\u{4E16}\u{754C}           \(start)\u{4E16}\u{754C}",
      ])
    #expect(lines.first?.hasPrefix("stream         Print ") == true)
  }

  @Test func aToolHasTwoNames() throws {
    let help = try Tool.run("tw", ["help", "tw-parse"], environment: ["PATH": "/nonexistent"])
    #expect(help.output.contains("USAGE: tw-parse") && help.status == 0)
    let result = try Tool.run("tw", ["tw-parse"])
    #expect(result.errors == "tw: no tool is called 'tw-parse'; did you mean 'parse'?\n" && result.status == 64)
  }

  @Test func runsAPlugin() throws {
    let plugins = try Self.plugin("tw-echo", "for word; do echo \"<$word>\"; done; cat; exit 42\n")
    let result = try Tool.run(
      "tw", ["echo", "--help", "", "a b", "--", "-x"], stdin: "in\n",
      environment: ["PATH": "\(plugins.path):/usr/bin:/bin"])
    #expect(result.output == "<--help>\n<>\n<a b>\n<-->\n<-x>\nin\n")
    #expect(result.ending == .status(42))
  }

  @Test func aPluginDoesNotReplaceATool() throws {
    let plugins = try Self.plugin("tw-parse", "echo no\n")
    let result = try Tool.run("tw", ["parse", "--version"], environment: ["PATH": "\(plugins.path):/usr/bin:/bin"])
    #expect(result.output == "0.1.0\n")
  }

  #if os(Linux)
    @Test func programsGetDefaultSignals() throws {
      // Signals 32 and 33 are the C library's own.
      let plugins = try Self.plugin(
        "tw-signals",
        """
        while read -r key value; do
          [ $key != SigIgn: ] || echo $((0x$value & 0x7fffffff))
        done < /proc/self/status

        """)
      let result = try Tool.shell(
        "trap '' PIPE; exec tw signals", environment: ["PATH": "\(Tool.directory):\(plugins.path):/usr/bin:/bin"])
      #expect(result.output == "0\n")
    }
  #endif

  @Test func helpFallsBackToTheToolsHelp() throws {
    let environment = ["PATH": "/nonexistent"]
    #expect(try Tool.run("tw", ["help", "parse"], environment: environment).output.contains("USAGE: tw-parse"))
    #expect(try Tool.run("tw", ["help"], environment: environment).output.contains("tw NAME"))
    #expect(try Tool.run("tw", ["help", "config"], environment: environment).output.contains("SUBCOMMANDS"))
    #expect(try Tool.run("tw", ["help", "nothing"], environment: environment).ending == .status(64))
    let command = try Tool.run("tw", ["help", "cache", "source", "add"], environment: environment)
    #expect(command.output.contains("USAGE: tw-cache source add"))
  }

  @Test func helpShowsThePageOfACommand() throws {
    let script = "#!/bin/sh\ncase $1 in -w) [ $2 = tw-cache-list ] || [ $2 = tw-cache ];; *) echo page $1;; esac\n"
    let programs = try TemporaryDirectory()
    try programs.program("man", script)
    let environment = ["PATH": programs.path]
    #expect(try Tool.run("tw", ["help", "cache", "list"], environment: environment).output == "page tw-cache-list\n")
    #expect(try Tool.run("tw", ["help", "tw-cache"], environment: environment).output == "page tw-cache\n")
    let other = try Tool.run("tw", ["help", "cache", "query", "show"], environment: environment)
    #expect(other.output.contains("USAGE: tw-cache query show"))
  }

  @Test func keepsSettings() throws {
    let home = try TemporaryDirectory()
    let file = ".config/tw/config"
    try home.write(file, "# mine\n\n service=x\ndb = /one\n# last\ndb = /two\n")
    func tw(_ words: String...) throws -> ToolResult { try Tool.run("tw", ["config"] + words, home: home) }

    #expect(try tw("get", "db").output == "/two\n")
    #expect(try tw("set", "db", "/three").ending == .status(0))
    #expect(try tw("set", "endpoint", "http://127.0.0.1:1").ending == .status(0))
    #expect(try tw("list").lines == ["service = x", "endpoint = http://127.0.0.1:1", "db = /three"])
    #expect(
      try String(decoding: home.read(file), as: UTF8.self)
        == "# mine\n\n service=x\ndb = /one\n# last\ndb = /three\nendpoint = http://127.0.0.1:1\n")
    #expect(try tw("unset", "db").ending == .status(0))
    #expect(try tw("get", "db").ending == .status(1))
    let mode = try FileManager.default.attributesOfItem(atPath: home.path + "/" + file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path + "/.config/tw") == ["config"])
  }

  @Test func keepsALinkToTheConfigFile() throws {
    let home = try TemporaryDirectory()
    let real = try home.write("dotfiles/tw", "# mine\n")
    let link = home.path + "/config"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real)
    let result = try Tool.run("tw", ["config", "set", "db", "/x"], environment: ["TW_CONFIG": link], home: home)
    #expect(result.ending == .status(0))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == real)
    #expect(try String(decoding: home.read("dotfiles/tw"), as: UTF8.self) == "# mine\ndb = /x\n")
  }

  @Test func reportsAFaultyFileAndLeavesIt() throws {
    let home = try TemporaryDirectory()
    let path = try home.write("config", "# fine\ncolour = red\n")
    for words in [["list"], ["set", "db", "/x"]] {
      let result = try Tool.run("tw", ["config"] + words, environment: ["TW_CONFIG": path], home: home)
      #expect(result.errors == "tw: \(path):2: no setting is called 'colour'\n")
      #expect(result.ending == .status(78))
    }
    #expect(try String(decoding: home.read("config"), as: UTF8.self) == "# fine\ncolour = red\n")
  }

  @Test func reportsADirectoryThatCannotBeMade() throws {
    let home = try TemporaryDirectory()
    try home.write("file", "")
    let path = home.path + "/file/config"
    let result = try Tool.run("tw", ["config", "set", "db", "/x"], environment: ["TW_CONFIG": path], home: home)
    #expect(result.ending == .status(73))
    #expect(result.errors.hasPrefix("tw: cannot create "))
  }
}
