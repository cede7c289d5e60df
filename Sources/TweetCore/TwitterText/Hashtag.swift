/// Hashtags by themselves.
package enum Hashtag {
  /// Whether a text is a hashtag and nothing else, its sign included.
  package static func isValid(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      let found = TextEntities.find(in: bytes, .hashtags)
      return found.count == 1 && found[0].kind == .hashtag && found[0].bytes == 0..<bytes.count
    }
  }
}
