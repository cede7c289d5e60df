package import TweetCore

/// The fields of a `notification` record that are shown.
package struct NotificationFields {
  let kind: NotificationKind
  /// The service's word for the kind.
  let type: JSONValue?
  let user: AuthorFields
  let tweet: TweetFields?
  package let time: Timestamp?

  /// - Parameter record: a `notification` record.
  package init(_ record: JSONValue) {
    kind = record["kind"]?.string.flatMap { NotificationKind(rawValue: $0) } ?? .other
    type = record["type"]?.nonEmpty ?? record["kind"]?.nonEmpty
    user = record["user"].map { AuthorFields($0) } ?? AuthorFields()
    tweet = record["tweet"].map { TweetFields($0) }
    time = record["at"].flatMap { Timestamp(ascii: $0.rawString) }
  }

  /// What the user did, in the reader's language; `nil` for what the kit has no words for.
  private var phrase: Phrase? {
    switch kind {
    case .like: .liked
    case .repost: .retweeted
    case .follow: .followed
    case .followRequest: .asksToFollow
    case .mention: .mentioned
    case .reply: .replied
    case .quote: .quoted
    case .poll: .pollEnded
    case .post: .posted
    case .edit: .editedPost
    case .reaction: .reacted
    case .other: nil
    }
  }

  private func sign(_ glyphs: Glyphs) -> StaticString {
    switch kind {
    case .like, .reaction: glyphs.likes
    case .repost: glyphs.retweets
    case .reply, .mention: glyphs.replies
    case .quote: glyphs.quotes
    case .edit: glyphs.edit
    case .follow, .followRequest: "+"
    case .poll: glyphs.page
    case .post: glyphs.asked
    case .other: glyphs.notice
    }
  }

  /// Appends a sign, who did what, and the first words of the tweet: `♥ Alice liked “first words…”`.
  /// - Parameter room: the columns of a row.
  func append(to text: inout StyledText, room: Int, style: TerminalStyle, locale: ReaderLocale) {
    appendDeed(to: &text, style: style, locale: locale)
    let end = text.count
    text.bytes.append(" ")
    if !appendWords(to: &text, most: { room - DisplayWidth.widest(of: $0) }, style: style) {
      text.bytes.truncate(to: end)
    }
    text.mark(.plain)
  }

  /// Appends a sign, and who did what.
  func appendDeed(to text: inout StyledText, style: TerminalStyle, locale: ReaderLocale) {
    var names = AuthorText(style)
    text.bytes.append(sign(style.glyphs))
    text.append(" ", .dim)
    if let phrase { locale.append(before: phrase, to: &text.bytes) }
    text.mark(.dim)
    names.appendName(user, to: &text)
    text.mark(.mention)
    if let phrase {
      locale.append(after: phrase, to: &text.bytes)
    } else if let type {
      var decoder = StringDecoder()
      text.bytes.append(": ")
      Printable.append(decoder.decode(type, limit: 256), to: &text.bytes)
    }
    text.mark(.dim)
  }

  /// Appends the first words of the tweet that it is about.
  /// - Parameter most: the columns that they may take, after what is there.
  /// - Returns: whether there are any.
  func appendWords(to text: inout StyledText, most: (ByteView) -> Int, style: TerminalStyle) -> Bool {
    guard let tweet, let words = tweet.headWords else { return false }
    var names = AuthorText(style)
    if tweet.audience != .everybody {
      text.bytes.append(style.glyphs.lock)
      text.bytes.append(style.glyphs.glue)
    }
    if tweet.warning != nil {
      text.bytes.append(style.glyphs.caution)
      text.bytes.append(style.glyphs.glue)
    }
    let start = text.count
    names.appendExcerpt(words, most: most(text.view(from: 0)), to: &text)
    return text.count > start
  }

  /// Appends the same on one line, without control characters, for documents.
  /// - Parameter most: columns.
  package func append(_ locale: ReaderLocale, most: Int, to output: inout ByteBuffer) {
    var text = StyledText()
    let style = TerminalStyle(colours: .none, hasLinks: false, isolates: false, glyphs: .unicode)
    append(to: &text, room: most, style: style, locale: locale)
    output.append(text.view(from: 0))
  }
}
