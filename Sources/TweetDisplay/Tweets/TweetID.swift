package import TweetCore

/// Writes the ids of tweets as all tools read them: `20`, and `SERVICE:ID` unless the service is X.
package struct TweetID: ~Copyable {
  private var decoder = StringDecoder()

  package init() {}

  /// Appends the id.
  /// - Returns: `false` for a tweet without one.
  @discardableResult
  package mutating func append(_ tweet: TweetFields, to buffer: inout ByteBuffer) -> Bool {
    guard let id = tweet.id else { return false }
    if let service = tweet.service, !service.equals("x") {
      Printable.append(decoder.decode(service), to: &buffer)
      buffer.append(UInt8(ascii: ":"))
    }
    Printable.append(decoder.decode(id), to: &buffer)
    return true
  }
}
