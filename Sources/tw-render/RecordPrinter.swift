import Libc
import TweetCLI
import TweetCore
import TweetDisplay

/// Decides what is shown of each record, and has a format write it.
struct RecordPrinter<Format: RecordFormat & ~Copyable>: ~Copyable {
  private let screen: Screen
  private let filter: PostFilter
  /// The changes of shown tweets that are shown.
  private let watched: TweetChange
  private var format: Format
  private var tweets = ShownTweets()
  private var notifications = ShownNotifications()
  /// What gives shown tweets numbers; `nil` for nothing.
  private var numbers: TweetNumbers?
  /// What is told which tweets have been written; `nil` for nothing.
  private var written: WrittenTweets?
  private var failure: ToolError?
  private var statusRow: StatusRow
  /// Whether the status row is shown.
  private let hasStatus: Bool

  /// - Parameters:
  ///   - watched: which changes of shown tweets are shown, as far as the format can.
  ///   - numbers: what gives shown tweets numbers.
  ///   - written: what is told which tweets have been written.
  init(
    _ format: consuming Format, on screen: Screen, _ filter: PostFilter, watching watched: TweetChange,
    numbers: TweetNumbers?, written: consuming WrittenTweets?
  ) {
    self.format = format
    self.filter = filter
    self.numbers = numbers
    self.written = written
    self.screen = screen
    hasStatus = screen.movesCursor && Format.shown.contains(.status)
    statusRow = StatusRow(screen.style, hasStatus ? screen.locale : ReaderLocale(nil))
    self.watched = Format.shown.contains(.changes) ? watched : []
  }

  /// Shows one record, or ignores it.
  /// - Returns: what is wrong with it; `nil` for nothing.
  mutating func print(_ record: Record, to writer: inout RecordWriter) throws(ToolError) -> String? {
    guard record.fault == nil, let type = record.type else { return record.fault }
    if type.equals("tweet") {
      var tweet = TweetFields(record.root)
      if tweet.id == nil, tweet.text == nil { return "a tweet without id and text" }
      if filter.hides(record.root) || filter.leavesOut(tweet) || filter.isMarked(record.root) { return nil }
      if filter.isCopy(record.root) { return nil }
      tweet.number = number(of: record.root)
      try print(tweet, to: &writer)
      written?.append(tweet, end: writer.position)
      try written?.write(upTo: writer.written)
    } else if type.equals("user") {
      guard Format.shown.contains(.profiles) else { return nil }
      let user = AuthorFields(record.root)
      if user.id == nil, user.username == nil { return "a user without id and user name" }
      statusRow.wipe(&writer.buffer)
      try format.write(user: record.root, to: &writer)
    } else if type.equals("link") {
      guard Format.shown.contains(.links) else { return nil }
      if record.root["url"]?.isString != true { return "a link without URL" }
      statusRow.wipe(&writer.buffer)
      try format.write(link: record.root, to: &writer)
    } else if type.equals("notification") {
      return try print(notification: record.root, to: &writer)
    } else if type.equals("notice") {
      try print(notice: record.root, to: &writer)
    } else if type.equals("delete") {
      try print(deletion: record.root, to: &writer)
    } else if type.equals("query") {
      try startFeed(record.root["feed"], to: &writer)
    } else if type.equals("context") {
      statusRow.status.record(feed: record.root["feed"])
    } else if type.equals("refresh") {
      statusRow.status.record(refresh: record.root)
    }
    return nil
  }

  /// Writes what changes with time, while no record comes.
  /// - Returns: the milliseconds until it changes again; `nil` if nothing does.
  mutating func tick(_ writer: inout RecordWriter) -> Int32? {
    // What cannot be written now is reported with the next tweet, or at the end.
    do throws(ToolError) { try written?.write(upTo: writer.written) } catch { failure = failure ?? error }
    return draw(&writer.buffer)
  }

  private mutating func draw(_ output: inout ByteBuffer) -> Int32? {
    let answer = screen.pictures?.readLateAnswer()
    let change = hasStatus ? statusRow.update(width: screen.width, &output) : nil
    return answer.map { min($0, change ?? $0) } ?? change
  }

