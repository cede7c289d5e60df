import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

/// What keys do.
extension Browser {
  /// Takes a key.
  func take(_ key: Key) {
    if screen.composition != nil { return takeInComposition(key) }
    if screen.prompt != nil { return type(key) }
    takeInList(key)
  }

  /// Takes a key that nothing is typed by.
  func takeInList(_ key: Key) {
    switch key {
    case .wheelDown: scroll(3)
    case .wheelUp: scroll(-3)
    case .click(let row, let column): click(row, column)
    case .character(let digit) where ("1"..."9").contains(digit): show(feed: Int(String(digit)) ?? 1)
    default: if let action = screen.keys[key] { perform(action) }
    }
  }

  private func type(_ key: Key) {
    guard var prompt = screen.prompt else { return }
    switch prompt.take(key, screen.names) {
    case .editing: screen.prompt = prompt
    case .cancelled: screen.prompt = nil
    case .entered(let text):
      screen.prompt = nil
      enter(text, prompt.purpose)
    }
  }

  /// Does what a typed line asks for.
  private func enter(_ text: String, _ purpose: LinePrompt.Purpose) {
    let text = text.trimmed
    switch purpose {
    case .confirm(let act): if text.lowercased() == "y" { perform(act) }
    case .link(let links):
      guard let number = Int(text), links.indices.contains(number - 1) else { return screen.message = "no such link" }
      open(links[number - 1])
    case .command: perform(named: text)
    case _ where text.isEmpty: return
    case .search:
      guard let condition = query(text) else { return }
      searched = condition
      search(isUp: false)
    case .limit: if let condition = query(text) { limit("&" + text, condition) }
    case .label: label(text)
    case .pipe: pipe(into: text)
    case .filter: filter(through: text)
    case .query: showQuery(text)
    case .labelList: showLabel(text)
    case .folder(let pictures): save(pictures, in: text)
    }
  }

  /// Performs an action of this name. What comes after it is what its prompt would be given.
  private func perform(named text: String) {
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    guard let name = words.first else { return }
    let matches = Action.allCases.filter { $0.rawValue.hasPrefix(name) }
    guard let action = Action(rawValue: name) ?? (matches.count == 1 ? matches.first : nil) else {
      return screen.message = matches.isEmpty ? "no command '\(name)'" : "'\(name)' may be several commands"
    }
    guard words.count == 2 else { return perform(action) }
    switch action {
    case .search: enter(words[1], .search)
    case .limit: enter(words[1], .limit)
    case .label: enter(words[1], .label)
    case .filter: enter(words[1], .filter)
    case .query: enter(words[1], .query)
    case .labelList: enter(words[1], .labelList)
    case .account: chooseAccount(words[1])
    case .save: savePictures(in: words[1])
    case .pipe: enter(words[1], .pipe)
    default: screen.message = "':\(action.rawValue)' takes no words"
    }
  }

  func perform(_ action: Action) {
    switch action {
    case .down: move(1)
    case .up: move(-1)
    case .pageDown: page(1)
    case .pageUp: page(-1)
    case .first:
      showWaiting()
      screen.firstRow = 0
    case .last:
      screen.list.move(to: .max, height: layout.tweets)
      goingToEnd = screen.list.id
      askForOlder()
    case .nextUnread:
      var unread = TweetQuery()
      unread.labels = [.unread]
      seek(unread, isUp: false)
    case .open: openTweet()
    case .back: goBack()
    case .unfold: unfold()
    case .thread: showThread()
    case .author: showAuthor()
    case .profile: showProfile()
    case .link: chooseLink()
    case .page: openPage()
    case .search: screen.prompt = LinePrompt(.search)
    case .searchNext: search(isUp: false)
    case .searchPrevious: search(isUp: true)
    case .limit: screen.prompt = LinePrompt(.limit)
    case .nextFeed: show(feed: (screen.current + 1) % screen.feeds.count + 1)
    case .previousFeed: show(feed: (screen.current + screen.feeds.count - 1) % screen.feeds.count + 1)
    case .reply: compose(.reply)
    case .quote: compose(.quote)
    case .post: compose(.post)
    case .retweet: act("retweet", "retweeted")
    case .like: act("like", "liked")
    case .bookmark: act("bookmark", "bookmarked")
    case .play: play()
    case .save: savePictures()
    case .filter: screen.prompt = LinePrompt(.filter)
    case .query:
      reader.ask(.names)
      screen.prompt = LinePrompt(.query)
    case .labelList:
      reader.ask(.names)
      screen.prompt = LinePrompt(.labelList)
    case .markRead: toggleUnread()
    case .account: chooseNextAccount()
    case .delete: confirmDeletion()
    case .follow: follow()
    case .undo: takeBack()
    case .label: screen.prompt = LinePrompt(.label)
    case .copy: copyAddress()
    case .raw: showRecord()
    case .pipe: screen.prompt = LinePrompt(.pipe)
    case .refresh: refreshNow()
    case .redraw: terminal.forget()
    case .command:
      reader.ask(.names)
      screen.prompt = LinePrompt(.command)
    case .help: (screen.place, screen.firstRow) = (.help, 0)
    case .suspend: suspend()
    case .quit: quit()
    }
  }

  // MARK: Moving

  private func move(_ count: Int) {
    switch screen.place {
    case .list: moveCursor(count)
    case .reader:
      moveCursor(count)
      screen.firstRow = 0
    case .help: scroll(count)
    }
  }

