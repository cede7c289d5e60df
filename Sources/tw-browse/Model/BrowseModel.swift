import Libc
import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

/// The lists that are read, and what a person does with them, without a terminal: ``Browser`` shows it on the whole
/// screen, ``PlainReader`` in lines. What is done with tweets, posts, people and pictures belongs to its parts.
final class BrowseModel {
  /// Milliseconds from writing down the places to the next time: what a kill may cost.
  private static let placesTime = 10_000

  weak var front: (any BrowseFront)?
  var state: BrowseState
  let records = RecordCache()
  let jobs = BackgroundJobs()
  private(set) var tools: Tools
  private(set) lazy var acts = TweetActs(self)
  private(set) lazy var composer = Composer(self)
  private(set) lazy var people = People(self)
  private(set) lazy var music = MusicPlayer(self)
  private(set) lazy var saver = PictureSaver(self)

  /// How many tweets of a list are in view.
  var height = 1
  /// The list whose end is gone to, page by page, until the next key.
  var goingToEnd: Int?
  /// Whether the person has left.
  private(set) var isLeaving = false
  let refreshed: RefreshedSources?
  private(set) var refresh: BackgroundCommand?
  private let collector: Tools.Command?
  /// What stores the records of standard input, if these are shown.
  private var collecting: BackgroundCommand?
  /// What filters a list now.
  private(set) var filtering: BackgroundCommand?
  /// Words that are searched for.
  private var searched: TweetQuery?
  /// `nil` where the store is a temporary one.
  private var places: Places?
  private var placesSavedAt = MonotonicClock.milliseconds
  private var nextList: Int

  /// - Parameters:
  ///   - keys: those of the whole screen.
  ///   - refresh: what is refreshed; `nil` for nothing.
  ///   - collector: stores the records of standard input.
  init(
    lists: [TweetList], tools: Tools, keys: KeyMap, refresh: RefreshedSources?, collector: Tools.Command?
  ) throws(ToolError) {
    let sources = refresh?.sources ?? []
    state = BrowseState(
      feeds: lists.map { FeedTab($0, source: sources.contains($0.title) ? $0.title : nil) }, keys: keys)
    nextList = lists.count
    (self.tools, refreshed, self.collector) = (tools, refresh, collector)
    places = collector == nil ? try Places(tools.database, in: tools.state) : nil
    state.account = tools.accounts.shown
    state.names.accounts = tools.accounts.known.map(\.text)
  }

  // MARK: The beginning, the clock, the end

  /// Begins to refresh the sources, and to store what standard input has.
  func start() throws(ToolError) {
    startRefresh()
    guard let collector else { return }
    collecting = try jobs.start([collector], reading: 0) { [weak self] ending, command in
      if ending != .exited(0) { self?.tell(command.lastWords ?? "the records ended \(ending)") }
    }
    collecting?.isExpendable = true
  }

  /// Whether records of standard input may still come.
  var isCollecting: Bool { collecting.map { jobs.contains($0) } ?? false }

  /// What is to be asked of a store that was opened now.
  var opening: [StoreRequest] {
    state.feeds.flatMap(\.lists).map { .open(list: $0.id, $0.source, places?.place(in: $0.title)) }
  }

  /// Does what it is time for.
  /// - Parameter now: in milliseconds of the monotonic clock.
  func tick(_ now: Int) {
    acts.tick(now)
    guard now - placesSavedAt >= Self.placesTime else { return }
    placesSavedAt = now
    notePlaces()
    guard places?.takeChange() == true, let places else { return }
    // The disk may take its time. What goes wrong is said at the end, where they are written again.
    _ = startThread { do throws(ToolError) { try places.write() } catch { return } }
  }

  private func notePlaces() {
    for feed in state.feeds { places?.set(feed.lists[0].place, in: feed.title) }
  }

  /// Waits for what was begun, such as a like, and ends what nobody misses.
  func finish() {
    isLeaving = true
    composer.file?.keep()
    notePlaces()
    do throws(ToolError) { try places?.write() } catch { Diagnostics.report(error) }
    for command in jobs.commands where command.isExpendable { command.stop() }
    while !jobs.isEmpty || !saver.isIdle {
      jobs.read()
      saver.read()
      usleep(5_000)
    }
  }

  // MARK: What is said and asked

  /// Says something in answer to what a person did.
  func say(_ text: String?) { front?.say(text ?? "", isLate: false) }

