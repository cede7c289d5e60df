import TweetCore
import TweetDisplay

/// What tw-linkcheck found about a link, in a sign and a few letters behind it.
struct LinkBadge {
  let sign: StaticString
  let ink: Ink
  /// What says more: the status or the error's code.
  let detail: JSONValue?
  /// Whether it only says that all is well.
  let isQuiet: Bool

  /// `nil` when the link was not checked.
  init?(_ link: JSONValue, glyphs: Glyphs) {
    guard let verdict = link["verdict"] else { return nil }
    let detail = link["error"] ?? link["status"]
    if verdict.equals("ok") {
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

  /// Appends the sign and the detail: `✗ 404`.
  func append(to text: inout StyledText, glyphs: Glyphs) {
    text.bytes.append(sign)
    if let detail {
      text.bytes.append(glyphs.glue)
      let letters = detail.isString ? detail.rawString : detail.raw
      Printable.append(UnsafeBufferPointer(rebasing: letters.prefix(24)), to: &text.bytes)
    }
    text.mark(ink)
  }
}
