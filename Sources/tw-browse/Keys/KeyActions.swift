import Libc
import TweetCLI
import TweetCore
import TweetDisplay

/// What keys do on the whole screen.
final class KeyActions {
  private unowned let browser: Browser
  private let model: BrowseModel

  init(_ browser: Browser) { (self.browser, model) = (browser, browser.model) }

  /// Takes a key.
  func take(_ key: Key) {
    if model.state.composition != nil { return takeInComposition(key) }
    if model.state.prompt != nil { return type(key) }
    takeInList(key)
  }

  /// Takes a key that nothing is typed by.
  private func takeInList(_ key: Key) {
    switch key {
    case .wheelDown: scroll(3)
    case .wheelUp: scroll(-3)
    case .click(let row, let column): click(row, column)
    case .character(let digit) where ("1"..."9").contains(digit): model.show(feed: Int(String(digit)) ?? 1)
    default: if let action = model.state.keys[key] { perform(action) }
    }
  }

  private func takeInComposition(_ key: Key) {
    if case .control = key, let action = model.state.keys[key], action == .suspend || action == .redraw {
      return perform(action)
    }
    switch model.composer.take(key, width: ComposeRows.textWidth(browser.layout.columns)) {
    case .other: takeInList(key)
    case .edit: editComposition()
    default: return
    }
  }

  /// Has the person's editor change what is written.
  private func editComposition() {
    guard let draft = model.state.composition?.draft else { return }
    browser.withTerminal {
      do throws(ToolError) {
        model.composer.replace(with: try EditorFile.edit(draft.text, terminal: browser.terminal.descriptor))
      } catch {
        model.state.composition?.notice = error.message
      }
    }
  }

  // MARK: Lines

  private func type(_ key: Key) {
    guard var prompt = model.state.prompt else { return }
    switch prompt.take(key, model.state.names) {
    case .editing: model.state.prompt = prompt
    case .cancelled: model.state.prompt = nil
    case .entered(let text):
      model.state.prompt = nil
      enter(text.trimmed, prompt.purpose)
    }
  }

  /// Does what a typed line asks for.
  private func enter(_ text: String, _ purpose: LinePrompt.Purpose) {
    switch purpose {
    case .confirm(let act): if text.lowercased() == "y" { model.acts.perform(act) }
    case .link(let links):
      guard let number = Int(text), links.indices.contains(number - 1) else { return model.say("no such link") }
      open(links[number - 1])
    case .command: perform(named: text)
    case _ where text.isEmpty: return
    case .search: model.search(text)
    case .limit: model.limit(text, orSay: "this list is shown whole: & goes with feeds")
    case .label: model.acts.label(text)
    case .pipe: give(to: text, waits: true)
    case .filter: model.filter(through: text)
    case .query: model.showQuery(text)
    case .labelList: model.showLabel(text)
    case .folder(let pictures): model.saver.save(pictures, in: text)
    }
  }

  /// Performs an action of this name. What comes after it is what its prompt would be given.
  private func perform(named text: String) {
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    guard let name = words.first else { return }
    let matches = Action.named(name)
    guard matches.count == 1, let action = matches.first else {
      return model.say(matches.isEmpty ? "no command '\(name)'" : "'\(name)' may be several commands")
    }
    guard words.count == 2 else { return perform(action) }
    switch action {
    case .account: model.chooseAccount(words[1])
    case .save: if let count = model.saver.count { model.saver.save(count, in: words[1]) }
    default:
      guard let purpose = Self.purpose(of: action) else { return model.say("':\(action.rawValue)' takes no words") }
      enter(words[1].trimmed, purpose)
    }
  }

  /// What is typed for an action; `nil` for one that takes no words.
  private static func purpose(of action: Action) -> LinePrompt.Purpose? {
    switch action {
    case .search: .search
    case .limit: .limit
    case .label: .label
    case .filter: .filter
    case .query: .query
    case .labelList: .labelList
    case .pipe: .pipe
    default: nil
    }
  }

  // MARK: Actions

