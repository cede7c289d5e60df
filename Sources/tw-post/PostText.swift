import Libc
import TweetCLI
import TweetCore
import TweetServices

/// The text of a post: where it comes from, and whether it is short enough.
enum PostText {
  enum Source {
    case word(String)
    /// There is none: pictures need none, and an edit may leave it as it is.
    case none
    case input
    /// The editor starts with this text.
    case editor(String)

    /// Hands the text on. If that fails, or throws, what a person has written in the editor is kept.
    ///
    /// - Parameter use: gives the status of the program.
    func text(_ use: (String) throws(ToolError) -> ExitStatus) throws(ToolError) -> ExitStatus {
      switch self {
      case .word(let text): return try use(PostText.trimmed(text))
      case .none: return try use("")
      case .input: return try use(PostText.readInput())
      case .editor(let text):
        let editor = try PostText.editor(of: text)
        guard let written = try PostText.written(in: editor, from: text) else {
          Diagnostics.note("nothing was posted: the text is empty or unchanged")
          return .done
        }
        do throws(ToolError) {
          let status = try use(written)
          if status == .done { editor.removeFile() } else { Diagnostics.warn("your text is in '\(editor.path)'") }
          return status
        } catch {
          if error == .readerGone { throw error }
          Diagnostics.warn("your text is in '\(editor.path)'")
          throw error
        }
      }
    }
  }

  // MARK: Reading

  /// A file for the person's editor.
  ///
  /// - Throws: `ToolError.usage` without a terminal, unless an editor is set, which may need none.
  static func editor(of text: String) throws(ToolError) -> TextEditor {
    if TextEditor.chosen == nil {
      let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
      guard terminal >= 0 else {
        throw .usage("vi needs a terminal, and there is none; VISUAL or EDITOR can name an editor that needs none")
      }
      close(terminal)
    }
    return try TextEditor(text)
  }

  /// Runs the editor.
  ///
  /// - Parameter start: what the file has.
  /// - Returns: the text; `nil` if it is empty or was not changed, and then the file is removed.
  static func written(in editor: TextEditor, from start: String) throws(ToolError) -> String? {
    // The text may come from a pipe, and the record go into one: the editor needs the terminal.
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    defer { if terminal >= 0 { close(terminal) } }
    func end(_ descriptor: Int32) -> Int32? { terminal >= 0 && isatty(descriptor) == 0 ? terminal : nil }
    let bytes = try editor.run(
      input: end(0), output: end(1), errors: nil, signals: [SIGINT], kept: "nothing was posted, and your text")
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      let fault = bytes.contains(0) ? "has a NUL character" : "is not UTF-8"
      throw .badData("the text in '\(editor.path)' \(fault); nothing was posted")
    }
    let written = trimmed(text)
    if !written.isEmpty, written != trimmed(start) { return written }
    editor.removeFile()
    return nil
  }

  /// Bytes of standard input; far above any post or thread.
  private static let longestInput = 1 << 20

  /// Standard input to its end, without the white space at its end.
  static func readInput() throws(ToolError) -> String {
    Diagnostics.noteKeyboard()
    var bytes: [UInt8] = []
    while Interruption.signal == nil, let some = try readSome(0, name: "standard input"), !some.isEmpty {
      bytes += some
      if bytes.count > longestInput { throw .badData("the text on standard input is longer than 1 MiB") }
    }
    if Interruption.signal != nil { throw .tryLater("interrupted while reading the text") }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .badData("the text on standard input is not UTF-8")
    }
    // Services cut the text there, or fail.
    if text.utf8.contains(0) { throw .badData("the text on standard input has a NUL character") }
    return trimmed(text)
  }

  /// A text without the white space at its end, and without the mark at its beginning by which some editors say that
  /// it is UTF-8.
  static func trimmed(_ text: String) -> String {
    var text = text[...]
    if text.unicodeScalars.first == "\u{FEFF}" { text = Substring(text.unicodeScalars.dropFirst()) }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }

  /// Checks that a text is short enough.
  ///
  /// - Parameter mayBeBlank: whether the post shows something else.
  /// - Throws: `ToolError.badData` with the part that is too much.
  static func check(_ text: String, _ limit: TextLimit, mayBeBlank: Bool = false) throws(ToolError) {
    if !mayBeBlank, text.allSatisfy(\.isWhitespace) { throw .badData("the text is empty") }
    let length = try limit.length(of: text)
    guard length > limit.longest else { return }
    let beyond = limit.isLong ? "" : String(text[try limit.end(of: text[...])...])
    throw .badData(
      "the text is too long: \(length) of \(limit.longest)"
        + (beyond.isEmpty ? "" : "; beyond the limit: '\(beyond)' (--thread splits it)"))
  }
}

/// How long texts may be at a service.
struct TextLimit {
  private let rules: any PostRules
  private(set) var longest: Int
  let isLong: Bool

  /// - Throws: `ToolError.usage` if no account of the service may post long texts.
  init(_ rules: any PostRules, of service: String, isLong: Bool) throws(ToolError) {
    guard let longest = rules.longestText(isLong: isLong) else {
      throw .usage("service '\(service)' has no long posts (--long)")
    }
    (self.rules, self.longest, self.isLong) = (rules, longest, isLong)
  }

  /// The same where several services are asked: long texts are for those that have them.
  static func longest(_ rules: any PostRules, of service: String, isLong: Bool) throws(ToolError) -> TextLimit {
    try TextLimit(rules, of: service, isLong: isLong && rules.longestText(isLong: true) != nil)
  }

  /// The same with a lower bound.
  func lowered(by count: Int) -> TextLimit {
    var limit = self
    limit.longest -= count
    return limit
  }

  func length(of text: String) throws(ToolError) -> Int { try rules.length(of: text) }

  /// The end of the longest beginning that is short enough; at least one character. A beginning is never longer than
  /// the whole.
  func end(of text: Substring) throws(ToolError) -> Substring.Index {
    // Of a long text no more is looked at than some posts.
    var (low, high) = (1, max(1, longest))
    while true {
      guard let end = text.index(text.startIndex, offsetBy: high, limitedBy: text.endIndex), end < text.endIndex else {
        if try fits(text) { return text.endIndex }
        high = text.count - 1
        break
      }
      guard try fits(text[..<end]) else { break }
      (low, high) = (high, 2 * high)
    }
    while low < high {
      let middle = (low + high + 1) / 2
      if try fits(text.prefix(middle)) { low = middle } else { high = middle - 1 }
    }
    return text.index(text.startIndex, offsetBy: min(low, text.count))
  }

  private func fits(_ text: Substring) throws(ToolError) -> Bool { try length(of: String(text)) <= longest }
}
