package import TweetCore

/// A profile or a checked link as a block of rows, as `user` and `link` records have them.
package struct ProfileBlock: ~Copyable {
  private static let widestPlace = 40

  private let style: TerminalStyle
  private let locale: ReaderLocale
  private var layout: BlockLayout
  private var text = StyledText()
  private var description = TextPieces(longest: TweetBlock.longestText)
  private var body: TweetBody
  private var names: AuthorText
  private var header: HeaderRow
  private var decoder = StringDecoder()

  /// - Parameter blocks: what stands at the left of a profile.
  package init(_ style: TerminalStyle, locale: ReaderLocale, blocks: AuthorBlocks) {
    self.style = style
    self.locale = locale
    layout = BlockLayout(style, blocks)
    body = TweetBody(style, form: .block)
    names = AuthorText(style)
    header = HeaderRow(style, locale: locale, times: .iso)
  }

  /// Appends a user's name, description, place, page and counts.
  /// - Parameter width: of the screen, in columns.
  package mutating func append(_ user: UserFields, width: Int, to rows: inout BlockRows) {
    layout.begin(width: width, &rows)
    names.appendName(user.author, to: &text)
    layout.startBlock(of: user.author, name: text.view(from: 0), &rows)
    text.removeAll()
    header.append(user.author, room: layout.textWidth, to: &text)
    addText(to: &rows)
    description.read(user.description, user.entities)
    body.append(description, room: layout.textWidth, to: &text)
    addText(to: &rows)
    CountsRow.append(user, style: style, locale: locale, to: &text)
    if let location = user.location {
      if !text.isEmpty { text.bytes.append("  ") }
      text.bytes.append(style.glyphs.place)
      text.bytes.append(style.glyphs.glue)
      let start = text.count
      Printable.append(decoder.decode(location, limit: 1024), to: &text.bytes)
      text.bytes.cut(from: start, most: Self.widestPlace, ellipsis: style.glyphs.ellipsis)
      text.mark(.dim)
    }
    if let time = user.createdAt {
      if !text.isEmpty { text.bytes.append("  ") }
      locale.append(before: .since, to: &text.bytes)
      let start = text.count
      locale.append(time, as: .iso, now: time, to: &text.bytes)
      // The day is enough.
      text.bytes.truncate(to: start + "2006-03-21".utf8.count)
      locale.append(after: .since, to: &text.bytes)
      text.mark(.dim)
    }
    addText(to: &rows)
    if let page = user.page {
      body.addresses.append(page, room: layout.textWidth, to: &text)
      addText(to: &rows)
    }
    body.addresses.addList(&layout, &text, to: &rows)
    layout.finish(&rows)
  }

  /// Appends a link's address and verdict, where it leads, the copy that the Internet Archive has, and the title of the
  /// page.
  package mutating func append(link: JSONValue, width: Int, to rows: inout BlockRows) {
    layout.begin(width: width, &rows)
    let url = link["url"]
    let target = ShownAddress.target(of: link)
    body.addresses.append(url ?? target, room: layout.textWidth, to: &text)
    if let badge = LinkBadge(link, glyphs: style.glyphs) {
      text.append(" ", .plain)
      badge.append(to: &text, glyphs: style.glyphs)
    }
    addText(to: &rows)
    let copy = link["archived"]?["url"]?.nonEmpty
    for address in [target, copy] {
      guard let url, let address, !address.hasBytes(of: url) else { continue }
      text.bytes.append(style.glyphs.reply)
      text.append(" ", .dim)
      body.addresses.append(address, room: layout.textWidth - style.glyphs.reply.columns - 1, to: &text)
      addText(to: &rows)
    }
    if let title = link["title"]?.nonEmpty {
      text.bytes.append(style.glyphs.page)
      text.append(" ", .dim)
      Printable.append(decoder.decode(title), to: &text.bytes)
      text.bytes.cut(from: 0, most: max(layout.textWidth, 1), ellipsis: style.glyphs.ellipsis)
      text.mark(.plain)
      addText(to: &rows)
    }
    body.addresses.addList(&layout, &text, to: &rows)
  }

  private mutating func addText(to rows: inout BlockRows) {
    if text.isEmpty { return }
    layout.add(text, isolates: true, to: &rows)
    text.removeAll()
  }
}
