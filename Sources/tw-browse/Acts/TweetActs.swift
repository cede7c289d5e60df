import TweetCLI
import TweetCore

/// What tw-post does with tweets and people, with what takes it back, and the labels of tweets.
final class TweetActs {
  /// Milliseconds for which an act can be taken back.
  private static let undoTime = 5_000

  private unowned let model: BrowseModel
  private var deadline: Int?
  /// Tweets that were marked as unread by a key: being in view does not change that.
  private(set) var keptUnread: Set<Int> = []

  init(_ model: BrowseModel) { self.model = model }

  // MARK: With a tweet

  /// What an act is about: the tweet under the cursor, or the one that it repeats; says so if there is none.
  var target: TweetTarget? { model.selected?.document?.read { TweetTarget($0) } }

  /// Likes, retweets or bookmarks the tweet under the cursor, or takes that back, by what the account did with it.
  func toggle(_ verb: Act.Verb) {
    guard let target, let document = model.selectedEntry?.document, let mark = verb.marks?.viewer else { return }
    let act = Act(verb: verb, target: target.name, service: target.service)
    let isDone = document.read { $0["viewer"]?[mark]?.bool == true }
    perform(isDone ? act.opposite ?? act : act)
  }

  /// Follows somebody, or stops it if they were followed here.
  /// - Returns: what does it.
  @discardableResult
  func follow(_ person: String, at service: String?) -> BackgroundCommand? {
    perform(Act(verb: model.state.followed[person] == true ? .unfollow : .follow, target: person, service: service))
  }

  /// Has tw-post do it. It is shown at once; what tw-post prints is stored, which says how it is.
  /// - Returns: what does it; `nil` if it does not run.
  @discardableResult
  func perform(_ act: Act) -> BackgroundCommand? {
    let key = model.state.list.selected
    let row = model.selectedEntry?.name ?? act.target
    model.state.pending[row] = act.verb
    model.say("\(act.verb) …")
    show(act, in: key)
    let command = model.tools.post([act.verb.rawValue, "--yes"] + act.targets, at: act.service)
    return model.start([command, model.tools.add]) { [weak self] ending, command in
      self?.model.state.pending[row] = nil
      self?.finish(act, key, ending, command)
    }
  }

  /// Shows a tweet as it will be.
  private func show(_ act: Act, in key: Int?) {
    guard let key, let entry = model.records.entry(key), entry.name == act.target, let document = entry.document,
      let shown = act.applied(to: document)
    else { return }
    model.records.replace(shown, of: key)
  }

  private func finish(_ act: Act, _ key: Int?, _ ending: ChildProcess.Ending, _ command: BackgroundCommand) {
    model.tell(act.words(ending, command))
    if ending.status == .done {
      if act.verb == .follow || act.verb == .unfollow { model.state.followed[act.target] = act.verb == .follow }
      offer(act.isUndone ? act : nil)
    }
    // What was shown is taken back, or becomes what the service says.
    if let key { model.readAgain([key]) }
  }

  // MARK: Taking back

  /// Lets an act be taken back for a while.
  func offer(_ act: Act?) {
    model.state.undo = act
    deadline = MonotonicClock.milliseconds + Self.undoTime
  }

  /// Takes the last act back.
  /// - Returns: what does it; `nil` if nothing does.
  @discardableResult
  func takeBack() -> BackgroundCommand? {
    guard let act = model.state.undo?.opposite else {
      model.say("there is nothing to take back")
      return nil
    }
    model.state.undo = nil
    return perform(act)
  }

  /// Forgets what can no longer be taken back.
  func tick(_ now: Int) {
    if let deadline, now >= deadline { (model.state.undo, self.deadline) = (nil, nil) }
  }

  // MARK: Labels

  /// Gives labels to the tweet under the cursor, and takes them away: `+later -unread`.
  func label(_ text: String) {
    guard let tweet = model.selected else { return }
    let words = Tools.labelWords(text)
    if words.isEmpty { return model.say("say which: label +later -unread") }
    label([tweet.name], words)
    model.say(words.joined(separator: " "))
  }

  private func label(_ names: [String], _ words: [String]) {
    let input = names.map { $0 + "\n" }.joined()
    model.start([model.tools.label(words)], input: Array(input.utf8)) { [weak self] ending, command in
      if ending != .exited(0) { self?.model.tell(command.lastWords ?? "the label was not stored") }
    }
  }

  /// Gives the label `unread` to the tweet under the cursor, or takes it away.
  func toggleUnread() {
    guard let key = model.state.list.selected, let entry = model.selected else { return }
    let isUnread = !entry.isUnread
    model.records.mark(key, isUnread: isUnread)
    // Or what is in view for a moment would count as read again.
    if isUnread { keptUnread.insert(key) } else { keptUnread.remove(key) }
    label([entry.name], [isUnread ? "+unread" : "-unread"])
    model.say(isUnread ? "unread" : "read")
  }

  /// Takes the label `unread` from tweets that a person has seen.
  /// - Parameter isWhole: whether they were read, not only in view: then from those that a key has marked too.
  func markRead(_ keys: some Sequence<Int>, evenIfKept isWhole: Bool = false) {
    var names: [String] = []
    for key in keys {
      guard let entry = model.records.entry(key), entry.isUnread, isWhole || !keptUnread.contains(key) else { continue }
      model.records.mark(key, isUnread: false)
      names.append(entry.name)
    }
    if !names.isEmpty { label(names, ["-unread"]) }
  }
}
