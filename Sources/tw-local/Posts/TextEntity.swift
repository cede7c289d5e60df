/// A link, hashtag, mention or cashtag in a text as it was written.
struct TextEntity: Sendable, Equatable {
  enum Kind: Sendable {
    case url, hashtag, mention, cashtag
  }

  let kind: Kind
  /// Places in the text's scalars.
  let range: Range<Int>
  /// The link, or the tag or name without its mark.
  let value: String

  /// What links to this service itself start with in stored texts: its port may differ next time.
  static let ownScheme = "local://"
}

extension TextEntity {
  /// The entities of a text, in order, by a subset of twitter-text's rules: a mark counts only where no letter or digit
  /// stands before it, and links need their scheme.
  static func find(in text: String) -> [TextEntity] {
    let scalars = Array(text.unicodeScalars)
    var found: [TextEntity] = []
    var at = 0
    while at < scalars.count {
      let free = at == 0 || !Words.isPart(scalars[at - 1])
      if free, let entity = url(scalars, at) ?? tag(scalars, at) ?? mention(scalars, at) ?? cashtag(scalars, at) {
        found.append(entity)
        at = entity.range.upperBound
      } else {
        at += 1
      }
    }
    return found
  }

  private static func url(_ scalars: [Unicode.Scalar], _ at: Int) -> TextEntity? {
    guard scalars[at] == "h" || scalars[at] == "l",
      ["https://", "http://", ownScheme].contains(where: { scalars[at...].starts(with: $0.unicodeScalars) })
    else { return nil }
    var end = at
    while end < scalars.count, isURLPart(scalars[end]) { end += 1 }
    // Punctuation at the end belongs to the sentence; so does a closing parenthesis that the link did not open.
    while end > at, ".,:;!?'\")]".unicodeScalars.contains(scalars[end - 1]) {
      let link = scalars[at..<end]
      if link.last == ")", link.count(where: { $0 == "(" }) >= link.count(where: { $0 == ")" }) { break }
      end -= 1
    }
    let value = string(scalars[at..<end])
    guard !value.hasSuffix("//") else { return nil }
    return TextEntity(kind: .url, range: at..<end, value: value)
  }

  private static func isURLPart(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII && scalar.value > 0x20 && scalar.value != 0x7F && !"<>\"`{}|\\^".unicodeScalars.contains(scalar)
  }

  private static func tag(_ scalars: [Unicode.Scalar], _ at: Int) -> TextEntity? {
    guard scalars[at] == "#" || scalars[at] == "＃" else { return nil }
    // ZWNJ joins in Persian and Indic tags.
    let end = run(scalars, from: at + 1) { Words.isPart($0) || $0 == "\u{200C}" }
    let name = scalars[at + 1..<end]
    guard name.contains(where: { $0.properties.isAlphabetic }) else { return nil }
    return TextEntity(kind: .hashtag, range: at..<end, value: string(name))
  }

  private static func mention(_ scalars: [Unicode.Scalar], _ at: Int) -> TextEntity? {
    guard scalars[at] == "@" || scalars[at] == "＠" else { return nil }
    let end = run(scalars, from: at + 1) { $0.isASCII && ($0.properties.isAlphabetic || isDigit($0) || $0 == "_") }
    guard (1...15).contains(end - at - 1), end == scalars.count || scalars[end] != "@" else { return nil }
    return TextEntity(kind: .mention, range: at..<end, value: string(scalars[at + 1..<end]))
  }

  private static func cashtag(_ scalars: [Unicode.Scalar], _ at: Int) -> TextEntity? {
    guard scalars[at] == "$" else { return nil }
    let end = run(scalars, from: at + 1) { $0.isASCII && $0.properties.isAlphabetic }
    guard (1...6).contains(end - at - 1), end == scalars.count || !Words.isPart(scalars[end]) else { return nil }
    return TextEntity(kind: .cashtag, range: at..<end, value: string(scalars[at + 1..<end]))
  }

  private static func run(_ scalars: [Unicode.Scalar], from start: Int, _ holds: (Unicode.Scalar) -> Bool) -> Int {
    var end = start
    while end < scalars.count, holds(scalars[end]) { end += 1 }
    return end
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }
}
