package import TweetCore

/// What is known of the feeds that records come from, in one row: their names, the state of the connection, what is
/// new, and when the next request is made.
package struct FeedStatus {
  private let locale: ReaderLocale
  private let style: TerminalStyle
  private var feeds = FeedNames()
  private var connection: (state: State, since: Timestamp?)?
  /// How many tweets the last poll round brought.
  private var new: (count: Int, at: Timestamp?)?
  /// When the next request is made, and whether it is a further try.
  private var next: (at: Timestamp, isTry: Bool)?
  /// The feeds of which the last poll round failed.
  private var failing: Set<[UInt8]> = []

  private enum State {
    case live, polling, waiting, down
  }

  package init(_ style: TerminalStyle, _ locale: ReaderLocale) {
    self.style = style
    self.locale = locale
  }

  // MARK: What is known

  /// Learns that the lines that follow are of a feed.
  package mutating func record(feed: JSONValue?) { feeds.insert(feed) }

  /// Learns that a poll round has ended.
  package mutating func record(refresh: JSONValue) {
    feeds.insert(refresh["feed"])
    let time = Self.time(refresh["at"])
    let hasFailed = refresh["status"] != nil
    let feed = refresh["feed"].map { Array($0.rawString) } ?? []
    if hasFailed { failing.insert(feed) } else { failing.remove(feed) }
    next = Self.time(refresh["next_at"]).map { ($0, hasFailed) }
    if hasFailed {
      if connection?.state != .waiting, connection?.state != .down { connection = (.down, time) }
      return
    }
    new = (refresh["new"]?.looseInteger ?? 0, time)
    // The service has answered.
    if failing.isEmpty, let state = connection?.state, state != .live { connection = nil }
  }

  /// Learns what a notice says about the connection.
  /// - Returns: whether that is all it says, so that it needs no row of its own.
  package mutating func record(notice: JSONValue) -> Bool {
    guard let code = notice["code"] else { return false }
    let time = Self.time(notice["at"])
    if code.equals("connect") {
      set(.live, since: time)
    } else if code.equals("disconnect") || code.equals("reconnect") {
      set(.down, since: time)
    } else if code.equals("rate-limit") || code.equals("connection-limit") {
      set(.waiting, since: time)
    } else {
      // The round that failed has said when the next one is.
      if code.equals("refresh"), connection?.state != .down { connection = (.down, time) }
      if code.equals("fallback") { set(.polling, since: time) }
      if code.equals("budget") { set(.waiting, since: time) }
      return false
    }
    if let wait = notice["wait"].flatMap({ $0.double }), let time, (0...1e9).contains(wait) {
      next = (Timestamp(milliseconds: time.milliseconds + Int64(wait * 1000)), true)
    }
    return true
  }

  private mutating func set(_ state: State, since time: Timestamp?) {
    next = nil
    // Further failures do not change since when it is down.
    if connection?.state != state { connection = (state, time) }
  }

  private static func time(_ value: JSONValue?) -> Timestamp? { value.flatMap { Timestamp(ascii: $0.rawString) } }

  /// Forgets all, since another feed begins.
  package mutating func reset() {
    feeds = FeedNames()
    (connection, new, next, failing) = (nil, nil, nil, [])
  }

  // MARK: The row

  /// Whether nothing is known that the row could say.
  package var isEmpty: Bool { connection == nil && new == nil }

  /// The milliseconds until the row says something else; `nil` if nothing counts down.
  package func change(after now: Timestamp) -> Int32? {
    guard !isEmpty, let next, seconds(at: now) != nil else { return nil }
    return Int32((next.at.milliseconds - now.milliseconds) % 1000 + 1)
  }

  /// Whole seconds to the next request, rounded up; `nil` once its time has come.
  private func seconds(at now: Timestamp) -> Int64? {
    guard let next, next.at > now else { return nil }
    return (next.at.milliseconds - now.milliseconds + 999) / 1000
  }

  /// Appends the row as it is at a time.
  /// - Parameter most: the columns that it may take.
  package func append(now: Timestamp, most: Int, to output: inout ByteBuffer) {
    var row = RowParts()
    feeds.append(to: &row, ellipsis: style.glyphs.ellipsis)
    appendConnection(to: &row)
    if let new {
      row.add(.news) { locale.append(.new, count: new.count, to: &$0) }
      if let time = new.at {
        row.add(.detail) {
          $0.append(" ")
          append(.atTime, time, to: &$0)
        }
      }
    }
    if let next {
      row.add(.next) {
        guard let seconds = seconds(at: now) else {
          return append(next.isTry ? .nextTryAt : .nextAt, next.at, to: &$0)
        }
        let phrase: Phrase = next.isTry ? .nextTryIn : .nextIn
        locale.append(before: phrase, to: &$0)
        locale.append(duration: Int(seconds), to: &$0)
        locale.append(after: phrase, to: &$0)
      }
    }
    row.append(to: &output, most: most, style)
  }

  private func appendConnection(to row: inout RowParts) {
    guard let connection else { return }
    let words: Phrase =
      switch connection.state {
      case .live: .live
      case .polling: .polling
      case .waiting: .waiting
      case .down: .down
      }
    row.add(connection.state == .live ? .state : .trouble) {
      if connection.state == .down {
        $0.append(style.glyphs.failure)
        $0.append(" ")
      }
      locale.append(words, to: &$0)
    }
    guard let since = connection.since else { return }
    row.add(.detail) {
      $0.append(" ")
      append(.since, since, to: &$0)
    }
  }

  /// A time of day, as the row has it.
  package func clock(_ time: Timestamp) -> String {
    var text = ByteBuffer(capacity: 16)
    locale.appendClock(time, to: &text)
    return text.string
  }

  /// Appends a phrase with a time of day in it.
  private func append(_ phrase: Phrase, _ time: Timestamp, to buffer: inout ByteBuffer) {
    locale.append(before: phrase, to: &buffer)
    locale.appendClock(time, to: &buffer)
    locale.append(after: phrase, to: &buffer)
  }
}

