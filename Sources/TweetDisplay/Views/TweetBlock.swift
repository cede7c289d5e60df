package import TweetCore

/// One tweet as a block of rows: its author, what it answers, its text, pictures, poll, quoted tweet and counts.
package struct TweetBlock: ~Copyable {
  /// Names are cut at this many columns; X allows 50 letters.
  private static let widestName = 40
  /// Pictures' descriptions are cut at this many columns; X allows 1000 letters.
  private static let widestDescription = 600

  private let glyphs: Glyphs
  private let clock = HumanTime()
  private var rows: RowPrinter
  private var text = StyledText()
  private var body: TweetBody
  private var decoder = StringDecoder()

  package init(_ style: TerminalStyle) {
    glyphs = style.glyphs
    rows = RowPrinter(style)
    body = TweetBody(glyphs: style.glyphs, form: .block)
  }

  /// Appends a tweet's rows.
  /// - Parameters:
  ///   - now: the time that its age is counted to.
  ///   - width: of the screen, in columns.
  package mutating func append(_ tweet: TweetFields, now: Timestamp, width: Int, to output: inout ByteBuffer) {
    rows.begin(width: width)
    if let original = tweet.reference("retweeted"), original["text"] != nil {
      appendRetweeter(tweet, now, to: &output)
      appendWhole(TweetFields(original), now, to: &output)
    } else {
      appendWhole(tweet, now, to: &output)
    }
    rows.finish(to: &output)
  }

  private mutating func appendRetweeter(_ tweet: TweetFields, _ now: Timestamp, to output: inout ByteBuffer) {
    text.bytes.append(glyphs.retweet)
    text.bytes.append(" ")
    appendName(tweet.author)
    text.bytes.append(" retweeted")
    text.mark(.dim)
    appendTime(tweet, now)
    printText(to: &output)
  }

  private mutating func appendWhole(_ tweet: TweetFields, _ now: Timestamp, to output: inout ByteBuffer) {
    let start = text.count
    appendName(tweet.author)
    rows.startBlock(of: tweet.author, name: text.view(from: start))
    text.mark(.name)
    appendHeaderEnd(tweet, now)
    printText(to: &output)
    appendContent(tweet, quoted: quoted(tweet), now, to: &output)
    CountsRow.append(tweet, glyphs: glyphs, to: &text)
    printText(to: &output)
  }

  /// The quoted tweet, if more of it is known than its id.
  private func quoted(_ tweet: TweetFields) -> TweetFields? {
    guard let quoted = tweet.reference("quoted"), quoted["text"] != nil else { return nil }
    return TweetFields(quoted)
  }

  private mutating func appendContent(
    _ tweet: TweetFields, quoted: TweetFields?, _ now: Timestamp, to output: inout ByteBuffer
  ) {
    let addressed = appendReplyContext(tweet, to: &output)
    body.append(tweet, quoted: quoted, addressed: addressed, to: &text)
    printText(isolates: true, to: &output)
    if let attachments = tweet.attachments { append(attachments: attachments, to: &output) }
    guard let quoted else { return }
    rows.openFrame()
    appendName(quoted.author)
    text.mark(.name)
    appendHeaderEnd(quoted, now)
    printText(to: &output)
    // Quotes in a quote are left out, as the services do.
    appendContent(quoted, quoted: nil, now, to: &output)
    rows.closeFrame()
  }

  /// Prints the text that was put together, in rows, and forgets it.
  private mutating func printText(isolates: Bool = false, to output: inout ByteBuffer) {
    if text.isEmpty { return }
    rows.print(text, isolates: isolates, to: &output)
    text.removeAll()
  }

  // MARK: Header

  /// Appends the display name, isolated if it has right-to-left letters; without one, the handle or the id.
  private mutating func appendName(_ author: AuthorFields) {
    let start = text.count
    Printable.append(decoder.decode(author.name, limit: 1024), to: &text.bytes)
    if isBlank(from: start) {
      text.bytes.truncate(to: start)
      Printable.append(decoder.decode(author.username ?? author.id, limit: 1024), to: &text.bytes)
    }
    cut(from: start, most: Self.widestName)
    Bidi.isolate(&text.bytes, from: start)
  }

  private func isBlank(from start: Int) -> Bool {
    text.view(from: start).allSatisfy { $0 == 0x20 }
  }

  private mutating func cut(from start: Int, most: Int) {
    text.bytes.cut(from: start, most: most, ellipsis: glyphs.ellipsis)
  }

  /// Appends what follows the name: the sign of a verified account, the handle, the time.
  private mutating func appendHeaderEnd(_ tweet: TweetFields, _ now: Timestamp) {
    if tweet.author.isVerified {
      text.append(" ", .plain)
      text.append(glyphs.verified, .verified)
    }
    if let username = tweet.author.username {
      text.bytes.append(" ")
      appendHandle(username)
      text.mark(.dim)
    }
    appendTime(tweet, now)
  }

  private mutating func appendHandle(_ username: JSONValue) {
    let start = text.count
    text.bytes.append("@")
    Printable.append(decoder.decode(username, limit: 1024), to: &text.bytes)
    cut(from: start, most: Self.widestName)
    Bidi.isolate(&text.bytes, from: start)
  }

  private mutating func appendTime(_ tweet: TweetFields, _ now: Timestamp) {
    guard let time = tweet.createdAt else { return }
    text.bytes.append(" ")
    text.bytes.append(glyphs.separator)
    text.append(" ", .dim)
    clock.appendRelative(time, now: now, to: &text.bytes)
    text.mark(.dim, linkingTo: decoder.decode(tweet.url))
  }

  /// Prints whom the tweet answers.
  /// - Returns: their handle; `nil` if it is not known, or if the tweet is no reply.
  private mutating func appendReplyContext(_ tweet: TweetFields, to output: inout ByteBuffer) -> JSONValue? {
    let parent = tweet.reference("replied_to")
    guard parent != nil || tweet.replyToUserID != nil || tweet.replyToUser != nil else { return nil }
    let username = tweet.replyToUser?["username"] ?? parent?["author"]?["username"] ?? mentionedReplyTarget(tweet)
    text.bytes.append(glyphs.reply)
    if let username {
      text.append(" replying to ", .dim)
      appendHandle(username)
      text.mark(.mention)
    } else {
      text.append(" a reply", .dim)
    }
    printText(to: &output)
    return username
  }

  /// The handle of whom the tweet answers, from its mentions.
  private func mentionedReplyTarget(_ tweet: TweetFields) -> JSONValue? {
    guard let id = tweet.replyToUserID, let mentions = tweet.entities?["mentions"] else { return nil }
    let mention = mentions.elements.first { $0["id"]?.rawString.elementsEqual(id.rawString) == true }
    return mention?["username"]
  }

  // MARK: Attachments

  private mutating func append(attachments: JSONValue, to output: inout ByteBuffer) {
    if let media = attachments["media"] {
      for item in media.elements {
        append(media: item)
        printText(isolates: true, to: &output)
      }
    }
    if let poll = attachments["poll"] {
      PollRows(poll).append(to: &text, glyphs: glyphs, decoder: &decoder)
      printText(isolates: true, to: &output)
    }
  }

  /// Appends `[photo] what it shows`.
  private mutating func append(media: JSONValue) {
    text.bytes.append("[")
    let type = media["type"]?.equals("animated_gif") == true ? nil : media["type"]
    if let type { Printable.append(decoder.decode(type, limit: 24), to: &text.bytes) } else { text.bytes.append("gif") }
    text.bytes.append("]")
    text.mark(.link, linkingTo: decoder.decode(media["url"] ?? media["preview_image_url"]))
    guard let description = media["alt_text"] else { return }
    text.bytes.append(" ")
    let start = text.count
    Printable.append(decoder.decode(description, limit: 16 << 10), to: &text.bytes)
    cut(from: start, most: Self.widestDescription)
    text.mark(.dim)
  }

  // MARK: Other rows

  /// What has changed about a tweet since it was shown.
  package struct Change {
    package let links, counts: Bool

    package init(links: Bool, counts: Bool) { (self.links, self.counts) = (links, counts) }
  }

  /// Appends the row that says what has changed about a tweet; nothing if none of it can be seen.
  package mutating func append(_ change: Change, of tweet: TweetFields, width: Int, to output: inout ByteBuffer) {
    let shown = tweet.reference("retweeted").flatMap { $0["text"] == nil ? nil : TweetFields($0) } ?? tweet
    rows.begin(width: width)
    text.bytes.append(glyphs.retweet)
    text.append(" update ", .dim)
    if let username = shown.author.username { appendHandle(username) } else { appendName(shown.author) }
    text.mark(.mention)
    let start = text.count
    if change.links { body.appendLinks(shown, to: &text) }
    if change.counts { CountsRow.append(shown, glyphs: glyphs, to: &text) }
    if text.count == start { text.removeAll() }
    printText(to: &output)
  }

  /// Appends a note's rows.
  package mutating func append(note: Note, width: Int, to output: inout ByteBuffer) {
    rows.begin(width: width)
    note.appendSign(to: &text, glyphs: glyphs)
    note.appendWords(to: &text, decoder: &decoder)
    printText(isolates: true, to: &output)
  }
}
