package import TweetCore

/// Writes a stream's raw messages, one a line, with the kit's own records between.
package struct FeedWriter: ~Copyable {
  private var output: OutputQueue
  private let access: ServiceAccess?
  private let writesRecords: Bool
  private let limit: Int?
  private let tellsAll: Bool
  private let tell: (String) -> Void
  /// The feed of the lines written last.
  private var feed: String?
  /// The services of feeds that are not of the one talked to.
  private var services: [String: String] = [:]
  /// What feeds said of themselves, in place of what we would.
  private var contexts: [String: [UInt8]] = [:]
  /// Posts written.
  package private(set) var posts = 0
  /// Messages left out because they could not be read.
  package private(set) var badMessages = 0
  /// Whether something else went wrong that does not end a feed.
  package private(set) var hasFaults = false

  /// - Parameters:
  ///   - output: where the lines go.
  ///   - access: the service that feeds are of, unless they are said to be of another.
  ///   - records: whether `notice` and `refresh` records are written; `context` always is.
  ///   - limit: posts to write at most.
  ///   - tellsAll: tell also what is no trouble, such as that a connection is there: for somebody who looks on.
  ///   - tell: shows a person what went wrong.
  package init(
    _ output: consuming OutputQueue, for access: ServiceAccess?, records: Bool, limit: Int?, tellsAll: Bool = false,
    tell: @escaping (String) -> Void
  ) {
    self.output = output
    self.access = access
    writesRecords = records
    self.limit = limit
    self.tellsAll = tellsAll
    self.tell = tell
  }

  private static let badMessage = "bad-message"
  /// After so many bad messages a person has understood.
  package static let toldBadMessages = 5

  /// Posts that may still be written; `nil` when there is no limit.
  package var remaining: Int? { limit.map { max(0, $0 - posts) } }

  /// Says that a feed is of another service than the one that is talked to.
  package mutating func note(service: String, of feed: String) { services[feed] = service }

  /// Says which feed the following lines are from, unless they are of the same as those before.
  package mutating func enter(_ feed: String) throws(ToolError) {
    guard feed != self.feed else { return }
    self.feed = feed
    if let context = contexts[feed] { return context.withUnsafeBufferPointer { output.write(line: $0) } }
    begin("context", feed)
    if services[feed] == nil, let access {
      output.buffer.append(",\"base\":")
      output.buffer.appendJSONString(access.base)
    }
    endRecord()
  }

  /// Says that a feed took the place of another: screens clear, and its `context` comes anew.
  package mutating func writeQuery(_ feed: String) throws(ToolError) {
    self.feed = nil
    contexts[feed] = nil
    begin("query", feed)
    endRecord()
  }

  private mutating func begin(_ record: StaticString, _ feed: String) {
    output.buffer.append("{\"tw\":\"")
    output.buffer.append(record)
    output.buffer.append("\",\"feed\":")
    output.buffer.appendJSONString(feed)
    guard let service = services[feed] ?? access?.service else { return }
    output.buffer.append(",\"service\":")
    output.buffer.appendJSONString(service)
  }

  /// Writes one raw message of a feed, a line without its end. Does nothing once the limit is reached.
  ///
  /// - Parameter posts: how many posts it holds.
  package mutating func write(
    _ message: UnsafeBufferPointer<UInt8>, of feed: String, posts: Int = 1
  ) throws(ToolError) {
    guard remaining != 0 else { return }
    try enter(feed)
    output.write(line: message)
    self.posts += posts
  }

  /// Passes a line on that a plugin or a capture brings, as it is.
  ///
  /// - Parameter feed: the plugin's; `nil` for a capture, whose own records say what its lines are of.
  package mutating func pass(
    _ line: UnsafeBufferPointer<UInt8>, _ contents: LineContents, of feed: String?
  ) throws(ToolError) {
    guard remaining != 0 else { return }
    switch contents.record {
    case "notice", "refresh":
      if writesRecords { output.write(line: line) }
      return
    case "context":
      if let feed { contexts[feed] = Array(line) }
      self.feed = feed
    default:
      if let feed { try enter(feed) }
    }
    output.write(line: line)
    posts += contents.posts
  }

  /// Writes a notice. Warnings and errors are also told on the spot, except bad messages beyond the first few.
  package mutating func write(_ notice: Notice) throws(ToolError) {
    if notice.level != .info || tellsAll, badMessages <= Self.toldBadMessages || notice.code != Self.badMessage {
      tell(notice.message)
    }
    guard writesRecords else { return }
    output.buffer.append("{\"tw\":\"notice\",\"level\":\"\(notice.level.rawValue)\",\"code\":")
    output.buffer.appendJSONString(notice.code)
    output.buffer.append(",\"message\":")
    output.buffer.appendJSONString(notice.message)
    for (name, value) in notice.members { output.buffer.append(",\"\(name)\":\(value)") }
    endRecord()
  }

  /// Says that a message was left out because it could not be read.
  package mutating func writeBadMessage(of feed: String?, _ reason: String) throws(ToolError) {
    badMessages += 1
    var notice = Notice(.warning, Self.badMessage, "a message of the service was left out: \(reason)")
    notice.add("feed", text: feed)
    try write(notice)
  }

  /// Says that something of our own input was left out.
  package mutating func writeBadInput(_ message: String, of feed: String) throws(ToolError) {
    badMessages += 1
    var notice = Notice(.warning, Self.badMessage, message)
    notice.add("feed", text: feed)
    try write(notice)
  }

  /// Says that a post is gone. Not left out with the other records: it is what was asked for.
  package mutating func writeDelete(of id: String, service: String, _ feed: String) throws(ToolError) {
    try enter(feed)
    output.buffer.append("{\"tw\":\"delete\",\"service\":")
    output.buffer.appendJSONString(service)
    output.buffer.append(",\"id\":")
    output.buffer.appendJSONString(id)
    output.buffer.append("}")
    output.endLine()
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
    endRecord()
  }

  /// Says that something of a feed went wrong which does not end it, but shows in the status.
  package mutating func writeFault(of feed: String?, _ reason: String) throws(ToolError) {
    hasFaults = true
    var notice = Notice(.warning, "fault", reason)
    notice.add("feed", text: feed)
    try write(notice)
  }

  private mutating func endRecord() {
    output.buffer.append(",\"at\":\"\(Timestamp.shown.rfc3339)\"}")
    output.endLine()
  }

  // MARK: The reader

  /// Where it all goes, and whether it waits there for a slow reader.
  package var destination: Int32 { output.descriptor }
  /// Bytes that the reader has not taken yet.
  package var held: Int { output.held }
  /// Whether nothing more should be taken in before the reader has taken some.
  package var isFull: Bool { output.isFull }

  /// Writes what the reader takes at once. To be called before waiting.
  package mutating func push() throws(ToolError) { try output.push() }

  /// Writes all that is held, waiting for the reader.
  ///
  /// - Returns: whether all went out; not so when a signal came and the reader was too slow.
  @discardableResult
  package mutating func flush() throws(ToolError) -> Bool {
    let left = try output.finish()
    if left > 0 { tell("\(left) bytes that the reader had not taken were left out") }
    return left == 0
  }
}