  private func perform(_ action: Action) {
    switch action {
    case .down: move(1)
    case .up: move(-1)
    case .pageDown: page(1)
    case .pageUp: page(-1)
    case .first:
      model.showWaiting()
      model.state.firstRow = 0
    case .last:
      model.state.list.move(to: .max, height: model.height)
      model.goingToEnd = model.state.list.id
      askForOlder()
    case .nextUnread: model.seekUnread()
    case .open: openTweet()
    case .back: if model.state.place == .list { model.pop() } else { browser.showList() }
    case .unfold: model.unfold()
    case .thread: model.showThread()
    case .author: model.showAuthor(isRepeated: true)
    case .profile: model.people.showProfile()
    case .link: chooseLink()
    case .page: if let page = model.page { open(page) }
    case .searchNext: model.search(isUp: false)
    case .searchPrevious: model.search(isUp: true)
    case .nextFeed: model.show(feedAfter: 1)
    case .previousFeed: model.show(feedAfter: -1)
    case .reply, .quote, .post: ComposedDraft.Kind(rawValue: action.rawValue).map(model.composer.begin)
    case .retweet, .like, .bookmark: Act.Verb(rawValue: action.rawValue).map(model.acts.toggle)
    case .play: model.music.play(with: browser.settings.player)
    case .save:
      if let count = model.saver.count { model.state.prompt = LinePrompt(.folder(count), text: model.saver.folder) }
    case .markRead: model.acts.toggleUnread()
    case .account: model.chooseAccount()
    case .delete:
      if let target = model.acts.target {
        model.state.prompt = LinePrompt(.confirm(Act(verb: .delete, target: target.name, service: target.service)))
      }
    case .follow: model.people.follow()
    case .undo: model.acts.takeBack()
    case .copy: copyAddress()
    case .raw: give(to: browser.settings.pager)
    case .refresh: refreshNow()
    case .redraw: browser.terminal.forget()
    case .search, .limit, .label, .pipe, .filter: model.state.prompt = Self.purpose(of: action).map { LinePrompt($0) }
    case .query, .labelList, .command:
      model.ask(.names)
      model.state.prompt = LinePrompt(Self.purpose(of: action) ?? .command)
    case .help: (model.state.place, model.state.firstRow) = (.help, 0)
    case .suspend: browser.suspend()
    case .quit: browser.quit()
    }
  }

  private func refreshNow() {
    guard model.isRefreshing else { return model.say("nothing is refreshed with --offline") }
    // What was over may have been a failure.
    for index in model.state.feeds.indices where model.state.feeds[index].older == .over {
      model.state.feeds[index].older = .mayCome
    }
    model.startRefresh()
    model.say("asking the sources …")
  }

  private func askForOlder() {
    let command = model.askForOlder { [model] ending, command in
      if ending != .exited(0) { model.tell(command.lastWords ?? "older posts could not be fetched") }
      model.ask(.look)
      // Their records say whether there were any: what is printed is what is new.
      return ending == .exited(0) && command.hasPrinted ? .mayCome : .over
    }
    command?.isExpendable = true
  }

  // MARK: Moving

  private func move(_ count: Int) {
    if model.state.place == .help { return scroll(count) }
    if count > 0 { askForOlder() }
    model.state.list.move(by: count, height: model.height)
    if model.state.place == .reader { model.state.firstRow = 0 }
  }

  private func page(_ count: Int) {
    switch model.state.place {
    case .list:
      if count > 0 { askForOlder() }
      model.state.list.page(count, height: model.height)
    case .reader where count > 0 && model.state.firstRow >= browser.lastReaderRow: move(1)
    case .reader, .help: scroll(count * max(browser.layout.bodyRows - 1, 1))
    }
  }

  private func scroll(_ count: Int) {
    let last: Int
    switch model.state.place {
    case .list: return model.state.list.scroll(count, height: model.height)
    case .reader: last = browser.lastReaderRow
    case .help: last = max(HelpRows.lines(model.state, model.selectedEntry).count - browser.layout.bodyRows, 0)
    }
    model.state.firstRow = min(max(model.state.firstRow + count, 0), last)
  }

