package import TweetCore

/// What happened to a feed that a person or a store must know; goes out as a `notice` record.
package struct Notice {
  package enum Level: String, Sendable {
    case info, warning, error
  }

  package var level: Level
  package var code: String
  package var message: String
  /// Further members, in order: name and JSON value.
  package var members: [(String, String)] = []

  package init(_ level: Level, _ code: String, _ message: String) {
    self.level = level
    self.code = code
    self.message = message
  }

  /// Adds a text member, unless there is none.
  package mutating func add(_ name: String, text: String?) {
    guard let text else { return }
    var value = ByteBuffer(capacity: text.utf8.count + 2)
    value.appendJSONString(text)
    members.append((name, value.string))
  }

  /// Adds a duration in seconds.
  package mutating func add(_ name: String, milliseconds: Int) {
    members.append((name, seconds(milliseconds)))
  }
}

/// `0`, `0.25`, `5`: milliseconds as seconds, without needless zeros.
package func seconds(_ milliseconds: Int) -> String {
  let fraction = String(1000 + milliseconds % 1000).dropFirst()
  guard let last = fraction.lastIndex(where: { $0 != "0" }) else { return String(milliseconds / 1000) }
  return "\(milliseconds / 1000).\(fraction[...last])"
}

/// Writes a stream's raw messages, one a line, with the kit's own records between.
package struct FeedWriter: ~Copyable {
  private var output: RecordWriter
  private let service: String
  private let base: String
  private let writesRecords: Bool
  private let limit: Int?
  private let tell: (String) -> Void
  /// The feed of the lines written last.
  private var feed: String?
  /// Posts written.
  package private(set) var posts = 0
  /// Messages left out because they could not be read.
  package private(set) var badMessages = 0

  /// - Parameters:
  ///   - output: where the lines go.
  ///   - records: whether `notice` and `refresh` records are written; `context` always is.
  ///   - limit: posts to write at most.
  ///   - tell: shows a person what went wrong.
  package init(
    _ output: consuming RecordWriter, for access: ServiceAccess, records: Bool, limit: Int?,
    tell: @escaping (String) -> Void
  ) {
    self.output = output
    service = access.service
    base = access.base
    writesRecords = records
    self.limit = limit
    self.tell = tell
  }

  private static let badMessage = "bad-message"
  /// After so many bad messages a person has understood.
  package static let toldBadMessages = 5

  /// Posts that may still be written; `nil` when there is no limit.
  package var remaining: Int? { limit.map { max(0, $0 - posts) } }

  /// Says which feed the following lines are from, unless they are of the same as those before.
  package mutating func enter(_ feed: String) throws(ToolError) {
    guard feed != self.feed else { return }
    self.feed = feed
    output.buffer.append("{\"tw\":\"context\",\"feed\":")
    output.buffer.appendJSONString(feed)
    output.buffer.append(",\"service\":")
    output.buffer.appendJSONString(service)
    output.buffer.append(",\"base\":")
    output.buffer.appendJSONString(base)
    try endRecord()
  }

  /// Writes one raw message of a feed, a line without its end. Does nothing once the limit is reached.
  ///
  /// - Parameter posts: how many posts it holds.
  package mutating func write(
    _ message: UnsafeBufferPointer<UInt8>, of feed: String, posts: Int = 1
  ) throws(ToolError) {
    guard remaining != 0 else { return }
    try enter(feed)
    try output.write(line: message)
    self.posts += posts
  }

  /// Writes a notice; warnings and errors are also told on the spot, except bad messages beyond the first few.
  package mutating func write(_ notice: Notice) throws(ToolError) {
    if notice.level != .info, badMessages <= Self.toldBadMessages || notice.code != Self.badMessage {
      tell(notice.message)
    }
    guard writesRecords else { return }
    output.buffer.append("{\"tw\":\"notice\",\"level\":\"\(notice.level.rawValue)\",\"code\":")
    output.buffer.appendJSONString(notice.code)
    output.buffer.append(",\"message\":")
    output.buffer.appendJSONString(notice.message)
    for (name, value) in notice.members { output.buffer.append(",\"\(name)\":\(value)") }
    try endRecord()
  }

  /// Says that a message was left out because it could not be read.
  package mutating func writeBadMessage(of feed: String, _ reason: String) throws(ToolError) {
    badMessages += 1
    var notice = Notice(.warning, Self.badMessage, "a message of the service was left out: \(reason)")
    notice.add("feed", text: feed)
    try write(notice)
  }

  /// Says that a poll round ended.
  ///
  /// - Parameters:
  ///   - new: posts it brought.
  ///   - next: when the next begins.
  package mutating func writeRefresh(of feed: String, new: Int, next: Timestamp?) throws(ToolError) {
    guard writesRecords else { return }
    output.buffer.append("{\"tw\":\"refresh\",\"feed\":")
    output.buffer.appendJSONString(feed)
    output.buffer.append(",\"new\":")
    output.buffer.append(decimal: new)
    if let next { output.buffer.append(",\"next_at\":\"\(next.rfc3339)\"") }
    try endRecord()
  }

  /// Says that a feed took the place of another: screens clear, and its `context` comes anew.
  package mutating func writeQuery(_ feed: String) throws(ToolError) {
    self.feed = nil
    output.buffer.append("{\"tw\":\"query\",\"feed\":")
    output.buffer.appendJSONString(feed)
    output.buffer.append(",\"service\":")
    output.buffer.appendJSONString(service)
    try endRecord()
  }

  /// Writes out all that is held. To be called before waiting.
  package mutating func flush() throws(ToolError) { try output.flush() }

  private mutating func endRecord() throws(ToolError) {
    output.buffer.append(",\"at\":\"\(Timestamp.shown.rfc3339)\"}")
    try output.endLine()
  }
}
