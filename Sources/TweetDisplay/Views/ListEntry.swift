package import TweetCore

/// A tweet in a list: a row with author, time and counts, and one with the beginning of its text, beside the author's
/// block.
///
/// All entries have two rows, whatever is in them, so that a list of a million tweets can be scrolled without reading
/// them.
package struct ListEntry: ~Copyable {
  /// The rows of an entry.
  package static let rows = 2
  /// Columns that the counts leave to the author.
  private static let narrowestAuthor = 24

  private let style: TerminalStyle
  private let locale: ReaderLocale
  private var layout: BlockLayout
  private var header: HeaderRow
  private let parts = TweetParts(longest: 1024)
  private var body: TweetBody
  private var names: AuthorText
  private var text = StyledText()
  private var counts = StyledText()
  private var decoder = StringDecoder()

  private let foldKey: String?

  /// - Parameters:
  ///   - blocks: what stands at the left.
  ///   - foldKey: what a person presses to read what is behind a warning.
  package init(
    _ style: TerminalStyle, locale: ReaderLocale, times: TimeForm, blocks: AuthorBlocks, foldKey: String? = nil
  ) {
    self.style = style
    self.foldKey = foldKey
    self.locale = locale
    layout = BlockLayout(style, blocks)
    header = HeaderRow(style, locale: locale, times: times)
    body = TweetBody(style, form: .line)
    names = AuthorText(style)
  }

  /// Lays out a tweet.
  /// - Parameters:
  ///   - now: the time that its own is seen from.
  ///   - width: in columns.
  ///   - isOpen: whether what is behind a warning is shown in its place.
  ///   - remark: stands before the text; `nil` for nothing.
  package mutating func append(
    _ tweet: TweetFields, now: Timestamp, width: Int, isOpen: Bool = false, remark: String? = nil,
    to rows: inout BlockRows
  ) {
    layout.begin(width: width, &rows)
    let shown = tweet.retweeted ?? tweet
    names.appendName(shown.author, to: &text)
    layout.startBlock(of: shown.author, name: text.view(from: 0), &rows)
    text.removeAll()
    appendHead(tweet, shown, now)
    layout.addUnbroken(text, to: &rows)
    text.removeAll()
    if let remark { text.append(remark: remark) }
    appendBeginning(tweet, shown, isOpen: isOpen)
    layout.addBeginning(text, ellipsis: style.glyphs.ellipsis, to: &rows)
    text.removeAll()
  }

  /// Lays out a tweet on one row: who wrote it, and the beginning of its text.
  /// - Parameter width: in columns.
  package mutating func append(
    line tweet: TweetFields, width: Int, isOpen: Bool = false, to rows: inout BlockRows
  ) {
    layout.begin(width: width, &rows)
    names.appendName((tweet.retweeted ?? tweet).author, most: width / 2, to: &text)
    text.mark(.name)
    text.append(": ", .plain)
    appendBeginning(tweet, tweet.retweeted ?? tweet, isOpen: isOpen)
    layout.addBeginning(text, ellipsis: style.glyphs.ellipsis, to: &rows)
    text.removeAll()
  }

  /// Appends author and time, and the counts at the right.
  private mutating func appendHead(_ tweet: TweetFields, _ shown: TweetFields, _ now: Timestamp) {
    let room = layout.textWidth
    CountsRow.append(shown, style: style, locale: locale, to: &counts)
    let width = DisplayWidth.widest(of: counts.view(from: 0))
    let hasCounts = width > 0 && room - width - 2 >= Self.narrowestAuthor
    let left = hasCounts ? room - width - 2 : room
    if tweet.retweeted == nil {
      header.append(tweet, now: now, room: left, to: &text)
    } else {
      header.append(retweeter: tweet, now: now, room: left, to: &text)
    }
    if hasCounts {
      let used = DisplayWidth.widest(of: text.view(from: 0))
      text.bytes.append(spaces: max(room - used - width, 1))
      text.mark(.plain)
      text.append(counts)
    }
    counts.removeAll()
  }

  /// Appends the first words, after the warning, if there is one, in their place.
  private mutating func appendBeginning(_ tweet: TweetFields, _ shown: TweetFields, isOpen: Bool) {
    if tweet.retweeted != nil {
      names.appendHandle(of: shown.author, to: &text)
      text.mark(.mention)
      text.append(": ", .plain)
    }
    parts.read(shown, in: tweet.retweeted == nil ? nil : tweet)
    for part in parts.parts {
      switch part {
      case .warning:
        text.bytes.append(style.glyphs.caution)
        text.bytes.append(style.glyphs.glue)
        if !isOpen { return appendFolded(shown.warning) }
        text.mark(.warning)
      case .reply:
        text.bytes.append(style.glyphs.reply)
        text.append(" ", .dim)
      case .text:
        body.append(parts.text, to: &text)
        text.highlight(style.highlighted)
      case .media: appendKinds(isFolded: shown.isSensitive && !isOpen)
      // The row is for the first words; the reader has the rest.
      case .deleted, .withheld, .audience, .edited, .pages, .poll, .quote, .missingQuote, .place, .counts:
        continue
      }
    }
  }

  /// Appends a warning, which may be as long as a text, and what opens it: that must be seen.
  private mutating func appendFolded(_ warning: JSONValue?) {
    let start = text.count
    Printable.append(decoder.decode(warning, limit: 1024), to: &text.bytes, newline: style.glyphs.newline)
    guard let foldKey else { return text.mark(.warning) }
    let used = DisplayWidth.widest(of: text.view(from: 0)) - DisplayWidth.widest(of: text.view(from: start))
    text.bytes.cut(
      from: start, most: max(layout.textWidth - used - foldKey.count - 4, 4), ellipsis: style.glyphs.ellipsis)
    text.mark(.warning)
    text.append(fold: foldKey)
  }

  /// Appends `[photo]` for each kind of picture or video, and what opens them if they are folded.
  private mutating func appendKinds(isFolded: Bool) {
    if isFolded, foldKey != nil {
      text.bytes.append(text.isEmpty ? "" : " ")
      text.append(style.glyphs.caution, .warning)
    }
    var named: Set<Phrase> = []
    for media in parts.media where named.insert(media.kind.phrase).inserted {
      text.bytes.append(text.isEmpty ? "[" : " [")
      locale.append(media.kind.phrase, to: &text.bytes)
      text.append("]", .dim)
    }
    if isFolded, let foldKey { text.append(fold: foldKey) }
  }
}

extension StyledText {
  /// Appends what a list says of a tweet before its text: `[not stored] `.
  fileprivate mutating func append(remark: String) {
    bytes.append("[")
    bytes.append(remark)
    append("] ", .dim)
  }
}
