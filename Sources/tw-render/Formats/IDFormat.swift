import TweetCore
import TweetDisplay

/// `ids`: the id of each tweet on a line, as ``TweetID`` writes it.
struct IDFormat: RecordFormat, ~Copyable {
  static let shown: FormatParts = []

  private var id = TweetID()

  mutating func write(_ tweet: TweetFields, to writer: inout RecordWriter) throws(ToolError) {
    guard id.append(tweet, to: &writer.buffer) else { return }
    try writer.endLine()
  }
}
