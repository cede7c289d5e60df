import Foundation
import TestSupport
import Testing

/// A page of `man/`, as far as the tests look into it.
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

  /// The lines of a section, its heading left out.
  func section(_ title: String) -> [String] {
    guard let start = lines.firstIndex(of: ".Sh " + title) else { return [] }
    return Array(lines[(start + 1)...].prefix { !$0.hasPrefix(".Sh ") })
  }

  /// The one line that NAME gives after the dash.
  var purpose: String { lines.first { $0.hasPrefix(".Nd ") }.map { String($0.dropFirst(4)) } ?? "" }

  /// The options that have an entry of their own: `--version`, `-h`.
  var options: Set<String> {
    var options: Set<String> = []
    for line in lines where line.hasPrefix(".It Fl ") {
      let words = line.split(separator: " ").map(String.init)
      for (word, next) in zip(words, words.dropFirst()) where word == "Fl" { options.insert("-" + next) }
    }
    return options
  }

  /// The numbers that have an entry in EXIT STATUS.
  var statuses: [Int32] {
    section("EXIT STATUS").filter { $0.hasPrefix(".It ") }.flatMap { line in
      line.split { !$0.isNumber }.compactMap { Int32($0) }
    }
  }

  /// The commands in EXAMPLES as a shell gets them: displayed lines, and displayed blocks as a whole. One behind a
  /// comment that starts with `not run:` is left out.
  var examples: [String] { shown.filter(\.isRun).map(\.text) }
  /// The same with those that are not run.
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
