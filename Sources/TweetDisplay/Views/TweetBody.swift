import TweetCore

/// The text of a tweet: mentions and tags coloured, links replaced by the addresses they lead to.
struct TweetBody: ~Copyable {
  enum Form {
    /// For a block of rows: addresses as ``AddressText`` writes them, all verdicts, lines kept.
    case block
    /// For one line: whole addresses, only the verdicts that say more than "ok".
    case line
  }

  /// More bytes of one text are not shown. X's longest posts are 25 000 letters.
  private static let longest = 128 << 10
  private static let widestHost = 30
  /// On narrow rows a page's title is cut no shorter.
  private static let narrowestTitle = 16

  /// Addresses that stand below the text.
  var addresses: AddressText

  private let glyphs: Glyphs
  private let form: Form
  private let hasLinks: Bool
  private var decoder = StringDecoder()
  private var linkDecoder = StringDecoder()
  private var entities = EntitySpans()
  private var host = ByteBuffer(capacity: 64)

  init(_ style: TerminalStyle, form: Form) {
    glyphs = style.glyphs
    hasLinks = style.hasLinks
    addresses = AddressText(style)
    self.form = form
  }

  /// Appends the tweet's text.
  /// - Parameters:
  ///   - quoted: the tweet that is shown below: the last links of the text are left out if they lead to it.
  ///   - addressed: the handle that is shown above as the one who is answered: its mention at the start is left out.
  ///   - room: the columns of a row.
  mutating func append(
    _ tweet: TweetFields, quoted: TweetFields? = nil, addressed: JSONValue? = nil, room: Int = .max,
    to text: inout StyledText
  ) {
    append(tweet.text, tweet.entities, quoted: quoted, addressed: addressed, room: room, to: &text)
    if form == .line { appendPages(tweet, quoted: nil, room: room, to: &text) }
  }

  /// Appends a text with its entities.
  mutating func append(
    _ string: JSONValue?, _ entities: JSONValue?, quoted: TweetFields? = nil, addressed: JSONValue? = nil, room: Int,
    to text: inout StyledText
  ) {
    let source = decoder.decode(string, limit: Self.longest)
    self.entities.locate(entities, in: source)
    let end = form == .block ? self.entities.shownEnd(of: source, quoted: quoted, &linkDecoder) : source.count
    var offset = min(shownStart(of: source, addressed: addressed), end)
    for span in self.entities.spans where span.start >= offset && span.end <= end {
      appendPlain(source, offset..<span.start, to: &text)
      append(span, source, room: room, to: &text)
      offset = span.end
    }
    appendPlain(source, offset..<max(offset, end), to: &text)
    if let string, string.rawString.count > Self.longest { text.append(glyphs.ellipsis, .dim) }
  }

  private func appendPlain(_ source: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, to text: inout StyledText) {
    if range.isEmpty { return }
    let newline: StaticString = form == .block ? "\n" : glyphs.newline
    Printable.append(UnsafeBufferPointer(rebasing: source[range]), to: &text.bytes, newline: newline)
    text.mark(.plain)
  }

  private mutating func append(
    _ span: EntitySpans.Span, _ source: UnsafeBufferPointer<UInt8>, room: Int, to text: inout StyledText
  ) {
    let words = UnsafeBufferPointer(rebasing: source[span.start..<span.end])
    switch span.kind {
    case .mention, .tag:
      Printable.append(words, to: &text.bytes)
      text.mark(span.kind == .mention ? .mention : .tag)
    case .link:
      if isAddress(words, of: span.value) {
        append(link: span.value, room: room, to: &text)
        return
      }
      let start = text.count
      Printable.append(words, to: &text.bytes)
      let target = ShownAddress.target(of: span.value)
      if form == .block {
        addresses.markWords(target, room: room, to: &text)
      } else {
        text.append(" ", .plain)
        appendWhole(target, to: &text)
      }
      appendBadge(span.value, from: start, room: room, to: &text)
    }
  }

  /// Whether the words of a link are its address, or its beginning.
  private mutating func isAddress(_ words: UnsafeBufferPointer<UInt8>, of link: JSONValue) -> Bool {
    if let url = link["url"]?.rawString, words.elementsEqual(url) { return true }
    return ShownAddress.isSpelled(by: words, linkDecoder.decode(link["expanded_url"] ?? link["url"]))
  }

  /// Appends where a link leads, and its verdict.
  mutating func append(link: JSONValue, room: Int, to text: inout StyledText) {
    let start = text.count
    let target = ShownAddress.target(of: link)
    if form == .block { addresses.append(target, room: room, to: &text) } else { appendWhole(target, to: &text) }
    appendBadge(link, from: start, room: room, to: &text)
  }

  private mutating func appendWhole(_ address: JSONValue?, to text: inout StyledText) {
    let address = linkDecoder.decode(address, limit: AddressText.longest)
    Printable.append(address, to: &text.bytes)
    if hasLinks { text.mark(.link, linkingTo: address) } else { text.mark(.link) }
  }

