import TweetCore
import TweetDisplay

/// Decides what is shown of each record, and has a format write it.
struct RecordPrinter<Format: RecordFormat & ~Copyable>: ~Copyable {
  private let screen: Screen
  private let showsChanges: Bool
  private var format: Format
  private var tweets = ShownTweets()
  private var status = StatusRow()

  /// - Parameter showsChanges: whether new link verdicts and counts of shown tweets are shown.
  init(_ format: consuming Format, on screen: Screen, showsChanges: Bool) {
    self.format = format
    self.screen = screen
    self.showsChanges = showsChanges
  }

  /// Shows one record, or ignores it.
  /// - Returns: what is wrong with it; `nil` for nothing.
  mutating func print(_ record: Record, to writer: inout RecordWriter) throws(ToolError) -> String? {
    guard let type = record.type, type.isString else {
      return "no \"tw\": not a record (tw-parse makes records)"
    }
    if type.equals("tweet") {
      let tweet = TweetFields(record.root)
      if tweet.id == nil, tweet.text == nil { return "a tweet without id and text" }
      try print(tweet, to: &writer)
    } else if type.equals("notice") {
      try print(note(of: record.root), to: &writer)
    } else if type.equals("delete") {
      try print(deletion: record.root, to: &writer)
    } else if type.equals("query") {
      try startFeed(record.root["feed"], to: &writer)
    } else if type.equals("refresh") {
      guard screen.movesCursor, Format.shown.contains(.status) else { return nil }
      status.show(record.root, to: &writer.buffer)
    }
    return nil
  }

  /// Writes what changes with time, while no record comes.
  /// - Returns: the milliseconds until it changes again; `nil` if nothing does.
  mutating func tick(_ output: inout ByteBuffer) -> Int32? { status.update(&output) }

  /// Leaves the terminal as a shell expects it.
  mutating func finish(_ output: inout ByteBuffer) { status.wipe(&output) }

  private mutating func print(_ tweet: TweetFields, to writer: inout RecordWriter) throws(ToolError) {
    let looks = showsChanges ? ShownTweets.Looks(tweet) : ShownTweets.Looks()
    guard let before = tweets.remember(tweet, looks) else {
      status.wipe(&writer.buffer)
      return try format.write(tweet, to: &writer)
    }
    guard before != looks, Format.shown.contains(.changes) else { return }
    status.wipe(&writer.buffer)
    let change = TweetBlock.Change(links: before.links != looks.links, counts: before.counts != looks.counts)
    try format.write(change, of: tweet, to: &writer)
  }

  private func note(of notice: JSONValue) -> Note? {
    let level = notice["level"]
    let kind: Note.Kind =
      level?.equals("error") == true ? .error : level?.equals("warning") == true ? .warning : .information
    return Note(kind, notice["message"] ?? notice["code"], time: notice["at"])
  }

  /// Only deletions of what the person has seen are shown.
  private mutating func print(deletion: JSONValue, to writer: inout RecordWriter) throws(ToolError) {
    guard tweets.contains(service: deletion["service"], id: deletion["id"]) else { return }
    try print(Note(.deletion, deletion["id"]), to: &writer)
  }

  private mutating func print(_ note: Note?, to writer: inout RecordWriter) throws(ToolError) {
    guard let note, Format.shown.contains(.notes) else { return }
    status.wipe(&writer.buffer)
    try format.write(note, to: &writer)
  }

  /// Another feed replaces what is on the screen. In a file, what was written stays.
  private mutating func startFeed(_ feed: JSONValue?, to writer: inout RecordWriter) throws(ToolError) {
    tweets.removeAll()
    guard screen.movesCursor, Format.shown.contains(.feeds) else { return }
    status.wipe(&writer.buffer)
    try format.clear(for: feed, to: &writer)
  }
}
