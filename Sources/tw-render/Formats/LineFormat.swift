import TweetCore
import TweetDisplay

/// `line`: one line a tweet.
struct LineFormat: RecordFormat, ~Copyable {
  static let shown: FormatParts = [.changes, .notes, .status, .profiles, .links, .notifications]

  private let showsIDs: Bool
  private let hasNumbers: Bool
  private var line: TweetLine
  private var id = TweetID()

  /// Of the column of numbers.
  private static let numberColumns = 3

  /// - Parameters:
  ///   - showsIDs: whether a tweet's id and a tab stand before its line.
  ///   - hasNumbers: whether tweets may have numbers, which stand before all else.
  ///   - foldsWarnings: whether of a tweet with a warning only the warning is shown.
  init(_ screen: Screen, showsIDs: Bool, hasNumbers: Bool, foldsWarnings: Bool) {
    self.hasNumbers = hasNumbers
    line = TweetLine(
      screen.style, locale: screen.locale, times: screen.times ?? .iso, foldsWarnings: foldsWarnings)
    self.showsIDs = showsIDs
  }

  mutating func write(
    _ tweet: TweetFields, as form: TweetBlock.Form, to writer: inout RecordWriter
  ) throws(ToolError) {
    startLine(of: tweet, &writer.buffer)
    line.append(tweet, isEdited: form == .edited, to: &writer.buffer)
    try writer.endLine()
  }

  mutating func write(
    _ change: TweetChange, of tweet: TweetFields, to writer: inout RecordWriter
  ) throws(ToolError) {
    let start = writer.buffer.count
    startLine(of: tweet, &writer.buffer)
    if line.append(change, of: tweet, to: &writer.buffer) {
      try writer.endLine()
    } else {
      writer.buffer.truncate(to: start)
    }
  }

  mutating func write(user: JSONValue, to writer: inout RecordWriter) throws(ToolError) {
    startLine(of: nil, &writer.buffer)
    line.append(user: UserFields(user), to: &writer.buffer)
    try writer.endLine()
  }

  mutating func write(link: JSONValue, to writer: inout RecordWriter) throws(ToolError) {
    startLine(of: nil, &writer.buffer)
    line.append(link: link, to: &writer.buffer)
    try writer.endLine()
  }

  mutating func write(notification: JSONValue, to writer: inout RecordWriter) throws(ToolError) {
    startLine(of: nil, &writer.buffer)
    line.append(notification: NotificationFields(notification), to: &writer.buffer)
    try writer.endLine()
  }

  mutating func write(_ note: Note, to writer: inout RecordWriter) throws(ToolError) {
    startLine(of: nil, &writer.buffer)
    line.append(note: note, to: &writer.buffer)
    try writer.endLine()
  }

  /// Appends what stands before the line of a tweet, or of what is none.
  private mutating func startLine(of tweet: TweetFields?, _ output: inout ByteBuffer) {
    if hasNumbers {
      let number = tweet?.number.map { String($0) } ?? ""
      output.append(String(repeating: " ", count: Self.numberColumns - number.utf8.count) + number + " ")
    }
    guard showsIDs else { return }
    if let tweet { id.append(tweet, to: &output) }
    output.append(UInt8(ascii: "\t"))
  }
}
