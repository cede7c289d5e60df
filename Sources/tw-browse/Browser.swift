import Libc
import TweetCLI
import TweetCore
import TweetDisplay

/// The whole screen, and its loop: waits for keys, the store, children, signals and the clock at once, has the
/// ``BrowseModel`` do what is to be done, and draws it.
///
/// Nothing in it waits for anything else: the store is read by a thread, and the network is other tools' business.
final class Browser {
  /// Milliseconds after which an Esc is a key, if nothing follows it.
  private static let escapeWait: Int32 = 50
  /// Milliseconds after which what is on the screen counts as read.
  private static let readingTime = 2_000
  /// Milliseconds for which a message is shown, if no key comes before.
  private static let messageTime = 15_000
  /// Tweets that are asked for at once when the end of the known ones comes near.
  private static let page = 500
  /// The same on the way to the end of a list: of a million, this is some hundredths of a second.
  private static let largePage = 20_000

  let model: BrowseModel
  let settings: BrowseSettings
  let terminal: TerminalScreen
  let painter: Painter
  private(set) lazy var actions = KeyActions(self)
  private(set) var layout: Layout { didSet { model.height = layout.tweets } }
  private(set) var sources: SourceNews
  private let reader: StoreReader
  private let look: ScreenStyle
  private let composeRows: ComposeRows
  private let profiles: ProfilePainter
  private let setup: PictureSetup
  private let fetcher: PictureFetcher
  private let links: LinkLookUp
  private var decoder = KeyDecoder()
  private var watch: StoreWatch
  /// When the store was asked last what has changed.
  private var lookedAt = 0
  private(set) var rest = CursorRest()
  /// What was in view at the last tick, and since when.
  private var viewed: (keys: [Int], since: Int) = ([], 0)
  /// What was said last, and since when it is shown.
  private var said: (message: String?, since: Int) = (nil, 0)
  /// The rows at the bottom that are none of the list's.
  private var composedRows = 0
  private var isDone = false

  init(
    _ model: BrowseModel, settings: BrowseSettings, reader: StoreReader, terminal: TerminalScreen, look: ScreenStyle
  ) {
    (self.model, self.settings, self.reader, self.terminal, self.look) = (model, settings, reader, terminal, look)
    painter = Painter(look, model.records, foldKey: settings.keys.name(of: .unfold))
    composeRows = ComposeRows(look)
    profiles = ProfilePainter(look)
    setup = PictureSetup(look, terminal)
    fetcher = PictureFetcher(model, look.pictures)
    links = LinkLookUp(model)
    sources = SourceNews(look)
    watch = StoreWatch(model.tools.database)
    layout = Layout(terminal.size)
    model.height = layout.tweets
    model.front = self
    model.records.viewers = model.tools.accounts
    ask(.names)
    model.opening.forEach(ask)
  }

  /// What is on the screen.
  var screen: BrowseState {
    _read { yield model.state }
    _modify { yield &model.state }
  }

  /// Shows the screen until the person leaves, a signal ends it, or the terminal is gone.
  func run() throws(ToolError) {
    let signals = try TerminalSignals.install()
    terminal.prepareRescue()
    terminal.enter()
    setup.begin()
    defer {
      setup.awaitAnswers()
      terminal.leave()
      model.finish()
    }
    try model.start()
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
    watched += model.jobs.descriptors
    var entries = watched.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let picture = terminal.wait.map { Int32($0) } ?? .max
    let rested = rest.left(MonotonicClock.milliseconds).map { Int32($0) } ?? .max
    let wait = min(decoder.holdsEscape ? Self.escapeWait : untilNextSecond, picture, rested)
    let count = poll(&entries, nfds_t(entries.count), wait)
    if count == 0, decoder.holdsEscape, wait == Self.escapeWait { return take(decoder.flush()) }
    if entries[0].revents != 0 { try readKeys() }
    if entries[1].revents != 0 { noteSignals(signals) }
    if let pictures = look.pictures, entries[4].revents != 0 { pictures.takeAnswers() }
    takeAnswers()
    tick(MonotonicClock.milliseconds)
  }

  /// Milliseconds until the clock shows the next second: the countdown changes then.
  private var untilNextSecond: Int32 { Int32(1000 - MonotonicClock.milliseconds % 1000) }

  private func readKeys() throws(ToolError) {
    guard let bytes = try readSome(terminal.descriptor, name: "the terminal") else { return }
    // The terminal is gone.
    if bytes.isEmpty { return quit() }
    take(decoder.add(setup.take(bytes)))
  }

  func take(_ keys: [Key]) {
    for key in keys {
      (screen.message, model.goingToEnd) = (nil, nil)
      actions.take(key)
      fitComposition()
    }
  }

  /// Takes what the store, the other tools and threads have answered.
  func takeAnswers() {
    for answer in reader.takeAnswers() {
      model.take(answer)
      if case .changed = answer { outdateThread() }
    }
    model.jobs.read()
    model.saver.read()
  }