  private func click(_ row: Int, _ column: Int) {
    let layout = browser.layout
    let shown = layout.shown(model.state)
    if row == 0, shown.count == 1 { return clickTab(column) }
    let number = column / (layout.listColumns(shown.count) + Layout.gap)
    guard model.state.place == .list, number < shown.count else { return }
    if shown.lowerBound + number != model.state.current { return model.show(feed: shown.lowerBound + number + 1) }
    let row = row - layout.body.lowerBound
    let index = model.state.list.top + row / 2
    guard row >= 0, index < model.state.list.keys.count, row / 2 < layout.tweets else { return }
    if index == model.state.list.cursor { openTweet() } else { model.state.list.move(to: index, height: layout.tweets) }
  }

  /// Shows the feed whose tab is in a column of the first row, as ``Painter`` draws the tabs.
  private func clickTab(_ column: Int) {
    var start = 0
    for index in model.state.firstTab(columns: browser.layout.columns - 1)..<model.state.feeds.count {
      start += WrappedText.width(of: model.state.tabTitle(index))
      if column < start { return model.show(feed: index + 1) }
    }
  }

  private func openTweet() {
    guard model.state.place == .list, model.state.list.selected != nil else { return }
    if let entry = model.selectedEntry, let notification = entry.notification, entry.document == nil {
      // Of somebody who follows there is no tweet.
      if notification["tweet"] == nil { return model.people.showProfile() }
      return model.say("the tweet is not stored")
    }
    (model.state.place, model.state.firstRow) = (.reader, 0)
  }

  // MARK: Addresses and records

  private func chooseLink() {
    let links = model.links
    if links.count == 1 { return open(links[0]) }
    if !links.isEmpty { model.state.prompt = LinePrompt(.link(links)) }
  }

  /// Opens a page in the person's browser, or with the command of the setting.
  private func open(_ address: String) {
    if let opener = browser.settings.opener {
      let isOpen = detach(opener.split(separator: " ").map(String.init) + [address])
      return model.say(isOpen ? address : "cannot run '\(opener)'")
    }
    model.say(WebBrowser.open(address) ? address : "no browser is known: $BROWSER or browse.opener names one")
  }

  /// Starts a program that goes on by itself.
  private func detach(_ command: [String]) -> Bool {
    let null = Libc.open("/dev/null", O_RDWR | O_CLOEXEC)
    guard null >= 0 else { return false }
    defer { close(null) }
    return ChildProcess.spawn(command, input: null, output: null, errors: null, leadsGroup: true) != nil
  }

  private func copyAddress() {
    guard let address = model.selected?.document?["url"]?.string else { return }
    browser.terminal.copy(address)
    model.say("copied: \(address)")
  }

  /// Gives the record to a command of the shell, which has the terminal meanwhile.
  /// - Parameter waits: whether a person reads what it has said before the screen comes back.
  private func give(to command: String, waits: Bool = false) {
    guard let record = model.selected?.document?.line else { return }
    let terminal = browser.terminal.descriptor
    browser.withTerminal {
      do throws(ToolError) {
        let file = try UnnamedFile.holding(record)
        let words = ["/bin/sh", "-c", command]
        let ending = ChildProcess.runOnTerminal(
          words, input: file.descriptor, output: terminal, errors: terminal)
        if ending == nil { model.say("cannot run '\(command)'") }
        if let ending, ending != .exited(0), waits { _ = writeAll(Array("it ended \(ending)\n".utf8), to: terminal) }
      } catch {
        model.say(error.message)
      }
      if waits { waitForEnter(terminal) }
    }
  }

  /// Lets a person read what a command has said.
  private func waitForEnter(_ terminal: Int32) {
    _ = writeAll(Array("[Enter] ".utf8), to: terminal)
    while let bytes = try? readSome(terminal, name: "the terminal"), !bytes.isEmpty {
      if bytes.contains(UInt8(ascii: "\n")) || bytes.contains(UInt8(ascii: "\r")) { return }
    }
  }
}