  /// Says something that nobody asked for just now.
  func tell(_ text: String?) { front?.say(text ?? "", isLate: true) }

  func ask(_ request: StoreRequest) { front?.ask(request) }

  /// Starts commands in the background, joined by pipes; see ``BackgroundJobs``.
  /// - Returns: `nil` if they do not run, after saying why.
  @discardableResult
  func start(
    _ commands: [Tools.Command], input: [UInt8]? = nil, reading: Int32? = nil, readsOutput: Bool = false,
    record: ((JSONDocument) -> Void)? = nil, finish: @escaping BackgroundCommand.Finish
  ) -> BackgroundCommand? {
    do throws(ToolError) {
      return try jobs.start(
        commands, input: input, reading: reading, readsOutput: readsOutput, record: record, finish: finish)
    } catch {
      say(error.message)
      return nil
    }
  }

  /// Asks for records of which another version may be stored now.
  func readAgain(_ keys: [Int]) {
    let shown = records.outdated(keys)
    if !shown.isEmpty { ask(.records(shown)) }
  }

  /// Asks for those of these records that are not here.
  func read(_ keys: some Sequence<Int>) {
    let missing = records.missing(keys)
    if !missing.isEmpty { ask(.records(missing)) }
  }

  // MARK: What the store answers

  func take(_ answer: StoreAnswer) {
    switch answer {
    case .keys(let list, let keys, let isWhole):
      state.hasNoStore = false
      change(list) { $0.append(keys, isWhole: isWhole) }
      if list == goingToEnd, list == state.list.id { state.list.move(to: .max, height: height) }
    case .thread(let list, let rows, let named):
      state.hasNoStore = false
      change(list) { $0.take(rows, named: named, height: height) }
    case .beside(let entry, let rows, let own): state.beside = ThreadBeside(entry: entry, own: own, rows: rows)
    case .placed(let list, let place): change(list) { $0.restore(place, height: height) }
    case .sought(let list, let key):
      guard list == state.list.id else { return }
      if let key { state.list.move(toKey: key, height: height) } else { say("nothing more is found") }
    case .found(let list, let keys): change(list) { $0.insert(keys, height: height) }
    case .changed(let keys): readAgain(keys)
    case .outdated:
      records.removeAll()
      var requests: [StoreRequest] = []
      eachList { list in
        requests.append(.open(list: list.id, list.source, list.place))
        list.restart()
      }
      for request in requests { ask(request) }
    case .deleted(let name): if let key = records.key(named: name) { eachList { $0.remove(key, height: height) } }
    case .records(let read):
      records.take(read)
      // Somebody has it forgotten, or pruned.
      for record in read where record.bytes.isEmpty { eachList { $0.remove(record.key, height: height) } }
    case .failed(let list?, let message): change(list) { $0.fail(message) }
    case .failed(nil, let message):
      records.forgetQuestions()
      tell(message)
    case .names(let queries, let labels):
      state.queries = queries
      (state.names.queries, state.names.labels) = (queries.map(\.name), labels)
    case .profile(let service, let id, let record): people.take(record, service: service, id: id)
    case .missing:
      state.hasNoStore = true
      if state.feeds.contains(where: { !$0.lists[0].keys.isEmpty }) {
        tell("there is no store '\(tools.database)' any more: this was read before")
      }
    case .replaced:
      records.removeAll()
      eachList { $0.restart() }
      tell("another store has the name '\(tools.database)' now")
    }
  }

  private func change(_ id: Int, _ body: (inout TweetList) -> Void) { eachList { if $0.id == id { body(&$0) } } }

  func eachList(_ body: (inout TweetList) -> Void) {
    for index in state.feeds.indices { state.feeds[index].eachList(body) }
  }

  // MARK: Lists

  /// Shows a list that the reader comes to from the one that is shown.
  func push(_ title: String, _ source: ListSource) {
    let list = TweetList(id: nextList, title: title, source: source)
    nextList += 1
    state.feeds[state.current].push(list)
    ask(.open(list: list.id, source, nil))
    front?.showList()
  }

  /// Goes back to the list before.
  /// - Returns: whether there is one.
  @discardableResult
  func pop() -> Bool {
    guard let left = state.feeds[state.current].pop() else { return false }
    ask(.close(list: left.id))
    state.heads[left.id] = nil
    state.list.fit(height: height)
    front?.showList()
    return true
  }