/// The feeds that records come from: the name of the first, and how many there are.
private struct FeedNames {
  /// More are not told apart.
  private static let most = 1000

  private var first: [UInt8] = []
  private var known: Set<Int> = []

  mutating func insert(_ feed: JSONValue?) {
    guard let feed, feed.isString, known.count < Self.most else { return }
    var hasher = Hasher()
    hasher.combine(bytes: feed.rawString)
    if known.isEmpty {
      var decoder = StringDecoder()
      var name = ByteBuffer(capacity: 64)
      Printable.append(decoder.decode(feed, limit: 256), to: &name)
      first = name.array
    }
    known.insert(hasher.finalize())
  }

  func append(to row: inout RowParts, ellipsis: StaticString) {
    if known.isEmpty { return }
    row.add(.source) {
      let start = $0.count
      $0.append(first)
      $0.cut(from: start, most: 30, ellipsis: ellipsis)
      if known.count > 1 { $0.append(" +\(known.count - 1)") }
    }
  }
}

/// The parts of a row, of which the least important are left out if it is too narrow.
private struct RowParts {
  /// From the first that is left out to the last. A detail belongs to the part before it.
  enum Rank: Int {
    case detail, state, source, news, next, trouble
  }

  private var parts: [(rank: Rank, text: [UInt8])] = []

  mutating func add(_ rank: Rank, _ write: (inout ByteBuffer) -> Void) {
    var text = ByteBuffer(capacity: 64)
    write(&text)
    parts.append((rank, text.array))
  }

  func append(to output: inout ByteBuffer, most: Int, _ style: TerminalStyle) {
    var left = parts
    while true {
      var row = ByteBuffer(capacity: 128)
      for (index, part) in left.enumerated() {
        if index > 0, part.rank != .detail {
          row.append(" ")
          row.append(style.glyphs.separator)
          row.append(" ")
        }
        row.append(part.text)
      }
      let fits = row.withBytes { DisplayWidth.widest(of: $0) } <= most
      guard !fits, left.count > 1, let least = left.map(\.rank.rawValue).min() else {
        row.cut(from: 0, most: most, ellipsis: style.glyphs.ellipsis)
        row.withBytes { output.append($0) }
        return
      }
      // Of several details the last goes first.
      if let index = left.lastIndex(where: { $0.rank.rawValue == least }) {
        left.remove(at: index)
        // The detail of a part that is gone would stand after another.
        if least != 0, index < left.count, left[index].rank == .detail { left.remove(at: index) }
      }
    }
  }
}
