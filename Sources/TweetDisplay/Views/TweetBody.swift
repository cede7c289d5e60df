import TweetCore

/// The text of a tweet: mentions and tags coloured, links replaced by the addresses they lead to.
struct TweetBody: ~Copyable {
  enum Form {
    /// For a block of rows: short addresses, all verdicts, lines kept.
    case block
    /// For one line: whole addresses, only the verdicts that say more than "ok".
    case line
  }

  /// More bytes of one text are not shown. X's longest posts are 25 000 letters.
  private static let longest = 128 << 10
  private static let widestAddress = 48

  private let glyphs: Glyphs
  private let form: Form
  private var decoder = StringDecoder()
  private var linkDecoder = StringDecoder()
  private var entities = EntitySpans()

  init(glyphs: Glyphs, form: Form) {
    self.glyphs = glyphs
    self.form = form
  }

  /// Appends the tweet's text.
  /// - Parameters:
  ///   - quoted: the tweet that is shown below: the last links of the text are left out if they lead to it.
  ///   - addressed: the handle that is shown above as the one who is answered: its mention at the start is left out.
  mutating func append(
    _ tweet: TweetFields, quoted: TweetFields? = nil, addressed: JSONValue? = nil, to text: inout StyledText
  ) {
    let source = decoder.decode(tweet.text, limit: Self.longest)
    entities.locate(tweet.entities, in: source)
    let end = form == .block ? shownEnd(of: source, quoted: quoted) : source.count
    var offset = min(shownStart(of: source, addressed: addressed), end)
    for span in entities.spans where span.start >= offset && span.end <= end {
      appendPlain(source, offset..<span.start, to: &text)
      append(span, source, to: &text)
      offset = span.end
    }
    appendPlain(source, offset..<max(offset, end), to: &text)
    if let whole = tweet.text, whole.rawString.count > Self.longest { text.append(glyphs.ellipsis, .dim) }
  }

  private func appendPlain(_ source: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, to text: inout StyledText) {
    if range.isEmpty { return }
    let newline: StaticString = form == .block ? "\n" : glyphs.newline
    Printable.append(UnsafeBufferPointer(rebasing: source[range]), to: &text.bytes, newline: newline)
    text.mark(.plain)
  }

  private mutating func append(
    _ span: EntitySpans.Span, _ source: UnsafeBufferPointer<UInt8>, to text: inout StyledText
  ) {
    switch span.kind {
    case .mention, .tag:
      Printable.append(UnsafeBufferPointer(rebasing: source[span.start..<span.end]), to: &text.bytes)
      text.mark(span.kind == .mention ? .mention : .tag)
    case .link: append(link: span.value, to: &text)
    }
  }

  private mutating func append(link: JSONValue, to text: inout StyledText) {
    let address = linkDecoder.decode(ShownAddress.target(of: link))
    if form == .block {
      ShownAddress.appendShort(address, most: Self.widestAddress, ellipsis: glyphs.ellipsis, to: &text.bytes)
    } else {
      Printable.append(address, to: &text.bytes)
    }
    text.mark(.link, linkingTo: address)
    if let badge = LinkBadge(link, glyphs: glyphs), form == .block || !badge.isQuiet {
      text.append(glyphs.glue, .plain)
      badge.append(to: &text, glyphs: glyphs)
    }
  }

  /// Appends the tweet's checked links alone, each with a space before it.
  mutating func appendLinks(_ tweet: TweetFields, to text: inout StyledText) {
    guard let links = tweet.entities?["urls"] else { return }
    for link in links.elements where link["verdict"] != nil {
      text.append(" ", .plain)
      append(link: link, to: &text)
    }
  }

  // MARK: What is left out

  /// Where the text starts without the mention of whom it answers.
  private func shownStart(of source: UnsafeBufferPointer<UInt8>, addressed: JSONValue?) -> Int {
    guard let addressed, let first = entities.spans.first, first.kind == .mention, first.start == 0,
      source[1..<first.end].elementsEqual(addressed.rawString)
    else { return 0 }
    return source[first.end...].firstIndex { $0 > 0x20 } ?? first.end
  }

  /// Where the text ends without white space and without the last links, if they lead to its own pictures or to the
  /// quoted tweet.
  private mutating func shownEnd(of source: UnsafeBufferPointer<UInt8>, quoted: TweetFields?) -> Int {
    var end = Self.endWithoutSpace(source, source.count)
    for index in entities.spans.indices.reversed() {
      let span = entities.spans[index]
      guard span.end == end, span.kind == .link, isShownElsewhere(span.value, quoted: quoted) else { break }
      end = Self.endWithoutSpace(source, span.start)
    }
    return end
  }

  private static func endWithoutSpace(_ source: UnsafeBufferPointer<UInt8>, _ end: Int) -> Int {
    var end = end
    while end > 0, source[end - 1] <= 0x20 { end -= 1 }
    return end
  }

  private mutating func isShownElsewhere(_ link: JSONValue, quoted: TweetFields?) -> Bool {
    if link["media_key"] != nil { return true }
    let address = linkDecoder.decode(link["expanded_url"])
    guard let post = ShownAddress.post(address) else { return false }
    if post.isMedia { return true }
    guard let id = quoted?.id?.rawString else { return false }
    return address[post.id].elementsEqual(id)
  }
}
