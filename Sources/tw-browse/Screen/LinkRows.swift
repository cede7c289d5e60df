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
      let words = document.read { facts(of: link, in: $0) }
      var line = ByteBuffer(capacity: 128)
      look.append("\(index + 1) \(words)", most: columns, sequence: "\u{1B}[2m", to: &line)
      return line.array
    }
    return [[]] + rows
  }

  /// Whether a verdict of a link says something.
  static func hasVerdict(_ document: JSONDocument) -> Bool {
    document.read { tweet in
      [tweet.retweeted, tweet].contains { source in
        source?["entities"]?["urls"]?.elements.contains { LinkState($0).map { $0.kind != .unknown } ?? false } ?? false
      }
    }
  }

  /// `✗ dead 404 · Title · host/path`.
  private func facts(of link: TweetTarget.Link, in tweet: JSONValue) -> String {
    var text = ByteBuffer(capacity: 128)
    if let object = object(of: link.url, in: tweet) {
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

  private func object(of url: String, in tweet: JSONValue) -> JSONValue? {
    for source in [tweet.retweeted, tweet].compactMap({ $0 }) {
      guard let links = source["entities"]?["urls"] else { continue }
      for link in links.elements where ShownAddress.target(of: link)?.string == url { return link }
    }
    return nil
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
