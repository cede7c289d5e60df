package import TweetCore

/// What of a text need not be shown, because it is shown below the text.
extension EntitySpans {
  /// Where the text ends without white space and without the last links, if they lead to its own pictures or to the
  /// quoted tweet.
  /// - Parameters:
  ///   - text: the text whose spans these are.
  ///   - quote: the id of the tweet that is shown below the text.
  ///   - decoder: for the addresses of links.
  package func shownEnd(
    of text: UnsafeBufferPointer<UInt8>, quote: JSONValue?, _ decoder: inout StringDecoder
  ) -> Int {
    var end = Self.endWithoutSpace(text, text.count)
    for span in spans.reversed() {
      guard span.end == end, span.kind == .link, Self.isShownBelow(span.value, quote: quote, &decoder) else { break }
      end = Self.endWithoutSpace(text, span.start)
    }
    return end
  }

  private static func endWithoutSpace(_ text: UnsafeBufferPointer<UInt8>, _ end: Int) -> Int {
    var end = end
    while end > 0, text[end - 1] <= 0x20 { end -= 1 }
    return end
  }

  /// Whether a link leads to the tweet's own pictures or to the quoted tweet.
  package static func isShownBelow(
    _ link: JSONValue, quote: JSONValue?, _ decoder: inout StringDecoder
  ) -> Bool {
    if link["media_key"] != nil { return true }
    let target = decoder.decode(link["expanded_url"])
    guard let post = ShownAddress.post(target) else { return false }
    if post.isMedia { return true }
    guard let id = quote?.rawString else { return false }
    return target[post.id].elementsEqual(id)
  }
}
