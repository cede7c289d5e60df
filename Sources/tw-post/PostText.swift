import Libc
import TweetCLI
import TweetCore
import TwitterText

/// The text of a post: where it comes from, and whether it is short enough.
enum PostText {
  enum Source {
    case word(String)
    case input
    /// The editor starts with this text.
    case editor(String)
  }

  static let usualLimit = 280
  /// X's limit for accounts that may post long texts.
  static let longLimit = 25_000
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
    return trimmed(text)
  }

  static func trimmed(_ text: String) -> String {
    var text = text[...]
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }

  /// Checks a text by the rules of twitter-text 3.
  ///
  /// - Parameter mayBeBlank: whether the post shows something else.
  /// - Throws: `ToolError.badData` with the part that is too much.
  static func check(_ text: String, limit: Int, mayBeBlank: Bool = false) throws(ToolError) {
    let length = WeightedLength(text)
    switch length.problem {
    case .blank where mayBeBlank: return
    case .blank: throw .badData("the text is empty")
    case .forbiddenScalar: throw .badData("the text has a character that no post may have (U+FEFF, U+FFFE or U+FFFF)")
    case .tooLong, nil: break
    }
    guard length.weightedLength > limit else { return }
    let rest = Substring(text.unicodeScalars.dropFirst(length.validRange.upperBound))
    let beyond = limit == usualLimit ? String(rest) : ""
    throw .badData(
      "the text is too long: \(length.weightedLength) of \(limit)"
        + (beyond.isEmpty ? "" : "; beyond the limit: '\(beyond)' (--thread splits it)"))
  }
}
