import Foundation
import TestSupport
import Testing

/// A page of `man/`: the parts that the tests read.
struct ManPage: CustomTestStringConvertible, Sendable {
  /// The file's name: `tw-parse.1`.
  let name: String
  let lines: [String]

  var testDescription: String { name }
  /// What the page is about: `tw-parse`.
  var subject: String { String(name.prefix { $0 != "." }) }

  init(_ name: String) throws {
    self.name = name
    lines = try Package.text("man/" + name).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The pages of tools and of their commands.
  static let commands: [ManPage] = names.filter { $0.hasSuffix(".1") }.compactMap { try? ManPage($0) }
    .sorted { $0.subject < $1.subject }
  /// The pages of tools.
  static let tools: [ManPage] = commands.filter { $0.subject == $0.tool.subject }
  static let names: [String] = (try? Package.names(in: "man")) ?? []

  /// The page of the tool that this page is about, or about a command of: of `tw-cache-list` that of `tw-cache`.
  var tool: ManPage {
    Self.commands.filter { $0.subject != "tw" && subject.hasPrefix($0.subject + "-") }.min { $0.subject < $1.subject }
      ?? self
  }
  /// What is typed to run it: `tw-cache list`.
  var words: String {
    let name = tool.subject
    return subject == name ? name : name + " " + subject.dropFirst(name.count + 1)
  }
  /// The pages of this tool's commands.
  var parts: [ManPage] { Self.commands.filter { $0.subject.hasPrefix(subject + "-") && $0.tool.subject == subject } }

  var sections: [String] { lines.filter { $0.hasPrefix(".Sh ") }.map { String($0.dropFirst(4)) } }

  /// The lines of a section, without its heading.
  func section(_ title: String) -> [String] {
    guard let start = lines.firstIndex(of: ".Sh " + title) else { return [] }
    return Array(lines[(start + 1)...].prefix { !$0.hasPrefix(".Sh ") })
  }

  /// The one line that NAME gives after the dash.
  var purpose: String { lines.first { $0.hasPrefix(".Nd ") }.map { String($0.dropFirst(4)) } ?? "" }

  /// The entries of options in some lines of the page.
  static func entries(in lines: some Sequence<String>) -> [OptionEntry] {
    lines.filter { $0.hasPrefix(".It Fl ") }.map(OptionEntry.init)
  }

  /// The options that some lines of mdoc name, as typed: `--version`, `-h`.
  static func options(in lines: some Sequence<String>) -> Set<String> {
    Set(
      lines.flatMap { line in
        let words = line.split(separator: " ").map(String.init)
        // All names after one `.Fl` are options: `.Fl -db , -quiet .`
        var isOption = false
        return words.compactMap { word -> String? in
          if word.hasPrefix(".") && word.count > 1 || word == "Ar" || word == "Cm" { isOption = false }
          if word == "Fl" || word == ".Fl" {
            isOption = true
            return nil
          }
          return isOption && word.contains(where: \.isLetter) ? "-" + word : nil
        }
      })
  }

  /// The page's part about each subcommand, by the subcommand's name: `source add`. One heading may name several, with
  /// commas between them.
  var commands: [String: CommandEntry] {
    var parts: [(heading: String, lines: [String])] = []
    for line in section("COMMANDS") {
      if line.hasPrefix(".Ss ") {
        parts.append((String(line.dropFirst(4)), []))
      } else if !parts.isEmpty {
        parts[parts.count - 1].lines.append(line)
      }
    }
    return parts.reduce(into: [:]) { commands, part in
      for name in part.heading.components(separatedBy: " , ") { commands[name] = CommandEntry(part.lines) }
    }
  }

  /// The whole page, of a command that has no subcommands.
  var whole: CommandEntry { CommandEntry(lines, synopsis: section("SYNOPSIS")) }

  /// The numbers that have an entry in EXIT STATUS.
  var statuses: [Int32] {
    section("EXIT STATUS").filter { $0.hasPrefix(".It ") }.flatMap { line in
      line.split { !$0.isNumber }.compactMap { Int32($0) }
    }
  }

  /// The commands in EXAMPLES as a shell reads them: displayed lines, and whole displayed blocks. A command after a
  /// comment that starts with `not run:` is left out.
  var examples: [String] { shown.filter(\.isRun).map(\.text) }
  /// The same, as a terminal shows them where it is known.
  var shownExamples: [String] {
    guard var lines = renderedDisplays()?[...] else { return examples }
    return shown.compactMap { text, isRun in
      let count = text.split(separator: "\n").count
      defer { lines = lines.dropFirst(count) }
      return isRun ? lines.prefix(count).joined(separator: "\n") : nil
    }
  }
  /// The same as ``examples``, with those that are not run.
  var displays: [String] { shown.map(\.text) }

  /// The page as a terminal of 80 columns shows it, without bold and underlines; `nil` where mandoc is missing.
  func rendered() -> [String]? {
    let path = Package.root + "/man/" + name
    guard let page = try? Tool.run("/usr/bin/mandoc", ["-Tutf8", "-Owidth=80", path]) else { return nil }
    // A bold letter is the letter, a backspace, and the letter again.
    return page.output.replacing(/.\u{8}/, with: "").components(separatedBy: "\n")
  }

  /// The lines that a terminal displays in EXAMPLES, those that people copy; empty lines are left out.
  func renderedDisplays() -> [String]? {
    guard let lines = rendered(), let start = lines.firstIndex(of: "EXAMPLES") else { return nil }
    let section = lines[(start + 1)...].prefix { $0.isEmpty || $0.hasPrefix(" ") }
    return section.filter { $0.hasPrefix(Self.indent) }.map { String($0.dropFirst(Self.indent.count)) }
  }
  private static let indent = String(repeating: " ", count: 11)

  private var shown: [(text: String, isRun: Bool)] {
    var examples: [(String, Bool)] = []
    var block: [String]?
    var isRun = true
    for line in section("EXAMPLES") {
      if line.hasPrefix(#".\" not run:"#) {
        isRun = false
      } else if line.hasPrefix(".Bd ") {
        block = []
      } else if line == ".Ed" {
        if let block { examples.append((block.joined(separator: "\n"), isRun)) }
        block = nil
        isRun = true
      } else if block != nil {
        block?.append(Self.plain(line))
      } else if line.hasPrefix(".Dl ") {
        examples.append((Self.plain(String(line.dropFirst(4))), isRun))
        isRun = true
      }
    }
    return examples
  }

  private static func plain(_ text: String) -> String {
    text.replacingOccurrences(of: #"\(dq"#, with: "\"").replacingOccurrences(of: #"\(aq"#, with: "'")
      .replacingOccurrences(of: #"\e"#, with: #"\"#).replacingOccurrences(of: #"\&"#, with: "")
  }
}

/// An option's entry in a page: `.It Fl c , Fl -count Ar n`.
struct OptionEntry {
  /// How it is typed.
  let spellings: Set<String>
  /// The name of its value; `nil` if it has no value, or a fixed list of values.
  let value: String?

  init(_ line: String) {
    spellings = ManPage.options(in: [line])
    value = line.firstRange(of: " Ar ").map { String(line[$0.upperBound...].prefix { $0 != " " }) }
  }
}

/// A page's part about a subcommand. Its first display is the synopsis. The paragraph that begins with `Common option`
/// names the options that COMMON OPTIONS describes.
struct CommandEntry {
  let synopsis: Set<String>
  let entries: [OptionEntry]
  let common: Set<String>

  init(_ lines: [String], synopsis: [String]? = nil) {
    let display = Array(lines.drop { !$0.hasPrefix(".Bd ") }.dropFirst().prefix { $0 != ".Ed" })
    self.synopsis = ManPage.options(in: synopsis ?? display)
    entries = ManPage.entries(in: lines)
    // To the end of the sentence, where a macro has the full stop.
    let named = lines.drop { !$0.hasPrefix("Common option") }
    let end = named.firstIndex { $0.hasSuffix(" .") }.map { named.index(after: $0) } ?? named.endIndex
    common = ManPage.options(in: named[..<end])
  }
}
