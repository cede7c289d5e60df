import TweetCore

/// What tw-linkcheck found out about a link: a sign, and the status or error after it (`✗ 404`).
struct LinkBadge {
  /// Whether it says only that the link works.
  let isQuiet: Bool
  private let sign: StaticString
  private let ink: Ink
  private let detail: JSONValue?

  /// `nil` if the link was not checked.
  init?(_ link: JSONValue, glyphs: Glyphs) {
    guard let state = LinkState(link) else { return nil }
    switch state.kind {
    // A link that moved works: where it leads is shown in its place.
    case .works: self.init(glyphs.ok, .good, state)
    case .music: self.init(glyphs.music, .music, state)
    case .dead: self.init(glyphs.bad, .bad, state)
    case .refused, .fault: self.init(glyphs.warning, .warning, state)
    case .slow: self.init(glyphs.slow, .warning, state)
    case .unknown: self.init(glyphs.unknown, .dim, state)
    }
  }

  private init(_ sign: StaticString, _ ink: Ink, _ state: LinkState) {
    (self.sign, self.ink, self.detail, self.isQuiet) = (sign, ink, state.detail, state.kind == .works)
  }

  /// It takes at most this many columns.
  var widest: Int {
    let length = detail.map { min($0.isString ? $0.rawString.count : $0.raw.count, LinkState.longestDetail) + 1 } ?? 0
    return sign.columns + length
  }

  /// Appends the sign and the detail.
  /// - Parameter address: what they link to; `nil` for nothing.
  func append(to text: inout StyledText, glyphs: Glyphs, linkingTo address: ByteView? = nil) {
    text.bytes.append(sign)
    if let detail {
      text.bytes.append(glyphs.glue)
      let letters = detail.isString ? detail.rawString : detail.raw
      Printable.append(ByteView(rebasing: letters.prefix(LinkState.longestDetail)), to: &text.bytes)
    }
    if let address { text.mark(ink, linkingTo: address) } else { text.mark(ink) }
  }
}
