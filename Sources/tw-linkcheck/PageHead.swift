import TweetCore

/// What the beginning of an HTML page says about it.
struct PageHead {
  /// The title, else that of `og:title`; bounded, on one line and without control characters.
  private(set) var title: String?
  /// The first refresh that a browser would follow.
  private(set) var refresh: PageRefresh?
  /// The address that the page gives itself, as it stands there.
  private(set) var canonical: String?
  /// What the page says for those who show a card of it.
  private(set) var card = PageCard()

  /// - Parameters:
  ///   - body: the beginning of the page.
  ///   - charset: of the `Content-Type` header, in lower case.
  init(_ body: [UInt8], charset: String?) {
    let text = PageCharset.decode(body, charset: charset)
    var noscriptRefresh: PageRefresh?
    text.withBytes { bytes in
      var tokens = HTMLTokens(bytes)
      var isInNoscript = false
      while let token = tokens.next() {
        switch token {
        case .title(let range):
          if title == nil { title = PageTitle.tidy(Self.resolveReferences(in: Array(bytes[range]))) }
        case .start(let tag) where tag.element == .noscript: isInNoscript = true
        case .end(.noscript): isInNoscript = false
        case .start(let tag) where tag.element == .metadata:
          guard let content = Self.value("content", of: tag) else { continue }
          if Self.value("http-equiv", of: tag)?.lowercased() == "refresh" {
            let found = PageRefresh(content)
            if isInNoscript { noscriptRefresh = noscriptRefresh ?? found } else { refresh = refresh ?? found }
          } else if let name = Self.value("property", of: tag) ?? Self.value("name", of: tag) {
            card.take(content, of: name.lowercased())
          }
        case .start(let tag) where tag.element == .relation:
          if canonical == nil, tag.holds("canonical", in: "rel") { canonical = Self.value("href", of: tag) }
        default: break
        }
      }
    }
    title = title ?? card.title
    // Browsers with scripts do not see it, unless a script does the same: X's shortener sends such a page.
    if refresh == nil, let found = noscriptRefresh, Self.hasScript(to: found.url, in: text) { refresh = found }
  }

  private static func hasScript(to url: String, in text: [UInt8]) -> Bool {
    let start = "location.replace(\""
    return [url, url.replacing("/", with: "\\/")].contains {
      text.firstRange(of: Array((start + $0 + "\"").utf8)) != nil
    }
  }

  private static func value(_ name: StaticString, of tag: HTMLTag) -> String? {
    tag.value(name).map { resolveReferences(in: Array($0), isAttribute: true) }
  }

  static func resolveReferences(in text: [UInt8], isAttribute: Bool = false) -> String {
    guard text.contains(UInt8(ascii: "&")) else { return String(decoding: text, as: UTF8.self) }
    return text.withBytes { bytes in
      var result = ByteBuffer(capacity: bytes.count)
      var at = 0
      while at < bytes.count {
        let isReference = bytes[at] == UInt8(ascii: "&")
        let length = isReference ? HTMLReference.append(bytes, at: at, isAttribute: isAttribute, to: &result) : 0
        if length == 0 { result.append(bytes[at]) }
        at += max(length, 1)
      }
      return result.string
    }
  }
}

/// What a `Refresh` header, or the `meta` element in its place, asks for: `0; url=https://a.example/`.
struct PageRefresh: Equatable {
  /// After how many seconds.
  let delay: Int
  /// As it stands there: absolute, or relative to the page.
  let url: String

  /// Whether it is a redirect. A page that stays for longer is one to read.
  var isRedirect: Bool { delay <= 5 }

  /// Reads it by the HTML standard's rules (shared declarative refresh steps).
  /// - Returns: `nil` if there is no address: then the page itself is loaded again.
  init?(_ text: String) {
    var rest = text.drop(while: \.isWhitespace)
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    // A time so long that it is not a number is no redirect.
    guard !digits.isEmpty || rest.first == "." else { return nil }
    delay = digits.isEmpty ? 0 : Int(digits) ?? .max
    rest = rest.drop { $0.isASCII && $0.isNumber || $0 == "." }
    let separated = rest.drop(while: \.isWhitespace)
    guard separated.count < rest.count || separated.first == ";" || separated.first == "," else { return nil }
    rest = separated.first == ";" || separated.first == "," ? separated.dropFirst() : separated
    rest = rest.drop(while: \.isWhitespace)
    if rest.prefix(3).lowercased() == "url" {
      let value = rest.dropFirst(3).drop(while: \.isWhitespace)
      if value.first == "=" { rest = value.dropFirst().drop(while: \.isWhitespace) }
    }
    if let quote = rest.first, quote == "\"" || quote == "'" { rest = rest.dropFirst().prefix { $0 != quote } }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    guard !rest.isEmpty else { return nil }
    url = String(rest)
  }
}
