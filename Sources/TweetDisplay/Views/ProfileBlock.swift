package import TweetCore

/// A profile or a checked link as a block of rows, as `user` and `link` records have them.
package struct ProfileBlock: ~Copyable {
  private static let widestPlace = 40

  private let style: TerminalStyle
  private let locale: ReaderLocale
  private var rows: RowPrinter
  private var text = StyledText()
  private var body: TweetBody
  private var names: AuthorText
  private var header: HeaderRow
  private var decoder = StringDecoder()

  /// - Parameter blocks: what stands at the left of a profile.
  package init(_ style: TerminalStyle, locale: ReaderLocale, blocks: AuthorBlocks) {
    self.style = style
    self.locale = locale
    rows = RowPrinter(style, blocks)
    body = TweetBody(style, form: .block)
    names = AuthorText(style)
    header = HeaderRow(style, locale: locale, times: .iso)
  }

  /// Appends a user's name, description, place, page and counts.
  /// - Parameter width: of the screen, in columns.
  package mutating func append(_ user: UserFields, width: Int, to output: inout ByteBuffer) {
    rows.begin(width: width)
    names.appendName(user.author, to: &text)
    rows.startBlock(of: user.author, name: text.view(from: 0))
    text.removeAll()
    header.append(user.author, room: rows.textWidth, to: &text)
    printText(to: &output)
    body.append(user.description, user.entities, room: rows.textWidth, to: &text)
    printText(to: &output)
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
    printText(to: &output)
    if let page = user.page {
      body.addresses.append(page, room: rows.textWidth, to: &text)
      printText(to: &output)
    }
    body.addresses.printList(&rows, &text, to: &output)
    rows.finish(to: &output)
  }

  /// Appends a link's address and verdict, where it leads, the copy that the Internet Archive has, and the title of the page.
  package mutating func append(link: JSONValue, width: Int, to output: inout ByteBuffer) {
    rows.begin(width: width)
    let url = link["url"]
    let target = ShownAddress.target(of: link)
    body.addresses.append(url ?? target, room: rows.textWidth, to: &text)
    if let badge = LinkBadge(link, glyphs: style.glyphs) {
      text.append(" ", .plain)
      badge.append(to: &text, glyphs: style.glyphs)
    }
    printText(to: &output)
    let copy = link["archived"]?["url"]?.nonEmpty
    for address in [target, copy] {
      guard let url, let address, !address.hasBytes(of: url) else { continue }
      text.bytes.append(style.glyphs.reply)
      text.append(" ", .dim)
      body.addresses.append(address, room: rows.textWidth - style.glyphs.reply.columns - 1, to: &text)
      printText(to: &output)
    }
    if let title = link["title"]?.nonEmpty {
      text.bytes.append(style.glyphs.page)
      text.append(" ", .dim)
      Printable.append(decoder.decode(title), to: &text.bytes)
      text.bytes.cut(from: 0, most: max(rows.textWidth, 1), ellipsis: style.glyphs.ellipsis)
      text.mark(.plain)
      printText(to: &output)
    }
    body.addresses.printList(&rows, &text, to: &output)
  }

  private mutating func printText(to output: inout ByteBuffer) {
    if text.isEmpty { return }
    rows.print(text, isolates: true, to: &output)
    text.removeAll()
  }
}
