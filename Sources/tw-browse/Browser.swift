import Libc
import TweetCLI
import TweetCore
import TweetDisplay
import TweetStore

/// The loop: waits for keys, the store, children, signals and the clock at once, changes the ``ScreenState``, and draws
/// it.
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
  /// The same on the way to the end of a list: of a million, this is some hundredths of a second.
  private static let largePage = 20_000

  var screen: ScreenState
  var tools: Tools
  let settings: BrowseSettings
  let reader: StoreReader
  let terminal: TerminalScreen
  var records = RecordCache()
  var layout: Layout
  let painter: Painter
  let composeRows: ComposeRows
  private let profiles: ProfilePainter
  let look: ScreenStyle
  /// Whether the last round failed since nobody is signed in.
  var isSignedOut = false
  /// What the terminal was asked, while its answer is awaited, and since when.
  var question: (answers: TerminalAnswers, since: Int)?
  /// The size of its cells, as it answered.
  var cell: CellSize?
  /// What fetches pictures.
  var fetches: [AvatarRun] = []
  /// The tweet whose links were looked up last, and whether that goes on.
  var linksOf: Int?
  var isLookingUpLinks = false
  private var decoder = KeyDecoder()
  var status: FeedStatus
  let refreshed: RefreshedSources?
  /// When a source was refreshed last.
  var refreshedAt: Timestamp?
  private let collector: Tools.Command?
  var refresh: BackgroundCommand?
  /// What stores the records of standard input, if these are shown.
  var collecting: BackgroundCommand?
  var running = BackgroundJobs()
  private var undoDeadline: Int?
  // What is written, and who says how long it is.
  var composedFile: DraftFile?
  /// The service of the tweet that is answered or quoted.
  var composedService: String?
  var counter: LengthCounter?
  var nextOutgoing = 0
  /// What plays, and players that are to end.
  var playing: (address: String, command: BackgroundCommand)?
  var stoppedPlayers: [(command: BackgroundCommand, deadline: Int)] = []
  /// Tweets that were marked as unread by a key: being in view does not change that.
  var keptUnread: Set<Int> = []
  /// What filters a list now.
  var filtering: FilterRun?
  /// Pictures that are written now.
  var savings: [SavingTask] = []
  /// Whether the screen is gone already.
  private(set) var isLeaving = false
  /// What was in view at the last tick, and since when.
  private var viewed: (keys: [Int], since: Int) = ([], 0)
  var nextList: Int
  /// The rows at the bottom that are none of the list's.
  private var composedRows = 0
  private var isDone = false
  /// Words that are searched for.
  var searched: TweetQuery?
  /// `nil` where the store is a temporary one.
  private var places: Places?
  /// The list whose end is gone to, page by page, until the next key.
  var goingToEnd: Int?
  /// What was said last, and since when it is shown.
  var said: (message: String?, since: Int) = (nil, 0)
  /// When the store was asked last what has changed.
  private var lookedAt = 0
  private var watch: StoreWatch
  var rest = Rest()
  private var placesSavedAt = MonotonicClock.milliseconds

  init(
    lists: [TweetList], tools: Tools, settings: BrowseSettings, reader: StoreReader, terminal: TerminalScreen,
    look: ScreenStyle, refresh: RefreshedSources?, collector: Tools.Command?
  ) throws(ToolError) {
    let sources = refresh?.sources ?? []
    screen = ScreenState(
      feeds: lists.map { FeedTab($0, source: sources.contains($0.title) ? $0.title : nil) }, keys: settings.keys)
    nextList = lists.count
    (self.tools, self.settings) = (tools, settings)
    self.reader = reader
    self.terminal = terminal
    watch = StoreWatch(tools.database)
    self.look = look
    painter = Painter(look, foldKey: settings.keys.name(of: .unfold))
    composeRows = ComposeRows(look)
    profiles = ProfilePainter(look)
    status = FeedStatus(look.style, look.locale)
    layout = Layout(terminal.size)
    refreshed = refresh
    self.collector = collector
    places = collector == nil ? try Places(tools.database, in: tools.state) : nil
    records.viewers = tools.accounts
    screen.account = tools.accounts.shown
    screen.names.accounts = tools.accounts.known.map(\.text)
    reader.ask(.names)
    for list in lists { reader.ask(.open(list: list.id, list.source, places?.place(in: list.title))) }
  }

  /// Shows the screen until the person leaves, a signal ends it, or the terminal is gone.
  func run() throws(ToolError) {
    let signals = try TerminalSignals.install()
    terminal.prepareRescue()
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
    var watched = [terminal.descriptor, signals, Interruption.descriptor, reader.descriptor]
    watched += look.pictures.map { [$0.descriptor] } ?? []
    for command in children { watched += command.descriptors }
    watched += counter?.descriptors ?? []
    var entries = watched.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let picture = terminal.wait.map { Int32($0) } ?? .max
    let rested = untilRest(MonotonicClock.milliseconds).map { Int32($0) } ?? .max
    let wait = min(decoder.holdsEscape ? Self.escapeWait : untilNextSecond, picture, rested)
    let count = poll(&entries, nfds_t(entries.count), wait)
    if count == 0, decoder.holdsEscape, wait == Self.escapeWait { return take(decoder.flush()) }
    if entries[0].revents != 0 { try readKeys() }
    if entries[1].revents != 0 { noteSignals(signals) }
    if entries[3].revents != 0 { takeAnswers() }
    if let pictures = look.pictures, entries[4].revents != 0 { pictures.takeAnswers() }
    readChildren()
    readPlayers()
    readSavings()
    readFilter()
    readLengths()
    readFetched()
    tick(MonotonicClock.milliseconds)
  }

  /// All commands that run.
  private var children: [BackgroundCommand] {
    [refresh, collecting, playing?.command, filtering?.process].compactMap { $0 }
      + fetches.map(\.command) + stoppedPlayers.map(\.command)
      + running.commands
  }

  /// Milliseconds until the clock shows the next second: the countdown changes then.
  private var untilNextSecond: Int32 { Int32(1000 - MonotonicClock.milliseconds % 1000) }

  private func readKeys() throws(ToolError) {
    guard let bytes = try readSome(terminal.descriptor, name: "the terminal") else { return }
    // The terminal is gone.
    if bytes.isEmpty { return quit() }
    take(decoder.add(takeAnswers(from: bytes)))
  }

  func take(_ keys: [Key]) {
    for key in keys {
      (screen.message, goingToEnd) = (nil, nil)
      take(key)
    }
  }

  private func noteSignals(_ descriptor: Int32) {
    do throws(ToolError) { _ = try readSome(descriptor, name: "a pipe") } catch { return }
    if TerminalSignals.takeStop() { suspend() }
    if TerminalSignals.takeContinuation() { terminal.forget() }
    terminal.forget()
    fitLayout()
    fitPictures()
  }

  /// Divides the screen anew: its size has changed, or what is written at its bottom.
  func fitLayout() {
    let size = terminal.size
    composedRows = ComposeRows.count(screen, rows: size.rows)
    layout = Layout((size.rows - composedRows, size.columns))
    let height = layout.tweets
    forEachList { $0.fit(height: height) }
  }

  /// Stops as a job of the shell, and draws the screen again afterwards.
  func suspend() {
    terminal.leave()
    TerminalSignals.stop()
    terminal.enter()
    fitLayout()
  }

  // MARK: Drawing

  func draw() {
    let head = profiles.rows(of: screen, layout)
    if head.count != layout.headRows {
      layout.headRows = head.count
      screen.list.fit(height: layout.tweets)
    }
    var (rows, cursor) = painter.paint(screen, layout, &records, status, head: head)
    showAccount(in: &rows)
    if composedRows > 0 {
      let fault = composedFile?.failure
      let (more, place) = composeRows.paint(
        screen, count: composedRows, columns: layout.columns, isSaved: composedFile?.isSaved ?? true, saveFault: fault)
      if let place { cursor = (rows.count + place.row, place.column) }
      rows += more
    }
    terminal.show(rows, pictures: overlays(painter.pictures), cursor: cursor)
    for feed in layout.shown(screen) { askForRecords(of: feed) }
    if let beside = screen.beside { askForRecords(beside.rows[beside.window(layout.bodyRows)].map(\.key)) }
    fetchPictures()
    lookUpLinks()
  }

  /// Asks for what is in view and near it, and for the next keys before the end is in view.
  private func askForRecords(of feed: Int) {
    let list = screen.feeds[feed].list
    let ahead = list.inView(layout.tweets * 2)
    askForRecords(ahead)
    if list.state == .partial, list.top + layout.tweets * 3 > list.keys.count, let last = list.keys.last {
      screen.feeds[feed].list.load()
      reader.ask(.more(list: list.id, before: last, count: goingToEnd == list.id ? Self.largePage : Self.page))
    }
  }

  private func askForRecords(_ keys: some Sequence<Int>) {
    let missing = records.missing(keys)
    if !missing.isEmpty { reader.ask(.records(missing)) }
  }

  /// How far the reader can be scrolled.
  var lastReaderRow: Int { max(painter.readerRows - layout.bodyRows, 0) }

  // MARK: The clock

  /// Does what it is time for.
  /// - Parameter now: in milliseconds of the monotonic clock.
  func tick(_ now: Int) {
    // Once in each second of the clock: what is woken a moment early by it does not wait for another one.
    if now / 1_000 != lookedAt / 1_000 {
      lookedAt = now
      switch watch.look() {
      case .none: break
      case .possible: reader.ask(.look)
      case .anotherFile: reader.ask(.reopen)
      }
    }
    if now - placesSavedAt >= Self.placesTime {
      placesSavedAt = now
      savePlaces()
    }
    if let deadline = undoDeadline, now >= deadline { (screen.undo, undoDeadline) = (nil, nil) }
    decidePictures()
    noteRest(now)
    forgetMessage(now)
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
      guard let entry = records.entry(key), entry.isUnread, !keptUnread.contains(key) else { continue }
      records.mark(key, isUnread: false)
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
  func finish() {
    isLeaving = true
    refresh?.stop()
    collecting?.stop()
    (refresh, collecting) = (nil, nil)
    counter?.stop()
    filtering?.stop()
    stopPlaying(waits: true)
    composedFile?.keep()
    for fetch in fetches { fetch.command.stop() }
    notePlaces()
    do throws(ToolError) { try places?.write() } catch { Diagnostics.report(error) }
    for command in running.commands where command.isExpendable { command.stop() }
    while !running.isEmpty || !savings.isEmpty {
      readChildren()
      readSavings()
      usleep(5_000)
    }
  }

  /// Gives the terminal to a command, and takes it back when it has ended.
  func withTerminal(_ body: () -> Void) {
    terminal.leave()
    body()
    terminal.enter()
    fitLayout()
  }
}