  /// Writes the rest, and leaves the terminal as a shell expects it.
  mutating func finish(_ writer: inout RecordWriter) throws(ToolError) {
    statusRow.wipe(&writer.buffer)
    screen.pictures?.finish()
    try writer.flush()
    try written?.write(upTo: writer.written)
    if let failure { throw failure }
  }

  // MARK: Tweets

  /// The number that a tweet gets; `nil` if it gets none. What is read is shown also where numbers cannot be kept.
  private mutating func number(of tweet: JSONValue) -> Int? {
    do throws(ToolError) {
      return try numbers?.number(of: tweet)
    } catch {
      numbers = nil
      Diagnostics.warn("tweets get no numbers from here on: \(error.message ?? "")")
      return nil
    }
  }

  private mutating func print(_ tweet: TweetFields, to writer: inout RecordWriter) throws(ToolError) {
    let looks = ShownTweets.Looks(tweet, watched)
    guard let before = tweets.remember(tweet, looks) else {
      statusRow.wipe(&writer.buffer)
      try format.write(tweet, as: form(of: tweet, looks), to: &writer)
      return
    }
    var changes = before.changes(to: looks)
    // X gives a changed text a new id. Under one id it sends the same text whole and cut.
    if tweet.service?.equals("x") == true, !tweet.isEdited { changes.remove(.text) }
    if changes.isEmpty { return }
    statusRow.wipe(&writer.buffer)
    if changes.contains(.text) {
      try format.write(tweet, as: .edited, to: &writer)
    } else {
      try format.write(changes, of: tweet, to: &writer)
    }
  }

  /// How a tweet is written that was not shown under its id.
  private mutating func form(of tweet: TweetFields, _ looks: ShownTweets.Looks) -> TweetBlock.Form {
    if watched.contains(.text), let versions = tweet.versions,
      versions.elements.contains(where: { tweets.contains(service: tweet.service, id: $0) && !isID($0, of: tweet) })
    {
      return .edited
    }
    guard Format.shown.contains(.originals), let original = tweet.reference("retweeted"), original["text"] != nil else {
      return .whole
    }
    let service = original["service"] ?? tweet.service
    if tweets.isNear(service: service, id: original["id"]) { return .retweeter }
    tweets.remember(nested: original, service: service, looks)
    return .whole
  }

  private func isID(_ value: JSONValue, of tweet: TweetFields) -> Bool { tweet.id?.hasBytes(of: value) == true }

  // MARK: Other records

  /// Shows a notification that was not shown before.
  private mutating func print(
    notification: JSONValue, to writer: inout RecordWriter
  ) throws(ToolError) -> String? {
    if let fault = notifications.fault(in: notification) { return fault }
    if filter.leavesOut(notification: notification, isShown: Format.shown.contains(.notifications)) { return nil }
    guard notifications.insert(notification) else { return nil }
    statusRow.wipe(&writer.buffer)
    try format.write(notification: notification, to: &writer)
    return nil
  }

  /// Shows a notice, unless the status row does, or the program that sent it has shown it on the same terminal.
  private mutating func print(notice: JSONValue, to writer: inout RecordWriter) throws(ToolError) {
    let isInStatus = statusRow.status.record(notice: notice) && hasStatus
    if isInStatus || screen.isTerminal(named: notice["terminal"]) { return }
    let level = notice["level"]
    let kind: Note.Kind =
      level?.equals("error") == true ? .error : level?.equals("warning") == true ? .warning : .information
    try print(Note(kind, notice["message"] ?? notice["code"], time: notice["at"]), to: &writer)
  }

  /// Only deletions of what the person has seen are shown.
  private mutating func print(deletion: JSONValue, to writer: inout RecordWriter) throws(ToolError) {
    guard let words = tweets.delete(service: deletion["service"], id: deletion["id"]) else { return }
    try print(Note(deletionOf: words), to: &writer)
  }

