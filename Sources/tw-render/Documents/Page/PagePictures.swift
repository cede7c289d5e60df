import TweetCore
import TweetDisplay

/// What stands beside a tweet in a page: the author's initials, in a colour that is always the same for this author.
struct PagePictures: ~Copyable {
  private var decoder = StringDecoder()

  mutating func append(_ author: AuthorFields, to output: inout ByteBuffer) {
    output.append("<span class=\"face c")
    output.append(decimal: AuthorColour(key: author.colourKey).number)
    output.append("\" aria-hidden=\"true\">")
    for name in [author.name, author.username] {
      var initials = Self.initials(of: decoder.decode(name, limit: 1024))
      if initials.isEmpty { continue }
      initials.withUTF8 { output.append(markup: $0) }
      break
    }
    output.append("</span>\n")
  }

  /// The first letters of the first and the last word.
  private static func initials(of name: UnsafeBufferPointer<UInt8>) -> String {
    let words = String(decoding: name, as: UTF8.self).split(separator: " ").compactMap { word in
      word.first.flatMap { isLetter($0) ? $0 : nil }
    }
    guard let first = words.first, let last = words.last else { return "" }
    return words.count == 1 ? first.uppercased() : first.uppercased() + last.uppercased()
  }

  /// Letters, digits and emoji; not the signs that people put around their names.
  private static func isLetter(_ character: Character) -> Bool {
    guard character.unicodeScalars.count < 12, let first = character.unicodeScalars.first else { return false }
    return character.isLetter || character.isNumber || first.properties.isEmojiPresentation
  }
}
