import TweetCore
import TweetDisplay

/// `detail`: tweets with all that is known of them; if one was asked for, the others are its thread, as in `text`.
struct DetailFormat: RecordFormat, ~Copyable {
  static let shown: FormatParts = [.changes, .notes, .profiles, .links, .notifications]

  private let screen: Screen
  private let asked: AskedTweet?
  private var thread: TextFormat
  private var block: TweetBlock
  private var rows = BlockRows()
  private let printer: RowPrinter

  /// - Parameters:
  ///   - asked: the tweet that was asked for; `nil` for all.
  ///   - foldsWarnings: whether of a tweet with a warning only the warning is shown.
  init(_ screen: Screen, asked: AskedTweet?, foldsWarnings: Bool) {
    self.screen = screen
    self.asked = asked
    printer = RowPrinter(screen.style.withoutLinks, screen.pictures)
    thread = TextFormat(screen, foldsWarnings: foldsWarnings)
    block = TweetBlock(
      screen.style.withoutLinks, locale: screen.locale, times: screen.blockTimes,
      blocks: screen.blocks, photos: screen.photos, foldsWarnings: foldsWarnings)
  }

  mutating func write(
    _ tweet: TweetFields, as form: TweetBlock.Form, to writer: inout RecordWriter
  ) throws(ToolError) {
    let isAsked = asked?.names(tweet)
    if isAsked == false { return try thread.write(tweet, as: form, to: &writer) }
    let isBelowAnswered = thread.separate(from: tweet, &writer.buffer)
    screen.pictures?.prepare(for: tweet)
    block.append(
      tweet, as: isAsked == true ? .asked : .detail, now: .shown, width: screen.width,
      isBelowAnswered: isBelowAnswered, to: &rows)
    printer.print(rows, to: &writer.buffer)
    try writer.flushIfLarge()
  }

  mutating func write(
    _ change: TweetChange, of tweet: TweetFields, to writer: inout RecordWriter
  ) throws(ToolError) { thread.write(change, of: tweet, to: &writer) }

  mutating func write(user: JSONValue, to writer: inout RecordWriter) throws(ToolError) {
    try thread.write(user: user, to: &writer)
  }

  mutating func write(link: JSONValue, to writer: inout RecordWriter) throws(ToolError) {
    try thread.write(link: link, to: &writer)
  }

  mutating func write(notification: JSONValue, to writer: inout RecordWriter) throws(ToolError) {
    try thread.write(notification: notification, to: &writer)
  }

  mutating func write(_ note: Note, to writer: inout RecordWriter) throws(ToolError) {
    thread.write(note, to: &writer)
  }
}

/// A tweet as people name it: an id, an address, or `service:id`.
struct AskedTweet {
  private let name: [UInt8]

  init(_ name: String) { self.name = Array(name.utf8) }

  /// Whether it is this tweet.
  func names(_ tweet: TweetFields) -> Bool {
    if tweet.url?.rawString.elementsEqual(name) == true || tweet.id?.rawString.elementsEqual(name) == true {
      return true
    }
    var id = TweetID()
    var whole = ByteBuffer(capacity: 64)
    if id.append(tweet, to: &whole), whole.array == name { return true }
    return name.withBytes { name in
      guard let post = ShownAddress.post(name), let own = tweet.id?.rawString else { return false }
      return name[post.id].elementsEqual(own)
    }
  }
}