  /// Shows a feed.
  /// - Parameter number: from 1 on.
  func show(feed number: Int) {
    guard state.feeds.indices.contains(number - 1) else { return say("there is no feed \(number)") }
    state.current = number - 1
    state.list.fit(height: height)
    front?.showList()
  }

  /// Shows the feed after the one that is shown, or the one before it: -1.
  func show(feedAfter step: Int) {
    show(feed: (state.current + step + state.feeds.count) % state.feeds.count + 1)
  }

  /// Shows what waits above, and goes there.
  func showWaiting() {
    let list = state.list
    state.list.showWaiting()
    if case .thread = list.source, !list.waiting.isEmpty { ask(.open(list: list.id, list.source, nil)) }
  }

  /// Shows what a saved query finds.
  func showQuery(_ name: String) {
    if let text = state.queries.first(where: { $0.name == name })?.text {
      if let query = query(text) { push(name, .query(query)) }
      return
    }
    let names = state.queries.map(\.name).joined(separator: ", ")
    say(names.isEmpty ? "no query is saved: tw-cache query" : "no saved query is called '\(name)' (\(names))")
  }

  /// Shows the tweets with a label.
  func showLabel(_ text: String) {
    guard let label = TweetLabel(text) else { return say("'\(text)' is not a label: \(TweetLabel.rule)") }
    var query = TweetQuery()
    query.labels = [label]
    push("label \(text)", .query(query))
  }

  /// Shows the tweets of the list that a query finds too.
  /// - Parameter refusal: what is said of a list that has no query.
  func limit(_ words: String, orSay refusal: String) {
    guard let condition = query(words) else { return }
    guard case .query(var query) = state.list.source else { return say(refusal) }
    query.parts.append(condition)
    push("&" + words, .query(query))
  }

  /// Shows only the tweets of the list whose records a command prints, in place of what is filtered now.
  func filter(through command: String) {
    if case .notifications = state.list.source { return say("notifications are not filtered") }
    jobs.stop(filtering)
    filtering = nil
    let list = state.list.id
    do throws(ToolError) {
      filtering = try FilterRun.start(command, of: state.list.source, in: tools.database, jobs) {
        [weak self] in self?.show($0, of: command, list)
      }
      filtering?.isExpendable = true
      say("\(command) …")
    } catch {
      say(error.message)
    }
  }

  private func show(_ outcome: FilterRun.Outcome, of command: String, _ list: Int) {
    filtering = nil
    switch outcome {
    case .nothing(let message): tell(message)
    case .keys where list != state.list.id: tell("\(command) has ended, but another list is shown now")
    case .keys(let keys, let isCut):
      push("|" + command, .keys(keys))
      if isCut { tell("of the newest \(FilterRun.most) tweets") }
    }
  }

  /// Shows the stored tweets of an author.
  /// - Parameter isRepeated: whether of a retweet the author of what it repeats is meant.
  func showAuthor(isRepeated: Bool) {
    guard let document = selected?.document else { return }
    let name = document.read { tweet in
      [isRepeated ? tweet.retweeted : nil, tweet].lazy.compactMap { $0?["author"]?["username"]?.string }.first
    }
    guard let name else { return say("the author has no user name") }
    show(author: name, at: document["service"]?.string)
  }

  func show(author name: String, at service: String?) {
    var query = TweetQuery()
    (query.authors, query.service) = ([name], service)
    push("@" + name, .query(query))
  }

  /// Shows the thread of the tweet under the cursor; of a retweet that of what it repeats, if that is stored.
  func showThread() {
    guard selected != nil, let key = state.list.selected, let name = threadName(of: key) else { return }
    push("thread", .thread(name))
  }

  /// `service:id` of the tweet whose thread belongs to an entry: of a retweet it is that of what it repeats.
  func threadName(of key: Int) -> String? {
    guard let entry = records.entry(key), let document = entry.document else { return nil }
    guard let id = document.read({ $0.retweeted?["id"]?.string }), let service = entry.service else {
      return entry.name
    }
    return "\(service):\(id)"
  }

  // MARK: Finding

  /// A query as a person types it; says what is wrong with it.
  private func query(_ text: String) -> TweetQuery? {
    do throws(ToolError) { return try QueryText(text).query } catch {
      say(error.message)
      return nil
    }
  }

  /// Goes to the next tweet that has these words.
  func search(_ words: String) {
    guard let condition = query(words) else { return }
    searched = condition
    search(isUp: false)
  }

  /// Goes on with what was searched for last.
  func search(isUp: Bool) {
    guard let searched else { return say("say what to find: /words") }
    seek(searched, isUp: isUp)
  }

