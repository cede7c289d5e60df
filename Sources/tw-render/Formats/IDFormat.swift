import TweetCore
import TweetDisplay

/// `ids`: the id of each tweet on a line, `SERVICE:` before it unless the service is X.
struct IDFormat: RecordFormat, ~Copyable {
  static let shown: FormatParts = []

  private var decoder = StringDecoder()

  mutating func write(_ tweet: TweetFields, to writer: inout RecordWriter) throws(ToolError) {
    guard let id = tweet.id else { return }
    if let service = tweet.service, !service.equals("x") {
      Printable.append(decoder.decode(service), to: &writer.buffer)
      writer.buffer.append(":")
    }
    Printable.append(decoder.decode(id), to: &writer.buffer)
    try writer.endLine()
  }
}
