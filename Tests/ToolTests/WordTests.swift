import Foundation
import TestSupport
import Testing

/// Words for daily pipes, of the kit and of the person.
@Suite(.onOwnThread) struct WordTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func tw(_ words: String...) throws -> ToolResult { try Tool.run("tw", words, home: home) }

  private func add(_ count: Int, environment: [String: String] = [:]) throws {
    let records = (1...count).map { NumberTests.tweet($0 + 1000, "word\($0) and some more of it") }.joined()
    let added = try Tool.run("tw-cache", ["add"], stdin: ToolInput(records), environment: environment, home: home)
    #expect(added.status == 0)
  }

  @Test(arguments: ["home", "read", "thread", "search"])
  func showsItsPipe(word: String) throws {
    let text = try Package.text("libexec/" + word)
    let shown = try tw(word, "--show")
    #expect("#!/bin/sh\n" + shown.output == text && shown.status == 0)
    #expect(try tw("help", word).output == shown.output)
    #expect(try tw().lines.contains { $0.hasPrefix(word + " ") && $0.count <= 100 })
  }

  @Test func searchTakesWordsAsTheyAre() throws {
    try add(3)
    #expect(try tw("search", "word2", "more").output.contains("word2 and"))
    // What is no query is refused by tw-cache, which got it as one word.
    for words in ["$(touch gone)", "'; touch gone; '", "--db", "a\"b", "*", "`touch gone`"] {
      let result = try tw("search", words)
      #expect(result.status == 0 && result.output == "", "\(words): \(result.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: home.path + "/gone"))
  }

  @Test func threadShowsTheTweet() throws {
    try add(2)
    #expect(try tw("thread", "local:1001").output.contains("word1 and"))
    let none = try tw("thread")
    #expect(none.status != 0 && none.errors.contains("say which tweet"))
  }

  private func unread() throws -> Int {
    Int(try Tool.run("tw-cache", ["list", "--label", "unread", "--count"], home: home).lines.first ?? "") ?? -1
  }

  @Test func whatWasShownIsRead() throws {
    try add(30, environment: ["TW_NEW_LABELS": "unread"])
    let result = try tw("read", "--limit", "12")
    #expect(result.output.contains("word1 and") && !result.output.contains("word13 and"))
    #expect(try unread() == 18)
  }

  /// Of a pipe that breaks nobody has seen the rest; of a full disk nobody has seen anything.
  @Test func whatWasNotShownStaysUnread() throws {
    try add(20_000, environment: ["TW_NEW_LABELS": "unread"])
    let path = try home.write("full", "#!/bin/sh\nexec tw read --limit 20000 > /dev/full\n")
    #expect(try Tool.run("/bin/sh", [path], home: home).errors.contains("cannot write"))
    #expect(try unread() == 20_000)
    let result = try Tool.shell("tw read --limit 20000 | head -n 1", home: home)
    #expect(result.lines.count == 1)
    #expect(try unread() > 0)
  }

  /// The file has those tweets alone whose output was written.
  @Test func shownNamesOnlyWhatWasWritten() throws {
    try home.write("many.ndjson", (1...9000).map { NumberTests.tweet($0, "some words to fill the row") }.joined())
    _ = try Tool.shell("cd ~; tw-render -fline --ids --shown shown many.ndjson | head -c 400000 > seen", home: home)
    let seen = Set(
      String(decoding: try home.read("seen"), as: UTF8.self).split(separator: "\n").dropLast().compactMap {
        $0.split(separator: "\t").first.map(String.init)
      })
    let shown = String(decoding: try home.read("shown"), as: UTF8.self).split(separator: "\n").map(String.init)
    #expect(shown.count > 1000 && shown.allSatisfy(seen.contains))
  }

  // MARK: Aliases

  @Test func aliases() throws {
    let alias = #"for word; do echo "<$word>"; done; test "$1" = x && exit 3"#
    #expect(try tw("config", "alias", "each", alias).status == 0)
    #expect(try tw("each", "--show").output == alias + "\n")
    let result = try tw("each", "x", "a  b", "$(touch gone)", "*", "--show")
    #expect(result.output == "<x>\n<a  b>\n<$(touch gone)>\n<*>\n<--show>\n" && result.status == 3)
    #expect(try tw("config", "list").lines == ["alias.each = " + alias])
    #expect(try tw("config", "alias").lines == ["each = " + alias] && tw("config", "alias", "each").lines == [alias])
    // It stands in the place of a word of the kit, and never of a tool.
    #expect(try tw("config", "alias", "home", "echo mine").status == 0 && tw("home").output == "mine\n")
    #expect(try tw("home", "there").errors.contains("has no \"$1\" or \"$@\" for the word 'there'"))
    for name in ["parse", "open", "config", "help", "a b", "../x", "-x"] {
      #expect(try tw("config", "alias", "--", name, "echo no").status == 64, "\(name)")
    }
    #expect(try tw("config", "alias", "lines", "echo a\necho b").status == 64)
    #expect(
      try tw("config", "alias", "--remove", "home").status == 0 && tw("home", "--show").output.contains("tw-cache"))
    #expect(try tw("config", "alias", "--remove", "nothing").status == 66)
    #expect(try tw("config", "set", "db", "/x").status == 0 && tw("each", "--show").output == alias + "\n")
  }

  /// A program of the person's own takes precedence, as everywhere.
  @Test func aPluginIsNoWord() throws {
    let plugins = try TwTests.plugin("tw-search", "echo plugin\n")
    let result = try Tool.run(
      "tw", ["search", "x"], environment: ["PATH": plugins.path + ":/usr/bin:/bin"], home: home)
    #expect(result.output == "plugin\n")
  }
}
