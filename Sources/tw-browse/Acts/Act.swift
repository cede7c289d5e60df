import TweetCore

/// What tw-post does with a tweet, or with its author.
struct Act: Equatable {
  /// The command of tw-post.
  let verb: String
  /// `service:id` of the tweet, or of several with spaces between them; the address or the name of a person.
  let target: String
  /// The service of the target; `nil` for that of the account.
  var service: String?

  /// What takes it back; `nil` if nothing does.
  var opposite: Act? {
    let verb: String? =
      switch self.verb {
      case "like": "unlike"
      case "retweet": "unretweet"
      case "bookmark": "unbookmark"
      case "follow": "unfollow"
      case "unlike": "like"
      case "unretweet": "retweet"
      case "unbookmark": "bookmark"
      case "unfollow": "follow"
      case "post": "delete"
      default: nil
      }
    return verb.map { Act(verb: $0, target: target, service: service) }
  }

  /// What is offered after it.
  var undoing: String { "undo \(verb)" }

  /// What is asked before one that cannot be taken back.
  var question: String { "\(verb) \(target)?" }

  /// The targets as words of a command line.
  var targets: [String] { target.split(separator: " ").map(String.init) }

  /// Whether it is taken back by a key: what takes back is not.
  var isUndone: Bool { opposite != nil && !verb.hasPrefix("un") }

  /// Whom the account follows after it, and whether; `nil` for what is no following.
  var following: (person: String, isFollowed: Bool)? {
    switch verb {
    case "follow": (target, true)
    case "unfollow": (target, false)
    default: nil
    }
  }

  /// What is said when tw-post has ended.
  func words(_ ending: ChildProcess.Ending, _ command: BackgroundCommand) -> String {
    switch ending.status {
    case .done?: done
    case .tryLater?: "\(verb) waits in the outbox: \(command.lastWords ?? "")"
    default: "\(verb): \(command.lastWords ?? "it ended \(ending)")"
    }
  }

  /// What is said when it is done.
  private var done: String {
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
    case "post": "posted"
    default: verb
    }
  }
}
