import TweetCore
import TweetDisplay

/// How records are written: one type for each value of `--format`.
///
/// ``RecordPrinter`` decides which records are shown, and calls a method only if ``shown`` has what it writes.
protocol RecordFormat: ~Copyable {
  /// What the format shows besides tweets.
  static var shown: FormatParts { get }

  /// Writes one tweet in a form; formats that show neither changes nor originals write the same in each.
  mutating func write(
    _ tweet: TweetFields, as form: TweetBlock.Form, to writer: inout RecordWriter) throws(ToolError)
  /// Writes what has changed about a tweet that was written before.
  mutating func write(
    _ change: TweetChange, of tweet: TweetFields, to writer: inout RecordWriter) throws(ToolError)
  /// Writes a `user` record.
  mutating func write(user: JSONValue, to writer: inout RecordWriter) throws(ToolError)
  /// Writes a `link` record.
  mutating func write(link: JSONValue, to writer: inout RecordWriter) throws(ToolError)
  /// Writes a `notification` record.
  mutating func write(notification: JSONValue, to writer: inout RecordWriter) throws(ToolError)
  /// Writes a notice or a deletion.
  mutating func write(_ note: Note, to writer: inout RecordWriter) throws(ToolError)
  /// Starts on an empty screen. What comes from now on is of another feed.
  mutating func clear(for feed: JSONValue?, to writer: inout RecordWriter) throws(ToolError)
}

/// What a format can show besides tweets.
struct FormatParts: OptionSet {
  let rawValue: UInt8

  /// New link verdicts, words and counts of tweets that were shown.
  static let changes = Self(rawValue: 1)
  /// Notices and deletions.
  static let notes = Self(rawValue: 2)
  /// The status row, on a terminal.
  static let status = Self(rawValue: 4)
  /// An empty screen where another feed begins, on a terminal.
  static let feeds = Self(rawValue: 8)
  /// The tweet that a retweet retweets, in the retweet's place. So one of the two need not be shown whole.
  static let originals = Self(rawValue: 16)
  /// `user` records.
  static let profiles = Self(rawValue: 32)
  /// `link` records.
  static let links = Self(rawValue: 64)
  /// `notification` records.
  static let notifications = Self(rawValue: 128)
}

extension RecordFormat where Self: ~Copyable {
  mutating func write(_ change: TweetChange, of tweet: TweetFields, to writer: inout RecordWriter) {}
  mutating func write(user: JSONValue, to writer: inout RecordWriter) {}
  mutating func write(link: JSONValue, to writer: inout RecordWriter) {}
  mutating func write(notification: JSONValue, to writer: inout RecordWriter) {}
  mutating func write(_ note: Note, to writer: inout RecordWriter) {}
  mutating func clear(for feed: JSONValue?, to writer: inout RecordWriter) {}
}

/// `ids`: the id of each tweet on a line, as ``TweetID`` writes it.
struct IDFormat: RecordFormat, ~Copyable {
  static let shown: FormatParts = []

  private var id = TweetID()

  mutating func write(
    _ tweet: TweetFields, as form: TweetBlock.Form, to writer: inout RecordWriter
  ) throws(ToolError) {
    guard id.append(tweet, to: &writer.buffer) else { return }
    try writer.endLine()
  }
}
