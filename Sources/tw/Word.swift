import Libc
import TweetCLI
import TweetCore

/// A word for a pipe: an alias of the person's own, or a program of the folder `libexec`.
struct Word {
  private enum Pipe {
    case alias(String)
    case file(String)
  }

  private let name: String
  private let pipe: Pipe

  /// - Returns: `nil` if `tw` knows no such word.
  init?(_ name: String) throws(ToolError) {
    if let alias = try Settings.load().aliases[name] {
      pipe = .alias(alias)
    } else if let path = Programs.word(name) {
      pipe = .file(path)
    } else {
      return nil
    }
    self.name = name
  }

  /// The names of all words.
  static func names() throws(ToolError) -> [String] {
    Set(Programs.words + (try Settings.load().aliases.keys)).sorted()
  }

  /// The lines of the pipe, without the first one, which only says that a shell reads them.
  private func text() throws(ToolError) -> String {
    switch pipe {
    case .alias(let pipe): return pipe + "\n"
    case .file(let path):
      let text = String(decoding: try StateFile.read(path) ?? [], as: UTF8.self)
      return text.hasPrefix("#!") ? String(text.drop { $0 != "\n" }.dropFirst()) : text
    }
  }

  /// What it is for, in one line: the comment that the program begins with, or the alias's pipe.
  func purpose() throws(ToolError) -> String {
    let line = String(try text().prefix { $0 != "\n" })
    return line.hasPrefix("# ") ? String(line.dropFirst(2)) : line
  }

  /// Prints the pipe, so that one can change it or learn from it.
  func show() throws(ToolError) {
    try RecordWriter.print(try text())
  }

  /// The shell that runs the pipe, as a command line.
  ///
  /// - Parameter words: those after the name. They are words of the shell's command line, never a part of its program.
  func command(_ words: [UnsafeMutablePointer<CChar>]) throws(ToolError) -> [UnsafeMutablePointer<CChar>?] {
    switch pipe {
    case .file(let path): return [strdup("sh"), strdup(path)] + words
    case .alias(let pipe):
      if let first = words.first, !pipe.contains("$") {
        throw .usage("alias '\(name)' has no \"$1\" or \"$@\" for the word '\(String(cString: first))'")
      }
      return [strdup("sh"), strdup("-c"), strdup(pipe), strdup(name)] + words
    }
  }
}