  private func noteSignals(_ descriptor: Int32) {
    do throws(ToolError) { _ = try readSome(descriptor, name: "a pipe") } catch { return }
    if TerminalSignals.takeStop() { suspend() }
    if TerminalSignals.takeContinuation() { terminal.forget() }
    terminal.forget()
    fitLayout()
    setup.fit()
  }

  /// Divides the screen anew: its size has changed, or what is written at its bottom.
  func fitLayout() {
    let size = terminal.size
    composedRows = ComposeRows.count(screen, rows: size.rows)
    layout = Layout((size.rows - composedRows, size.columns))
    model.eachList { $0.fit(height: layout.tweets) }
  }

  /// The same if other rows are needed for what is written.
  private func fitComposition() {
    if ComposeRows.count(screen, rows: layout.rows + composedRows) != composedRows { fitLayout() }
  }

  /// Stops as a job of the shell, and draws the screen again afterwards.
  func suspend() { withTerminal { TerminalSignals.stop() } }

  /// Gives the terminal to a command, and takes it back when it has ended.
  func withTerminal(_ body: () -> Void) {
    terminal.leave()
    body()
    terminal.enter()
    fitLayout()
  }

  // MARK: Drawing

  func draw() {
    fitComposition()
    let head = profiles.rows(of: screen, layout)
    if head.count != layout.headRows {
      layout.headRows = head.count
      screen.list.fit(height: layout.tweets)
    }
    var (rows, cursor) = painter.paint(screen, layout, sources.status, head: head)
    if composedRows > 0 {
      let file = model.composer.file
      let (more, place) = composeRows.paint(
        screen, count: composedRows, columns: layout.columns, isSaved: file?.isSaved ?? true, saveFault: file?.failure)
      if let place { cursor = (rows.count + place.row, place.column) }
      rows += more
    }
    terminal.show(rows, pictures: overlays(painter.pictures), cursor: cursor)
    for feed in layout.shown(screen) { askForRecords(of: feed) }
    if let beside = screen.beside { model.read(beside.rows[beside.window(layout.bodyRows)].map(\.key)) }
    if painter.lacksPictures, let key = screen.list.selected { fetcher.fetch([key], withMedia: true) }
    fetcher.fetch(painter.withoutAvatars, withMedia: false)
    links.lookUp(painter.linked)
  }

  /// What is drawn over the rows that were painted last.
  private func overlays(_ pictures: [PlacedPicture]) -> [PictureLayer.Wanted] {
    pictures.compactMap { picture in
      look.pictures?.overlay(of: picture.place).map {
        PictureLayer.Wanted(picture: picture, overlay: $0, rows: layout.body)
      }
    }
  }

  /// Asks for what is in view and near it, and for the next keys before the end is in view.
  private func askForRecords(of feed: Int) {
    let list = screen.feeds[feed].list
    model.read(list.inView(layout.tweets * 2))
    if list.state == .partial, list.top + layout.tweets * 3 > list.keys.count, let last = list.keys.last {
      screen.feeds[feed].list.load()
      ask(.more(list: list.id, before: last, count: model.goingToEnd == list.id ? Self.largePage : Self.page))
    }
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
      case .possible: ask(.look)
      case .anotherFile: ask(.reopen)
      }
    }
    model.tick(now)
    setup.decide()
    noteRest(now)
    forgetMessage(now)
    let keys = layout.shown(screen).flatMap { screen.feeds[$0].list.inView(layout.tweets) }
    if keys != viewed.keys { return viewed = (keys, now) }
    if now - viewed.since >= Self.readingTime, screen.place != .help { model.acts.markRead(keys) }
  }

  /// Nobody may press a key for long, and the row below is what a message hides.
  private func forgetMessage(_ now: Int) {
    if screen.message != said.message { said = (screen.message, now) }
    if screen.message != nil, now - said.since >= Self.messageTime { screen.message = nil }
  }

  // MARK: The thread beside the list

  /// Notes where the cursor is, and asks for the thread of that tweet when it has rested.
  func noteRest(_ now: Int) {
    let isDue = rest.note(showsThread ? screen.list.selected : nil, now)
    guard isDue, let key = rest.key, let name = model.threadName(of: key) else { return }
    rest.isAsked = true
    ask(.beside(entry: key, name))
  }

  /// The thread may have changed.
  func outdateThread() { rest.outdate(MonotonicClock.milliseconds) }

  /// Whether there is room for it. A list that is a thread shows it already.
  private var showsThread: Bool {
    if case .thread = screen.list.source { return false }
    return screen.place == .list && layout.hasPane
  }
}

extension Browser: BrowseFront {
  func ask(_ request: StoreRequest) { reader.ask(request) }

  func say(_ text: String, isLate: Bool) { screen.message = text }

  func showList() { (screen.place, screen.firstRow) = (.list, 0) }

  func take(sourceRecord: JSONDocument) { sources.take(sourceRecord, &screen) }

  func takeEndOfSources(_ ending: ChildProcess.Ending, _ command: BackgroundCommand) {
    screen.trouble = sources.trouble(
      after: screen.trouble, ending, command, isLive: model.refreshed?.isLive == true,
      separator: look.style.glyphs.separator)
  }
}