  /// Appends the verdict of a link that was appended from `start` on: on the same row if a row has room for both. It links
  /// to the copy that the Internet Archive has of what is gone.
  private mutating func appendBadge(_ link: JSONValue, from start: Int, room: Int, to text: inout StyledText) {
    guard let badge = LinkBadge(link, glyphs: glyphs), form == .block || !badge.isQuiet else { return }
    text.append(text.count - start + badge.widest < room ? glyphs.glue : " ", .plain)
    let copy = hasLinks ? link["archived"]?["url"] : nil
    badge.append(
      to: &text, glyphs: glyphs, linkingTo: copy.map { linkDecoder.decode($0, limit: AddressText.longest) })
  }

  /// Appends the tweet's checked links alone, each with a space before it.
  mutating func appendLinks(_ tweet: TweetFields, room: Int = .max, to text: inout StyledText) {
    guard let links = tweet.entities?["urls"] else { return }
    for link in links.elements where link["verdict"] != nil {
      text.append(" ", .plain)
      append(link: link, room: room, to: &text)
    }
  }

  // MARK: Pages

  /// Appends, for the tweet whose text was appended last, what is known of the pages that it links to: a line for each
  /// page that has a title, and for each whose link is not in the text (cards). For the line form, only the latter.
  mutating func appendPages(_ tweet: TweetFields, quoted: TweetFields?, room: Int, to text: inout StyledText) {
    if form == .block {
      for index in entities.spans.indices where entities.spans[index].kind == .link {
        let link = entities.spans[index].value
        guard link["title"]?.nonEmpty != nil, !EntitySpans.isShownBelow(link, quoted: quoted, &linkDecoder) else {
          continue
        }
        append(page: link, title: link["title"], isPlaced: true, room: room, to: &text)
      }
    }
    for index in entities.unplaced.indices {
      let link = entities.unplaced[index]
      if EntitySpans.isShownBelow(link, quoted: quoted, &linkDecoder) { continue }
      append(page: link, title: link["title"], isPlaced: false, room: room, to: &text)
    }
    guard let card = tweet.card else { return }
    let link = self.link(of: card, in: tweet)
    if link != nil, form == .line || link?["title"]?.nonEmpty != nil { return }
    append(page: card, title: card["title"], isPlaced: link != nil, room: room, to: &text)
  }

  /// The link of the text that leads to a card's page.
  private func link(of card: JSONValue, in tweet: TweetFields) -> JSONValue? {
    guard let url = card["url"], let links = tweet.entities?["urls"] else { return nil }
    return links.elements.first {
      $0["expanded_url"]?.hasBytes(of: url) == true || $0["url"]?.hasBytes(of: url) == true
    }
  }

  /// Appends `▸ title · host`.
  /// - Parameter isPlaced: whether the link itself is in the text.
  private mutating func append(
    page: JSONValue, title: JSONValue?, isPlaced: Bool, room: Int, to text: inout StyledText
  ) {
    if form == .line { text.append(" ", .plain) } else if !text.isEmpty { text.append("\n", .plain) }
    text.bytes.append(glyphs.page)
    text.append(" ", .dim)
    let isWhole = !isPlaced && (form == .line || !hasLinks)
    let target = linkDecoder.decode(ShownAddress.target(of: page), limit: AddressText.longest)
    host.removeAll()
    if !isWhole {
      ShownAddress.appendHost(target, most: Self.widestHost, ellipsis: glyphs.ellipsis, to: &host)
    }
    let start = text.count
    Printable.append(decoder.decode(title), to: &text.bytes)
    if form == .block {
      let rest = isWhole ? 2 : 5 + host.withBytes { DisplayWidth.widest(of: $0) }
      text.bytes.cut(from: start, most: max(Self.narrowestTitle, room - rest), ellipsis: glyphs.ellipsis)
    }
    let hasTitle = text.count > start
    text.mark(.link, linkingTo: target)
    if isWhole || !hasTitle {
      if hasTitle { text.append(" ", .plain) }
      append(link: page, room: room, to: &text)
    } else {
      text.bytes.append(" ")
      text.bytes.append(glyphs.separator)
      text.bytes.append(" ")
      host.withBytes { text.bytes.append($0) }
      text.mark(.dim)
      if !isPlaced { appendBadge(page, from: start, room: room, to: &text) }
    }
  }

  /// Where the text starts without the mention of whom it answers.
  private func shownStart(of source: UnsafeBufferPointer<UInt8>, addressed: JSONValue?) -> Int {
    guard let addressed, let first = entities.spans.first, first.kind == .mention, first.start == 0,
      source[1..<first.end].elementsEqual(addressed.rawString)
    else { return 0 }
    return source[first.end...].firstIndex { $0 > 0x20 } ?? first.end
  }
}
