/// A label: a word that a person gives to tweets, to find them again. Labels differ if their bytes do.
package struct TweetLabel: Hashable, Sendable {
  /// The label of tweets that nobody has read yet. It is not a person's own: it comes by itself and goes by itself.
  package static let unread = TweetLabel(checked: "unread")

  /// More bytes than a word has.
  private static let longest = 100

  package let text: String

  /// `nil` for a text that is not a label; ``rule`` says why.
  package init?(_ text: String) {
    let isWord = text.unicodeScalars.allSatisfy { scalar in
      !scalar.properties.isWhitespace && scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
        && scalar != "," && scalar != "\""
    }
    guard isWord, !text.isEmpty, text.utf8.count <= Self.longest, !text.hasPrefix("+"), !text.hasPrefix("-") else {
      return nil
    }
    self.text = text
  }

  private init(checked text: String) { self.text = text }

  /// What a label is, for messages.
  package static let rule =
    "a label has no spaces, commas or quotes, at most \(longest) bytes, and does not begin with '+' or '-'"

  /// The labels in a list with commas between them; `nil` if one of the words is not a label.
  package static func list(_ text: String) -> [TweetLabel]? {
    var labels: [TweetLabel] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let label = TweetLabel(String(word.drop { $0 == " " })) else { return nil }
      if !labels.contains(label) { labels.append(label) }
    }
    return labels
  }
}
