package import TweetCore

/// One tweet on one line: time, handle and text, as long as they are.
package struct TweetLine: ~Copyable {
  /// Of the column of times: what ``TimeForm/iso`` takes.
  private static let timeColumns = 16

  private static let widestNote = 200
  private static let widestExcerpt = 40

  let style: TerminalStyle
  let locale: ReaderLocale
  private let times: TimeForm
  var text = StyledText()
  let parts: TweetParts
  private var description = TextPieces(longest: TweetBlock.longestText)
  var body: TweetBody
  var names: AuthorText
  var decoder = StringDecoder()

  /// - Parameter foldsWarnings: whether of a tweet with a warning only the warning is shown.
  package init(_ style: TerminalStyle, locale: ReaderLocale, times: TimeForm, foldsWarnings: Bool = false) {
    self.style = style
    parts = TweetParts(longest: TweetBlock.longestText, foldsWarnings: foldsWarnings)
    self.locale = locale
    self.times = times
    body = TweetBody(style, form: .line)
    names = AuthorText(style)
  }

  /// Appends `2021-11-03 21:30  @jack: the text`, without a newline. The time is blank if it is not known.
  /// - Parameter isEdited: whether it has the mark of an edited tweet, whatever the record says.
  package mutating func append(_ tweet: TweetFields, isEdited: Bool = false, to output: inout ByteBuffer) {
    append(time: tweet.createdAt)
    appendAuthor(tweet.author)
    let bodyStart = text.count
    if let original = tweet.retweeted {
      text.append("RT ", .plain)
      appendAuthor(original.author, ink: .mention)
      parts.read(original, in: tweet, keepsLinks: true)
    } else {
      parts.read(tweet, keepsLinks: true)
    }
    if isEdited, !parts.tweet.isEdited { appendMark(style.glyphs.edit) }
    for part in parts.parts { append(part) }
    text.highlight(style.highlighted, from: bodyStart)
    print(isolatingFrom: bodyStart, to: &output)
  }

  private mutating func append(_ part: TweetPart) {
    switch part {
    case .deleted: appendMark(style.glyphs.failure, .isDeleted)
    case .withheld:
      text.bytes.append("[")
      text.bytes.append(style.glyphs.caution)
      text.bytes.append(style.glyphs.glue)
      parts.withheld?.append(to: &text.bytes, locale) { country, bytes in
        Printable.append(decoder.decode(country, limit: 16), to: &bytes)
      }
      text.append("] ", .warning)
    case .audience: appendMark(style.glyphs.lock, parts.audience.phrase)
    case .edited: appendMark(style.glyphs.edit)
    case .warning: appendWarning()
    case .reply: appendReply()
    case .text: body.append(parts.text, to: &text)
    case .pages: body.append(pages: parts.pages, to: &text)
    case .media: appendMedia()
    case .poll: appendPoll()
    case .quote: appendQuote()
    case .missingQuote: appendMissingQuote()
    case .place:
      text.bytes.append(" ")
      text.bytes.append(style.glyphs.place)
      text.bytes.append(style.glyphs.glue)
      Printable.append(decoder.decode(parts.tweet.placeName, limit: 1024), to: &text.bytes)
      text.mark(.dim)
    // They change, and a line stays.
    case .counts: return
    }
  }

  /// Appends a profile, without a newline: `@jack: name · description · 12 followers`.
  package mutating func append(user: UserFields, to output: inout ByteBuffer) {
    append(time: nil)
    appendAuthor(user.author)
    let start = text.count
    // Without a handle, the name stands in its place.
    if user.author.username != nil {
      Printable.append(decoder.decode(user.author.name, limit: 1024), to: &text.bytes)
      text.mark(.plain)
    }
    if user.author.isVerified {
      text.append(" ", .plain)
      text.append(style.glyphs.verified, .verified)
    }
    if user.description != nil {
      if text.count > start { appendSeparator() }
      description.read(user.description, user.entities)
      body.append(description, to: &text)
    }
    var counts = StyledText()
    CountsRow.append(user, style: style, locale: locale, to: &counts)
    if !counts.isEmpty {
      if text.count > start { appendSeparator() }
      text.bytes.append(counts.view(from: 0))
      text.mark(.dim)
    }
    print(isolatingFrom: start, to: &output)
  }

  /// Appends a link, without a newline: `https://t.co/a ✗ 404 https://example.com/ title`.
  package mutating func append(link: JSONValue, to output: inout ByteBuffer) {
    append(time: link["checked_at"].flatMap { Timestamp(ascii: $0.rawString) })
    let start = text.count
    let target = ShownAddress.target(of: link)
    let url = link["url"] ?? target
    appendAddress(url)
    if let badge = LinkBadge(link, glyphs: style.glyphs) {
      text.append(" ", .plain)
      badge.append(to: &text, glyphs: style.glyphs)
    }
    if let target, let url, !target.hasBytes(of: url) {
      text.append(" ", .plain)
      appendAddress(target)
    }
    if let title = link["title"]?.nonEmpty {
      text.bytes.append(" ")
      Printable.append(decoder.decode(title), to: &text.bytes)
      text.mark(.plain)
    }
    print(isolatingFrom: start, to: &output)
  }

  private mutating func appendAddress(_ address: JSONValue?) {
    let address = decoder.decode(address, limit: AddressText.longest)
    Printable.append(address, to: &text.bytes)
    text.mark(.link, linkingTo: address)
  }

  private mutating func appendSeparator() {
    text.bytes.append(" ")
    text.bytes.append(style.glyphs.separator)
    text.append(" ", .dim)
  }

  /// Appends `@handle: `.
  private mutating func appendAuthor(_ author: AuthorFields, ink: Ink = .name, end: StaticString = ": ") {
    let start = text.count
    guard let name = author.username ?? author.name ?? author.id else { return }
    if author.username != nil { text.bytes.append("@") }
    Printable.append(decoder.decode(name, limit: 1024), to: &text.bytes)
    if style.isolates { Bidi.isolate(&text.bytes, from: start) }
    text.mark(ink)
    text.append(end, .plain)
  }

  /// Appends the line that says what has changed about a tweet, without a newline; nothing if none of it can be seen.
  /// - Returns: whether there is such a line.
  package mutating func append(
    _ change: TweetChange, of tweet: TweetFields, to output: inout ByteBuffer
  ) -> Bool {
    let shown = tweet.retweeted ?? tweet
    // Most tweets that come again have nothing to say, and need not be put together.
    let hasLinks = change.contains(.links) && shown.hasCheckedLinks
    guard hasLinks || change.contains(.counts) && shown.metrics != nil else { return false }
    append(time: shown.createdAt)
    let start = text.count
    text.bytes.append(style.glyphs.update)
    text.append(" ", .dim)
    appendAuthor(shown.author, end: " ")
    names.appendExcerpt(shown.headWords, most: Self.widestExcerpt, to: &text)
    text.mark(.dim)
    let changes = text.count
    if hasLinks { body.appendLinks(shown, to: &text) }
    if change.contains(.counts) { CountsRow.append(shown, style: style, locale: locale, to: &text) }
    guard text.count > changes else {
      text.removeAll()
      return false
    }
    print(isolatingFrom: start, to: &output)
    return true
  }

  /// Appends a note, without a newline.
  package mutating func append(note: Note, to output: inout ByteBuffer) {
    append(time: note.time)
    let start = text.count
    note.append(to: &text, room: Self.widestNote, style: style, locale: locale, decoder: &decoder)
    print(isolatingFrom: start, to: &output)
  }

  /// Appends a notification, without a newline.
  package mutating func append(notification: NotificationFields, to output: inout ByteBuffer) {
    append(time: notification.time)
    let start = text.count
    notification.append(to: &text, room: Self.widestNote, style: style, locale: locale)
    print(isolatingFrom: start, to: &output)
  }

  private mutating func append(time: Timestamp?) {
    if let time { locale.append(time, as: times, now: times == .iso ? time : .shown, to: &text.bytes) }
    let width = DisplayWidth.of(text.view(from: 0))
    if style.isolates { Bidi.isolate(&text.bytes, from: 0) }
    for _ in min(width, Self.timeColumns)..<Self.timeColumns { text.bytes.append(" ") }
    text.bytes.append("  ")
    text.mark(.dim)
  }

  /// Prints the line that was put together, its part from `start` on isolated if it has right-to-left letters.
  private mutating func print(isolatingFrom start: Int, to output: inout ByteBuffer) {
    let isRightToLeft = style.isolates && Bidi.isRightToLeft(text.view(from: start))
    text.print(0..<start, in: style, to: &output)
    if isRightToLeft { output.append(Bidi.opening) }
    text.print(start..<text.count, in: style, to: &output)
    if isRightToLeft { output.append(Bidi.closing) }
    text.removeAll()
  }
}

