/// What tw-post does with a tweet, or with its author.
struct Act: Equatable {
  /// The command of tw-post.
  let verb: String
  /// `service:id` of the tweet; the address or the name of a person.
  let target: String

  /// What takes it back; `nil` if nothing does.
  var opposite: Act? {
    let verb: String? =
      switch self.verb {
      case "like": "unlike"
      case "retweet": "unretweet"
      case "bookmark": "unbookmark"
      case "follow": "unfollow"
      case "unfollow": "follow"
      default: nil
      }
    return verb.map { Act(verb: $0, target: target) }
  }

  /// What is offered after it.
  var undoing: String { "undo \(verb)" }

  /// What is asked before one that cannot be taken back.
  var question: String { "\(verb) \(target)?" }

  /// What is said when it is done.
  var done: String {
    switch verb {
    case "like": "liked"
    case "unlike": "no longer liked"
    case "retweet": "retweeted"
    case "unretweet": "no longer retweeted"
    case "bookmark": "bookmarked"
    case "unbookmark": "no longer bookmarked"
    case "follow": "followed"
    case "unfollow": "no longer followed"
    case "delete": "deleted"
    default: verb
    }
  }
}
