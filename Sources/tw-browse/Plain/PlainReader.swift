import Libc
import TweetCLI
import TweetCore
import TweetDisplay
import TweetStore

/// `--plain`: one tweet at a time, as lines, and a prompt that takes a letter or a word and Enter.
///
/// Nothing is printed but as an answer to a line, and nothing is printed over: a screen reader reads each line once.
/// What comes in meanwhile is told before the next prompt. The store is read while a person waits for the tweet that
/// was asked for; what needs the network runs in the background here too.
final class PlainReader {
  /// Tweets that are asked for at once when the end of the known ones comes near.
  private static let page = 200
  /// The same on the way to the end.
  private static let largePage = 10_000
  /// Milliseconds for which an act is waited for before the prompt comes back; its outcome is told later then.
  private static let patience = 3_000
  /// Columns of a text, where no terminal says how many there are.
  private static let usualWidth = 80
  private static let widestText = 100

  private let model: BrowseModel
  private let locale: ReaderLocale
  private let printer: PlainPrinter
  private let input: Int32
  private let output: Int32
  private var typed: [UInt8] = []
  private var isAtEnd = false
  private var isDone = false
  /// What the store has answered.
  private var answers: [StoreAnswer] = []
  private var session: StoreSession?
  /// What is told before the next prompt.
  private var news: [String] = []
  /// How many tweets wait above the list, as far as that was told.
  private var announced = 0
  /// The profile that the store has answered last.
  private var person: [UInt8]?

  /// - Parameters:
  ///   - look: the person's language, and which signs can be shown.
  ///   - input: what a person types comes from there.
  ///   - output: what is printed goes there.
  /// - Throws: `ToolError.usage` if there is nothing that a person could type on.
  init(_ model: BrowseModel, look: ScreenStyle, input: Int32, output: Int32) throws(ToolError) {
    let isTerminal = isatty(output) == 1
    let style = TerminalStyle(
      colours: .none, hasLinks: false, isolates: isTerminal && look.style.isolates, glyphs: look.style.glyphs)
    printer = PlainPrinter(style, look.locale)
    (self.model, locale, self.input, self.output) = (model, look.locale, input, output)
    if input < 0 { throw .usage("it needs a terminal; 'tw-cache list | tw-render' prints tweets anywhere") }
    model.noTweet = "there is no tweet"
    model.front = self
  }

  private var list: TweetList {
    _read { yield model.state.list }
    _modify { yield &model.state.list }
  }

  // MARK: The loop

  /// Reads lines until the person leaves, the input ends, or a signal comes.
  func run() throws(ToolError) {
    defer {
      model.finish()
      if input > 0 { close(input) }
    }
    try model.start()
    ask([])
    // The first records of a pipe come a moment after the tool has started.
    while list.keys.isEmpty, model.isCollecting, Interruption.signal == nil {
      wait(milliseconds: 200)
      ask(.look)
    }
    showTweet()
    while !isDone, Interruption.signal == nil {
      announce()
      prompt()
      guard let line = readLine() else { break }
      ask(.look)
      obey(line)
    }
  }

  private func obey(_ line: String) {
    if let number = PlainCommand.feed(line) { return model.show(feed: number) }
    do throws(PlainCommand.Fault) { perform(try PlainCommand(line)) } catch {
      switch error {
      case .unknown(let name): say("no command '\(name)'; ? lists them")
      case .ambiguous(let name): say("'\(name)' may be several commands; ? lists them")
      case .onlyOnAScreen(let name): say("'\(name)' is only on the whole screen")
      }
    }
  }

  // MARK: Printing

  private func say(_ text: String) { print(text, end: "\n") }

  private func print(_ text: String, end: StaticString = "") {
    var line = ByteBuffer(capacity: text.utf8.count + 1)
    text.withBytes { Printable.append($0, to: &line) }
    line.append(end)
    write(line.array)
  }

  private func write(_ text: [UInt8]) {
    // Whoever reads it has gone: nothing is left to do.
    if writeAll(text, to: output) != 0 { isDone = true }
  }

