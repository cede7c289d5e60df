import TweetCore

extension TweetWriter {
  /// Gives a new tweet its labels: those of the post, if a copy is stored. So what was read is not unread again.
  /// - Parameter address: of the post; `nil` if it has no copies.
  mutating func addLabels(to key: Int, ofPost address: String?) throws(ToolError) {
    if isRestoring { return }
    if let address, let copy = try tweets.other(ofPost: address, than: key) {
      return try labels.copy(from: copy, to: key)
    }
    for label in newLabels { _ = try labels.add(label, to: key, in: database) }
  }
}
