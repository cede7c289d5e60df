import Libc
import TweetCLI
import TweetCore

/// Records: given to other programs, and asked for.
extension Browser {
  // MARK: With the terminal

  /// Runs a command with the person's terminal.
  private func runOnTerminal(_ command: [String], input: Int32) -> ChildProcess.Ending? {
    let terminal = terminal.descriptor
    return KeySignals.leave {
      guard var child = ChildProcess(command, input: input, output: terminal, errors: terminal) else { return nil }
      return child.wait()
    }
  }

  /// Lets a person read what a command has said.
  func waitForEnter() {
    _ = writeAll(Array("[Enter] ".utf8), to: terminal.descriptor)
    while let bytes = try? readSome(terminal.descriptor, name: "the terminal"), !bytes.isEmpty {
      if bytes.contains(UInt8(ascii: "\n")) || bytes.contains(UInt8(ascii: "\r")) { return }
    }
  }

  /// Shows the record in the person's pager.
  func showRecord() { give(["/bin/sh", "-c", settings.pager]) }

  /// Gives the record to a command of the shell.
  func pipe(into command: String) { give(["/bin/sh", "-c", command], waits: true) }

  private func give(_ command: [String], waits: Bool = false) {
    guard let record = selected?.document?.read({ Array($0.raw) + [0x0A] }) else { return }
    withTerminal {
      do throws(ToolError) {
        let file = try UnnamedFile.holding(record)
        let ending = runOnTerminal(command, input: file.descriptor)
        if ending == nil { screen.message = "cannot run '\(command.last ?? "")'" }
        if let ending, ending != .exited(0), waits {
          _ = writeAll(Array("it ended \(ending)\n".utf8), to: terminal.descriptor)
        }
      } catch {
        screen.message = error.message
      }
      if waits { waitForEnter() }
    }
  }

  // MARK: From the sources

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
    running.commands.last?.isExpendable = true
  }

  private func takeOlder(of number: Int, _ ending: ChildProcess.Ending, _ command: BackgroundCommand) {
    if ending != .exited(0) { screen.message = command.lastWords ?? "older posts could not be fetched" }
    // Their records say whether there were any: what is printed is what is new.
    screen.feeds[number].older = ending == .exited(0) && command.hasPrinted ? .mayCome : .over
    reader.ask(.look)
  }

  func refreshNow() {
    guard isRefreshing else { return screen.message = "nothing is refreshed with --offline" }
    // What was over may have been a failure.
    for index in screen.feeds.indices where screen.feeds[index].older == .over { screen.feeds[index].older = .mayCome }
    startRefresh()
    screen.message = "asking the sources …"
  }
}
