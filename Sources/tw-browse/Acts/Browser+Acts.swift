import Libc
import TweetCLI
import TweetCore
import TweetDisplay

/// What is done by other tools.
extension Browser {
  // MARK: With a tweet

  /// Likes, retweets or bookmarks the tweet under the cursor.
  func act(_ verb: String) {
    guard let tweet = selected else { return }
    perform(Act(verb: verb, target: tweet.name))
  }

  func confirmDeletion() {
    guard let tweet = selected else { return }
    screen.prompt = LinePrompt(.confirm(Act(verb: "delete", target: tweet.name)))
  }

  /// Has tw-post do it. What it prints is stored, which changes what is on the screen.
  func perform(_ act: Act) {
    screen.pending[act.target] = act.verb
    screen.message = "\(act.verb) …"
    start([tools.post([act.verb, "--yes", act.target]), tools.add]) { [weak self] ending, command in
      self?.finish(act, ending, command)
    }
  }

  private func finish(_ act: Act, _ ending: ChildProcess.Ending, _ command: BackgroundCommand) {
    screen.pending[act.target] = nil
    switch ending.status {
    case .done?:
      screen.message = act.done
      noteFollowing(act)
      offer(act.opposite == nil ? nil : act)
    case .tryLater?: screen.message = "\(act.verb) waits in the outbox: \(command.lastWords ?? "")"
    default: screen.message = "\(act.verb): \(command.lastWords ?? "it ended \(ending)")"
    }
  }

  func takeBack() {
    guard let act = screen.undo?.opposite else { return screen.message = "there is nothing to take back" }
    screen.undo = nil
    perform(act)
  }

  // MARK: Writing

  /// Has tw-post ask for a text in the person's editor.
  /// - Parameter verb: `reply` or `quote`, which are about the tweet under the cursor; `nil` for a new post.
  func write(_ verb: String?) {
    var words = ["--edit"]
    if let verb {
      guard let tweet = selected else { return }
      words = [verb, "--edit", tweet.name]
    }
    let command = tools.post(words)
    withTerminal {
      let outcome = runOnTerminal(command, into: tools.add)
      if outcome == .exited(0) { screen.message = "posted" } else { waitForEnter() }
    }
  }

  /// Runs a command with the person's terminal.
  /// - Parameter next: reads what it prints; `nil`: the terminal gets it.
  private func runOnTerminal(
    _ command: [String], into next: [String]? = nil, input: Int32? = nil
  ) -> ChildProcess.Ending? {
    let terminal = terminal.descriptor
    guard let next else {
      guard var child = ChildProcess(command, input: input ?? terminal, output: terminal, errors: terminal) else {
        return nil
      }
      return child.wait()
    }
    do throws(ToolError) {
      let pipe = try makePipe()
      defer { close(pipe.reading) }
      guard
        var first = ChildProcess(
          command, input: terminal, output: pipe.writing, errors: terminal, keepsCredentials: true)
      else {
        close(pipe.writing)
        return nil
      }
      close(pipe.writing)
      guard var second = ChildProcess(next, input: pipe.reading, errors: terminal) else { return first.wait() }
      let ending = first.wait()
      let other = second.wait()
      return ending == .exited(0) ? other : ending
    } catch {
      screen.message = error.message
      return nil
    }
  }

  /// Lets a person read what a command has said.
  private func waitForEnter() {
    _ = writeAll(Array("[Enter] ".utf8), to: terminal.descriptor)
    while let bytes = try? readSome(terminal.descriptor, name: "the terminal"), !bytes.isEmpty {
      if bytes.contains(UInt8(ascii: "\n")) || bytes.contains(UInt8(ascii: "\r")) { return }
    }
  }

  // MARK: Labels

  /// Gives labels to the tweet under the cursor, and takes them away: `+later -unread`.
  func label(_ text: String) {
    guard let tweet = selected else { return }
    let words = text.split(separator: " ").map { $0.hasPrefix("+") || $0.hasPrefix("-") ? String($0) : "+\($0)" }
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

  // MARK: Addresses

  /// The addresses of the links of the tweet under the cursor, in their order.
  private var links: [String] { selected?.document?.linkAddresses ?? [] }

  func chooseLink() {
    let links = links
    if links.isEmpty { return screen.message = screen.message ?? "the tweet has no links" }
    if links.count == 1 { return open(links[0]) }
    screen.prompt = LinePrompt(.link(links))
  }

  func openPage() {
    guard let address = selected?.document?["url"]?.string, address.isWebAddress else {
      return screen.message = screen.message ?? "the tweet has no page"
    }
    open(address)
  }

  /// Opens a page in the person's browser.
  func open(_ address: String) {
    screen.message = WebBrowser.open(address) ? address : "no browser is known: $BROWSER names one"
  }

  func copyAddress() {
    guard let address = selected?.document?["url"]?.string else { return }
    terminal.copy(address)
    screen.message = "copied: \(address)"
  }

  // MARK: Records

  /// Shows the record in the person's pager.
  func showRecord() {
    let pager = Paths.environment("PAGER") ?? "less"
    give(["/bin/sh", "-c", pager])
  }

  /// Gives the record to a command of the shell.
  func pipe(into command: String) { give(["/bin/sh", "-c", command], waits: true) }

  private func give(_ command: [String], waits: Bool = false) {
    guard let record = selected?.document?.read({ Array($0.raw) + [0x0A] }) else { return }
    withTerminal {
      do throws(ToolError) {
        let file = try UnnamedFile()
        let failure = writeAll(record, to: file.descriptor)
        if failure != 0 { throw writeError(failure, to: "a file") }
        file.rewind()
        if runOnTerminal(command, input: file.descriptor) == nil {
          screen.message = "cannot run '\(command.last ?? "")'"
        }
      } catch {
        screen.message = error.message
      }
      if waits { waitForEnter() }
    }
  }

  /// At the end of a feed, asks its source for older posts: a page at a time, one request at a time.
  func askForOlder() {
    let number = screen.current
    let feed = screen.feeds[number]
    guard let source = feed.source, feed.older == .mayCome, feed.lists.count == 1 else { return }
    let list = feed.list
    guard list.state == .whole, list.cursor == list.keys.count - 1 else { return }
    screen.feeds[number].older = .asked
    start([tools.older(source)], readsOutput: true) { [weak self] ending, command in
      self?.takeOlder(of: number, ending, command)
    }
  }

  private func takeOlder(of number: Int, _ ending: ChildProcess.Ending, _ command: BackgroundCommand) {
    if ending != .exited(0) { screen.message = command.lastWords ?? "older posts could not be fetched" }
    // Their records say whether there were any: what is printed is what is new.
    screen.feeds[number].older = ending == .exited(0) && command.hasPrinted ? .mayCome : .over
    reader.ask(.look)
  }

  func refreshNow() {
    guard isRefreshing else { return screen.message = "nothing is refreshed with --offline" }
    startRefresh()
    screen.message = "asking the sources …"
  }
}
