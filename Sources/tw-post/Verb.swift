import TweetServices

/// What the first operand can ask for.
enum Verb: String, CaseIterable {
  case reply, quote, edit
  case retweet, unretweet, like, unlike, bookmark, unbookmark, follow, unfollow, delete
  case undo, flush, outbox, length

  /// What it changes that is there; `nil` for what makes a post, and for all else.
  var change: PostChange? { PostChange(rawValue: rawValue) }

  /// Whether a text follows.
  var isOfText: Bool { [.reply, .quote, .edit, .length].contains(self) }

  /// Those of its operands that name tweets or accounts.
  func tweets(_ operands: [String]) -> [String] {
    if change != nil { return operands }
    return isOfText && self != .length ? Array(operands.prefix(1)) : []
  }
}
