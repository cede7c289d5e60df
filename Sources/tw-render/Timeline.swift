import TweetCore
import TweetDisplay

/// The `text` format: tweets one below the other, as a terminal shows them.
struct Timeline: ~Copyable {
  /// Names are at most so wide; X allows 50 letters.
  private static let widestName = 40
  /// Pictures' descriptions are cut here; X allows 1000 letters.
  private static let longestDescription = 600

  private let glyphs: Glyphs
  private let clock = HumanTime()
  private var rows: Rows
  private var text = StyledText()
  private var body: TweetText
  private var decoder = TextDecoder()

  init(_ screen: Screen) {
    glyphs = screen.isASCII ? .ascii : .unicode
    rows = Rows(screen, glyphs)
    body = TweetText(glyphs: glyphs, style: .block)
  }

  /// Appends a tweet's rows.
  /// - Parameters:
  ///   - now: what its time is told against.
  ///   - width: of the screen, in columns.
  mutating func append(_ tweet: TweetView, now: Timestamp, width: Int, to output: inout ByteBuffer) {
    rows.begin(width: width)
    if let original = tweet.reference("retweeted"), original["text"] != nil {
      appendRetweeter(tweet, now, to: &output)
      appendWhole(TweetView(original), now, to: &output)
    } else {
      appendWhole(tweet, now, to: &output)
    }
    rows.finish(to: &output)
  }

  private mutating func appendRetweeter(_ tweet: TweetView, _ now: Timestamp, to output: inout ByteBuffer) {
    text.bytes.append(glyphs.retweet)
    text.bytes.append(" ")
    appendName(tweet.author)
    text.bytes.append(" retweeted")
    text.mark(.dim)
    appendTime(tweet, now)
    endPart(to: &output)
  }

  private mutating func appendWhole(_ tweet: TweetView, _ now: Timestamp, to output: inout ByteBuffer) {
    rows.startAvatar()
    let start = text.count
    appendName(tweet.author)
    rows.avatar.set(tweet.author, name: text.view(from: start))
    text.mark(.name)
    appendHeaderRest(tweet, now)
    endPart(to: &output)
    appendContent(tweet, quoted: quoted(tweet), now, to: &output)
    Metric.append(tweet, glyphs: glyphs, to: &text)
    endPart(to: &output)
  }

  /// The quoted tweet, where more of it is known than its id.
  private func quoted(_ tweet: TweetView) -> TweetView? {
    guard let quoted = tweet.reference("quoted"), quoted["text"] != nil else { return nil }
    return TweetView(quoted)
  }

  private mutating func appendContent(
    _ tweet: TweetView, quoted: TweetView?, _ now: Timestamp, to output: inout ByteBuffer
  ) {
    let addressed = appendReplyContext(tweet, to: &output)
    body.append(tweet, quoted: quoted, addressed: addressed, to: &text)
    endPart(isolates: true, to: &output)
    if let attachments = tweet.attachments { append(attachments: attachments, to: &output) }
    guard let quoted else { return }
    rows.openFrame()
    appendName(quoted.author)
    text.mark(.name)
    appendHeaderRest(quoted, now)
    endPart(to: &output)
    // Quotes in a quote are left out, as the services do.
    appendContent(quoted, quoted: nil, now, to: &output)
    rows.closeFrame()
  }

  /// Prints the part that was put together.
  private mutating func endPart(isolates: Bool = false, to output: inout ByteBuffer) {
    if text.isEmpty { return }
    rows.print(text, isolates: isolates, to: &output)
    text.removeAll()
  }

  // MARK: Header

