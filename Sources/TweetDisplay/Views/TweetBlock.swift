package import TweetCore

/// One tweet as a block of rows: its author, what it answers, its text, pictures, poll, quoted tweet and counts.
package struct TweetBlock: ~Copyable {
  /// The first words of another tweet, where that is only named, take at most this many columns.
  private static let widestExcerpt = 40
  /// More bytes of one text are not shown. X's longest posts are 25 000 letters.
  static let longestText = 128 << 10

  let style: TerminalStyle
  private let showsIDs: Bool
  private let photos: (any PictureSource)?
  /// What a person presses to read what is folded; `nil` where nothing opens it.
  let foldKey: String?
  /// More rows of a text are folded; `nil` for all.
  private let mostRows: Int?
  let locale: ReaderLocale
  private let times: TimeForm
  var layout: BlockLayout
  var text = StyledText()
  private let parts: TweetParts
  var body: TweetBody
  var names: AuthorText
  private var header: HeaderRow
  var decoder = StringDecoder()
  private var id = TweetID()
  var isBelowAnswered = false

  var glyphs: Glyphs { style.glyphs }

  /// - Parameters:
  ///   - blocks: what stands at the left of a tweet.
  ///   - photos: what draws a tweet's photos; `nil` for none.
  ///   - showsIDs: whether a tweet's id stands below it.
  ///   - mostRows: more rows of a text are folded; `nil` for all.
  ///   - foldsWarnings: whether of a tweet with a warning only the warning is shown.
  ///   - foldKey: what a person presses to read what is folded, which is also media that the author or the service
  ///     warns of;
  ///     `nil` where nothing opens it.
  package init(
    _ style: TerminalStyle, locale: ReaderLocale, times: TimeForm, blocks: AuthorBlocks,
    photos: (any PictureSource)?, showsIDs: Bool = false, mostRows: Int? = nil, foldsWarnings: Bool = false,
    foldKey: String? = nil
  ) {
    self.style = style
    self.mostRows = mostRows
    parts = TweetParts(longest: Self.longestText, foldsWarnings: foldsWarnings)
    self.locale = locale
    self.times = times
    self.showsIDs = showsIDs
    self.photos = photos
    self.foldKey = foldKey
    layout = BlockLayout(style, blocks)
    body = TweetBody(style, form: .block)
    names = AuthorText(style)
    header = HeaderRow(style, locale: locale, times: times)
  }

  /// Whether what stands behind a warning is left out.
  package var foldsWarnings: Bool {
    get { parts.foldsWarnings }
    set { parts.foldsWarnings = newValue }
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
  ///   - isBelowAnswered: whether it stands below the tweet that it answers.
  package mutating func append(
    _ tweet: TweetFields, as form: Form = .whole, now: Timestamp, width: Int, isBelowAnswered: Bool = false,
    to rows: inout BlockRows
  ) {
    self.isBelowAnswered = isBelowAnswered
    layout.begin(width: width, &rows)
    if let original = tweet.retweeted {
      appendNumber(of: tweet)
      header.append(retweeter: tweet, now: now, room: layout.textWidth - text.count, to: &text)
      addText(isolates: locale.isRightToLeft, to: &rows)
      if form == .retweeter {
        appendMention(of: original)
        addText(to: &rows)
      } else {
        appendWhole(original, in: tweet, form, now, to: &rows)
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
    _ tweet: TweetFields, in retweet: TweetFields? = nil, _ form: Form, _ now: Timestamp, to rows: inout BlockRows
  ) {
    names.appendName(tweet.author, to: &text)
    layout.startBlock(of: tweet.author, name: text.view(from: 0), &rows)
    text.removeAll()
    appendNumber(of: tweet)
    var room = layout.textWidth - text.count
    if form == .asked {
      text.bytes.append(glyphs.asked)
      text.append(" ", .good)
      room -= glyphs.asked.columns + 1
    }
    header.append(tweet, now: now, room: room, isEdited: form == .edited, to: &text)
    addText(to: &rows)
    parts.read(tweet, in: retweet)
    appendContent(parts, now, to: &rows)
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

  /// Appends the tweet's number, which is ASCII, if it has one.
  private mutating func appendNumber(of tweet: TweetFields) {
    guard let number = tweet.number else { return }
    text.bytes.append(decimal: number)
    text.mark(.number)
    text.append(" ", .plain)
  }

  private mutating func appendContent(_ parts: TweetParts, _ now: Timestamp, to rows: inout BlockRows) {
    for part in parts.parts {
      switch part {
      case .withheld: appendWithheld(parts)
      case .warning: appendWarning(parts)
      case .reply:
        appendReplyContext(parts)
        addText(isolates: locale.isRightToLeft, to: &rows)
      case .text:
        body.append(parts.text, room: layout.textWidth, to: &text)
        text.highlight(style.highlighted)
        addText(isolates: true, mostRows: mostRows, to: &rows)
      case .pages: body.append(pages: parts.pages, room: layout.textWidth, to: &text)
      case .media:
        let isFolded = foldKey != nil && foldsWarnings && parts.tweet.isSensitive
        if !isFolded { addPhotos(parts, to: &rows) }
        MediaRows(parts, foldKey: isFolded ? foldKey : nil).append(
          room: layout.textWidth, style: style, locale: locale, namesMissing: photos.map { !$0.saysWhy } ?? false,
          addresses: &body.addresses, decoder: &decoder, to: &text)
      case .poll:
        guard let poll = parts.poll(now: now) else { continue }
        PollRows(poll).append(to: &text, glyphs: glyphs, locale: locale, times: times, now: now, decoder: &decoder)
      case .quote:
        if let quote = parts.readQuote() { appendQuote(quote, now, to: &rows) }
      case .missingQuote: appendMissingQuote(parts)
      // The headers say that it is deleted or edited, and who may see it. Place and counts share the last row, and a
      // quote has none.
      case .deleted, .audience, .edited, .place, .counts: continue
      }
      addText(isolates: true, to: &rows)
    }
  }

  private mutating func appendQuote(_ quote: TweetParts, _ now: Timestamp, to rows: inout BlockRows) {
    isBelowAnswered = false
    layout.openFrame()
    header.append(quote.tweet, now: now, room: layout.textWidth, to: &text)
    addText(to: &rows)
    appendContent(quote, now, to: &rows)
    appendAddress(of: quote.tweet, to: &rows)
    layout.closeFrame()
  }

  /// Adds a tweet's photos, unless a warning stands before them.
  private mutating func addPhotos(_ parts: TweetParts, to rows: inout BlockRows) {
    guard let photos else { return }
    // Where a key opens what is folded, what comes here is open.
    if foldKey == nil, parts.tweet.isSensitive || parts.tweet.warning != nil { return }
    let media = parts.media
    layout.add(
      photos: media.compactMap { photos.drawing(of: $0, among: media.count, room: layout.textWidth) }, to: &rows)
  }

  /// Adds the text that was put together, in rows, and forgets it.
  /// - Parameter mostRows: more rows are left out, and a row says how many.
  private mutating func addText(isolates: Bool = false, mostRows: Int? = nil, to rows: inout BlockRows) {
    if text.isEmpty { return }
    let folded = layout.add(text, isolates: isolates, mostRows: mostRows, to: &rows)
    text.removeAll()
    guard folded > 0 else { return }
    text.bytes.append(glyphs.ellipsis)
    text.bytes.append(" ")
    locale.append(.moreRows, count: folded, to: &text.bytes)
    text.mark(.dim)
    addText(isolates: true, to: &rows)
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
    names.appendExcerpt(tweet.headWords, most: min(room, Self.widestExcerpt), to: &text)
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
    appendNumber(of: tweet)
    appendMention(of: shown)
    let start = text.count
    if change.contains(.links) { body.appendLinks(shown, room: layout.textWidth, to: &text) }
    if change.contains(.counts) { CountsRow.append(shown, style: style, locale: locale, to: &text) }
    if text.count == start { text.removeAll() }
    addText(to: &rows)
    body.addresses.addList(&layout, &text, to: &rows)
  }

  /// Appends a notification's rows.
  package mutating func append(notification: NotificationFields, width: Int, to rows: inout BlockRows) {
    layout.begin(width: width, &rows)
    notification.append(to: &text, room: layout.textWidth, style: style, locale: locale)
    addText(isolates: true, to: &rows)
  }

  /// Appends a note's rows.
  package mutating func append(note: Note, width: Int, to rows: inout BlockRows) {
    layout.begin(width: width, &rows)
    note.append(to: &text, room: layout.textWidth, style: style, locale: locale, decoder: &decoder)
    addText(isolates: true, to: &rows)
  }
}

/// What stands above a tweet's text: where it is withheld, what its author warns of, whom it answers.
extension TweetBlock {
  mutating func appendWithheld(_ parts: TweetParts) {
    appendCaution()
    parts.withheld?.append(to: &text.bytes, locale) { country, bytes in
      Printable.append(decoder.decode(country, limit: 16), to: &bytes)
    }
    text.mark(.warning)
  }

  /// Appends why a quoted tweet is not there.
  mutating func appendMissingQuote(_ parts: TweetParts) {
    guard let state = parts.tweet.quoteState else { return }
    appendCaution()
    locale.append(state.phrase, to: &text.bytes)
    text.mark(.dim)
  }

  mutating func appendWarning(_ parts: TweetParts) {
    appendCaution()
    Printable.append(decoder.decode(parts.tweet.warning), to: &text.bytes)
    text.mark(.warning)
    if parts.isFolded { body.appendFold(foldKey, to: &text) }
  }

  private mutating func appendCaution() {
    text.bytes.append(glyphs.caution)
    text.bytes.append(glyphs.glue)
  }

  /// Appends whom the tweet answers, and the first words of what it answers.
  mutating func appendReplyContext(_ parts: TweetParts) {
    guard let (answered, username) = parts.reply else { return }
    let (named, counted) = parts.addressees
    // The reader sees whom it answers on the rows above.
    if isBelowAnswered, named.count < 2 { return }
    text.bytes.append(glyphs.reply)
    text.bytes.append(" ")
    if username != nil {
      locale.append(before: .replyingTo, to: &text.bytes)
      text.mark(.dim)
      // Within words that run from right to left, the sign before a name would go to its other end.
      let isolates = style.isolates && locale.isRightToLeft
      if isolates { text.bytes.append(Bidi.opening) }
      for (position, name) in named.enumerated() {
        if position > 0 { text.bytes.append(", ") }
        names.appendHandle(name, to: &text)
      }
      if !counted.isEmpty {
        text.bytes.append(" +")
        text.bytes.append(decimal: counted.count)
      }
      if isolates { text.bytes.append(Bidi.closing) }
      text.mark(.mention)
      locale.append(after: .replyingTo, to: &text.bytes)
    } else {
      locale.append(.reply, to: &text.bytes)
    }
    text.mark(.dim)
    guard !isBelowAnswered, let answered = answered.map({ TweetFields($0) }), let words = answered.headWords else {
      return
    }
    if answered.audience != .everybody {
      text.bytes.append(" ")
      text.bytes.append(glyphs.lock)
    }
    let room = layout.textWidth - DisplayWidth.widest(of: text.view(from: 0)) - 1
    text.bytes.append(" ")
    names.appendExcerpt(words, most: room, to: &text)
    text.mark(.dim)
  }
}
