import TweetCore
import TweetNet

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

/// Titles of pages, as strangers wrote them.
enum PageTitle {
  /// In Unicode scalars; longer titles are cut.
  static let limit = 300

  /// The title on one line, without control characters, and bounded; `nil` if nothing is left.
  static func tidy(_ text: String, limit: Int = limit) -> String? {
    var result = String.UnicodeScalarView()
    var count = 0
    var isGap = false
    for scalar in text.unicodeScalars where count < limit {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: isGap = count > 0
      case .surrogate, .privateUse, .unassigned: continue
      // What turns the order of the text around would also turn that of the lines in which a title is shown.
      case .format where isBidiControl(scalar): continue
      default:
        if isGap, count + 2 > limit { return String(result) }
        if isGap { result.append(" ") }
        count += isGap ? 2 : 1
        isGap = false
        result.append(scalar)
      }
    }
    return result.isEmpty ? nil : String(result)
  }

  /// Unicode's property Bidi_Control (UAX #9 §2).
  static func isBidiControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

/// What a page says for those who show a card of it: by Open Graph (ogp.me), by the names of X's cards, or by its own
/// description.
struct PageCard: Equatable, Sendable {
  /// In Unicode scalars.
  private static let longestDescription = 1000
  private static let longestAddress = 2048
  /// X's kinds of cards (developer.x.com, "About Twitter Cards").
  private static let types: Set<String> = ["summary", "summary_large_image", "app", "player"]

  /// Of X's kinds.
  private(set) var type: String?
  /// All of them bounded, on one line and without control characters. Of several names the first of these lists counts.
  var title: String? { texts["og:title"] ?? texts["twitter:title"] }
  var description: String? { texts["og:description"] ?? texts["twitter:description"] ?? texts["description"] }
  /// The name of the site.
  var site: String? { texts["og:site_name"] }
  /// The address of the picture, as it stands there.
  private var imageText: String? {
    texts["og:image"] ?? texts["og:image:url"] ?? texts["twitter:image"] ?? texts["twitter:image:src"]
  }
  private var texts: [String: String] = [:]

  private static let names: Set<String> = [
    "og:title", "twitter:title", "og:description", "twitter:description", "description", "og:site_name", "og:image",
    "og:image:url", "twitter:image", "twitter:image:src",
  ]

  /// Takes the content of a `meta` element. Of several with one name the first counts.
  mutating func take(_ content: String, of name: String) {
    if name == "twitter:card" {
      let value = content.lowercased()
      if type == nil, Self.types.contains(value) { type = value }
    }
    guard Self.names.contains(name), texts[name] == nil else { return }
    if name.contains("image") {
      if content.utf8.count <= Self.longestAddress { texts[name] = content }
    } else {
      texts[name] = PageTitle.tidy(
        content, limit: name.hasSuffix("description") ? Self.longestDescription : PageTitle.limit)
    }
  }

  /// The address of the picture; `nil` if there is none of the web.
  /// - Parameter page: the address of the page.
  func image(of page: String) -> String? {
    guard let text = imageText, let address = WebAddress(text, relativeTo: page) else { return nil }
    return LinkAddress.withoutCredentials(address.url)
  }
}
