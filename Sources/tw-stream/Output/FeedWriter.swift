import Services
import TweetCore
import TweetServices

/// Writes the raw messages of feeds, one a line, with the kit's own records between.
struct FeedWriter: ~Copyable {
  private var output: OutputQueue
  /// The service of what is written next, and that of the run.
  private var access: ServiceAccess?
  private let usualService: String?
  private let writesRecords: Bool
  private let limit: Int?
  private let reportsAll: Bool
  private let terminal: String?
  private let report: (String) -> Void
  /// The feed of the lines written last.
  private var feed: String?
  /// The service of those lines, if it is not that of the run.
  private var feedService: String?
  /// The services of feeds that are not of the service of `access`.
  private var services: [String: String] = [:]
  /// The `context` records that feeds bring themselves; they replace ours.
  private var contexts: [String: [UInt8]] = [:]
  /// Posts written.
  private(set) var posts = 0
  /// Messages left out because they could not be read.
  private(set) var badMessages = 0
  /// What was written of each feed; `nil` unless somebody watches.
  private(set) var counts: WriterCounts?
  /// Whether something else went wrong that does not end a feed.
  private(set) var hasFaults = false

  /// - Parameters:
  ///   - output: where the lines go.
  ///   - access: the service of all feeds for which ``setService(_:of:)`` names no other.
  ///   - records: whether `notice` and `refresh` records are written; `context` always is.
  ///   - limit: posts to write at most.
  ///   - reportsAll: also report what is not a problem, such as a new connection, for a person who watches.
  ///   - isCounted: whether ``counts`` are kept.
  ///   - terminal: the name of the terminal on which `report` shows it, for `notice` records.
  ///   - report: shows a person what happened.
  init(
    _ output: consuming OutputQueue, for access: ServiceAccess?, records: Bool, limit: Int?, reportsAll: Bool = false,
    isCounted: Bool = false, terminal: String? = nil, report: @escaping (String) -> Void
  ) {
    self.output = output
    self.access = access
    usualService = access?.service
    writesRecords = records
    self.limit = limit
    self.reportsAll = reportsAll
    self.terminal = terminal
    self.report = report
    counts = isCounted ? WriterCounts() : nil
  }

  private static let badMessage = "bad-message"
  /// Bad messages that are reported; those after them are only counted.
  static let reportedBadMessages = 5

  /// Posts that may still be written; `nil` when there is no limit.
  var remaining: Int? { limit.map { max(0, $0 - posts) } }

  /// Sets the service of a feed that is not of the service of `access`.
  mutating func setService(_ service: String, of feed: String) { services[feed] = service }

  /// The service of what is written next, if it is not that of the run.
  private var otherService: String? { access?.service == usualService ? nil : access?.service }

  /// Writes the `context` of a feed, unless the lines before are of the same feed.
  mutating func writeContext(of feed: String) throws(ToolError) {
    guard feed != self.feed || feedService != otherService else { return }
    (self.feed, feedService) = (feed, otherService)
    if let context = contexts[feed] { return context.withBytes { output.append(line: $0) } }
    let access = services[feed] == nil || otherService != nil ? access : nil
    writeRecord("context", of: feed, service: otherService ?? services[feed] ?? access?.service) {
      $0.member("account", access?.account)
      $0.member("base", access?.base)
    }
  }

  /// Writes that a feed replaced another: screens clear, and its `context` is written again.
  mutating func writeQuery(_ feed: String) throws(ToolError) {
    self.feed = nil
    contexts[feed] = nil
    writeRecord("query", of: feed, service: services[feed] ?? access?.service)
  }

  /// Writes a record of the kit, with the time.
  private mutating func writeRecord(
    _ type: StaticString, of feed: String? = nil, service: String? = nil, _ more: (inout ByteBuffer) -> Void = { _ in }
  ) {
    output.buffer.object {
      $0.member("tw", type)
      $0.member("feed", feed)
      $0.member("service", service)
      more(&$0)
      $0.member("at", Timestamp.shown)
    }
    output.endLine()
  }

