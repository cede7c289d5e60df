import TweetCore

extension TweetWriter {
  /// Gives a new tweet its labels: those of the post, if a copy is stored. So what was read is not unread again.
  /// - Parameter address: of the post; `nil` if it has no copies.
  /// - Returns: whether a copy is stored.
  mutating func addLabels(to key: Int, ofPost address: String?) throws(ToolError) -> Bool {
    if isRestoring { return false }
    if let address, let copy = try tweets.other(ofPost: address, than: key) {
      try labels.copy(from: copy, to: key)
      return true
    }
    for label in newLabels { _ = try labels.add(label, to: key, in: database) }
    return false
  }
}