  private func prompt() {
    let count = list.state == .whole ? "/\(list.keys.count)" : ""
    print("\(list.keys.isEmpty ? 0 : list.cursor + 1)\(count) \(model.state.feeds[model.state.current].path)> ")
  }

  /// Tells what has happened since the last prompt.
  private func announce() {
    model.jobs.read()
    ask(.look)
    let waiting = list.waiting.count
    if waiting > announced {
      var line = ByteBuffer(capacity: 32)
      locale.append(.new, count: waiting, to: &line)
      news.append(line.string + " (\(Action.first.usualKeys[0].name))")
    }
    announced = waiting
    for line in news { say(line) }
    news = []
  }

  private var width: Int {
    var size = winsize()
    let isKnown = ioctl(output, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return min(isKnown ? Int(size.ws_col) : Self.usualWidth, Self.widestText)
  }

  /// Prints the tweet that is read.
  private func showTweet() {
    guard let key = list.selected else { return say(emptiness) }
    model.read([key])
    guard let entry = model.records.entry(key) else { return say(emptiness) }
    if entry.document == nil, entry.notification == nil { return say("no longer stored") }
    write(printer.lines(of: entry, width: width, isOpen: model.state.opened.contains(key)))
    model.acts.markRead([key], evenIfKept: true)
  }

  private var emptiness: String {
    if case .failed(let message) = list.state { return message }
    return model.isRefreshing ? "no tweet is stored here yet" : "no tweet is stored here"
  }

  // MARK: Waiting

  /// The next line that is typed; `nil` at the end of the input or on a signal.
  private func readLine() -> String? {
    while Interruption.signal == nil {
      if let end = typed.firstIndex(of: UInt8(ascii: "\n")) {
        defer { typed.removeFirst(end + 1) }
        return String(decoding: typed[..<end], as: UTF8.self)
      }
      if isAtEnd { return nil }
      wait(milliseconds: nil)
    }
    return nil
  }

  /// Asks for a line; `nil` if it is empty.
  private func ask(for question: String) -> String? {
    print(question)
    guard let answer = readLine()?.trimmed, !answer.isEmpty else { return nil }
    return answer
  }

  /// Waits for input, children or a signal, and takes what has come.
  private func wait(milliseconds: Int32?) {
    let watched = [isAtEnd ? -1 : input, Interruption.descriptor] + model.jobs.descriptors
    var entries = watched.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    poll(&entries, nfds_t(entries.count), milliseconds ?? -1)
    if entries[0].revents != 0 {
      do throws(ToolError) {
        if let bytes = try readSome(input, name: "the terminal") {
          if bytes.isEmpty { isAtEnd = true }
          typed += bytes
        }
      } catch {
        isAtEnd = true
      }
    }
    model.jobs.read()
  }

  /// Waits for commands, for a moment.
  private func wait(for command: BackgroundCommand?) {
    let deadline = MonotonicClock.milliseconds + Self.patience
    while let command, model.jobs.contains(command), Interruption.signal == nil,
      MonotonicClock.milliseconds < deadline
    {
      wait(milliseconds: Int32(max(deadline - MonotonicClock.milliseconds, 1)))
    }
  }

  // MARK: Commands

  private func perform(_ command: PlainCommand) {
    let words = command.words
    switch command.action {
    case .down: move(1)
    case .up: move(-1)
    case .first:
      model.showWaiting()
      showList()
    case .last: moveToEnd()
    case .nextUnread: find { model.seekUnread() }
    case .back: if model.pop() { announced = list.waiting.count } else { say("this is where you began") }
    case .thread: if let tweet = model.selected { model.push("thread", .thread(tweet.name)) }
    case .author: model.showAuthor(isRepeated: false)
    case .profile: showProfile()
    case .link: openLink(words)
    case .page: if let page = model.page { open(page) }
    case .search: find { if words.isEmpty { model.search(isUp: false) } else { model.search(words) } }
    case .searchNext: find { model.search(isUp: false) }
    case .searchPrevious: find { model.search(isUp: true) }
    case .limit: limit(words)
    case .nextFeed: model.show(feedAfter: 1)
    case .previousFeed: model.show(feedAfter: -1)
    case .reply, .quote: write(command.action.rawValue, words)
    case .post: write(nil, words)
    case .retweet, .like, .bookmark, .delete: if let verb = Act.Verb(rawValue: command.action.rawValue) { act(verb) }
    case .follow: follow()
    case .undo: wait(for: model.acts.takeBack())
    case .label: model.acts.label(words)
    case .unfold:
      model.unfold()
      if model.selectedEntry?.document != nil { showTweet() }
    case .query:
      ask(.names)
      model.showQuery(words)
    case .labelList: model.showLabel(words)
    case .account: if model.chooseAccount(words), model.refresh == nil { model.startRefresh() }
    case .markRead: model.acts.toggleUnread()
    case .copy: if let address = model.selected?.document?["url"]?.string { say(address) }
    case .raw:
      if let record = model.selected?.document?.read({ String(decoding: $0.raw, as: UTF8.self) }) { say(record) }
    case .pipe: pipe(words)
    case .refresh: if model.isRefreshing { model.startRefresh() } else { say("nothing is refreshed with --offline") }
    case .help:
      for line in PlainCommand.help { say(line) }
      say("a number shows that feed; an empty line is the next tweet")
    case .quit: isDone = true
    // PlainCommand refuses what only a screen can do.
    default: return
    }
  }

  // MARK: Lists

  /// Moves by a number of tweets, and reads what is there.
  private func move(_ count: Int) {
    let before = list.selected
    if list.state == .partial, list.cursor + count >= list.keys.count, let last = list.keys.last {
      ask(.more(list: list.id, before: last, count: Self.page))
    }
    list.move(by: count, height: 1)
    if list.selected != before { return showTweet() }
    if before == nil { return say(emptiness) }
    if count < 0 {
      return say(list.waiting.isEmpty ? "this is the first one" : "this is the first one; g shows what is new")
    }
    say("this is the last one")
    let older = model.askForOlder { [weak self] ending, command in
      let isDone = ending == .exited(0)
      self?.news.append(isDone ? "older ones were asked for" : command.lastWords ?? "older ones could not be fetched")
      // What is printed is what is new.
      return isDone && !command.hasPrinted ? .over : .mayCome
    }
    if older != nil { say("asking for older ones …") }
  }

  /// Goes to the last tweet of the list.
  private func moveToEnd() {
    while list.state == .partial, let last = list.keys.last {
      ask(.more(list: list.id, before: last, count: Self.largePage))
      if list.keys.last == last { break }
    }
    list.move(to: .max, height: 1)
    showTweet()
  }

  private func limit(_ words: String) {
    let refusal = "a thread is shown whole"
    guard case .query = list.source else { return say(refusal) }
    if words.isEmpty { return say("say which tweets: &words") }
    model.limit(words, orSay: refusal)
  }

  /// Shows the tweet that is found, if it is another one.
  private func find(_ body: () -> Void) {
    let key = list.selected
    body()
    if list.selected != key { showTweet() }
  }

  // MARK: Acts

  /// Does it. What cannot be taken back is asked before.
  private func act(_ verb: Act.Verb) {
    guard let tweet = model.selected else { return }
    let act = Act(verb: verb, target: tweet.name, service: tweet.service)
    if act.opposite == nil, ask(for: "\(act.question) [y/n] ")?.lowercased() != "y" { return }
    wait(for: model.acts.perform(act))
  }

  private func follow() {
    guard let tweet = model.selected, let author = tweet.document?["author"], let name = author["username"]?.string
    else { return }
    wait(for: model.acts.follow(author["url"]?.string ?? name, at: tweet.service))
  }

  /// Prints the profile that the store has of the author.
  private func showProfile() {
    guard let document = model.selected?.document, let service = document["service"]?.string,
      let id = document["author"]?["id"]?.string
    else { return }
    ask(.profile(service: service, id: id))
    // A stored record is sound JSON; one that is not is a profile that is not there.
    guard let document = person.flatMap({ try? JSONDocument($0) }) else { return say("no profile is stored") }
    write(printer.lines(ofUser: document, width: width))
  }

  /// Posts a line: what stands after the command, or what is typed then.
  /// - Parameter verb: `reply` or `quote`, which are about the tweet that is read; `nil` for a new post.
  private func write(_ verb: String?, _ words: String) {
    var target: [String] = []
    if let verb {
      guard let tweet = model.selected else { return }
      target = [verb, tweet.name]
    }
    guard let text = words.isEmpty ? ask(for: "\(verb ?? "post"): ") : words else { return say("nothing was posted") }
    say("\(verb ?? "post") …")
    let post = model.tools.post(["--yes"] + target + ["-"], at: verb == nil ? nil : model.selectedEntry?.service)
    let command = model.start([post, model.tools.add], input: Array(text.utf8)) { [weak self] ending, command in
      switch ending.status {
      case .done?: self?.news.append("posted")
      case .tryLater?: self?.news.append("it waits in the outbox: \(command.lastWords ?? "")")
      default: self?.news.append("it was not posted: \(command.lastWords ?? "tw-post ended \(ending)")")
      }
    }
    wait(for: command)
  }

  // MARK: Addresses and records

  private func openLink(_ words: String) {
    let links = model.links
    if links.isEmpty { return }
    if words.isEmpty, links.count > 1 {
      for (index, link) in links.enumerated() { say("\(index + 1) \(link)") }
      return say("o with a number opens one")
    }
    guard let number = words.isEmpty ? 1 : Int(words), links.indices.contains(number - 1) else {
      return say("no such link")
    }
    open(links[number - 1])
  }

  private func open(_ address: String) {
    say(WebBrowser.open(address) ? address : "no browser is known: $BROWSER names one")
  }

  /// Gives the record to a command of the shell, which has the terminal meanwhile.
  private func pipe(_ command: String) {
    guard !command.isEmpty else { return say("say which command: | jq .text") }
    guard let record = model.selected?.document?.line else { return }
    do throws(ToolError) {
      let file = try UnnamedFile.holding(record)
      let ending = ChildProcess.runOnTerminal(["/bin/sh", "-c", command], input: file.descriptor)
      guard let ending else { return say("cannot run '\(command)'") }
      if ending != .exited(0) { say("it ended \(ending)") }
    } catch {
      say(error.message ?? "")
    }
  }
}

extension PlainReader: BrowseFront {
  func ask(_ request: StoreRequest) { ask([request]) }

