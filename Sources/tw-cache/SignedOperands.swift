/// Operands that begin with `-`: labels that are taken away (`label -unread`), parts of a query that exclude
/// (`list tag:swift -is:retweet`). The parser would take each for a row of options of one letter, `-h` perhaps among
/// them.
enum SignedOperands {
  /// The words of a command line, with such operands after `--`.
  static func arguments(_ words: [String]) -> [String] {
    let isOperand: (String) -> Bool
    switch (words.first, words.dropFirst().first) {
    case ("label", _), ("tag", _): isOperand = isLabel
    case ("list", _), ("query", "save"): isOperand = isExclusion
    default: return words
    }
    let end = words.firstIndex(of: "--") ?? words.endIndex
    let operands = words[..<end].filter(isOperand)
    if operands.isEmpty { return words }
    return words[..<end].filter { !isOperand($0) } + ["--"] + operands + words[end...].dropFirst()
  }

  /// A sign and a letter of an option is that option.
  private static func isLabel(_ word: String) -> Bool {
    word.hasPrefix("-") && !word.hasPrefix("--") && !["-", "-q", "-h"].contains(word)
  }

  /// `-name:value`. No option has such a value, since the parser takes none that begins with `-`.
  private static func isExclusion(_ word: String) -> Bool {
    guard word.hasPrefix("-"), !word.hasPrefix("--"), let colon = word.firstIndex(of: ":") else { return false }
    let name = word[..<colon].dropFirst()
    return !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "-" || $0 == "_") }
  }
}
