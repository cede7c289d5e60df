import TweetCore
import TweetDisplay

/// `line`: one line a tweet.
struct LineFormat: RecordFormat, ~Copyable {
  static let shown: FormatParts = [.notes, .status]

  private var line: TweetLine

  init(_ screen: Screen) { line = TweetLine(screen.style) }

  mutating func write(_ tweet: TweetFields, to writer: inout RecordWriter) throws(ToolError) {
    line.append(tweet, to: &writer.buffer)
    try writer.endLine()
  }

  mutating func write(_ note: Note, to writer: inout RecordWriter) throws(ToolError) {
    line.append(note: note, to: &writer.buffer)
    try writer.endLine()
  }
}
