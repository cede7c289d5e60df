import TweetCore

/// Hashtags by themselves.
package enum Hashtag {
  /// Whether a text is one hashtag, its sign included, and nothing else.
  package static func isValid(_ text: String) -> Bool {
    text.withBytes { bytes in
      let found = TextEntities.find(in: bytes, .hashtags)
      return found.count == 1 && found[0].bytes == 0..<bytes.count
    }
  }
}