  /// Writes one raw message of a feed on a line. Does nothing once the limit is reached.
  ///
  /// All that services send comes by here, whatever brings it. One that would be a record of the kit is left out, and
  /// no part of one comes onto a line of its own.
  ///
  /// - Parameter posts: how many posts it holds.
  mutating func write(
    _ message: ByteView, of feed: String, posts: Int = 1
  ) throws(ToolError) {
    guard remaining != 0 else { return }
    if RecordMark.isMarked(message) {
      return try writeBadMessage(of: feed, "it has a member 'tw', which only records of the kit have")
    }
    try writeContext(of: feed)
    MessageSplitter.emitOnOneLine(message) { if case .message(let line) = $0 { output.append(line: line) } }
    self.posts += posts
    counts?.add(message, of: feed, posts: posts)
  }

  /// Copies a line that a plugin or a capture brings, as it is, once ``RecordAuthority`` has judged it.
  ///
  /// - Parameter feed: the plugin's; `nil` for a capture, whose own records say which feed its lines belong to.
  mutating func copy(
    _ line: ByteView, _ contents: LineContents, of feed: String?
  ) throws(ToolError) {
    guard remaining != 0 else { return }
    switch contents.record {
    case "notice", "refresh":
      if let code = contents.code { counts?.add(noticeOf: code) }
      if writesRecords { output.append(line: line) }
      return
    case "context":
      if let feed { contexts[feed] = Array(line) }
      self.feed = feed
    default:
      if let feed { try writeContext(of: feed) }
    }
    output.append(line: line)
    posts += contents.posts
    counts?.add(line, of: feed ?? self.feed ?? "-", posts: contents.posts)
  }

  /// Writes a notice. Warnings and errors are also reported at once, except bad messages beyond the first few.
  ///
  /// - Parameter isReported: `false` if the caller reports it.
  mutating func write(_ notice: Notice, isReported: Bool = true) throws(ToolError) {
    let isRepeated = notice.code == Self.badMessage && badMessages > Self.reportedBadMessages
    let isSaid = isReported && (notice.level != .info || reportsAll) && !isRepeated
    if isSaid { report(notice.message) }
    counts?.add(noticeOf: notice.code)
    guard writesRecords else { return }
    let (terminal, service) = (isSaid ? terminal : nil, otherService)
    writeRecord("notice") {
      $0.member("level", notice.level.rawValue)
      $0.member("code", notice.code)
      $0.member("message", notice.message)
      for (name, value) in notice.members { $0.append(",\"\(name)\":\(value)") }
      $0.member("service", service)
      $0.member("terminal", terminal)
    }
  }

  /// Writes that a message was left out because it could not be read.
  mutating func writeBadMessage(of feed: String?, _ reason: String) throws(ToolError) {
    try writeBadInput("a message of the service was left out: \(reason)", of: feed)
  }

  /// Writes that something of our own input was left out.
  mutating func writeBadInput(_ message: String, of feed: String?) throws(ToolError) {
    badMessages += 1
    try write(Notice(.warning, Self.badMessage, message).with("feed", feed))
  }

  /// Writes that a post is gone. It is not left out with the other records, because it is what was asked for.
  mutating func writeDelete(of id: String, service: String, _ feed: String) throws(ToolError) {
    try writeContext(of: feed)
    output.buffer.deletion(of: id, service: service)
  }

  /// Writes that a poll round ended.
  ///
  /// - Parameters:
  ///   - new: posts it brought.
  ///   - next: when the next begins.
  mutating func writeRefresh(of feed: String, new: Int, next: Timestamp?) throws(ToolError) {
    guard writesRecords else { return }
    writeRecord("refresh", of: feed, service: otherService) {
      $0.member("new", new)
      $0.member("next_at", next)
    }
  }

