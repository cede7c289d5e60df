import TweetCore
import TweetDisplay

/// `text`: tweets one below the other, an empty line between them.
struct TextFormat: RecordFormat, ~Copyable {
  static let shown: FormatParts = [.changes, .notes, .status, .feeds, .originals, .profiles, .links]

  private let screen: Screen
  private var block: TweetBlock
  private var profile: ProfileBlock
  private var rows = BlockRows()
  private let printer: RowPrinter
  /// Whether a tweet or a note is above, so that an empty line must come before the next.
  private var hasBegun = false

  /// - Parameter showsIDs: whether a tweet's id stands below it.
  init(_ screen: Screen, showsIDs: Bool) {
    self.screen = screen
    let locale = screen.locale
    // A printed row is not written again: it needs a time that stays true.
    let times = screen.blockTimes
    block = TweetBlock(
      screen.style, locale: locale, times: times, blocks: screen.blocks, photos: screen.photos, showsIDs: showsIDs)
    profile = ProfileBlock(screen.style, locale: locale, blocks: screen.blocks)
    printer = RowPrinter(screen.style, screen.pictures)
  }

  mutating func write(_ tweet: TweetFields, to writer: inout RecordWriter) throws(ToolError) {
    try write(tweet, as: .whole, to: &writer)
  }

  mutating func write(
    _ tweet: TweetFields, as form: TweetBlock.Form, to writer: inout RecordWriter
  ) throws(ToolError) {
    separate(&writer.buffer)
    screen.pictures?.prepare(for: tweet)
    block.append(tweet, as: form, now: .shown, width: screen.width, to: &rows)
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

  mutating func write(_ change: TweetChange, of tweet: TweetFields, to writer: inout RecordWriter) {
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
    screen.pictures?.forget()
    if let note = Note(.information, feed) { write(note, to: &writer) }
  }

  mutating func separate(_ output: inout ByteBuffer) {
    if hasBegun { output.append(UInt8(ascii: "\n")) }
    hasBegun = true
  }
}
