import Libc
import TweetCLI
import TweetCore
import TweetDisplay
import TweetStore

/// The loop: waits for keys, the store, children, signals and the clock at once, changes the ``ScreenState``, and draws it.
///
/// Nothing in it waits for anything else: the store is read by a thread, and the network is other tools' business.
final class Browser {
  /// Milliseconds after which an Esc is a key, if nothing follows it.
  private static let escapeWait: Int32 = 50
  /// Milliseconds for which an act can be taken back.
  private static let undoTime = 5_000
  /// Milliseconds after which what is on the screen counts as read.
  private static let readingTime = 2_000
  /// Milliseconds from writing down the places to the next time: what a kill may cost.
  private static let placesTime = 10_000
  /// Tweets that are asked for at once when the end of the known ones comes near.
  private static let page = 500

  var screen: ScreenState
  let tools: Tools
  let reader: StoreReader
  let terminal: TerminalScreen
  var records = RecordCache()
  var layout: Layout
  private let painter: Painter
  let look: ScreenStyle
  /// Whether the last round failed since nobody is signed in.
  var isSignedOut = false
  /// What the terminal was asked, while its answer is awaited, and since when.
  var question: (answers: TerminalAnswers, since: Int)?
  /// The size of its cells, as it answered.
  var cell: CellSize?
  /// What fetches the pictures of a tweet.
  var fetch: (command: BackgroundCommand, document: JSONDocument)?
  private var decoder = KeyDecoder()
  var status: FeedStatus
  let refreshed: RefreshedSources?
  private let collector: [String]?
  var refresh: BackgroundCommand?
  /// What stores the records of standard input, if these are shown.
  var collecting: BackgroundCommand?
  /// What runs, and what is done when it has ended.
  var running: [(command: BackgroundCommand, finish: (ChildProcess.Ending, BackgroundCommand) -> Void)] = []
  private var undoDeadline: Int?
  /// What was in view at the last tick, and since when.
  private var viewed: (keys: [Int], since: Int) = ([], 0)
  private var nextList: Int
  private var isDone = false
  /// Words that are searched for.
  var searched: TweetQuery?
  /// `nil` where the store is a temporary one.
  private var places: Places?
  /// When the store was asked last what has changed.
  private var lookedAt = 0
  private var placesSavedAt = MonotonicClock.milliseconds

  init(
    lists: [TweetList], tools: Tools, reader: StoreReader, terminal: TerminalScreen, look: ScreenStyle,
    refresh: RefreshedSources?, collector: [String]?
  ) throws(ToolError) {
    let sources = refresh?.sources ?? []
    screen = ScreenState(
      feeds: lists.enumerated().map { FeedTab($1, source: sources.indices.contains($0) ? sources[$0] : nil) })
    nextList = lists.count
    self.tools = tools
    self.reader = reader
    self.terminal = terminal
    self.look = look
    painter = Painter(look)
    status = FeedStatus(look.style, look.locale)
    layout = Layout(terminal.size)
    refreshed = refresh
    self.collector = collector
    places = collector == nil ? try Places(tools.database) : nil
    for list in lists { reader.ask(.open(list: list.id, list.source, places?.place(in: list.title))) }
  }

  /// Shows the screen until the person leaves, a signal ends it, or the terminal is gone.
  func run() throws(ToolError) {
    let signals = try TerminalSignals.install()
    terminal.enter()
    preparePictures()
    defer {
      awaitAnswers()
      terminal.leave()
      finish()
    }
    startRefresh()
    if let collector { collecting = try BackgroundCommand([collector], reading: 0) }
    while !isDone, Interruption.signal == nil {
      draw()
      try wait(signals)
    }
  }

  func quit() { isDone = true }

  // MARK: Waiting

