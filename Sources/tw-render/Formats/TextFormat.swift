import TweetCore
import TweetDisplay

/// `text`: tweets one below the other, an empty line between them, or a stroke between a tweet and its answer. Where
/// times are those of a clock, a row with the date stands before the tweets of another day.
struct TextFormat: RecordFormat, ~Copyable {
  static let shown: FormatParts = [.changes, .notes, .status, .feeds, .originals, .profiles, .links, .notifications]

  private let screen: Screen
  private var block: TweetBlock
  private var profile: ProfileBlock
  private var rows = BlockRows()
  private let printer: RowPrinter
  private let locale: ReaderLocale
  /// Whether a tweet or a note is above, so that an empty line must come before the next.
  private var hasBegun = false
  /// The tweet above, and what it answers.
  private var above: Int?
  private var aboveAnswers: Int?
  /// The day of the newest row with a date, or today.
  private var day: Int?

  /// - Parameters:
  ///   - showsIDs: whether a tweet's id stands below it.
  ///   - mostRows: more rows of a text are folded; `nil` for all.
  ///   - foldsWarnings: whether of a tweet with a warning only the warning is shown.
  init(_ screen: Screen, showsIDs: Bool = false, mostRows: Int? = nil, foldsWarnings: Bool) {
    self.screen = screen
    locale = screen.locale
    day = ReaderLocale.dayNumber(of: .shown)
    // A printed row is not written again: it needs a time that stays true.
    let times = screen.blockTimes
    block = TweetBlock(
      screen.style, locale: locale, times: times, blocks: screen.blocks, photos: screen.photos, showsIDs: showsIDs,
      mostRows: mostRows, foldsWarnings: foldsWarnings)
    profile = ProfileBlock(screen.style, locale: locale, blocks: screen.blocks)
    printer = RowPrinter(screen.style, screen.pictures)
  }

  mutating func write(
    _ tweet: TweetFields, as form: TweetBlock.Form, to writer: inout RecordWriter
  ) throws(ToolError) {
    let isBelowAnswered = separate(from: tweet, &writer.buffer)
    screen.pictures?.prepare(for: tweet)
    block.append(
      tweet, as: form, now: .shown, width: screen.width, isBelowAnswered: isBelowAnswered, to: &rows)
    printer.print(rows, to: &writer.buffer)
    try writer.flushIfLarge()
  }

  mutating func write(user: JSONValue, to writer: inout RecordWriter) throws(ToolError) {
    separate(&writer.buffer)
    let user = UserFields(user)
    screen.pictures?.prepare(for: user.author)
    profile.append(user, width: screen.width, to: &rows)
    printer.print(rows, to: &writer.buffer)
    try writer.flushIfLarge()
  }

  mutating func write(link: JSONValue, to writer: inout RecordWriter) throws(ToolError) {
    separate(&writer.buffer)
    profile.append(link: link, width: screen.width, to: &rows)
    printer.print(rows, to: &writer.buffer)
    try writer.flushIfLarge()
  }

  mutating func write(notification: JSONValue, to writer: inout RecordWriter) throws(ToolError) {
    separate(&writer.buffer)
    block.append(notification: NotificationFields(notification), width: screen.width, to: &rows)
    printer.print(rows, to: &writer.buffer)
    try writer.flushIfLarge()
  }

  mutating func write(_ change: TweetChange, of tweet: TweetFields, to writer: inout RecordWriter) {
    (above, aboveAnswers) = (nil, nil)
    block.append(change, of: tweet, width: screen.width, to: &rows)
    printer.print(rows, to: &writer.buffer)
  }

  mutating func write(_ note: Note, to writer: inout RecordWriter) {
    separate(&writer.buffer)
    block.append(note: note, width: screen.width, to: &rows)
    printer.print(rows, to: &writer.buffer)
  }

  mutating func clear(for feed: JSONValue?, to writer: inout RecordWriter) {
    writer.buffer.append("\u{1B}[H\u{1B}[2J")
    hasBegun = false
    day = ReaderLocale.dayNumber(of: .shown)
    screen.pictures?.forget()
    if let note = Note(.information, feed) { write(note, to: &writer) }
  }

  private mutating func separate(_ output: inout ByteBuffer) {
    if hasBegun { output.append(UInt8(ascii: "\n")) }
    hasBegun = true
    (above, aboveAnswers) = (nil, nil)
  }

  /// Writes what stands between the rows above and a tweet.
  /// - Returns: whether it answers the tweet above.
  mutating func separate(from tweet: TweetFields, _ output: inout ByteBuffer) -> Bool {
    let key = tweetKey(tweet.service, tweet.id)
    let answered = tweet.reply?.tweet?["id"].map { tweetKey(tweet.service, $0) }
    let isBelowAnswered = above != nil && answered == above
    let isJoined = isBelowAnswered || above != nil && aboveAnswers == key
    if isJoined { appendStroke(to: &output) } else { separate(&output) }
    (above, aboveAnswers) = (key, answered)
    if screen.blockTimes == .clock, !isJoined, let time = tweet.createdAt { appendDay(of: time, to: &output) }
    return isBelowAnswered
  }

  /// Appends the row that joins a tweet to the one above.
  private func appendStroke(to output: inout ByteBuffer) {
    if case .none = screen.blocks {} else { output.append(" ") }
    appendDim(to: &output) { $0.append(screen.style.glyphs.border) }
  }

  /// Appends a row with the date, if it is another than that of the rows above.
  private mutating func appendDay(of time: Timestamp, to output: inout ByteBuffer) {
    guard let number = ReaderLocale.dayNumber(of: time), number != day else { return }
    day = number
    appendDim(to: &output) { output in
      let rowStart = output.count
      output.append(screen.style.glyphs.rule)
      output.append(" ")
      let start = output.count
      locale.appendDay(time, to: &output)
      if screen.style.isolates { Bidi.isolate(&output, from: start) }
      output.append(" ")
      output.append(screen.style.glyphs.rule)
      output.cut(from: rowStart, most: screen.width, ellipsis: screen.style.glyphs.ellipsis)
    }
    output.append(UInt8(ascii: "\n"))
  }

  private func appendDim(to output: inout ByteBuffer, _ text: (inout ByteBuffer) -> Void) {
    let hasColours = screen.style.colours != .none
    if hasColours { output.append("\u{1B}[2m") }
    text(&output)
    output.append(hasColours ? "\u{1B}[0m\n" : "\n")
  }
}
