import TweetCore
import TweetDisplay

/// `markdown`: CommonMark, a part for each tweet, between thematic breaks.
struct MarkdownFormat: DocumentFormat, ~Copyable {
  private static let widestAddress = 60

  private let title: String
  let locale: ReaderLocale
  private var markup: TweetMarkup
  private let parts: TweetParts
  private let now = Timestamp.shown
  var decoder = StringDecoder()
  var scratch = ByteBuffer()

  /// - Parameters:
  ///   - locale: the language of times and of the kit's own words.
  ///   - warnings: whether what stands behind a warning is in the document.
  init(title: String, _ locale: ReaderLocale, warnings: WarningChoice) {
    self.title = title
    self.locale = locale
    parts = TweetParts(foldsWarnings: warnings != .show)
    markup = TweetMarkup(locale, now: now, warnings: warnings)
  }

  mutating func begin(_ output: inout ByteBuffer) {
    output.append("# ")
    scratch.removeAll()
    title.withBytes { scratch.append(firstWordsOf: $0, most: 1000) }
    appendLine(of: scratch.withBytes { $0 }, to: &output)
    output.append("\n")
  }

  mutating func append(_ record: JSONValue, to output: inout ByteBuffer) {
    let tweet = TweetFields(record)
    markup.setService(of: tweet)
    output.append("\n---\n\n")
    if let original = tweet.retweeted {
      output.append("↻ ")
      appendHead(tweet, as: .retweeted, to: &output)
      output.append("\n\n")
      parts.read(original, in: tweet)
    } else {
      parts.read(tweet)
    }
    append(parts, prefix: "", to: &output)
  }

  private mutating func append(_ parts: TweetParts, prefix: StaticString, to output: inout ByteBuffer) {
    output.append(prefix)
    appendHead(parts.tweet, to: &output)
    output.append("\n")
    let isQuoted = prefix.utf8CodeUnitCount > 0
    for part in parts.parts {
      switch part {
      case .deleted: appendNote(prefix, "⚠ ", to: &output) { $0.locale.append(.isDeleted, to: &$1) }
      case .audience:
        guard let phrase = parts.audience.phrase else { continue }
        appendNote(prefix, "🔒 ", to: &output) { $0.locale.append(phrase, to: &$1) }
      case .edited: appendNote(prefix, "✎ ", to: &output) { $0.locale.append(.edited, to: &$1) }
      case .withheld:
        appendNote(prefix, "⚠ ", to: &output) { markup, output in
          parts.withheld?.append(to: &output, markup.locale) {
            $1.append(visible: markup.decoder.decode($0, limit: 16))
          }
        }
      case .warning:
        startParagraph(prefix, to: &output)
        output.append("**")
        appendLine(of: decoder.decode(parts.tweet.warning, limit: .max), to: &output)
        output.append(parts.isFolded ? "** […]\n" : "**\n")
      case .reply: appendReplyNote(parts, prefix: prefix, to: &output)
      case .text: appendText(parts, prefix: prefix, to: &output)
      case .pages: for page in parts.pages { append(page, prefix: prefix, to: &output) }
      case .media: append(parts.media, isSensitive: parts.tweet.isSensitive, prefix: prefix, to: &output)
      case .poll: append(parts.poll(now: now), prefix: prefix, to: &output)
      case .quote:
        guard let quote = parts.readQuote() else { continue }
        output.append(prefix)
        output.append("\n")
        append(quote, prefix: isQuoted ? "> > " : "> ", to: &output)
      case .missingQuote:
        guard let state = parts.tweet.quoteState else { continue }
        appendNote(prefix, "⚠ ", to: &output) { $0.locale.append(state.phrase, to: &$1) }
      case .place where isQuoted: continue
      case .place:
        startParagraph(prefix, to: &output)
        output.append("⌂ ")
        appendLine(of: decoder.decode(parts.tweet.placeName), to: &output)
        output.append("\n")
      case .counts: if !isQuoted { appendCounts(parts.tweet, to: &output) }
      }
    }
  }

  /// Appends a paragraph of the kit's own words, after a sign.
  private mutating func appendNote(
    _ prefix: StaticString, _ sign: StaticString, to output: inout ByteBuffer,
    _ words: (inout TweetMarkup, inout ByteBuffer) -> Void
  ) {
    startParagraph(prefix, to: &output)
    output.append("**")
    output.append(sign)
    scratch.removeAll()
    words(&markup, &scratch)
    let note = scratch.array
    note.withBytes { appendLine(of: $0, to: &output) }
    output.append("**\n")
  }

  func startParagraph(_ prefix: StaticString, to output: inout ByteBuffer) {
    output.append(prefix)
    output.append("\n")
    output.append(prefix)
  }

