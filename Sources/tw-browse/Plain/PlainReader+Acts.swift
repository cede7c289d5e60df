import Libc
import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

/// What the lines of `--plain` do.
extension PlainReader {
  func perform(_ command: PlainCommand) {
    let words = command.words
    switch command.action {
    case .down: move(1)
    case .up: move(-1)
    case .first: showNewest()
    case .last: moveToEnd()
    case .nextUnread:
      var unread = TweetQuery()
      unread.labels = [.unread]
      seek(unread, isUp: false)
    case .back: goBack()
    case .thread: if let tweet = selected { push("thread", .thread(tweet.name)) }
    case .author: showAuthor()
    case .profile: showPerson()
    case .link: openLink(words)
    case .page: openPage()
    case .search:
      if !words.isEmpty {
        guard let condition = query(words) else { return }
        searched = condition
      }
      search(isUp: false)
    case .searchNext: search(isUp: false)
    case .searchPrevious: search(isUp: true)
    case .limit: limit(words)
    case .nextFeed: show(feedAfter: 1)
    case .previousFeed: show(feedAfter: -1)
    case .reply, .quote: write(command.action.rawValue, words)
    case .post: write(nil, words)
    case .retweet, .like, .bookmark:
      if let tweet = selected { act(Act(verb: command.action.rawValue, target: tweet.name, service: tweet.service)) }
    case .delete: delete()
    case .follow: follow()
    case .undo:
      guard let opposite = undo?.opposite else { return say("there is nothing to take back") }
      undo = nil
      act(opposite)
    case .label: label(words)
    case .unfold: unfold()
    case .query: showQuery(words)
    case .labelList: showLabel(words)
    case .account: chooseAccount(words)
    case .markRead: toggleUnread()
    case .copy: if let address = selected?.document?["url"]?.string { say(address) }
    case .raw: if let record = selected?.document?.read({ String(decoding: $0.raw, as: UTF8.self) }) { say(record) }
    case .pipe: pipe(words)
    case .refresh:
      if isRefreshing { startRefresh() } else { say("nothing is refreshed with --offline") }
    case .help:
      for line in PlainCommand.help { say(line) }
      say("a number shows that feed; an empty line is the next tweet")
    case .quit: leave()
    // PlainCommand refuses what only a screen can do.
    default: return
    }
  }

  // MARK: Finding

  private func query(_ text: String) -> TweetQuery? {
    do throws(ToolError) { return try QueryText(text).query } catch {
      say(error.message ?? "")
      return nil
    }
  }

  private func search(isUp: Bool) {
    guard let searched else { return say("say what to find: /words") }
    seek(searched, isUp: isUp)
  }

  private func seek(_ condition: TweetQuery, isUp: Bool) {
    guard let key = list.selected, let end = list.keys.last else { return say("nothing more is found") }
    ask([.seek(Seek(list: list.id, condition: condition, key: key, isUp: isUp, knownEnd: end))])
    if list.selected != key { showTweet() }
  }

  private func limit(_ words: String) {
    guard case .query(var query) = list.source else { return say("a thread is shown whole") }
    guard !words.isEmpty else { return say("say which tweets: &words") }
    guard let condition = self.query(words) else { return }
    query.parts.append(condition)
    push("&" + words, .query(query))
  }

  private func showAuthor() {
    guard let document = selected?.document else { return }
    guard let name = document["author"]?["username"]?.string else { return say("the author has no user name") }
    var query = TweetQuery()
    query.authors = [name]
    query.service = document["service"]?.string
    push("@" + name, .query(query))
  }

  private func showPerson() {
    guard let document = selected?.document, let service = document["service"]?.string,
      let id = document["author"]?["id"]?.string
    else { return }
    showProfile(service: service, id: id)
  }

  // MARK: Acts

  private func act(_ act: Act) {
    say("\(act.verb) …")
    start([tools.post([act.verb, "--yes"] + act.targets, at: act.service), tools.add]) { [weak self] ending, command in
      if ending.status == .done {
        self?.undo = act.isUndone ? act : nil
        if let (person, isFollowed) = act.following { self?.followed[person] = isFollowed }
      }
      return act.words(ending, command)
    }
  }

  private func delete() {
    guard let tweet = selected else { return }
    let act = Act(verb: "delete", target: tweet.name, service: tweet.service)
    if ask("\(act.question) [y/n] ")?.lowercased() == "y" { self.act(act) }
  }

  /// Follows the author, or stops it if this was done here.
  private func follow() {
    guard let tweet = selected, let author = tweet.document?["author"], let name = author["username"]?.string else {
      return
    }
    let person = author["url"]?.string ?? name
    act(Act(verb: followed[person] == true ? "unfollow" : "follow", target: person, service: tweet.service))
  }

  /// Posts a line: what stands after the command, or what is typed then.
  /// - Parameter verb: `reply` or `quote`, which are about the tweet that is read; `nil` for a new post.
  private func write(_ verb: String?, _ words: String) {
    var target: [String] = []
    if let verb {
      guard let tweet = selected else { return }
      target = [verb, tweet.name]
    }
    guard let text = words.isEmpty ? ask("\(verb ?? "post"): ") : words else { return say("nothing was posted") }
    say("\(verb ?? "post") …")
    let service = verb == nil ? nil : selected?.service
    start([tools.post(["--yes"] + target + ["-"], at: service), tools.add], input: Array(text.utf8)) {
      ending, command in
      switch ending.status {
      case .done?: "posted"
      case .tryLater?: "it waits in the outbox: \(command.lastWords ?? "")"
      default: "it was not posted: \(command.lastWords ?? "tw-post ended \(ending)")"
      }
    }
  }

  private func label(_ text: String) {
    guard let tweet = selected else { return }
    let words = Tools.labelWords(text)
    if words.isEmpty { return say("say which: label +later -unread") }
    label([tweet.name], words)
    say(words.joined(separator: " "))
  }

  // MARK: Addresses and records

  private func openLink(_ words: String) {
    guard let links = selected?.document.map({ TweetSubjects($0).links.map(\.url) }) else { return }
    if links.isEmpty { return say("the tweet has no links") }
    if words.isEmpty, links.count > 1 {
      for (index, link) in links.enumerated() { say("\(index + 1) \(link)") }
      return say("o with a number opens one")
    }
    guard let number = words.isEmpty ? 1 : Int(words), links.indices.contains(number - 1) else {
      return say("no such link")
    }
    open(links[number - 1])
  }

  private func openPage() {
    guard let document = selected?.document else { return }
    guard let address = document["url"]?.string, TweetTarget.isWebAddress(address) else {
      return say("the tweet has no page")
    }
    open(address)
  }

  private func open(_ address: String) {
    say(WebBrowser.open(address) ? address : "no browser is known: $BROWSER names one")
  }

  /// Gives the record to a command of the shell, which has the terminal meanwhile.
  private func pipe(_ command: String) {
    guard !command.isEmpty else { return say("say which command: | jq .text") }
    guard let record = selected?.document?.read({ Array($0.raw) + [0x0A] }) else { return }
    do throws(ToolError) {
      let file = try UnnamedFile.holding(record)
      let ending = KeySignals.leave { () -> ChildProcess.Ending? in
        guard var child = ChildProcess(["/bin/sh", "-c", command], input: file.descriptor) else { return nil }
        return child.wait()
      }
      guard let ending else { return say("cannot run '\(command)'") }
      if ending != .exited(0) { say("it ended \(ending)") }
    } catch {
      say(error.message ?? "")
    }
  }
}