/// What a line has besides the text: signs before it, and what other forms show below it.
extension TweetLine {
  /// More options of a poll are not named.
  private static let mostOptions = 12
  /// The first words of a tweet that is quoted take at most this many columns.
  private static let widestQuote = 80

  /// Appends a sign, or `[sign words] `.
  mutating func appendMark(_ sign: StaticString, _ phrase: Phrase? = nil) {
    if phrase != nil { text.bytes.append("[") }
    text.bytes.append(sign)
    if let phrase {
      text.bytes.append(style.glyphs.glue)
      locale.append(phrase, to: &text.bytes)
      text.bytes.append("]")
    }
    text.append(" ", .dim)
  }

  mutating func appendWarning() {
    text.bytes.append(style.glyphs.caution)
    text.bytes.append(style.glyphs.glue)
    Printable.append(decoder.decode(parts.tweet.warning), to: &text.bytes, newline: style.glyphs.newline)
    text.mark(.warning)
    if parts.isFolded { return body.appendFold(nil, to: &text) }
    text.bytes.append(" ")
    text.bytes.append(style.glyphs.newline)
    text.append(" ", .dim)
  }

  /// Appends whom the tweet answers, unless the text begins with it.
  mutating func appendReply() {
    guard let (_, username) = parts.reply else { return }
    if parts.text.pieces.first?.place == .addressed || parts.text.pieces.first?.kind == .mention { return }
    text.bytes.append(style.glyphs.reply)
    text.bytes.append(" ")
    if let username {
      names.appendHandle(username, to: &text)
    } else {
      locale.append(.reply, to: &text.bytes)
    }
    text.append(" ", .dim)
  }