  /// `**[Jane Smith](<https://x.com/jane>)** @jane · [2021-11-03 21:25](<…>)`.
  /// - Parameter phrase: what is said of the author.
  private mutating func appendHead(_ tweet: TweetFields, as phrase: Phrase? = nil, to output: inout ByteBuffer) {
    let author = tweet.author
    let name = [author.name, author.username, author.id].lazy.compactMap { $0 }
      .first { $0.rawString.contains { $0 > 0x20 } }
    if let phrase { locale.append(before: phrase, to: &output) }
    output.append("**")
    scratch.removeAll()
    let isLinked = markup.appendPlainProfile(author, to: &scratch)
    if isLinked { output.append("[") }
    let start = output.count
    appendLine(of: decoder.decode(name, limit: 1024), to: &output)
    if output.count == start { output.append("unknown") }
    if isLinked { closeLink(&output) }
    output.append("**")
    if let username = author.username, !username.rawString.isEmpty {
      output.append(" \\@")
      appendLine(of: decoder.decode(username, limit: 1024), to: &output)
    }
    if let phrase { locale.append(after: phrase, to: &output) }
    guard let time = tweet.createdAt else { return }
    output.append(" · ")
    scratch.removeAll()
    let hasAddress = markup.appendPlainAddress(of: tweet, to: &scratch)
    if hasAddress { output.append("[") }
    locale.appendLasting(time, to: &output)
    if hasAddress { closeLink(&output) }
  }

  /// Appends the end of a link to the address in `scratch`, which has no `<`, `>` or line break.
  mutating func closeLink(_ output: inout ByteBuffer) {
    output.append("](<")
    scratch.withBytes { output.append($0) }
    output.append(">)")
  }

  private mutating func appendReplyNote(_ parts: TweetParts, prefix: StaticString, to output: inout ByteBuffer) {
    guard let (answered, name) = parts.reply else { return }
    startParagraph(prefix, to: &output)
    if name != nil { locale.append(before: .replyingTo, to: &output) }
    scratch.removeAll()
    let isLinked = answered.map { markup.appendPlainAddress(of: TweetFields($0), to: &scratch) } ?? false
    if isLinked { output.append("[") }
    if let name {
      output.append("\\@")
      appendLine(of: decoder.decode(name, limit: 1024), to: &output)
    } else {
      locale.append(.reply, to: &output)
    }
    if isLinked { closeLink(&output) }
    if name != nil {
      appendOthers(parts, to: &output)
      locale.append(after: .replyingTo, to: &output)
    }
    output.append("\n")
  }

  /// Appends to whom an answer is addressed besides the person whom it answers.
  private mutating func appendOthers(_ parts: TweetParts, to output: inout ByteBuffer) {
    let (named, counted) = parts.addressees
    for name in named.dropFirst() {
      output.append(", \\@")
      appendLine(of: decoder.decode(name, limit: 1024), to: &output)
    }
    if counted.isEmpty { return }
    output.append(" +")
    output.append(decimal: counted.count)
  }

  /// Appends text that must stay on one line and is not at its start.
  mutating func appendLine(of text: ByteView, to output: inout ByteBuffer) {
    var line = ByteBuffer(capacity: text.count)
    line.append(visible: text)
    var writer = MarkdownText()
    writer.resume()
    line.withBytes { writer.append($0, to: &output) }
  }

  // MARK: Text

  private mutating func appendText(_ parts: TweetParts, prefix: StaticString, to output: inout ByteBuffer) {
    let start = output.count
    startParagraph(prefix, to: &output)
    let empty = output.count
    var writer = MarkdownText(prefix: prefix)
    for index in parts.text.pieces.indices where parts.text.pieces[index].place == .content {
      let piece = parts.text.pieces[index]
      if piece.kind == .link, let link = piece.entity {
        append(link: link, words: piece.isAddress ? nil : piece.text, to: &output)
        writer.resume()
      } else {
        writer.append(piece.text, to: &output)
      }
    }
    if output.count > empty { output.append("\n") } else { output.truncate(to: start) }
  }

  private mutating func append(_ page: TweetParts.Page, prefix: StaticString, to output: inout ByteBuffer) {
    startParagraph(prefix, to: &output)
    // Copied, since the decoder holds the link next.
    let words = decoder.decode(page.title, limit: 1000).map { $0 }
    words.withBytes {
      append(link: page.link, words: $0.isEmpty ? nil : $0, hasVerdict: !page.isInText, to: &output)
    }
    output.append("\n")
  }

