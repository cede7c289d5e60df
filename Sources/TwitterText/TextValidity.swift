import TweetCore

/// Hashtags by themselves.
package enum Hashtag {
  /// Whether a text is a hashtag and nothing else, its sign included.
  package static func isValid(_ text: String) -> Bool {
    isOne(.hashtags, text) { $0.kind == .hashtag }
  }
}

/// Names of users by themselves.
package enum Username {
  /// Whether a text is a mention of a user and nothing else, its sign included. Up to 20 characters pass, as in
  /// twitter-text, though X gives out no names over 15.
  package static func isValid(_ text: String) -> Bool {
    isOne(.mentions, text) { $0.kind == .mention }
  }
}

/// Names of lists by themselves.
package enum UserList {
  /// Whether a text is `@user/list` and nothing else.
  package static func isValid(_ text: String) -> Bool {
    isOne(.mentions, text) { $0.kind == .list }
  }
}

private func isOne(_ kinds: TextEntityKinds, _ text: String, _ isRight: (TextEntity) -> Bool) -> Bool {
  var text = text
  return text.withUTF8 { bytes in
    let found = TextEntities.find(in: bytes, kinds)
    return found.count == 1 && isRight(found[0]) && found[0].bytes == 0..<bytes.count
  }
}