  private mutating func print(_ note: Note?, to writer: inout RecordWriter) throws(ToolError) {
    guard let note, Format.shown.contains(.notes) else { return }
    statusRow.wipe(&writer.buffer)
    try format.write(note, to: &writer)
  }

  /// Another feed replaces what is on the screen. In a file, what was written stays.
  private mutating func startFeed(_ feed: JSONValue?, to writer: inout RecordWriter) throws(ToolError) {
    tweets.removeAll()
    statusRow.wipe(&writer.buffer)
    statusRow.status.reset()
    guard screen.movesCursor, Format.shown.contains(.feeds) else { return }
    try format.clear(for: feed, to: &writer)
  }
}

/// The last row of a terminal, with a ``FeedStatus``. It is drawn when there is nothing else to do, and must be wiped
/// before anything else is written.
struct StatusRow {
  var status: FeedStatus
  private let hasColours: Bool
  /// What the row says; `nil` if it is not there.
  private var drawn: [UInt8]?

  init(_ style: TerminalStyle, _ locale: ReaderLocale) {
    status = FeedStatus(style, locale)
    hasColours = style.colours != .none
  }

  /// Draws the row if it is not there, or has changed.
  /// - Parameter width: of the screen, in columns.
  /// - Returns: the milliseconds until it changes again; `nil` if nothing counts down.
  mutating func update(width: Int, _ output: inout ByteBuffer) -> Int32? {
    guard !status.isEmpty else { return nil }
    let now = Timestamp.shown
    var row = ByteBuffer(capacity: 128)
    // The last column stays free, so that the cursor stays on the row.
    status.append(now: now, most: max(width - 1, 1), to: &row)
    if row.array != drawn {
      drawn = row.array
      // At its start, as other programs may have written on the terminal.
      output.append("\r\u{1B}[K")
      if hasColours { output.append("\u{1B}[2m") }
      row.withBytes { output.append($0) }
      if hasColours { output.append("\u{1B}[0m") }
    }
    return status.change(after: now)
  }

  /// Removes the row from the terminal.
  mutating func wipe(_ output: inout ByteBuffer) {
    guard drawn != nil else { return }
    // Erases the row (ECMA-48 EL), which every terminal that moves its cursor can.
    output.append("\r\u{1B}[K")
    drawn = nil
  }
}

/// Writes the names of shown tweets to a file, `service:id` on a line: each only when all of the tweet has been written
/// to standard output. So who reads the file knows what a person can have seen, however the tool ends.
struct WrittenTweets: ~Copyable {
  private var output: RecordWriter
  private let file: Descriptor
  private var decoder = StringDecoder()
  /// Where the output of tweets ends that is not known to be written, and their names.
  private var waiting = Queue<(end: Int, name: [UInt8])>()

  /// - Parameter path: a file, which lines are added to, or a pipe.
  init(_ path: String) throws(ToolError) {
    guard let file = Descriptor(path, O_RDWR | O_CREAT | O_APPEND) else {
      throw .cannotCreate("cannot open '\(path)'", errno)
    }
    if FileTarget.isDatabase(file.number) { throw .usage("'\(path)' is a database: names cannot be written there") }
    output = RecordWriter(descriptor: file.number, name: "'\(path)'")
    self.file = file
  }

  /// Adds a tweet.
  /// - Parameter end: how many bytes of output there are with it.
  mutating func append(_ tweet: TweetFields, end: Int) {
    guard let id = tweet.id, let service = tweet.service else { return }
    var name = ByteBuffer(capacity: 64)
    Printable.append(decoder.decode(service), to: &name)
    name.append(UInt8(ascii: ":"))
    Printable.append(decoder.decode(id), to: &name)
    name.append(UInt8(ascii: "\n"))
    waiting.append((end, name.array))
  }

  /// Writes the names of the tweets whose output has been written.
  /// - Parameter count: how many bytes of output were written.
  mutating func write(upTo count: Int) throws(ToolError) {
    while let next = waiting.first, next.end <= count {
      output.buffer.append(next.name)
      _ = waiting.popFirst()
    }
    try output.flush()
  }
}
