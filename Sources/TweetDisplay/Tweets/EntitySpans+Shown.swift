package import TweetCore

/// What of a text need not be shown, because it is shown below the text.
extension EntitySpans {
  /// Where the text ends without white space and without the last links, if they lead to its own pictures or to the
  /// quoted tweet.
  /// - Parameters:
  ///   - text: the text whose spans these are.
  ///   - below: what is shown below the text.
  ///   - decoder: for the addresses of links.
  package func shownEnd(
    of text: ByteView, below: ShownBelow, _ decoder: inout StringDecoder
  ) -> Int {
    var end = Self.endWithoutSpace(text, text.count)
    for span in spans.reversed() {
      guard span.end == end, span.kind == .link, Self.isShownBelow(span.value, below: below, &decoder) else { break }
      end = Self.endWithoutSpace(text, span.start)
    }
    return end
  }

  private static func endWithoutSpace(_ text: ByteView, _ end: Int) -> Int {
    var end = end
    while end > 0, text[end - 1] <= 0x20 { end -= 1 }
    return end
  }

  /// Whether a link leads to the tweet's own pictures or to the quoted tweet, and these are shown.
  package static func isShownBelow(
    _ link: JSONValue, below: ShownBelow, _ decoder: inout StringDecoder
  ) -> Bool {
    if below.isNothing { return false }
    if link["media_key"] != nil { return below.hasMedia }
    let target = decoder.decode(link["expanded_url"])
    guard let post = ShownAddress.post(target) else { return false }
    // Media that were posted before are found below the tweet that they were posted with first.
    if post.isMedia, below.hasMedia { return true }
    guard !post.isMedia, let id = below.quote?.rawString else { return false }
    return target[post.id].elementsEqual(id)
  }
}

/// What is shown below a text, so that its last links need not be shown.
package struct ShownBelow {
  /// Whether there are pictures or videos.
  package let hasMedia: Bool
  /// The id of the quoted tweet.
  package let quote: JSONValue?

  package static var nothing: ShownBelow { ShownBelow(hasMedia: false, quote: nil) }
  var isNothing: Bool { !hasMedia && quote == nil }

  package init(hasMedia: Bool, quote: JSONValue?) { (self.hasMedia, self.quote) = (hasMedia, quote) }
}
