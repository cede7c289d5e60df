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

/// A link of an answer of a server.
enum MastodonLink {
  /// The path and the query of a link, below the base address. No more of it counts: a server does not know how it is
  /// reached from outside, and the account's token goes to no other one.
  /// - Parameter link: an absolute address, or one without a host (RFC 8288, RFC 3986 §4.2).
  static func path(of link: String, at base: String) -> String? {
    func withoutHost(_ address: String) -> Substring {
      guard let scheme = address.firstRange(of: "://") else { return address[...] }
      return address[scheme.upperBound...].drop { $0 != "/" }
    }
    let (path, root) = (withoutHost(link), withoutHost(base))
    guard path.hasPrefix("/"), !path.hasPrefix("//") else { return nil }
    return String(path.hasPrefix(root + "/") ? path.dropFirst(root.count) : path)
  }
}