  func seekUnread() {
    var unread = TweetQuery()
    unread.labels = [.unread]
    seek(unread, isUp: false)
  }

  private func seek(_ condition: TweetQuery, isUp: Bool) {
    guard let key = state.list.selected, let end = state.list.keys.last else { return say("nothing more is found") }
    ask(.seek(Seek(list: state.list.id, condition: condition, key: key, isUp: isUp, knownEnd: end)))
  }

  // MARK: The tweet under the cursor

  /// The record under the cursor, as it was read; `nil` if there is none.
  var selectedEntry: RecordCache.Entry? { state.list.selected.flatMap { records.entry($0) } }

  /// The record of the tweet under the cursor; says so if there is none.
  var selected: RecordCache.Entry? {
    if let key = state.list.selected { read([key]) }
    guard let entry = selectedEntry, entry.document != nil else {
      say(noTweet)
      return nil
    }
    return entry
  }

  /// What is said where no tweet is under the cursor.
  var noTweet = "there is no tweet under the cursor"

  /// The address of its page; says so if it has none.
  var page: String? {
    guard let document = selected?.document else { return nil }
    if let address = document["url"]?.string, TweetTarget.isWebAddress(address) { return address }
    say("the tweet has no page")
    return nil
  }

  /// The addresses of its links; says so if it has none.
  var links: [String] {
    guard let links = selected?.document.map({ TweetSubjects($0).links.map(\.url) }) else { return [] }
    if links.isEmpty { say("the tweet has no links") }
    return links
  }

  /// Opens what is behind its warning, or folds it again.
  func unfold() {
    guard let key = state.list.selected, selected != nil else { return }
    if state.opened.remove(key) == nil { state.opened.insert(key) }
  }

  // MARK: Accounts

  /// Has the other tools work as the account of this name, or as the next one.
  /// - Returns: whether there is one.
  @discardableResult
  func chooseAccount(_ name: String = "") -> Bool {
    do throws(ToolError) {
      say("as \(try name.isEmpty ? tools.accounts.chooseNext() : tools.accounts.choose(named: name))")
    } catch {
      say(error.message)
      return false
    }
    state.account = tools.accounts.shown
    // What somebody else liked is not shown as liked.
    records.viewers = tools.accounts
    records.removeAll()
    state.undo = nil
    if refresh != nil { startRefresh() }
    return true
  }

  // MARK: Sources

  /// Whether sources are refreshed.
  var isRefreshing: Bool { refreshed != nil }

  /// Starts to refresh the sources anew: all are asked at once.
  func startRefresh() {
    guard let refreshed else { return }
    jobs.stop(refresh)
    state.trouble = nil
    refresh = start(tools.following(refreshed), record: { [weak self] in self?.front?.take(sourceRecord: $0) }) {
      [weak self] ending, command in
      self?.refresh = nil
      self?.front?.takeEndOfSources(ending, command)
    }
    refresh?.isExpendable = true
  }

  /// At the end of a feed, asks its source for older posts: a page at a time, one request at a time.
  /// - Parameter finish: says what is known of older ones then.
  /// - Returns: `nil` if none are asked for.
  @discardableResult
  func askForOlder(finish: @escaping (ChildProcess.Ending, BackgroundCommand) -> FeedTab.Older) -> BackgroundCommand? {
    let number = state.current
    let feed = state.feeds[number]
    guard let source = feed.source, feed.older == .mayCome, feed.lists.count == 1, feed.list.state == .whole,
      feed.list.cursor == feed.list.keys.count - 1
    else { return nil }
    state.feeds[number].older = .asked
    return start([tools.older(source)], readsOutput: true) { [weak self] ending, command in
      let older = finish(ending, command)
      self?.state.feeds[number].older = older
    }
  }
}

/// What shows a ``BrowseModel``: the whole screen, or lines.
protocol BrowseFront: AnyObject {
  /// Asks the store. The model takes the answers, at once or later.
  func ask(_ request: StoreRequest)

  /// Says something.
  /// - Parameter isLate: whether it is not an answer to what a person did just now.
  func say(_ text: String, isLate: Bool)

  /// Another list is shown now.
  func showList()

  /// Takes what those say who refresh the sources. The tweets come from the store.
  func take(sourceRecord: JSONDocument)

  /// Nobody refreshes the sources any more.
  func takeEndOfSources(_ ending: ChildProcess.Ending, _ command: BackgroundCommand)
}
