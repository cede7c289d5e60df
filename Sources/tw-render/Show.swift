import TweetCore
import TweetDisplay

/// Decides what becomes of each record: what is shown, in which format, and what is passed over.
struct Show: ~Copyable {
  private let screen: Screen
  private let format: Format
  private let glyphs: Glyphs
  private let tellsUpdates: Bool
  private let clock = HumanTime()
  private var timeline: Timeline
  private var oneLine: OneLine
  private var shown = ShownTweets()
  private var decoder = TextDecoder()
  /// The status line that is the last thing on the terminal, to be wiped before anything else.
  private var status: Status?
  /// Whether a tweet or a note stands above, to keep a blank line from.
  private var isBegun = false

  init(_ screen: Screen, format: Format, tellsUpdates: Bool) {
    self.screen = screen
    self.format = format
    self.tellsUpdates = tellsUpdates
    glyphs = screen.isASCII ? .ascii : .unicode
    timeline = Timeline(screen)
    oneLine = OneLine(screen)
  }

  /// Shows one record, or passes it over; gives what is wrong with one that is none.
  mutating func handle(_ record: Record, _ writer: inout RecordWriter) throws(ToolError) -> String? {
    guard let type = record.type, type.isString else {
      return "no \"tw\": not a record (tw-parse makes records)"
    }
    if type.equals("tweet") {
      let tweet = TweetView(record.root)
      if tweet.id == nil, tweet.text == nil { return "a tweet without id and text" }
      try show(tweet, &writer)
    } else if type.equals("notice") {
      try show(note(record.root), &writer)
    } else if type.equals("delete") {
      try show(deletion: record.root, &writer)
    } else if type.equals("query") {
      startOver(record.root["feed"], &writer.buffer)
    } else if type.equals("refresh") {
      showStatus(record.root, &writer.buffer)
    }
    return nil
  }

  /// Leaves the terminal as a shell expects it.
  mutating func finish(_ output: inout ByteBuffer) { wipeStatus(&output) }

  // MARK: Tweets

  private mutating func show(_ tweet: TweetView, _ writer: inout RecordWriter) throws(ToolError) {
    let looks = tellsUpdates ? ShownTweets.Looks(tweet) : ShownTweets.Looks(links: 0, counts: 0)
    switch shown.note(tweet, looks) {
    case .new: break
    case .seen(let before) where before == looks: return
    case .seen(let before):
      guard format == .text else { return }
      wipeStatus(&writer.buffer)
      timeline.append(
        update: tweet, links: before.links != looks.links, counts: before.counts != looks.counts, width: screen.width,
        to: &writer.buffer)
      return
    }
    wipeStatus(&writer.buffer)
    switch format {
    case .text:
      separate(&writer.buffer)
      timeline.append(tweet, now: .shown, width: screen.width, to: &writer.buffer)
      try writer.flushIfLarge()
    case .line:
      oneLine.append(tweet, to: &writer.buffer)
      try writer.endLine()
    case .ids:
      guard let id = tweet.id else { return }
      if let service = tweet.service, !service.equals("x") {
        Printable.append(decoder.decode(service), to: &writer.buffer)
        writer.buffer.append(":")
      }
      Printable.append(decoder.decode(id), to: &writer.buffer)
      try writer.endLine()
    }
  }

  private mutating func separate(_ output: inout ByteBuffer) {
    if isBegun { output.append(UInt8(ascii: "\n")) }
    isBegun = true
  }

  // MARK: Other records

  private func note(_ notice: JSONValue) -> Note {
    let level = notice["level"]
    var note = Note(sign: glyphs.notice, ink: .dim, value: notice["message"] ?? notice["code"], time: notice["at"])
    if level?.equals("error") == true {
      (note.sign, note.ink) = (glyphs.failure, .bad)
    } else if level?.equals("warning") == true {
      (note.sign, note.ink) = (glyphs.caution, .warning)
    }
    return note
  }