  /// Appends `[words](<address>)`; the words alone if the address may not be linked.
  private mutating func append(
    link: JSONValue, words: ByteView?, hasVerdict: Bool = true, to output: inout ByteBuffer
  ) {
    let target = decoder.decode(ShownAddress.target(of: link), limit: .max)
    scratch.removeAll()
    let isLinked = SafeAddress.append(target, to: &scratch)
    if isLinked { output.append("[") }
    if let words {
      appendLine(of: words, to: &output)
    } else {
      var shown = ByteBuffer(capacity: 128)
      ShownAddress.appendShort(target, most: Self.widestAddress, ellipsis: "…", to: &shown)
      appendLine(of: shown.withBytes { $0 }, to: &output)
    }
    if isLinked { closeLink(&output) }
    if hasVerdict { appendVerdict(of: link, to: &output) }
  }

  /// Appends ` (dead 404)`, unless the link works. It links to the copy that the Internet Archive has.
  private mutating func appendVerdict(of link: JSONValue, to output: inout ByteBuffer) {
    guard let state = LinkState(link) else { return }
    if state.kind == .music { output.append(" ♫") }
    if state.isQuiet { return }
    scratch.removeAll()
    let hasCopy = state.copy != nil && SafeAddress.append(decoder.decode(state.copy, limit: .max), to: &scratch)
    output.append(hasCopy ? " ([" : " (")
    state.appendWords(locale, to: &output) { word, output in
      appendLine(of: decoder.decode(word, limit: LinkState.longestDetail), to: &output)
    }
    if hasCopy { closeLink(&output) }
    output.append(")")
  }

  // MARK: Other records

  static var showsNotifications: Bool { true }

  mutating func append(_ record: JSONValue, _ kind: OtherRecord, to output: inout ByteBuffer) {
    switch kind {
    case .user:
      output.append("\n---\n\n")
      let fields = TweetFields(record)
      markup.setService(of: fields)
      output.append("**")
      scratch.removeAll()
      markup.appendPlainFullName(AuthorFields(record), to: &scratch)
      let name = scratch.array
      name.withBytes { appendLine(of: $0, to: &output) }
      output.append("**\n")
      if let description = record["description"], description.isString, !description.rawString.isEmpty {
        output.append("\n")
        var writer = MarkdownText()
        writer.append(decoder.decode(description, limit: .max), to: &output)
        output.append("\n")
      }
    case .link:
      output.append("\n---\n\n")
      let title = decoder.decode(record["title"], limit: 1000).map { $0 }
      title.withBytes { append(link: record, words: $0.isEmpty ? nil : $0, to: &output) }
      output.append("\n")
    case .notice:
      guard let message = record["message"] ?? record["code"], message.isString else { return }
      output.append("\n---\n\n*")
      appendLine(of: decoder.decode(message), to: &output)
      output.append("*\n")
    case .notification:
      var text = ByteBuffer(capacity: 256)
      NotificationFields(record).append(locale, most: 300, to: &text)
      output.append("\n---\n\n*")
      text.withBytes { appendLine(of: $0, to: &output) }
      output.append("*\n")
    case .deletion:
      output.append("\n---\n\n*")
      locale.append(before: .deleted, to: &output)
      appendLine(of: decoder.decode(record["id"]), to: &output)
      locale.append(after: .deleted, to: &output)
      output.append("*\n")
    }
  }
}

/// Media, polls and counts of tweets.
extension MarkdownFormat {
  mutating func append(
    _ media: [MediaFields], isSensitive: Bool, prefix: StaticString, to output: inout ByteBuffer
  ) {
    output.append(prefix)
    output.append("\n")
    for item in media {
      output.append(prefix)
      output.append("- ")
      scratch.removeAll()
      let isLinked = SafeAddress.append(decoder.decode(item.address, limit: .max), to: &scratch)
      if isLinked { output.append("[") }
      locale.append(item.kind.phrase, to: &output)
      if isLinked { closeLink(&output) }
      if isSensitive {
        output.append(" (")
        locale.append(.sensitive, to: &output)
        output.append(")")
      }
      if let description = item.description {
        output.append(": ")
        appendLine(of: decoder.decode(description, limit: .max), to: &output)
      }
      output.append("\n")
    }
  }

  mutating func append(_ poll: PollFields?, prefix: StaticString, to output: inout ByteBuffer) {
    guard let poll else { return }
    output.append(prefix)
    output.append("\n")
    for option in poll.options {
      output.append(prefix)
      output.append("- ")
      let start = output.count
      appendLine(of: decoder.decode(option.label), to: &output)
      if output.count > start { output.append(": ") }
      locale.append(count: poll.count(of: option), to: &output)
      output.append("\n")
    }
    startParagraph(prefix, to: &output)
    poll.appendState(locale, to: &output)
    output.append("\n")
  }

  func appendCounts(_ tweet: TweetFields, to output: inout ByteBuffer) {
    let counts = tweet.counts.words
    for (position, (count, phrase)) in counts.enumerated() {
      output.append(position == 0 ? "\n" : " · ")
      locale.append(phrase, count: count, to: &output)
    }
    if !counts.isEmpty { output.append("\n") }
  }
}
