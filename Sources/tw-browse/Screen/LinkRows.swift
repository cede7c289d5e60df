import TweetCLI
import TweetCore
import TweetDisplay

/// The links of a tweet by their numbers, each with what tw-linkcheck found out about it, the title of the page, and
/// where it leads.
struct LinkRows {
  private let look: ScreenStyle

  init(_ look: ScreenStyle) { self.look = look }

  /// - Parameter columns: a longer row is cut.
  func lines(_ document: JSONDocument, columns: Int) -> [[UInt8]] {
    let links = TweetSubjects(document).links
    if links.isEmpty { return [] }
    let rows = links.enumerated().map { index, link in
      look.dimRow("\(index + 1) \(document.read { facts(of: link, in: $0) })", most: columns)
    }
    return [[]] + rows
  }

  /// Whether a verdict of a link says something.
  static func hasVerdict(_ document: JSONDocument) -> Bool {
    document.read { objects(of: $0).contains { LinkState($0).map { $0.kind != .unknown } ?? false } }
  }

  /// What is said of the links of a tweet, and of those of what it repeats, which come first.
  private static func objects(of tweet: JSONValue) -> [JSONValue] {
    [tweet.retweeted, tweet].compactMap { $0?["entities"]?["urls"] }.flatMap { Array($0.elements) }
  }

  /// `✗ dead 404 · Title · host/path`.
  private func facts(of link: TweetTarget.Link, in tweet: JSONValue) -> String {
    var text = ByteBuffer(capacity: 128)
    if let object = Self.objects(of: tweet).first(where: { ShownAddress.target(of: $0)?.string == link.url }) {
      // Of what nobody has checked there is nothing to say.
      if let state = LinkState(object), state.kind != .unknown {
        text.append(sign(of: state.kind))
        text.append(" ")
        if !state.isQuiet {
          state.appendWords(look.locale, to: &text) { value, text in text.append(value.string ?? "") }
          text.append(" ")
        }
      }
      if let title = object["title"]?.nonEmptyString { text.append("\(title) \(look.style.glyphs.separator) ") }
    }
    link.url.withBytes {
      ShownAddress.appendShort($0, most: 60, ellipsis: look.style.glyphs.ellipsis, to: &text)
    }
    return text.string
  }

  private func sign(of kind: LinkState.Kind) -> StaticString {
    let glyphs = look.style.glyphs
    return switch kind {
    case .works: glyphs.ok
    case .music: glyphs.music
    case .dead: glyphs.bad
    case .refused, .fault: glyphs.warning
    case .slow: glyphs.slow
    case .unknown: glyphs.unknown
    }
  }
}