  /// Told only of what the person has seen.
  private mutating func show(deletion: JSONValue, _ writer: inout RecordWriter) throws(ToolError) {
    guard shown.contains(service: deletion["service"], id: deletion["id"]) else { return }
    try show(Note(sign: glyphs.failure, ink: .dim, words: "deleted: ", value: deletion["id"]), &writer)
  }

  private mutating func show(_ note: Note, _ writer: inout RecordWriter) throws(ToolError) {
    if note.value == nil { return }
    wipeStatus(&writer.buffer)
    switch format {
    case .text:
      separate(&writer.buffer)
      timeline.append(note: note, width: screen.width, to: &writer.buffer)
    case .line:
      oneLine.append(note: note, to: &writer.buffer)
      try writer.endLine()
    case .ids: return
    }
  }

  /// Another feed replaces what is on the screen. What has been written to a file cannot be taken back.
  private mutating func startOver(_ feed: JSONValue?, _ output: inout ByteBuffer) {
    shown.forgetAll()
    guard screen.movesCursor, format == .text else { return }
    wipeStatus(&output)
    output.append("\u{1B}[H\u{1B}[2J")
    isBegun = false
    guard let feed else { return }
    timeline.append(note: Note(sign: glyphs.notice, ink: .dim, value: feed), width: screen.width, to: &output)
    isBegun = true
  }

  /// `3 new at 21:30, next in 42 s`, until something else is shown.
  private mutating func showStatus(_ refresh: JSONValue, _ output: inout ByteBuffer) {
    guard screen.movesCursor, format != .ids else { return }
    var text = ByteBuffer(capacity: 64)
    text.append(decimal: refresh["new"]?.looseInteger ?? 0)
    text.append(" new")
    if let time = refresh["at"].flatMap({ Timestamp(ascii: $0.rawString) }) {
      text.append(" at ")
      clock.appendClock(time, to: &text)
    }
    let next = refresh["next_at"].flatMap { Timestamp(ascii: $0.rawString) }
    write(Status(text: text.array, next: next), &output)
  }

  private mutating func write(_ status: Status, _ output: inout ByteBuffer) {
    wipeStatus(&output)
    var status = status
    status.text.withUnsafeBufferPointer { output.append($0) }
    if let next = status.next {
      status.secondsLeft = status.seconds(at: .shown)
      output.append(", next ")
      if let seconds = status.secondsLeft {
        output.append("in \(seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s")")
      } else {
        output.append("at ")
        clock.appendClock(next, to: &output)
      }
    }
    self.status = status
  }

  /// Lets the countdown go on.
  /// - Returns: the milliseconds until it changes; `nil` where none is shown.
  mutating func tick(_ output: inout ByteBuffer) -> Int32? {
    guard let status, let next = status.next, let shown = status.secondsLeft else { return nil }
    let now = Timestamp.shown
    if status.seconds(at: now) != shown { write(status, &output) }
    let left = next.milliseconds - now.milliseconds
    return left > 0 ? Int32(left % 1000 + 1) : nil
  }

  private mutating func wipeStatus(_ output: inout ByteBuffer) {
    guard status != nil else { return }
    // Erases the row (ECMA-48 EL), which every terminal that moves its cursor can.
    output.append("\r\u{1B}[K")
    status = nil
  }
}

/// A line that tells how the last round went and when the next one comes.
private struct Status {
  let text: [UInt8]
  let next: Timestamp?
  /// As it is shown; `nil` where the next one was due before.
  var secondsLeft: Int64?

  init(text: [UInt8], next: Timestamp?) { (self.text, self.next) = (text, next) }

  /// Whole seconds that are left, begun ones included.
  func seconds(at now: Timestamp) -> Int64? {
    guard let next, next > now else { return nil }
    return (next.milliseconds - now.milliseconds + 999) / 1000
  }
}
