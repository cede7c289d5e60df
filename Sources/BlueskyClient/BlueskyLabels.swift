import TweetCore

/// Labels that a client has to obey (docs.bsky.app, "Labels and moderation").
enum BlueskyLabels {
  /// Whether a post, or an account, is not to be shown: a moderator says so, or, to somebody without an account, it or its author.
  static func hide(_ view: JSONValue, _ isAnonymous: Bool) -> Bool {
    has(view["labels"], isAnonymous) || has(view["author"]?["labels"], isAnonymous)
  }

  private static func has(_ labels: JSONValue?, _ isAnonymous: Bool) -> Bool {
    guard let labels, labels.isArray else { return false }
    return labels.elements.contains { label in
      label["neg"]?.bool != true
        && (label["val"]?.equals("!hide") == true
          || isAnonymous && label["val"]?.equals("!no-unauthenticated") == true)
    }
  }
}