  private func wait(_ signals: Int32) throws(ToolError) {
    let watched =
      [terminal.descriptor, signals, Interruption.descriptor, reader.descriptor]
      + (look.pictures.map { [$0.descriptor] } ?? []) + (fetch?.command.descriptors ?? [])
      + (refresh?.descriptors ?? []) + (collecting?.descriptors ?? []) + running.flatMap { $0.command.descriptors }
    var entries = watched.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let picture = terminal.wait.map { Int32($0) } ?? .max
    let wait = min(decoder.holdsEscape ? Self.escapeWait : untilNextSecond, picture)
    let count = poll(&entries, nfds_t(entries.count), wait)
    if count == 0, decoder.holdsEscape, wait == Self.escapeWait { return take(decoder.flush()) }
    if entries[0].revents != 0 { try readKeys() }
    if entries[1].revents != 0 { noteSignals(signals) }
    if entries[3].revents != 0 { takeAnswers() }
    if let pictures = look.pictures, entries[4].revents != 0 { pictures.takeAnswers() }
    readChildren()
    readFetched()
    tick()
  }

  /// Milliseconds until the clock shows the next second: the countdown changes then.
  private var untilNextSecond: Int32 { Int32(1000 - MonotonicClock.milliseconds % 1000) }

  private func readKeys() throws(ToolError) {
    guard let bytes = try readSome(terminal.descriptor, name: "the terminal") else { return }
    // The terminal is gone.
    if bytes.isEmpty { return quit() }
    take(decoder.add(takeAnswers(from: bytes)))
  }

  private func take(_ keys: [Key]) {
    for key in keys {
      screen.message = nil
      take(key)
    }
  }

  private func noteSignals(_ descriptor: Int32) {
    do throws(ToolError) { _ = try readSome(descriptor, name: "a pipe") } catch { return }
    if TerminalSignals.takeStop() { suspend() }
    if TerminalSignals.takeContinuation() { terminal.forget() }
    layout = Layout(terminal.size)
    terminal.forget()
    fitPictures()
    let height = layout.tweets
    forEachList { $0.fit(height: height) }
  }

  /// Stops as a job of the shell, and draws the screen again afterwards.
  func suspend() {
    terminal.leave()
    TerminalSignals.stop()
    terminal.enter()
    layout = Layout(terminal.size)
  }

  // MARK: Drawing

  private func draw() {
    let (rows, cursor) = painter.paint(screen, layout, &records, status)
    terminal.show(rows, pictures: overlays(painter.pictures), cursor: cursor)
    for feed in layout.shown(screen) { askForRecords(of: feed) }
    fetchPictures()
  }

  /// Asks for what is in view and near it, and for the next keys before the end is in view.
  private func askForRecords(of feed: Int) {
    let list = screen.feeds[feed].list
    let ahead = list.inView(layout.tweets * 2)
    let missing = records.missing(ahead)
    if !missing.isEmpty { reader.ask(.records(missing)) }
    if list.state == .partial, list.top + layout.tweets * 3 > list.keys.count, let last = list.keys.last {
      screen.feeds[feed].list.load()
      reader.ask(.more(list: list.id, before: last, count: Self.page))
    }
  }

  /// How far the reader can be scrolled.
  var lastReaderRow: Int { max(painter.readerRows - layout.bodyRows, 0) }

  // MARK: The store

  private func takeAnswers() {
    for answer in reader.takeAnswers() {
      switch answer {
      case .keys(let list, let keys, let isWhole):
        screen.hasNoStore = false
        change(list) { $0.append(keys, isWhole: isWhole) }
      case .thread(let list, let rows, let named):
        screen.hasNoStore = false
        let height = layout.tweets
        change(list) { $0.take(rows, named: named, height: height) }
      case .placed(let list, let place):
        let height = layout.tweets
        change(list) { $0.restore(place, height: height) }
      case .sought(let list, let key): found(key, in: list)
      case .found(let list, let keys):
        let height = layout.tweets
        change(list) { $0.insert(keys, height: height) }
      case .changed(let keys):
        let shown = records.outdated(keys)
        if !shown.isEmpty { reader.ask(.records(shown)) }
      case .outdated:
        records.removeAll()
        forEachList { list in
          let place = list.place
          list.restart()
          reader.ask(.open(list: list.id, list.source, place))
        }
      case .deleted(let name):
        let height = layout.tweets
        if let key = records.key(named: name) { forEachList { $0.remove(key, height: height) } }
      case .records(let read): records.take(read)
      case .failed(let list?, let message): change(list) { $0.fail(message) }
      case .failed(nil, let message):
        records.forgetQuestions()
        screen.message = message
      case .missing: screen.hasNoStore = true
      }
    }
  }

