/// What a person does not want to see: the setting `mute`. People are written `@name`, hashtags `#tag`, words as they
/// are; several words of one entry must stand together.
package struct MuteList: Sendable, Equatable {
  /// User names, without `@`.
  package private(set) var people: [String] = []
  /// Hashtags, without `#`.
  package private(set) var tags: [String] = []
  /// Words and phrases, as they were written.
  package private(set) var phrases: [String] = []
  /// The phrases by their words, as ``Words/folded(_:)`` gives them.
  private var wordLists: [[String]] = []

  /// More entries than a person writes: each is a condition on every tweet of a list.
  private static let most = 300

  /// What a list is, for messages.
  package static let rule =
    "a list has words, \"several words\", #tags and @names, with commas between them, at most \(most)"

  /// - Parameter text: entries with commas between them, which may stand in double quotes; `nil` for another text.
  package init?(_ text: String) {
    guard let entries = Self.entries(of: text) else { return nil }
    for (entry, isQuoted) in entries {
      let rest = String(entry.dropFirst())
      let words = Words.folded(entry)
      if !isQuoted, entry.hasPrefix("@") {
        guard !rest.isEmpty, !rest.contains(where: \.isWhitespace) else { return nil }
        people.append(rest.lowercased())
      } else if !isQuoted, entry.hasPrefix("#") {
        guard !words.isEmpty, !rest.contains(where: \.isWhitespace) else { return nil }
        tags.append(rest.lowercased())
      } else {
        if words.isEmpty || entry.contains("\"") { return nil }
        phrases.append(entry)
        wordLists.append(words)
      }
    }
  }

  /// The entries without their quotes, in which a comma is text; `nil` if one is empty or a quote is not closed.
  private static func entries(of text: String) -> [(text: String, isQuoted: Bool)]? {
    var found: [(String, Bool)] = []
    var rest = text[...]
    while true {
      rest = rest.drop(while: \.isWhitespace)
      let isQuoted = rest.first == "\""
      if isQuoted {
        guard let end = rest.dropFirst().firstIndex(of: "\"") else { return nil }
        found.append((String(rest.dropFirst()[..<end]), true))
        rest = rest[end...].dropFirst().drop(while: \.isWhitespace)
        if let next = rest.first, next != "," { return nil }
      } else {
        var entry = rest.prefix { $0 != "," }
        rest = rest[entry.endIndex...]
        while entry.last?.isWhitespace == true { entry.removeLast() }
        found.append((String(entry), false))
      }
      if found.last?.0.isEmpty != false || found.count > most { return nil }
      if rest.isEmpty { return found }
      rest = rest.dropFirst()
    }
  }

  /// Whether a tweet is by one of the people or a retweet of theirs, or has one of the hashtags or phrases. What it
  /// quotes does not count.
  package func mutes(_ tweet: JSONValue) -> Bool {
    if !people.isEmpty {
      if isOfPerson(tweet["author"]) { return true }
      if let list = tweet["referenced_tweets"] {
        for inner in list.elements where inner["type"]?.equals("retweeted") == true && isOfPerson(inner["author"]) {
          return true
        }
      }
    }
    if !tags.isEmpty, let list = tweet["entities"]?["hashtags"],
      list.elements.contains(where: { $0["tag"]?.string.map { tags.contains($0.lowercased()) } ?? false })
    {
      return true
    }
    if wordLists.isEmpty { return false }
    let words = Words.folded(tweet["text"]?.string ?? "")
    return wordLists.contains { Words.contains($0, in: words) }
  }

  /// Whether a notification is of what one of the people did, or about a tweet that is muted.
  package func mutes(notification: JSONValue) -> Bool {
    isOfPerson(notification["user"]) || notification["tweet"].map { mutes($0) } == true
  }

  private func isOfPerson(_ author: JSONValue?) -> Bool {
    author?["username"]?.string.map { people.contains($0.lowercased()) } ?? false
  }
}
