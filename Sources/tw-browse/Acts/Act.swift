import TweetCore

/// What tw-post does with a tweet, or with its author.
struct Act: Equatable {
  /// A command of tw-post.
  enum Verb: String {
    case like, unlike, retweet, unretweet, bookmark, unbookmark, follow, unfollow, post, delete

    /// The one that takes it back; `nil` if nothing does.
    var inverse: Verb? {
      switch self {
      case .post: .delete
      case .delete: nil
      default: Verb(rawValue: takesBack ? name : "un" + name)
      }
    }

    /// Whether it takes another one back.
    var takesBack: Bool { rawValue.hasPrefix("un") }

    /// Its name, or that of the one that it takes back.
    private var name: String { takesBack ? String(rawValue.dropFirst(2)) : rawValue }

    /// What is said when it is done: `liked`, `no longer liked`.
    var done: String { (takesBack ? "no longer " : "") + name + (name.hasSuffix("e") ? "d" : "ed") }

    /// What a record says of it: in its `viewer`, and among its counts.
    var marks: (viewer: StaticString, count: StaticString?)? {
      switch self {
      case .like, .unlike: ("liked", "like_count")
      case .retweet, .unretweet: ("retweeted", "retweet_count")
      case .bookmark, .unbookmark: ("bookmarked", nil)
      case .follow, .unfollow, .post, .delete: nil
      }
    }
  }

  let verb: Verb
  /// `service:id` of the tweet, or of several with spaces between them; the address or the name of a person.
  let target: String
  /// The service of the target; `nil` for that of the account.
  var service: String?

  /// What takes it back; `nil` if nothing does.
  var opposite: Act? { verb.inverse.map { Act(verb: $0, target: target, service: service) } }

  /// What is offered after it.
  var undoing: String { "undo \(verb)" }

  /// What is asked before one that cannot be taken back.
  var question: String { "\(verb) \(target)?" }

  /// The targets as words of a command line.
  var targets: [String] { target.split(separator: " ").map(String.init) }

  /// Whether it is taken back by a key: what takes back is not.
  var isUndone: Bool { opposite != nil && !verb.takesBack }

  /// What is said when tw-post has ended.
  func words(_ ending: ChildProcess.Ending, _ command: BackgroundCommand) -> String {
    switch ending.status {
    case .done?: verb.done
    case .tryLater?: "\(verb) waits in the outbox: \(command.lastWords ?? "")"
    default: "\(verb): \(command.lastWords ?? "it ended \(ending)")"
    }
  }

  /// The record of a tweet as it is after this; `nil` if that is not known.
  func applied(to document: JSONDocument) -> JSONDocument? {
    guard let marks = verb.marks else { return nil }
    let isDone = !verb.takesBack
    let bytes = document.read { tweet in
      var edits = RecordEdits()
      if let viewer = tweet["viewer"] {
        edits.set(marks.viewer, in: viewer, to: isDone ? "true" : "false")
      } else {
        edits.set("viewer", in: tweet, to: "{\"\(marks.viewer)\":\(isDone)}")
      }
      if let count = marks.count, let metrics = tweet["public_metrics"], let number = metrics[count]?.looseInteger {
        edits.set(count, in: metrics, to: "\(max(number + (isDone ? 1 : -1), 0))")
      }
      var out = ByteBuffer(capacity: 1024)
      edits.apply(to: tweet, into: &out)
      return out.array
    }
    return try? JSONDocument(bytes)
  }
}