  private func change(_ id: Int, _ body: (inout TweetList) -> Void) {
    forEachList { if $0.id == id { body(&$0) } }
  }

  private func forEachList(_ body: (inout TweetList) -> Void) {
    for index in screen.feeds.indices { screen.feeds[index].forEach(body) }
  }

  private func found(_ key: Int?, in list: Int) {
    guard list == screen.list.id else { return }
    guard let key else { return screen.message = "nothing more is found" }
    screen.list.move(toKey: key, height: layout.tweets)
  }

  /// Shows a list that the reader comes to from the one that is shown.
  func push(_ title: String, _ source: ListSource) {
    let list = TweetList(id: nextList, title: title, source: source)
    nextList += 1
    screen.feeds[screen.current].push(list)
    screen.place = .list
    reader.ask(.open(list: list.id, source, nil))
  }

  /// Goes back to the list before, if there is one.
  func pop() {
    if let left = screen.feeds[screen.current].pop() { reader.ask(.close(list: left.id)) }
    screen.list.fit(height: layout.tweets)
  }

  // MARK: The clock

  private func tick() {
    let now = MonotonicClock.milliseconds
    if now - lookedAt >= 1_000 {
      lookedAt = now
      reader.ask(.look)
    }
    if now - placesSavedAt >= Self.placesTime {
      placesSavedAt = now
      savePlaces()
    }
    if let deadline = undoDeadline, now >= deadline { (screen.undo, undoDeadline) = (nil, nil) }
    decidePictures()
    let keys = layout.shown(screen).flatMap { screen.feeds[$0].list.inView(layout.tweets) }
    if keys != viewed.keys { return viewed = (keys, now) }
    if now - viewed.since >= Self.readingTime, screen.place != .help { markRead(keys) }
  }

  private func notePlaces() {
    for feed in screen.feeds { places?.set(feed.lists[0].place, in: feed.title) }
  }

  /// Writes down where the reader is in each feed, if that has changed.
  private func savePlaces() {
    notePlaces()
    guard places?.takeChange() == true, let places else { return }
    // The disk may take its time. What goes wrong is said at the end, where they are written again.
    _ = startThread { do throws(ToolError) { try places.write() } catch { return } }
  }

  /// Takes the label `unread` from tweets that were in view for a while.
  private func markRead(_ keys: [Int]) {
    var names: [String] = []
    for key in keys {
      guard let entry = records.entry(key), entry.isUnread else { continue }
      records.markRead(key)
      names.append(entry.name)
    }
    if !names.isEmpty { label(names, ["-unread"]) }
  }

  // MARK: The end

  /// Lets an act be taken back for a while.
  func offer(_ act: Act?) {
    screen.undo = act
    undoDeadline = MonotonicClock.milliseconds + Self.undoTime
  }

  /// Waits for what was begun, such as a like: the terminal is already the shell's again.
  private func finish() {
    refresh?.stop()
    collecting?.stop()
    fetch?.command.stop()
    notePlaces()
    do throws(ToolError) { try places?.write() } catch { Diagnostics.report(error) }
    for (command, _) in running { while command.read() == nil { usleep(5_000) } }
  }

  /// Gives the terminal to a command, and takes it back when it has ended.
  func withTerminal(_ body: () -> Void) {
    terminal.leave()
    body()
    terminal.enter()
    layout = Layout(terminal.size)
  }
}