  /// Appends `[photo] what it shows` for each of the pictures and videos.
  mutating func appendMedia() {
    for media in parts.media {
      text.append(" ", .plain)
      if parts.tweet.isSensitive, parts.tweet.warning == nil {
        text.bytes.append(style.glyphs.caution)
        text.bytes.append(style.glyphs.glue)
        locale.append(.sensitive, to: &text.bytes)
        text.append(" ", .warning)
      }
      text.bytes.append("[")
      locale.append(media.kind.phrase, to: &text.bytes)
      text.bytes.append("]")
      if style.hasLinks {
        text.mark(.link, linkingTo: decoder.decode(media.address, limit: AddressText.longest))
      } else {
        text.mark(.link)
      }
      guard let description = media.description else { continue }
      text.bytes.append(" ")
      Printable.append(decoder.decode(description, limit: 16 << 10), to: &text.bytes, newline: style.glyphs.newline)
      text.mark(.dim)
    }
  }

  /// Appends `[Tabs 14%, Spaces 86%; 7 votes, closes 2021-11-03 21:30]`.
  mutating func appendPoll() {
    guard let poll = parts.poll(now: .shown) else { return }
    text.bytes.append(" [")
    for (position, option) in poll.options.prefix(Self.mostOptions).enumerated() {
      if position > 0 { text.bytes.append(", ") }
      Printable.append(decoder.decode(option.label, limit: 256), to: &text.bytes, newline: style.glyphs.newline)
      text.bytes.append(" ")
      locale.append(percent: Int((poll.share(of: option) * 100).rounded()), to: &text.bytes)
    }
    text.bytes.append("; ")
    poll.appendState(locale, to: &text.bytes) { end, bytes in
      locale.append(end, as: .iso, now: end, to: &bytes)
    }
    text.append("]", .dim)
  }

  /// Appends whom the tweet quotes, and the first words; of a quote in it too.
  mutating func appendQuote() {
    for quote in parts.quotedTweets {
      text.bytes.append(" ")
      text.bytes.append(style.glyphs.quotes)
      text.bytes.append(style.glyphs.glue)
      text.mark(.dim)
      if let phrase = quote.audience.phrase { appendMark(style.glyphs.lock, phrase) }
      names.appendHandle(of: quote.author, to: &text)
      text.mark(.mention)
      text.append(" ", .plain)
      names.appendExcerpt(quote.headWords, most: Self.widestQuote, to: &text)
      text.mark(.dim)
    }
  }

  /// Appends why the tweet that this one quotes is not there.
  mutating func appendMissingQuote() {
    guard let state = parts.tweet.quoteState else { return }
    text.bytes.append(" [")
    text.bytes.append(style.glyphs.caution)
    text.bytes.append(style.glyphs.glue)
    locale.append(state.phrase, to: &text.bytes)
    text.append("]", .dim)
  }
}
