import TweetCore
import TweetDisplay

/// The text of tweets as plain text in a message.
struct MailText: ~Copyable {
  private let now: Timestamp
  private var markup: TweetMarkup
  private let parts: TweetParts
  private var decoder = StringDecoder()

  /// - Parameters:
  ///   - locale: the language of the kit's own words.
  ///   - now: the time that ends of polls are seen from.
  ///   - warnings: whether what stands behind a warning is in the message.
  init(_ locale: ReaderLocale, now: Timestamp, warnings: WarningChoice) {
    self.now = now
    parts = TweetParts(foldsWarnings: warnings != .show)
    markup = TweetMarkup(locale, now: now, warnings: warnings)
  }

  /// Takes the service of the tweets that follow, from the record they are in.
  mutating func setService(of record: TweetFields) { markup.setService(of: record) }

  /// Appends a tweet's content, each line of it ended.
  mutating func append(_ tweet: TweetFields, to body: inout ByteBuffer) {
    if let original = tweet.retweeted {
      appendFullName(original.author, to: &body)
      body.append(":\n\n")
      parts.read(original, in: tweet)
    } else {
      parts.read(tweet)
    }
    appendContent(parts, isQuoted: false, to: &body)
  }

  /// Appends `Jane Smith (@jane)`.
  mutating func appendFullName(_ author: AuthorFields, to body: inout ByteBuffer) {
    markup.appendPlainFullName(author, to: &body)
  }

  /// Appends a tweet's address.
  /// - Returns: whether it has one that may be linked; if not, nothing was appended.
  mutating func appendAddress(of tweet: TweetFields, to body: inout ByteBuffer) -> Bool {
    markup.appendPlainAddress(of: tweet, to: &body)
  }

  private mutating func appendContent(_ parts: TweetParts, isQuoted: Bool, to body: inout ByteBuffer) {
    for part in parts.parts {
      switch part {
      case .deleted: append(note: .isDeleted, to: &body)
      case .withheld:
        body.append("[")
        parts.withheld?.append(to: &body, markup.locale) { $1.append(visible: decoder.decode($0, limit: 16)) }
        body.append("]\n\n")
      case .audience: if let phrase = parts.audience.phrase { append(note: phrase, to: &body) }
      case .edited: append(note: .edited, to: &body)
      case .warning:
        body.append("⚠ ")
        body.append(visible: decoder.decode(parts.tweet.warning, limit: .max))
        body.append(parts.isFolded ? " […]\n\n" : "\n\n")
      case .reply: appendReply(parts, to: &body)
      case .text: appendText(parts, to: &body)
      case .pages:
        for page in parts.pages { append(page, to: &body) }
      case .media: append(parts.media, isSensitive: parts.tweet.isSensitive, to: &body)
      case .poll: append(parts.poll(now: now), to: &body)
      case .quote: if let quote = parts.readQuote() { append(quote, to: &body) }
      case .missingQuote: if let state = parts.tweet.quoteState { append(note: state.phrase, to: &body) }
      case .place where isQuoted: continue
      case .place:
        body.append("⌂ ")
        body.append(visible: decoder.decode(parts.tweet.placeName))
        body.append("\n")
      // They would be those of one moment in a message that stays.
      case .counts: continue
      }
    }
  }

  private func append(note phrase: Phrase, to body: inout ByteBuffer) {
    body.append("[")
    markup.locale.append(phrase, to: &body)
    body.append("]\n\n")
  }

  /// Appends whom the tweet answers. The header names the tweet that it answers.
  private mutating func appendReply(_ parts: TweetParts, to body: inout ByteBuffer) {
    let (named, counted) = parts.addressees
    if named.isEmpty { return append(note: .reply, to: &body) }
    body.append("[")
    markup.locale.append(before: .replyingTo, to: &body)
    for (position, name) in named.enumerated() {
      body.append(position > 0 ? ", @" : "@")
      body.append(visible: decoder.decode(name, limit: 1024))
    }
    if !counted.isEmpty {
      body.append(" +")
      body.append(decimal: counted.count)
    }
    markup.locale.append(after: .replyingTo, to: &body)
    body.append("]\n\n")
  }

  private mutating func appendText(_ parts: TweetParts, to body: inout ByteBuffer) {
    let start = body.count
    for index in parts.text.pieces.indices where parts.text.pieces[index].place == .content {
      let piece = parts.text.pieces[index]
      if piece.kind == .link, let link = piece.entity {
        append(link, words: piece.isAddress ? nil : piece.text, to: &body)
      } else {
        body.append(visible: piece.text, newline: "\n")
      }
    }
    if body.count > start { body.append("\n") }
  }

  /// Appends a page that the text links to: its title; with its address, if that is not in the text.
  private mutating func append(_ page: TweetParts.Page, to body: inout ByteBuffer) {
    let title = decoder.decode(page.title, limit: 1000).map { $0 }
    if page.isInText {
      body.append("▸ ")
      title.withBytes { body.append(visible: $0) }
    } else {
      title.withBytes { append(page.link, words: $0.isEmpty ? nil : $0, to: &body) }
    }
    body.append("\n")
  }

  private mutating func append(_ media: [MediaFields], isSensitive: Bool, to body: inout ByteBuffer) {
    for item in media {
      body.append("[")
      markup.locale.append(item.kind.phrase, to: &body)
      if isSensitive {
        body.append(", ")
        markup.locale.append(.sensitive, to: &body)
      }
      body.append("] ")
      body.append(visible: decoder.decode(item.address, limit: .max))
      if let description = item.description {
        body.append(" ")
        body.append(visible: decoder.decode(description, limit: .max))
      }
      body.append("\n")
    }
  }

  private mutating func append(_ poll: PollFields?, to body: inout ByteBuffer) {
    guard let poll else { return }
    for option in poll.options {
      body.append("( ) ")
      body.append(visible: decoder.decode(option.label))
      body.append(": ")
      body.append(decimal: poll.count(of: option))
      body.append("\n")
    }
    poll.appendState(markup.locale, to: &body)
    body.append("\n")
  }

  private mutating func append(_ quote: TweetParts, to body: inout ByteBuffer) {
    body.append("\n")
    markup.appendPlainFullName(quote.tweet.author, to: &body)
    body.append(":\n")
    var inner = ByteBuffer()
    appendContent(quote, isQuoted: true, to: &inner)
    inner.withBytes { bytes in
      for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
        body.append("> ")
        body.append(ByteView(rebasing: line))
        body.append("\n")
      }
    }
  }

  private mutating func append(_ link: JSONValue, words: ByteView?, to body: inout ByteBuffer) {
    if let words {
      body.append(visible: words)
      body.append(" <")
    }
    body.append(visible: decoder.decode(ShownAddress.target(of: link), limit: .max))
    if words != nil { body.append(">") }
    guard let state = LinkState(link) else { return }
    if state.kind == .music { body.append(" ♫") }
    if state.isQuiet { return }
    body.append(" (")
    state.appendWords(markup.locale, to: &body) { word, body in
      body.append(visible: decoder.decode(word, limit: LinkState.longestDetail))
    }
    if let copy = state.copy {
      body.append(": ")
      body.append(visible: decoder.decode(copy, limit: .max))
    }
    body.append(")")
  }
}
