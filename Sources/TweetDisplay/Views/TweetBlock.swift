package import TweetCore

/// One tweet as a block of rows: its author, what it answers, its text, pictures, poll, quoted tweet and counts.
package struct TweetBlock: ~Copyable {
  /// The first words of another tweet, where that is only named, take at most this many columns.
  private static let widestExcerpt = 40
  /// Most countries of a withheld tweet that are named.
  private static let mostCountries = 12

  private let style: TerminalStyle
  private let showsIDs: Bool
  private let photos: TerminalPictures?
  private let locale: ReaderLocale
  private let times: TimeForm
  private var layout: BlockLayout
  private var text = StyledText()
  private var body: TweetBody
  private var names: AuthorText
  private var header: HeaderRow
  private var decoder = StringDecoder()
  private var id = TweetID()

  private var glyphs: Glyphs { style.glyphs }

  /// - Parameters:
  ///   - blocks: what stands at the left of a tweet.
  ///   - photos: what draws a tweet's photos; `nil` for none.
  ///   - showsIDs: whether a tweet's id stands below it.
  package init(
    _ style: TerminalStyle, locale: ReaderLocale, times: TimeForm, blocks: AuthorBlocks,
    photos: TerminalPictures?, showsIDs: Bool = false
  ) {
    self.style = style
    self.locale = locale
    self.times = times
    self.showsIDs = showsIDs
    self.photos = photos
    layout = BlockLayout(style, blocks)
    body = TweetBody(style, form: .block)
    names = AuthorText(style)
    header = HeaderRow(style, locale: locale, times: times)
  }

  /// How a tweet is shown.
  package enum Form {
    case whole
    /// Whole, as one whose text was changed.
    case edited
    /// A retweet without the tweet that it retweets, which is only named.
    case retweeter
    /// With all that is known of it.
    case detail
    /// The same, as the one of a thread that was asked for.
    case asked
  }

  /// Appends a tweet's rows.
  /// - Parameters:
  ///   - now: the time that its own is seen from.
  ///   - width: of the screen, in columns.
  package mutating func append(
    _ tweet: TweetFields, as form: Form = .whole, now: Timestamp, width: Int, to rows: inout BlockRows
  ) {
    layout.begin(width: width, &rows)
    if let original = tweet.retweeted {
      header.append(retweeter: tweet, now: now, room: layout.textWidth, to: &text)
      addText(isolates: locale.isRightToLeft, to: &rows)
      if form == .retweeter {
        appendMention(of: original)
        addText(to: &rows)
      } else {
        appendWhole(original, form, now, to: &rows)
      }
    } else {
      appendWhole(tweet, form, now, to: &rows)
    }
    if showsIDs, id.append(tweet, to: &text.bytes) {
      text.mark(.dim)
      layout.addUnbroken(text, to: &rows)
      text.removeAll()
    }
    layout.finish(&rows)
  }

  private mutating func appendWhole(
    _ tweet: TweetFields, _ form: Form, _ now: Timestamp, to rows: inout BlockRows
  ) {
    names.appendName(tweet.author, to: &text)
    layout.startBlock(of: tweet.author, name: text.view(from: 0), &rows)
    text.removeAll()
    var room = layout.textWidth
    if form == .asked {
      text.bytes.append(glyphs.asked)
      text.append(" ", .good)
      room -= glyphs.asked.columns + 1
    }
    header.append(tweet, now: now, room: room, isEdited: form == .edited, to: &text)
    addText(to: &rows)
    appendContent(tweet, quoted: tweet.quoted, now, to: &rows)
    if form == .detail || form == .asked {
      DetailRows(tweet).append(to: &text, glyphs: glyphs, locale: locale, decoder: &decoder)
      addText(isolates: locale.isRightToLeft, to: &rows)
    } else {
      CountsRow.append(tweet, style: style, locale: locale, to: &text)
      appendPlace(tweet)
    }
    appendAddress(of: tweet, to: &rows)
    body.addresses.addList(&layout, &text, to: &rows)
  }

  private mutating func appendContent(
    _ tweet: TweetFields, quoted: TweetFields?, _ now: Timestamp, to rows: inout BlockRows
  ) {
    appendWarnings(tweet, to: &rows)
    let addressed = appendReplyContext(tweet, to: &rows)
    let room = layout.textWidth
    body.append(tweet, quoted: quoted, addressed: addressed, room: room, to: &text)
    text.highlight(style.highlighted)
    addText(isolates: true, to: &rows)
    body.appendPages(tweet, quoted: quoted, room: room, to: &text)
    addText(isolates: true, to: &rows)
    appendPhotos(tweet, to: &rows)
    MediaRows(tweet).append(
      room: room, style: style, locale: locale, addresses: &body.addresses, decoder: &decoder, to: &text)
    addText(isolates: true, to: &rows)
    if let poll = tweet.attachments?["poll"].flatMap({ PollFields($0) }) {
      PollRows(poll).append(to: &text, glyphs: glyphs, locale: locale, times: times, now: now, decoder: &decoder)
      addText(isolates: true, to: &rows)
    }
    guard let quoted else { return }
    layout.openFrame()
    header.append(quoted, now: now, room: layout.textWidth, to: &text)
    addText(to: &rows)
    // Quotes in a quote are left out, as the services do.
    appendContent(quoted, quoted: nil, now, to: &rows)
    appendAddress(of: quoted, to: &rows)
    layout.closeFrame()
  }

  /// Adds a tweet's photos, unless a warning stands before them.
  private mutating func appendPhotos(_ tweet: TweetFields, to rows: inout BlockRows) {
    guard let photos, !tweet.isSensitive, tweet.warning == nil else { return }
    for media in MediaFields.all(of: tweet) {
      guard let drawing = photos.drawing(ofPhoto: media.picture, room: layout.textWidth) else { continue }
      layout.add(photo: drawing, to: &rows)
    }
  }

  /// Adds the text that was put together, in rows, and forgets it.
  private mutating func addText(isolates: Bool = false, to rows: inout BlockRows) {
    if text.isEmpty { return }
    layout.add(text, isolates: isolates, to: &rows)
    text.removeAll()
  }

  // MARK: Above the text

  /// Adds what a reader should know before the text.
  private mutating func appendWarnings(_ tweet: TweetFields, to rows: inout BlockRows) {
    if let withheld = tweet.withheld {
      appendCaution()
      let countries = withheld["country_codes"].map { Array($0.elements.prefix(Self.mostCountries)) } ?? []
      if countries.isEmpty { locale.append(.withheld, to: &text.bytes) }
      for (index, country) in countries.enumerated() {
        if index == 0 { locale.append(before: .withheldIn, to: &text.bytes) } else { text.bytes.append(", ") }
        Printable.append(decoder.decode(country, limit: 16), to: &text.bytes)
      }
      if !countries.isEmpty { locale.append(after: .withheldIn, to: &text.bytes) }
      if withheld["copyright"]?.bool == true { locale.append(.copyright, to: &text.bytes) }
      text.mark(.warning)
      addText(isolates: locale.isRightToLeft, to: &rows)
    }
    if let warning = tweet.warning {
      appendCaution()
      Printable.append(decoder.decode(warning), to: &text.bytes)
      text.mark(.warning)
      addText(isolates: true, to: &rows)
    }
  }

  private mutating func appendCaution() {
    text.bytes.append(glyphs.caution)
    text.bytes.append(glyphs.glue)
  }

  /// Adds whom the tweet answers, and the first words of what it answers.
  /// - Returns: their handle; `nil` if it is not known, or if the tweet is no reply.
  private mutating func appendReplyContext(_ tweet: TweetFields, to rows: inout BlockRows) -> JSONValue? {
    guard let (answered, username) = tweet.reply else { return nil }
    text.bytes.append(glyphs.reply)
    text.bytes.append(" ")
    if let username {
      locale.append(before: .replyingTo, to: &text.bytes)
      text.mark(.dim)
      names.appendHandle(username, to: &text)
      text.mark(.mention)
      locale.append(after: .replyingTo, to: &text.bytes)
    } else {
      locale.append(.reply, to: &text.bytes)
    }
    text.mark(.dim)
    if let words = answered?["text"] {
      let room = layout.textWidth - DisplayWidth.widest(of: text.view(from: 0)) - 1
      text.bytes.append(" ")
      names.appendExcerpt(words, most: room, to: &text)
      text.mark(.dim)
    }
    addText(isolates: locale.isRightToLeft, to: &rows)
    return username
  }

  // MARK: Below the text

  private mutating func appendPlace(_ tweet: TweetFields) {
    guard let name = tweet.placeName else { return }
    if !text.isEmpty { text.bytes.append("  ") }
    text.bytes.append(glyphs.place)
    text.bytes.append(glyphs.glue)
    let start = text.count
    Printable.append(decoder.decode(name, limit: 1024), to: &text.bytes)
    text.bytes.cut(from: start, most: Self.widestExcerpt, ellipsis: glyphs.ellipsis)
    text.mark(.dim)
  }

  /// Adds the row that was put together, with the tweet's own address at its end where the time cannot link to it; if
  /// the row has no room for it, on a row of its own.
  private mutating func appendAddress(of tweet: TweetFields, to rows: inout BlockRows) {
    guard !style.hasLinks, let url = tweet.url else { return addText(to: &rows) }
    let start = text.count
    if start > 0 { text.append("  ", .plain) }
    let separated = text.count
    ShownAddress.appendWhole(decoder.decode(url, limit: AddressText.longest), to: &text.bytes)
    if text.count > layout.textWidth, start > 0, DisplayWidth.widest(of: text.view(from: 0)) > layout.textWidth {
      text.bytes.truncate(to: separated)
      addText(to: &rows)
      ShownAddress.appendWhole(decoder.decode(url, limit: AddressText.longest), to: &text.bytes)
    }
    text.mark(.dim)
    layout.addUnbroken(text, to: &rows)
    text.removeAll()
  }

  // MARK: Other rows

  /// Appends who wrote a tweet and its first words, for a tweet that was shown.
  private mutating func appendMention(of tweet: TweetFields) {
    names.appendHandle(of: tweet.author, to: &text)
    text.mark(.mention)
    let room = layout.textWidth - DisplayWidth.widest(of: text.view(from: 0)) - 1
    text.append(" ", .plain)
    names.appendExcerpt(tweet.text, most: min(room, Self.widestExcerpt), to: &text)
    text.mark(.dim)
  }

  /// Appends the row that says which tweet has changed, and what; nothing if none of it can be seen.
  package mutating func append(
    _ change: TweetChange, of tweet: TweetFields, width: Int, to rows: inout BlockRows
  ) {
    let shown = tweet.retweeted ?? tweet
    layout.begin(width: width, &rows)
    text.bytes.append(glyphs.update)
    text.append(" ", .dim)
    appendMention(of: shown)
    let start = text.count
    if change.contains(.links) { body.appendLinks(shown, room: layout.textWidth, to: &text) }
    if change.contains(.counts) { CountsRow.append(shown, style: style, locale: locale, to: &text) }
    if text.count == start { text.removeAll() }
    addText(to: &rows)
    body.addresses.addList(&layout, &text, to: &rows)
  }

  /// Appends a note's rows.
  package mutating func append(note: Note, width: Int, to rows: inout BlockRows) {
    layout.begin(width: width, &rows)
    note.append(to: &text, room: layout.textWidth, style: style, locale: locale, decoder: &decoder)
    addText(isolates: true, to: &rows)
  }
}
