import TweetCore

/// What tw-linkcheck found out about a link: a sign, and the status or error after it (`✗ 404`).
struct LinkBadge {
  /// Whether it says only that the link works.
  let isQuiet: Bool
  private let sign: StaticString
  private let ink: Ink
  private let detail: JSONValue?
  /// Errors' codes are cut here.
  private static let longestDetail = 24

  /// `nil` if the link was not checked.
  init?(_ link: JSONValue, glyphs: Glyphs) {
    guard let verdict = link["verdict"] else { return nil }
    let detail = link["error"] ?? link["status"]
    // A link that moved works: where it leads is shown in its place.
    if verdict.equals("ok") || verdict.equals("moved") {
      let kind = link["link_kind"]
      let isMusic = kind?.equals("music") == true || kind?.equals("playlist") == true
      self.init(isMusic ? glyphs.music : glyphs.ok, isMusic ? .music : .good, nil, isQuiet: !isMusic)
    } else if verdict.equals("dead") {
      self.init(glyphs.bad, .bad, detail)
    } else if verdict.equals("blocked") || verdict.equals("limited") {
      self.init(glyphs.warning, .warning, detail)
    } else if verdict.equals("error") {
      let isSlow = detail?.equals("timeout") == true
      self.init(isSlow ? glyphs.slow : glyphs.warning, .warning, detail)
    } else {
      self.init(glyphs.unknown, .dim, link["error"])
    }
  }

  private init(_ sign: StaticString, _ ink: Ink, _ detail: JSONValue?, isQuiet: Bool = false) {
    (self.sign, self.ink, self.detail, self.isQuiet) = (sign, ink, detail, isQuiet)
  }

  /// It takes at most this many columns.
  var widest: Int {
    let length = detail.map { min($0.isString ? $0.rawString.count : $0.raw.count, Self.longestDetail) + 1 } ?? 0
    return sign.columns + length
  }

  /// Appends the sign and the detail.
  /// - Parameter address: what they link to; `nil` for nothing.
  func append(to text: inout StyledText, glyphs: Glyphs, linkingTo address: UnsafeBufferPointer<UInt8>? = nil) {
    text.bytes.append(sign)
    if let detail {
      text.bytes.append(glyphs.glue)
      let letters = detail.isString ? detail.rawString : detail.raw
      Printable.append(UnsafeBufferPointer(rebasing: letters.prefix(Self.longestDetail)), to: &text.bytes)
    }
    if let address { text.mark(ink, linkingTo: address) } else { text.mark(ink) }
  }
}
