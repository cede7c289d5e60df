/// The links of a field `Link` of an answer, one after the other (RFC 8288 §3).
struct LinkField: Sequence, IteratorProtocol {
  private var rest: Substring

  init(_ text: String) { rest = text[...] }

  /// The next link: its target as the server spells it, and what it is to the page (`rel`), in lower case.
  mutating func next() -> (target: String, relations: [Substring])? {
    guard let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") else { return nil }
    let target = String(rest[start..<end].dropFirst())
    rest = rest[end...].dropFirst()
    var relations: [Substring]?
    while isNext(";") {
      let name = token()
      let value = isNext("=") ? isNext("\"") ? quoted() : token() : ""
      // Only the first counts (§3.3).
      if name.lowercased() == "rel", relations == nil { relations = value.lowercased().split(separator: " ") }
    }
    return (target, relations ?? [])
  }

  /// Skips white space, and the character after it if it is that one.
  private mutating func isNext(_ character: Character) -> Bool {
    rest = rest.drop(while: \.isWhitespace)
    guard rest.first == character else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func token() -> String {
    rest = rest.drop(while: \.isWhitespace)
    let token = rest.prefix { !$0.isWhitespace && !";,=".contains($0) }
    rest = rest[token.endIndex...]
    return String(token)
  }

  /// The rest of a quoted text, of which the first quotation mark was read.
  private mutating func quoted() -> String {
    var text = ""
    while let character = rest.popFirst(), character != "\"" {
      if character != "\\" { text.append(character) } else if let escaped = rest.popFirst() { text.append(escaped) }
    }
    return text
  }
}
