/// Words with spaces between them, of which those with a space stand in quotes, as in a shell.
package enum QuotedWords {
  /// - Returns: the words without their quotes; `nil` if a quote is not closed.
  package static func split(_ text: String) -> [String]? {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for letter in text {
      if letter == quote {
        quote = nil
      } else if quote == nil, letter == "'" || letter == "\"" {
        (quote, word) = (letter, word ?? "")
      } else if quote == nil, letter.isWhitespace {
        if let word { words.append(word) }
        word = nil
      } else {
        word = (word ?? "") + String(letter)
      }
    }
    if let word { words.append(word) }
    return quote == nil ? words : nil
  }
}

/// A text as one word of a shell: as it stands, or in quotes if a shell would take some of it for something else.
package func shellWord(_ text: String) -> String {
  let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "+,-./:_@%".utf8.contains($0) }
  return isPlain ? text : "'" + text.replacing("'", with: #"'\''"#) + "'"
}