  /// Asks the store, which is opened for the first request and after a fault, and takes its answers.
  private func ask(_ requests: [StoreRequest]) {
    do throws(ToolError) {
      if session == nil {
        guard try TweetStore.isThere(model.tools.database) else { return }
        session = try StoreSession(try TweetStore(model.tools.database, .readOnly)) { [weak self] in
          self?.answers.append($0)
        }
        try session?.carryOut(model.opening)
      }
      try session?.carryOut(requests)
    } catch {
      session = nil
      answers.append(.failed(list: nil, error.message ?? ""))
    }
    let new = answers
    answers = []
    for answer in new {
      if case .profile(_, _, let record) = answer { person = record }
      model.take(answer)
    }
  }

  func say(_ text: String, isLate: Bool) { if isLate { news.append(text) } else { say(text) } }

  func showList() {
    announced = 0
    showTweet()
  }

  func take(sourceRecord: JSONDocument) {
    guard sourceRecord["tw"]?.equals("notice") == true, let message = sourceRecord["message"]?.string else { return }
    if news.last != message { news.append(message) }
  }

  func takeEndOfSources(_ ending: ChildProcess.Ending, _ command: BackgroundCommand) {
    if ending != .exited(0) { news.append(command.lastWords ?? "the refresh ended \(ending)") }
  }
}
