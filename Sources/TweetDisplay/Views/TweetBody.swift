import TweetCore

/// The text of a tweet: mentions and tags coloured, links replaced by the addresses they lead to.
struct TweetBody: ~Copyable {
  enum Form {
    /// For a block of rows: addresses as ``AddressText`` writes them, all verdicts, lines kept.
    case block
    /// For one line: whole addresses, only the verdicts that say more than "ok".
    case line
  }

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
  private var host = ByteBuffer(capacity: 64)

  init(_ style: TerminalStyle, form: Form) {
    glyphs = style.glyphs
    hasLinks = style.hasLinks
    addresses = AddressText(style)
    self.form = form
  }

  /// Appends a text: for one line all of it, for a block what is not shown above or below it.
  /// - Parameter room: the columns of a row.
  mutating func append(_ source: borrowing TextPieces, room: Int = .max, to text: inout StyledText) {
    for index in source.pieces.indices {
      let piece = source.pieces[index]
      if form == .block, piece.place != .content { continue }
      append(piece, room: room, to: &text)
    }
    if source.isCut { text.append(glyphs.ellipsis, .dim) }
  }

  /// Appends what stands in place of a text behind a warning.
  /// - Parameter key: what a person presses to read it; `nil` where nothing opens it.
  func appendFold(_ key: String?, to text: inout StyledText) {
    text.append(" ", .plain)
    text.bytes.append("[")
    if let key { text.bytes.append(key) } else { text.bytes.append(glyphs.ellipsis) }
    text.append("]", .dim)
  }

  private mutating func append(_ piece: TextPieces.Piece, room: Int, to text: inout StyledText) {
    switch piece.kind {
    case .plain:
      Printable.append(piece.text, to: &text.bytes, newline: form == .block ? "\n" : glyphs.newline)
      text.mark(.plain)
    case .mention, .tag:
      Printable.append(piece.text, to: &text.bytes)
      text.mark(piece.kind == .mention ? .mention : .tag)
    case .link:
      guard let link = piece.entity else { return }
      if piece.isAddress { return append(link: link, room: room, to: &text) }
      let start = text.count
      Printable.append(piece.text, to: &text.bytes)
      let target = ShownAddress.target(of: link)
      if form == .block {
        addresses.markWords(target, room: room, to: &text)
      } else {
        text.append(" ", .plain)
        appendWhole(target, to: &text)
      }
      appendBadge(link, from: start, room: room, to: &text)
    }
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

  /// Appends the verdict of a link that was appended from `start` on: on the same row if a row has room for both. It
  /// links to the copy that the Internet Archive has of what is gone.
  private mutating func appendBadge(_ link: JSONValue, from start: Int, room: Int, to text: inout StyledText) {
    guard let badge = LinkBadge(link, glyphs: glyphs), form == .block || !badge.isQuiet else { return }
    text.append(text.count - start + badge.widest < room ? glyphs.glue : " ", .plain)
    let copy = link["archived"]?["url"].flatMap { $0.isString ? $0 : nil }
    guard hasLinks, let copy else {
      badge.append(to: &text, glyphs: glyphs)
      if let copy, !badge.isQuiet { append(copy: copy, room: room, to: &text) }
      return
    }
    badge.append(
      to: &text, glyphs: glyphs, linkingTo: linkDecoder.decode(copy, limit: AddressText.longest))
  }

  /// Appends the address of the copy where the verdict cannot link to it.
  private mutating func append(copy: JSONValue, room: Int, to text: inout StyledText) {
    text.bytes.append(" ")
    text.bytes.append(glyphs.reply)
    text.append(glyphs.glue, .dim)
    if form == .block { addresses.append(copy, room: room, to: &text) } else { appendWhole(copy, to: &text) }
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

  /// Appends a line for each page; for the line form, only those that no link of the text leads to.
  mutating func append(pages: [TweetParts.Page], room: Int = .max, to text: inout StyledText) {
    for page in pages where form == .block || !page.isInText {
      append(page: page.link, title: page.title, isPlaced: page.isInText, room: room, to: &text)
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
}
