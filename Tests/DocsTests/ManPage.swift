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

  /// The pages of commands.
  static let commands: [ManPage] = names.filter { $0.hasSuffix(".1") }.compactMap { try? ManPage($0) }
    .sorted { $0.subject < $1.subject }
  static let names: [String] = (try? Package.names(in: "man")) ?? []

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

  /// The numbers that have an entry in EXIT STATUS.
  var statuses: [Int32] {
    section("EXIT STATUS").filter { $0.hasPrefix(".It ") }.flatMap { line in
      line.split { !$0.isNumber }.compactMap { Int32($0) }
    }
  }

  /// The commands in EXAMPLES as a shell reads them: displayed lines, and whole displayed blocks. A command after a
  /// comment that starts with `not run:` is left out.
  var examples: [String] { shown.filter(\.isRun).map(\.text) }
  /// The same, with those that are not run.
  var displays: [String] { shown.map(\.text) }

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

  init(_ lines: [String]) {
    let display = lines.drop { !$0.hasPrefix(".Bd ") }.dropFirst().prefix { $0 != ".Ed" }
    synopsis = ManPage.options(in: display)
    entries = ManPage.entries(in: lines)
    common = ManPage.options(in: lines.drop { !$0.hasPrefix("Common option") })
  }
}
