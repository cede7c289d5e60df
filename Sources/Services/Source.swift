package import TweetCore

/// What a SOURCE operand names: where messages come from. Its service says what its words and names mean.
package enum Source: Hashable, Sendable {
  /// Posts with a hashtag; without its `#`.
  case hashtag(String)
  /// What the service has under a word: `home`.
  case timeline(String)
  /// What it has of a kind under a name: `named("user", "jack")` is `user:jack`.
  case named(String, String)
  /// One post, by its id.
  case post(String)
  /// The posts whose ids a file holds, one a line; `-` is standard input.
  case ids(String)
  /// What the program `tw-source-NAME` brings for the argument `rest`.
  case plugin(name: String, rest: String)
  /// A source of another service than the one in use: `SERVICE:SOURCE`.
  indirect case service(String, Source)

  /// Reads a SOURCE as people write it for a service.
  ///
  /// - Throws: `ToolError.usage` with what is wrong and what would be right.
  package init(_ text: String, of service: any ServiceKind) throws(ToolError) {
    let known = "a source is \(service.sourceForms), 'ids:FILE' or 'PLUGIN:REST'"
    if text.isEmpty || text == "#" { throw .usage("empty source; \(known)") }
    let colon = text.firstIndex(of: ":")
    let rest = colon.map { String(text[text.index(after: $0)...]) } ?? ""
    if text.hasPrefix("ids:") {
      if rest.isEmpty { throw .usage("'ids:' needs a file; 'ids:-' is standard input") }
      self = .ids(rest)
    } else if text.hasPrefix("post:") {
      guard let id = service.post(named: rest) else {
        throw .usage("'\(rest)' names no post of service '\(service.name)'")
      }
      self = .post(id)
    } else if let id = service.post(at: text, base: nil) {
      self = .post(id.description)
    } else if let own = try service.source(text) {
      self = own
    } else if text.hasPrefix("http://") || text.hasPrefix("https://") {
      throw .usage("'\(text)' is an address, not a source: \(known)")
    } else if let colon, Self.isProgramName(text[..<colon]) {
      self = .plugin(name: String(text[..<colon]), rest: rest)
    } else {
      throw .usage("'\(text)' is not a source: \(known)")
    }
  }

  /// The SOURCE in its normal spelling, as records name it in `feed`.
  package var feed: String {
    switch self {
    case .hashtag(let tag): "#\(tag)"
    case .timeline(let word): word
    case .named(let kind, let name): "\(kind):\(name)"
    case .post(let id): "post:\(id)"
    case .ids(let file): "ids:\(file)"
    case .plugin(let name, let rest): "\(name):\(rest)"
    case .service(let name, let source): "\(name):\(source.feed)"
    }
  }

  /// The source as its own service has it.
  package var own: Source { if case .service(_, let source) = self { source } else { self } }

  /// The hashtag, without its `#`; `nil` for another source.
  package var hashtag: String? { if case .hashtag(let tag) = self { tag } else { nil } }

  /// Whether a program brings it, and no service.
  package var isOfPlugin: Bool { if case .plugin = self { true } else { false } }

  /// Whether standard input has its posts' ids.
  package var readsInput: Bool {
    switch self {
    case .ids(let file): file == "-"
    case .plugin(_, let rest): rest == "ids:-"
    case .service(_, let source): source.readsInput
    default: false
    }
  }

  /// Whether `tw-source-NAME` could be a program: lower-case letters, digits and hyphens, a letter first.
  private static func isProgramName(_ name: Substring) -> Bool {
    guard let first = name.utf8.first, (0x61...0x7A).contains(first) else { return false }
    return name.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
  }
}
