import TweetCore
import TweetDisplay

/// `mbox`: a message for each tweet, in a mailbox that mail programs open: replies are threads there.
///
/// The file is RFC 4155's with the quoting of "mboxrd": each body line of `From `, after any number of `>`, gets one `>` more,
/// so that it can be taken away again. Messages are MIME in UTF-8, as they stand if their lines are short enough, else
/// quoted-printable. Addresses are below `.invalid`, so that no reply goes anywhere (RFC 2606 §2).
struct MailFormat: DocumentFormat, ~Copyable {
  private static let longestSubject = 72
  /// RFC 5322 §2.1.1, without the line break. One is left for a `>`.
  private static let longestLine = 997

  private let now: Timestamp
  private var markup: TweetMarkup
  private let parts: TweetParts
  private var decoder = StringDecoder()
  private var words = ByteBuffer()
  private var titles: TweetTitle

  /// - Parameters:
  ///   - now: the time that ends of polls are seen from.
  ///   - warnings: whether what stands behind a warning is in the message.
  init(now: Timestamp, warnings: WarningChoice) {
    self.now = now
    parts = TweetParts(foldsWarnings: warnings != .show)
    // A subject is seen before the message is opened.
    titles = TweetTitle(ReaderLocale(nil), warnings: .fold)
    markup = TweetMarkup(ReaderLocale(nil), now: now, warnings: warnings)
  }

  mutating func append(_ record: JSONValue, to output: inout ByteBuffer) {
    let tweet = TweetFields(record)
    markup.setService(of: tweet)
    let time = MailTime(TweetTimes(tweet).posted)
    output.append("From tw@localhost.invalid ")
    time.appendPostmark(to: &output)
    output.append("\nDate: ")
    time.appendDate(to: &output)
    output.append("\nFrom: ")
    words.removeAll()
    words.append(firstWordsOf: decoder.decode(tweet.author.name, limit: 1024), most: 100)
    if words.count == 0 { words.append(firstWordsOf: decoder.decode(tweet.author.username, limit: 1024), most: 100) }
    MailHeader.append(phrase: words.withBytes { $0 }, to: &output)
    output.append(" <")
    MailHeader.append(local: decoder.decode(tweet.author.username ?? tweet.author.id, limit: 64), to: &output)
    output.append("@")
    MailHeader.append(domain: tweet.service, to: &output)
    output.append(">\nSubject: ")
    words.removeAll()
    titles.append(tweet, most: Self.longestSubject, to: &words)
    MailHeader.append(text: words.withBytes { $0 }, to: &output)
    output.append("\nMessage-ID: ")
    MailHeader.append(messageID: tweet.id, of: tweet.service, to: &output)
    appendReferences(tweet, record["conversation_id"], to: &output)
    words.removeAll()
    if markup.appendPlainAddress(of: tweet, to: &words), words.withBytes({ $0.allSatisfy { $0 < 0x80 } }) {
      // RFC 5064.
      output.append("\nArchived-At: <")
      words.withBytes { output.append($0) }
      output.append(">")
    }
    var body = ByteBuffer()
    appendBody(tweet, to: &body)
    Self.append(body: body, to: &output)
  }

  /// `In-Reply-To` and `References` (RFC 5322 §3.6.4): the conversation's first tweet and the one that is answered. A retweet
  /// belongs below what it repeats, a quote below what it quotes.
  private func appendReferences(_ tweet: TweetFields, _ conversation: JSONValue?, to output: inout ByteBuffer) {
    let parent = (tweet.reference("replied_to") ?? tweet.reference("retweeted") ?? tweet.reference("quoted"))?["id"]
    guard let parent, parent.isString, !parent.rawString.isEmpty else { return }
    output.append("\nIn-Reply-To: ")
    MailHeader.append(messageID: parent, of: tweet.service, to: &output)
    output.append("\nReferences: ")
    if tweet.reference("replied_to") != nil, let conversation, conversation.isString, !conversation.hasBytes(of: parent)
    {
      MailHeader.append(messageID: conversation, of: tweet.service, to: &output)
      output.append("\n ")
    }
    MailHeader.append(messageID: parent, of: tweet.service, to: &output)
  }

  // MARK: Body

  private mutating func appendBody(_ tweet: TweetFields, to body: inout ByteBuffer) {
    if let original = tweet.retweeted {
      markup.appendPlainFullName(original.author, to: &body)
      body.append(":\n\n")
      parts.read(original, in: tweet)
    } else {
      parts.read(tweet)
    }
    appendContent(parts, isQuoted: false, to: &body)
    let start = body.count
    body.append("\n-- \n")
    if markup.appendPlainAddress(of: tweet, to: &body) { body.append("\n") } else { body.truncate(to: start) }
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

  /// Appends whom the tweet answers, unless the text begins with it. The header names the tweet that it answers.
  private mutating func appendReply(_ parts: TweetParts, to body: inout ByteBuffer) {
    guard let name = parts.reply?.username else { return append(note: .reply, to: &body) }
    if parts.text.pieces.first?.kind == .mention { return }
    body.append("[")
    markup.locale.append(before: .replyingTo, to: &body)
    body.append("@")
    body.append(visible: decoder.decode(name, limit: 1024))
    markup.locale.append(after: .replyingTo, to: &body)
    body.append("]\n\n")
  }

  private mutating func appendText(_ parts: TweetParts, to body: inout ByteBuffer) {
    let start = body.count
    for index in parts.text.pieces.indices where parts.text.pieces[index].place != .margin {
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
      title.withUnsafeBufferPointer { body.append(visible: $0) }
    } else {
      title.withUnsafeBufferPointer { append(page.link, words: $0.isEmpty ? nil : $0, to: &body) }
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
        body.append(UnsafeBufferPointer(rebasing: line))
        body.append("\n")
      }
    }
  }

  private mutating func append(_ link: JSONValue, words: UnsafeBufferPointer<UInt8>?, to body: inout ByteBuffer) {
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

  /// Appends the rest of the header, and the body.
  private static func append(body: borrowing ByteBuffer, to output: inout ByteBuffer) {
    output.append("\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: ")
    body.withBytes { bytes in
      let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      let isShort = lines.allSatisfy { $0.count <= longestLine }
      output.append(isShort ? "8bit\n\n" : "quoted-printable\n\n")
      for line in lines.dropLast(bytes.last == UInt8(ascii: "\n") ? 1 : 0) {
        let line = UnsafeBufferPointer(rebasing: line)
        if isPostmark(line) { output.append(">") }
        if isShort { output.append(line) } else { MailHeader.append(quotedPrintable: line, to: &output) }
        output.append("\n")
      }
    }
    output.append("\n")
  }

  /// Whether a line is `From `, after any number of `>`.
  private static func isPostmark(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    line.drop { $0 == UInt8(ascii: ">") }.starts(with: "From ".utf8)
  }
}