  private func moveCursor(_ count: Int) {
    if count > 0 { askForOlder() }
    screen.list.move(by: count, height: layout.tweets)
  }

  private func page(_ count: Int) {
    switch screen.place {
    case .list:
      if count > 0 { askForOlder() }
      screen.list.page(count, height: layout.tweets)
    case .reader where count > 0 && screen.firstRow >= lastReaderRow: move(1)
    case .reader, .help: scroll(count * max(layout.bodyRows - 1, 1))
    }
  }

  private func scroll(_ count: Int) {
    switch screen.place {
    case .list: screen.list.scroll(count, height: layout.tweets)
    case .reader: screen.firstRow = min(max(screen.firstRow + count, 0), lastReaderRow)
    case .help:
      let last = max(HelpRows.lines(screen, selectedEntry).count - layout.bodyRows, 0)
      screen.firstRow = min(max(screen.firstRow + count, 0), last)
    }
  }

  private func click(_ row: Int, _ column: Int) {
    let shown = layout.shown(screen)
    if row == 0, shown.count == 1 { return clickTab(column) }
    let number = column / (layout.listColumns(shown.count) + Layout.gap)
    guard screen.place == .list, number < shown.count else { return }
    if shown.lowerBound + number != screen.current { return show(feed: shown.lowerBound + number + 1) }
    let row = row - layout.body.lowerBound
    let index = screen.list.top + row / 2
    guard row >= 0, index < screen.list.keys.count, row / 2 < layout.tweets else { return }
    if index == screen.list.cursor { openTweet() } else { screen.list.move(to: index, height: layout.tweets) }
  }

  /// Shows the feed whose tab is in a column of the first row, as ``Painter`` draws the tabs.
  private func clickTab(_ column: Int) {
    var start = 0
    for index in screen.firstTab(columns: layout.columns - 1)..<screen.feeds.count {
      start += WrappedText.width(of: screen.tabTitle(index))
      if column < start { return show(feed: index + 1) }
    }
  }

  private func show(feed number: Int) {
    guard screen.feeds.indices.contains(number - 1) else { return screen.message = "there is no feed \(number)" }
    (screen.current, screen.place, screen.firstRow) = (number - 1, .list, 0)
    screen.list.fit(height: layout.tweets)
  }

  private func openTweet() {
    guard screen.place == .list, let key = screen.list.selected else { return }
    if let entry = records.entry(key), let notification = entry.notification, entry.document == nil {
      // Of somebody who follows there is no tweet.
      if notification["tweet"] == nil { return showProfile() }
      return screen.message = "the tweet is not stored"
    }
    (screen.place, screen.firstRow) = (.reader, 0)
  }

  private func goBack() {
    switch screen.place {
    case .reader, .help: (screen.place, screen.firstRow) = (.list, 0)
    case .list: pop()
    }
  }

  // MARK: Finding

  /// A query as a person types it; says what is wrong with it.
  private func query(_ text: String) -> TweetQuery? {
    do throws(ToolError) { return try QueryText(text).query } catch {
      screen.message = error.message
      return nil
    }
  }

  private func search(isUp: Bool) {
    guard let searched else { return screen.message = "say what to find: /words" }
    seek(searched, isUp: isUp)
  }

  private func seek(_ condition: TweetQuery, isUp: Bool) {
    let list = screen.list
    guard let key = list.selected, let end = list.keys.last else { return screen.message = "nothing more is found" }
    reader.ask(.seek(Seek(list: list.id, condition: condition, key: key, isUp: isUp, knownEnd: end)))
  }

  private func limit(_ title: String, _ condition: TweetQuery) {
    guard case .query(var query) = screen.list.source else {
      return screen.message = "this list is shown whole: & goes with feeds"
    }
    query.parts.append(condition)
    push(title, .query(query))
  }

  /// Opens what is behind the warning of the tweet under the cursor, or folds it again.
  private func unfold() {
    guard let key = screen.list.selected, selected != nil else { return }
    if screen.opened.remove(key) == nil { screen.opened.insert(key) }
  }

  /// Shows what waits above, and goes there.
  private func showWaiting() {
    let list = screen.list
    screen.list.showWaiting()
    if case .thread = list.source, !list.waiting.isEmpty { reader.ask(.open(list: list.id, list.source, nil)) }
  }

  /// The thread of a tweet; of a retweet that of what it retweets, if that is stored.
  private func showThread() {
    guard selected != nil, let key = screen.list.selected, let name = threadName(of: key) else { return }
    push("thread", .thread(name))
  }

  private func showAuthor() {
    guard let tweet = selected, let document = tweet.document else { return }
    let name = document.read { tweet in
      [tweet.retweeted, tweet].lazy.compactMap { $0?["author"]?["username"]?.string }.first
    }
    guard let name else {
      return screen.message = "the author has no user name"
    }
    var query = TweetQuery()
    query.authors = [name]
    query.service = document["service"]?.string
    push("@" + name, .query(query))
  }

  /// The record under the cursor, as it was read; `nil` if there is none.
  var selectedEntry: RecordCache.Entry? { screen.list.selected.flatMap { records.entry($0) } }

  /// The record under the cursor; says so if there is none.
  var selected: RecordCache.Entry? {
    guard let key = screen.list.selected, let entry = records.entry(key), entry.document != nil else {
      screen.message = "there is no tweet under the cursor"
      return nil
    }
    return entry
  }
}
