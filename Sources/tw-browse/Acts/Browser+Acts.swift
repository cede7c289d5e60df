import TweetCLI
import TweetCore
import TweetStore

/// What tw-post does with a tweet, and the labels of tweets.
extension Browser {
  // MARK: With a tweet

  /// What a command is about: the tweet under the cursor, or the one that it repeats.
  var target: (name: String, service: String)? {
    guard let target = selected?.document?.read({ TweetTarget($0) }) else { return nil }
    return ("\(target.service):\(target.id)", target.service)
  }

  /// Likes, retweets or bookmarks the tweet under the cursor, or takes that back, by what the account did with it.
  func act(_ verb: String, _ mark: StaticString) {
    guard let target, let document = selected?.document else { return }
    let act = Act(verb: verb, target: target.name, service: target.service)
    let isDone = document.read { $0["viewer"]?[mark]?.bool == true }
    perform(isDone ? act.opposite ?? act : act)
  }

  func confirmDeletion() {
    guard let target else { return }
    screen.prompt = LinePrompt(.confirm(Act(verb: "delete", target: target.name, service: target.service)))
  }

  /// Has tw-post do it. It is shown at once; what tw-post prints is stored, which says how it is.
  func perform(_ act: Act) {
    let key = screen.list.selected
    let row = key.flatMap { records.entry($0)?.name } ?? act.target
    screen.pending[row] = act.verb
    screen.message = "\(act.verb) …"
    show(act, in: key)
    start([tools.post([act.verb, "--yes"] + act.targets, at: act.service), tools.add]) { [weak self] ending, command in
      self?.screen.pending[row] = nil
      self?.finish(act, key, ending, command)
    }
  }

  /// Shows a tweet as it will be.
  private func show(_ act: Act, in key: Int?) {
    guard let key, let entry = records.entry(key), entry.name == act.target, let document = entry.document,
      let shown = act.applied(to: document)
    else { return }
    records.replace(shown, of: key)
  }

  private func finish(_ act: Act, _ key: Int?, _ ending: ChildProcess.Ending, _ command: BackgroundCommand) {
    screen.message = act.words(ending, command)
    if ending.status == .done {
      if let (person, isFollowed) = act.following { screen.followed[person] = isFollowed }
      offer(act.isUndone ? act : nil)
    }
    // What was shown is taken back, or becomes what the service says.
    if let key { reader.ask(.records(records.outdated([key]))) }
  }

  func takeBack() {
    guard let act = screen.undo?.opposite else { return screen.message = "there is nothing to take back" }
    screen.undo = nil
    perform(act)
  }

  // MARK: Labels

  /// Gives labels to the tweet under the cursor, and takes them away: `+later -unread`.
  func label(_ text: String) {
    guard let tweet = selected else { return }
    let words = Tools.labelWords(text)
    label([tweet.name], words)
    screen.message = words.joined(separator: " ")
  }

  /// Gives labels to tweets, and takes them away.
  func label(_ names: [String], _ words: [String]) {
    let input = names.map { $0 + "\n" }.joined()
    start([tools.label(words)], input: Array(input.utf8)) { [weak self] ending, command in
      if ending != .exited(0) { self?.screen.message = command.lastWords ?? "the label was not stored" }
    }
  }

  /// Gives the label `unread` to the tweet under the cursor, or takes it away.
  func toggleUnread() {
    guard let key = screen.list.selected, let entry = selected else { return }
    let isUnread = !entry.isUnread
    records.mark(key, isUnread: isUnread)
    // Or what is in view for a moment would count as read again.
    if isUnread { keptUnread.insert(key) } else { keptUnread.remove(key) }
    label([entry.name], [isUnread ? "+unread" : "-unread"])
    screen.message = isUnread ? "unread" : "read"
  }
}

extension Act {
  /// The record of a tweet as it is after this; `nil` if that is not known.
  fileprivate func applied(to document: JSONDocument) -> JSONDocument? {
    let marks: [String: (mark: StaticString, count: StaticString?)] = [
      "like": ("liked", "like_count"), "retweet": ("retweeted", "retweet_count"), "bookmark": ("bookmarked", nil),
    ]
    let name = verb.hasPrefix("un") ? String(verb.dropFirst(2)) : verb
    guard let (mark, count) = marks[name] else { return nil }
    let isDone = name == verb
    let bytes = document.read { tweet in
      var edits = RecordEdits()
      if let viewer = tweet["viewer"] {
        edits.set(mark, in: viewer, to: isDone ? "true" : "false")
      } else {
        edits.set("viewer", in: tweet, to: "{\"\(mark)\":\(isDone)}")
      }
      if let count, let metrics = tweet["public_metrics"], let number = metrics[count]?.looseInteger {
        edits.set(count, in: metrics, to: "\(max(number + (isDone ? 1 : -1), 0))")
      }
      var out = ByteBuffer(capacity: 1024)
      edits.apply(to: tweet, into: &out)
      return out.array
    }
    return try? JSONDocument(bytes)
  }
}
