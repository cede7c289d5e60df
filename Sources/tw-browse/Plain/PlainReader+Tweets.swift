import Libc
import TweetCore
import TweetDisplay
import TweetStore

/// The tweet that is read, and the way to another.
extension PlainReader {
  /// The record of the tweet that is read; `nil`, after saying so, if there is none.
  var selected: RecordCache.Entry? {
    guard let entry = entry(), entry.document != nil else {
      say("there is no tweet")
      return nil
    }
    return entry
  }

  private func entry() -> RecordCache.Entry? {
    guard let key = list.selected else { return nil }
    if let entry = records.entry(key) { return entry }
    ask([.records([key])])
    return records.entry(key)
  }

  /// Prints the tweet that is read.
  func showTweet() {
    guard let key = list.selected, let entry = entry() else { return say(emptiness) }
    if entry.document == nil, entry.notification == nil { return say("no longer stored") }
    write(printer.lines(of: entry, width: width, isOpen: opened.contains(key)))
    guard entry.isUnread else { return }
    records.mark(key, isUnread: false)
    label([entry.name], ["-unread"])
  }

  /// Prints the profile that the store has of somebody.
  func showProfile(service: String, id: String) {
    ask([.profile(service: service, id: id)])
    // A stored record is sound JSON; one that is not is a profile that is not there.
    guard let document = person.flatMap({ try? JSONDocument($0) }) else { return say("no profile is stored") }
    write(printer.lines(ofUser: document, width: width))
  }

  private var emptiness: String {
    if case .failed(let message) = list.state { return message }
    return isRefreshing ? "no tweet is stored here yet" : "no tweet is stored here"
  }

  private var width: Int {
    var size = winsize()
    let isKnown = ioctl(output, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return min(isKnown ? Int(size.ws_col) : Self.usualWidth, Self.widestText)
  }

  /// Moves by a number of tweets, and reads what is there.
  func move(_ count: Int) {
    let before = list.selected
    if list.state == .partial, list.cursor + count >= list.keys.count, let last = list.keys.last {
      ask([.more(list: list.id, before: last, count: Self.page)])
    }
    list.move(by: count, height: 1)
    if list.selected != before { return showTweet() }
    if before == nil { return say(emptiness) }
    if count < 0 {
      return say(list.waiting.isEmpty ? "this is the first one" : "this is the first one; g shows what is new")
    }
    say("this is the last one")
    askForOlder()
  }

  /// Goes to the last tweet of the list.
  func moveToEnd() {
    while list.state == .partial, let last = list.keys.last {
      ask([.more(list: list.id, before: last, count: 10_000)])
      if list.keys.last == last { break }
    }
    list.move(to: .max, height: 1)
    showTweet()
  }

  func showNewest() {
    list.showWaiting()
    announced = 0
    showTweet()
  }

  private func askForOlder() {
    let number = current
    guard let source = feeds[number].source, feeds[number].older == .mayCome, feeds[number].lists.count == 1,
      list.state == .whole
    else { return }
    feeds[number].older = .asked
    say("asking for older ones …")
    start([tools.older(source)], readsOutput: true, waits: false) { [weak self] ending, command in
      // What is printed is what is new.
      self?.feeds[number].older = ending == .exited(0) && !command.hasPrinted ? .over : .mayCome
      return ending == .exited(0) ? "older ones were asked for" : command.lastWords ?? "older ones could not be fetched"
    }
  }

  func show(feed number: Int) {
    guard feeds.indices.contains(number - 1) else { return say("there is no feed \(number)") }
    current = number - 1
    announced = 0
    showTweet()
  }

  func show(feedAfter step: Int) { show(feed: (current + step + feeds.count) % feeds.count + 1) }

  func push(_ title: String, _ source: ListSource) {
    let list = TweetList(id: nextList, title: title, source: source)
    nextList += 1
    feeds[current].push(list)
    announced = 0
    ask([.open(list: list.id, source, nil)])
    showTweet()
  }

  func goBack() {
    guard let left = feeds[current].pop() else { return say("this is where you began") }
    ask([.close(list: left.id)])
    announced = list.waiting.count
    showTweet()
  }

  /// Gives labels to tweets, and takes them away.
  func label(_ names: [String], _ words: [String]) {
    let input = names.map { $0 + "\n" }.joined()
    start([tools.label(words)], input: Array(input.utf8), waits: false) { ending, command in
      ending == .exited(0) ? nil : command.lastWords ?? "the label was not stored"
    }
  }
}