  /// The display name, kept together against right-to-left letters; without one, the handle or the id.
  private mutating func appendName(_ author: AuthorView) {
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

  private mutating func appendHeaderRest(_ tweet: TweetView, _ now: Timestamp) {
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

  private mutating func appendTime(_ tweet: TweetView, _ now: Timestamp) {
    guard let time = tweet.createdAt else { return }
    text.bytes.append(" ")
    text.bytes.append(glyphs.separator)
    text.append(" ", .dim)
    clock.appendRelative(time, now: now, to: &text.bytes)
    text.mark(.dim, leadingTo: decoder.decode(tweet.url))
  }

  /// Appends whom the tweet answers, and gives their handle if it is known.
  private mutating func appendReplyContext(_ tweet: TweetView, to output: inout ByteBuffer) -> JSONValue? {
    let parent = tweet.reference("replied_to")
    guard parent != nil || tweet.replyToUserID != nil || tweet.replyToUser != nil else { return nil }
    let username = tweet.replyToUser?["username"] ?? parent?["author"]?["username"] ?? mentioned(tweet)
    text.bytes.append(glyphs.reply)
    if let username {
      text.append(" replying to ", .dim)
      appendHandle(username)
      text.mark(.mention)
    } else {
      text.append(" a reply", .dim)
    }
    endPart(to: &output)
    return username
  }

  /// The handle of whom the tweet answers, from the people it mentions.
  private func mentioned(_ tweet: TweetView) -> JSONValue? {
    guard let id = tweet.replyToUserID, let mentions = tweet.entities?["mentions"] else { return nil }
    let mention = mentions.elements.first { $0["id"]?.rawString.elementsEqual(id.rawString) == true }
    return mention?["username"]
  }

  // MARK: Attachments

  private mutating func append(attachments: JSONValue, to output: inout ByteBuffer) {
    if let media = attachments["media"] {
      for item in media.elements {
        append(media: item)
        endPart(isolates: true, to: &output)
      }
    }
    if let poll = attachments["poll"] {
      Poll(poll).append(to: &text, glyphs: glyphs, decoder: &decoder)
      endPart(isolates: true, to: &output)
    }
  }

  /// `[photo] what it shows`.
  private mutating func append(media: JSONValue) {
    text.bytes.append("[")
    let type = media["type"]?.equals("animated_gif") == true ? nil : media["type"]
    if let type { Printable.append(decoder.decode(type, limit: 24), to: &text.bytes) } else { text.bytes.append("gif") }
    text.bytes.append("]")
    text.mark(.link, leadingTo: decoder.decode(media["url"] ?? media["preview_image_url"]))
    guard let description = media["alt_text"] else { return }
    text.bytes.append(" ")
    let start = text.count
    Printable.append(decoder.decode(description, limit: 16 << 10), to: &text.bytes)
    cut(from: start, most: Self.longestDescription)
    text.mark(.dim)
  }

  // MARK: Other records

  /// Appends the line that says what has changed about a tweet shown before; nothing when that cannot be seen.
  mutating func append(update tweet: TweetView, links: Bool, counts: Bool, width: Int, to output: inout ByteBuffer) {
    let shown = tweet.reference("retweeted").flatMap { $0["text"] == nil ? nil : TweetView($0) } ?? tweet
    rows.begin(width: width)
    text.bytes.append(glyphs.retweet)
    text.append(" update ", .dim)
    if let username = shown.author.username { appendHandle(username) } else { appendName(shown.author) }
    text.mark(.mention)
    let start = text.count
    if links { body.appendLinks(shown, to: &text) }
    if counts { Metric.append(shown, glyphs: glyphs, to: &text) }
    if text.count == start { text.removeAll() }
    endPart(to: &output)
  }

  /// Appends a line that is of no tweet: a sign, words of ours, a record's own.
  mutating func append(note: Note, width: Int, to output: inout ByteBuffer) {
    rows.begin(width: width)
    text.append(note.sign, note.ink)
    text.bytes.append(" ")
    text.bytes.append(note.words)
    Printable.append(decoder.decode(note.value), to: &text.bytes)
    text.mark(.dim)
    endPart(isolates: true, to: &output)
  }
}

/// What is told of a record that is no tweet.
struct Note {
  var sign: StaticString
  var ink: Ink
  var words: StaticString = ""
  var value: JSONValue?
  var time: JSONValue?
}
