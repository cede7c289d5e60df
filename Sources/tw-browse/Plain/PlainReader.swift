import Libc
import StoreCLI
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
  static let page = 200
  /// Milliseconds for which an act is waited for before the prompt comes back; its outcome is told later then.
  private static let patience = 3_000
  /// Columns of a text, where no terminal says how many there are.
  static let usualWidth = 80
  static let widestText = 100

  /// What the store has answered.
  final class Answers { var list: [StoreAnswer] = [] }

  var tools: Tools
  private let locale: ReaderLocale
  let printer: PlainPrinter
  private let input: Int32
  /// What it prints to.
  let output: Int32
  private var typed: [UInt8] = []
  private var isAtEnd = false
  var feeds: [FeedTab]
  var current = 0
  var records = RecordCache()
  let answers = Answers()
  var session: StoreSession?
  var nextList: Int
  private let refreshed: RefreshedSources?
  private var refresh: BackgroundCommand?
  private let collector: Tools.Command?
  private var collecting: BackgroundCommand?
  private var jobs = BackgroundJobs()
  var places: Places?
  /// What is told before the next prompt.
  var news: [String] = []
  var announced = 0
  var searched: TweetQuery?
  var undo: Act?
  /// The profile that the store has answered last.
  var person: [UInt8]?
  /// The saved queries that the store has answered last.
  var queries: [SavedQuery] = []
  /// The tweets whose warnings are opened.
  var opened: Set<Int> = []
  private var isDone = false
  /// Whom the account follows, as far as it was changed from here.
  var followed: [String: Bool] = [:]

  /// - Parameters:
  ///   - look: the person's language, and which signs can be shown.
  ///   - collector: stores the records of standard input.
  ///   - input: what a person types comes from there.
  ///   - output: what is printed goes there.
  /// - Throws: `ToolError.usage` if there is nothing that a person could type on.
  init(
    lists: [TweetList], tools: Tools, look: ScreenStyle, refresh: RefreshedSources?, collector: Tools.Command?,
    input: Int32, output: Int32
  ) throws(ToolError) {
    let isTerminal = isatty(output) == 1
    let style = TerminalStyle(
      colours: .none, hasLinks: false, isolates: isTerminal && look.style.isolates, glyphs: look.style.glyphs)
    printer = PlainPrinter(style, look.locale)
    locale = look.locale
    (self.input, self.output) = (input, output)
    if input < 0 { throw .usage("it needs a terminal; 'tw-cache list | tw-render' prints tweets anywhere") }
    let sources = refresh?.sources ?? []
    feeds = lists.map { FeedTab($0, source: sources.contains($0.title) ? $0.title : nil) }
    nextList = lists.count
    self.tools = tools
    refreshed = refresh
    self.collector = collector
    places = collector == nil ? try Places(tools.database, in: tools.state) : nil
  }

  var list: TweetList {
    _read { yield feeds[current].list }
    _modify { yield &feeds[current].list }
  }

  // MARK: The loop

  /// Reads lines until the person leaves, the input ends, or a signal comes.
  func run() throws(ToolError) {
    defer { finish() }
    startRefresh()
    if let collector { collecting = try BackgroundCommand([collector], reading: 0) }
    ask(opening)
    waitForFirst()
    showTweet()
    while !isDone, Interruption.signal == nil {
      announce()
      prompt()
      guard let line = readLine() else { break }
      ask([.look])
      obey(line)
    }
  }

  func leave() { isDone = true }

  private func obey(_ line: String) {
    if let number = PlainCommand.feed(line) { return show(feed: number) }
    do throws(PlainCommand.Fault) { perform(try PlainCommand(line)) } catch {
      switch error {
      case .unknown(let name): say("no command '\(name)'; ? lists them")
      case .ambiguous(let name): say("'\(name)' may be several commands; ? lists them")
      case .onlyOnAScreen(let name): say("'\(name)' is only on the whole screen")
      }
    }
  }

  /// The first records of a pipe come a moment after the tool has started.
  private func waitForFirst() {
    while list.keys.isEmpty, collecting != nil, Interruption.signal == nil {
      wait(milliseconds: 200)
      ask([.look])
    }
  }

  /// Prints a line.
  func say(_ text: String) {
    var line = ByteBuffer(capacity: text.utf8.count + 1)
    text.withBytes { Printable.append($0, to: &line) }
    line.append(UInt8(ascii: "\n"))
    write(line.array)
  }

  func write(_ text: [UInt8]) {
    // Whoever reads it has gone: nothing is left to do.
    if writeAll(text, to: output) != 0 { leave() }
  }

  private func prompt() {
    var line = ByteBuffer(capacity: 64)
    line.append("\(list.keys.isEmpty ? 0 : list.cursor + 1)")
    if list.state == .whole { line.append("/\(list.keys.count)") }
    line.append(" \(feeds[current].path)> ")
    var shown = ByteBuffer(capacity: 64)
    line.withBytes { Printable.append($0, to: &shown) }
    write(shown.array)
  }

  /// Tells what has happened since the last prompt.
  private func announce() {
    readChildren()
    ask([.look])
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

  // MARK: Waiting

  /// The next line that is typed; `nil` at the end of the input or on a signal.
  func readLine() -> String? {
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
  func ask(_ question: String) -> String? {
    var line = ByteBuffer(capacity: 64)
    question.withBytes { Printable.append($0, to: &line) }
    write(line.array)
    guard let answer = readLine()?.trimmed, !answer.isEmpty else { return nil }
    return answer
  }

  /// Waits for input, children or a signal, and takes what has come.
  private func wait(milliseconds: Int32?) {
    let watched =
      [isAtEnd ? -1 : input, Interruption.descriptor] + (refresh?.descriptors ?? []) + (collecting?.descriptors ?? [])
      + jobs.descriptors
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
    readChildren()
  }

  private func readChildren() {
    if let command = refresh {
      let ending = command.read()
      for line in command.takeLines() { note(line) }
      if let ending {
        refresh = nil
        if ending != .exited(0) { news.append(command.lastWords ?? "the refresh ended \(ending)") }
      }
    }
    if let command = collecting, let ending = command.read() {
      collecting = nil
      if ending != .exited(0) { news.append(command.lastWords ?? "the records ended \(ending)") }
    }
    for finish in jobs.takeEnded() { finish() }
  }

  /// A line of tw-cache refresh. The tweets come from the store, and so does the news that there are any.
  private func note(_ line: [UInt8]) {
    guard let record = try? JSONDocument(line), record["tw"]?.equals("notice") == true,
      let message = record["message"]?.string, news.last != message
    else { return }
    news.append(message)
  }

  /// Starts commands in the background.
  /// - Parameters:
  ///   - readsOutput: whether what they print is kept.
  ///   - waits: whether they are waited for, for a moment.
  ///   - tell: what a person is told when they have ended.
  func start(
    _ commands: [Tools.Command], input: [UInt8]? = nil, readsOutput: Bool = false, waits: Bool = true,
    tell: @escaping (ChildProcess.Ending, BackgroundCommand) -> String?
  ) {
    var hasEnded = false
    do throws(ToolError) {
      try jobs.start(commands, input: input, readsOutput: readsOutput) { [weak self] ending, command in
        hasEnded = true
        if let line = tell(ending, command) { self?.news.append(line) }
      }
    } catch {
      return say(error.message ?? "")
    }
    guard waits else { return }
    let deadline = MonotonicClock.milliseconds + Self.patience
    while !hasEnded, Interruption.signal == nil, MonotonicClock.milliseconds < deadline {
      wait(milliseconds: Int32(max(deadline - MonotonicClock.milliseconds, 1)))
    }
  }

  func startRefresh() {
    guard let refreshed else { return }
    refresh?.stop()
    do throws(ToolError) { refresh = try BackgroundCommand(tools.following(refreshed), readsOutput: true) } catch {
      news.append(error.message ?? "")
    }
  }

  var isRefreshing: Bool { refreshed != nil }

  private func finish() {
    refresh?.stop()
    collecting?.stop()
    for feed in feeds { places?.set(feed.lists[0].place, in: feed.title) }
    do throws(ToolError) { try places?.write() } catch { Diagnostics.report(error) }
    jobs.waitForAll()
    if input > 0 { close(input) }
  }
}