  /// Writes how far a feed is delivered: all its messages before this line. It is not left out with the other records,
  /// because it is what was asked for.
  mutating func write(_ checkpoint: Checkpoint, of key: Checkpoint.Key) throws(ToolError) {
    writeRecord("checkpoint", of: key.feed) {
      key.appendOwner(to: &$0)
      checkpoint.appendMembers(to: &$0)
    }
  }

  /// Writes that something of a feed went wrong which does not end it, but shows in the exit status.
  mutating func writeFault(of feed: String?, _ reason: String) throws(ToolError) {
    hasFaults = true
    try write(Notice(.warning, "fault", reason).with("feed", feed))
  }

  // MARK: The reader

  /// Where the lines go.
  var descriptor: Int32 { output.descriptor }
  /// Bytes that the reader has not taken yet.
  var bufferedBytes: Int { output.bufferedBytes }
  /// Whether no more should be received until the reader has taken some.
  var isFull: Bool { output.isFull }

  /// Writes what the reader takes at once. Call it before waiting.
  mutating func writeAvailable() throws(ToolError) { try output.writeAvailable() }

  /// Writes all that is buffered, waiting for the reader.
  ///
  /// - Returns: whether all was written; not so if a signal came and the reader was too slow.
  @discardableResult
  mutating func flush() throws(ToolError) -> Bool {
    let discarded = try output.flush()
    if discarded > 0 { report("\(discarded) bytes were discarded, because the reader did not take them") }
    return discarded == 0
  }
}

extension FeedWriter {
  /// Sets the service of a plugin's source to the plugin's name; the plugin's own `context` may say more.
  mutating func setService(of source: Source) {
    if case .plugin(let name, _) = source { setService(name, of: source.feed) }
  }

  /// Writes the `context` of a source.
  ///
  /// - Parameter access: of its service, if that is not the run's own.
  mutating func writeContext(of source: Source, _ access: ServiceAccess?) throws(ToolError) {
    try with(access) { (writer) throws(ToolError) in try writer.writeContext(of: source.own.feed) }
  }

  mutating func writeQuery(_ feed: String, _ access: ServiceAccess?) throws(ToolError) {
    try with(access) { (writer) throws(ToolError) in try writer.writeQuery(feed) }
  }

  /// Writes as of another service.
  ///
  /// - Parameter access: of that service; `nil` for the run's own.
  mutating func with(
    _ access: ServiceAccess?, _ body: (inout FeedWriter) throws(ToolError) -> Void
  ) throws(ToolError) {
    guard let access else { return try body(&self) }
    let usual = self.access
    self.access = access
    defer { self.access = usual }
    try body(&self)
  }

  /// Writes a page's lines.
  mutating func write(_ lines: [FeedPage.Line], of feed: String) throws(ToolError) {
    for line in lines {
      try line.bytes.withBytes { (bytes) throws(ToolError) in
        try write(bytes, of: feed, posts: line.posts)
      }
    }
  }
}

/// What a ``FeedWriter`` has written, for those who watch a run.
struct WriterCounts: Sendable {
  struct Feed: Sendable {
    fileprivate(set) var posts = 0
    /// The last line with posts, and when it came.
    fileprivate(set) var lastMessage: [UInt8] = []
    fileprivate(set) var lastAt = Timestamp(milliseconds: 0)
  }

  /// By the SOURCE.
  private(set) var feeds: [String: Feed] = [:]
  /// Notices by their codes.
  private(set) var notices: [String: Int] = [:]

  init() {}

  mutating func add(_ message: ByteView, of feed: String, posts: Int) {
    guard posts > 0 else { return }
    feeds[feed, default: Feed()].posts += posts
    // Its memory is used again.
    feeds[feed]?.lastMessage.removeAll(keepingCapacity: true)
    feeds[feed]?.lastMessage.append(contentsOf: message)
    feeds[feed]?.lastAt = .shown
  }

  mutating func add(noticeOf code: String) { notices[code, default: 0] += 1 }
}
