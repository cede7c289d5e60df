import TweetCLI
import TweetCore
import TweetDisplay

/// Decides which records become part of a document, and has a format write them.
struct DocumentPrinter<Format: DocumentFormat & ~Copyable>: ~Copyable {
  /// This many tweets are remembered for certain. One that comes again after more others than that is written again.
  private static var remembered: Int { 50_000 }

  private let filter: PostFilter
  private var format: Format
  private var tweets = RecentKeys(capacity: remembered)
  private var notifications = ShownNotifications()
  /// What waits for deletions; `nil` once records are written as they come.
  private var held: HeldRecords?
  private var failure: ToolError?
  /// The posts that were written before it was said that they were deleted.
  private var lateCount = 0

  init(_ format: consuming Format, _ filter: PostFilter) throws(ToolError) {
    self.format = format
    self.filter = filter
    held = Format.marksDeletions ? nil : try HeldRecords()
  }

  /// Writes what stands before the records, so that a reader of a pipe sees the document begin.
  mutating func begin(_ writer: inout RecordWriter) throws(ToolError) {
    format.begin(&writer.buffer)
    try writer.flushIfLarge()
  }

  /// Takes one record.
  /// - Returns: what is wrong with it; `nil` for nothing.
  mutating func print(_ record: Record, to writer: inout RecordWriter) throws(ToolError) -> String? {
    if let failure { throw failure }
    guard let held, record.fault == nil, let type = record.type else { return try write(record, to: &writer) }
    let root = record.root
    if type.equals("tweet") {
      guard root["id"]?.isString == true else { return "a tweet without an id" }
      // Nor is an older version shown, of a time when everybody could see it.
      if filter.leavesOut(root) {
        filter.delete(root)
        return nil
      }
    } else if type.equals("delete") {
      filter.delete(root)
      return nil
    } else if type.equals("notification"), let fault = notifications.fault(in: root) {
      return fault
    }
    try held.append(root)
    return nil
  }

  /// Writes what waits, if no record came for a while.
  /// - Returns: the milliseconds until it is to be asked again; `nil` if that is not needed.
  mutating func tick(_ writer: inout RecordWriter) -> Int32? {
    guard let held else { return nil }
    if let wait = held.wait() { return wait }
    do throws(ToolError) { try release(to: &writer) } catch { failure = error }
    return nil
  }

  private mutating func release(to writer: inout RecordWriter) throws(ToolError) {
    guard let held else { return }
    self.held = nil
    try held.handOut { (root) throws(ToolError) in _ = try write(Record(root: root), to: &writer) }
  }

  /// Writes one record, or leaves it out.
  private mutating func write(_ record: Record, to writer: inout RecordWriter) throws(ToolError) -> String? {
    guard record.fault == nil, let type = record.type else { return record.fault }
    let root = record.root
    if type.equals("tweet") {
      guard let id = root["id"], id.isString else { return "a tweet without an id" }
      if filter.leavesOut(root) || filter.isMarked(root) || filter.isCopy(root) { return nil }
      if filter.isDeleted(root) { return nil }
      // What is written stays: a later version of a tweet is left out.
      guard tweets.insert(tweetKey(root["service"], id)) else { return nil }
      if let copy = try filter.withoutPrivate(root) {
        copy.read { format.append($0, to: &writer.buffer) }
      } else {
        format.append(root, to: &writer.buffer)
      }
    } else if type.equals("user") {
      format.append(root, .user, to: &writer.buffer)
    } else if type.equals("link") {
      format.append(root, .link, to: &writer.buffer)
    } else if type.equals("notification") {
      if let fault = notifications.fault(in: root) { return fault }
      if filter.leavesOut(notification: root, isShown: Format.showsNotifications) { return nil }
      if notifications.insert(root) { format.append(root, .notification, to: &writer.buffer) }
    } else if type.equals("notice") {
      if filter.isMarked(notice: root) { return nil }
      format.append(root, .notice, to: &writer.buffer)
    } else if type.equals("delete"), let id = root["id"], tweets.contains(tweetKey(root["service"], id)) {
      format.append(root, .deletion, to: &writer.buffer)
      if !Format.marksDeletions { lateCount += 1 }
    }
    try writer.flushIfLarge()
    return nil
  }

  mutating func finish(_ writer: inout RecordWriter) throws(ToolError) {
    if let failure { throw failure }
    try release(to: &writer)
    format.finish(&writer.buffer)
    guard lateCount > 0 else { return }
    Diagnostics.warn("\(counted(lateCount, "post was", "posts were")) deleted after being written here")
  }
}

/// A format that makes a document: a file that other programs read, from its first byte to its last. One type for each
/// such value of `--format`.
///
/// Nothing that is written is taken back, so a document of any length needs the same memory. ``DocumentPrinter`` calls
/// ``begin(_:)`` once and first, and ``finish(_:)`` last, also after a signal: what was written is then a whole
/// document.
protocol DocumentFormat: ~Copyable {
  /// Whether it has a form for `notification` records.
  static var showsNotifications: Bool { get }
  /// Whether it says of a post that it was deleted since. Others wait for what the input deletes.
  static var marksDeletions: Bool { get }
  /// Writes what stands before the first record.
  mutating func begin(_ output: inout ByteBuffer)
  /// Writes a tweet that was not written before.
  mutating func append(_ tweet: JSONValue, to output: inout ByteBuffer)
  /// Writes a record that is not a tweet, if the format has a form for it.
  mutating func append(_ record: JSONValue, _ kind: OtherRecord, to output: inout ByteBuffer)
  /// Writes what stands after the last record.
  mutating func finish(_ output: inout ByteBuffer)
}

/// The records besides tweets that documents may show.
enum OtherRecord {
  case user, link, notice, notification
  /// Of a tweet that is in the document.
  case deletion
}

extension DocumentFormat where Self: ~Copyable {
  static var showsNotifications: Bool { false }
  static var marksDeletions: Bool { false }
  mutating func begin(_ output: inout ByteBuffer) {}
  mutating func append(_ record: JSONValue, _ kind: OtherRecord, to output: inout ByteBuffer) {}
  mutating func finish(_ output: inout ByteBuffer) {}
}

/// A notification as a post, for formats in which all is a post: its author is who did something, and its text says
/// what.
enum NotificationPost {
  /// Columns of the text.
  private static let widest = 300

  /// A `tweet` record of that post.
  static func document(_ notification: JSONValue, _ locale: ReaderLocale) -> JSONDocument? {
    var text = ByteBuffer(capacity: 256)
    NotificationFields(notification).append(locale, most: widest, to: &text)
    var post = ByteBuffer(capacity: 1024)
    let tweet = notification["tweet"]
    let service = notification["service"].flatMap { $0.isString ? $0 : nil }
    post.record("tweet") { post in
      post.string("id") { post in
        post.append("notification/")
        if let account = notification["account"], account.isString { post.append(account.rawString) }
        post.append("/")
        if let id = notification["id"], id.isString { post.append(id.rawString) }
      }
      // A notification has no page of its own, so no address may be made of its id.
      let url = tweet?["url"]
      post.string("service") { post in
        if url == nil { post.append("notification:") }
        if let service { post.append(service.rawString) }
      }
      post.copy("url", url)
      post.copy("created_at", notification["at"])
      post.string("text") { post in text.withBytes { post.appendJSONEscaped($0) } }
      post.copy("author_id", notification["user"]?["id"])
      post.copy("author", notification["user"])
    }
    // A record that was read is JSON, and so is what is made of it.
    return try? JSONDocument(post.array)
  }
}

/// A format in which all is a post.
protocol PostFormat: DocumentFormat, ~Copyable {}

extension PostFormat where Self: ~Copyable {
  static var showsNotifications: Bool { true }

  mutating func append(_ record: JSONValue, _ kind: OtherRecord, to output: inout ByteBuffer) {
    guard kind == .notification, let post = NotificationPost.document(record, ReaderLocale(nil)) else { return }
    post.read { append($0, to: &output) }
  }
}

extension ByteBuffer {
  fileprivate mutating func copy(_ name: StaticString, _ value: JSONValue?) {
    guard let value else { return }
    key(name)
    append(value)
  }
}

/// The records of a document that wait on disk until the input ends, or pauses: what comes there may say that one was
/// deleted, and what a document has cannot be taken back.
final class HeldRecords {
  /// Milliseconds without a record after which a live pipe is not held back longer, and those after which it never is.
  private static let (pause, patience) = (500, 60_000)
  private static let block = 1 << 20

  private let spool: RecordSpool
  /// Bytes of each.
  private var lengths: [Int32] = []
  private let begin = MonotonicClock.milliseconds
  /// Since when no record comes; `nil` while one does.
  private var idleSince: Int?

  init() throws(ToolError) { spool = try RecordSpool(in: Paths.temporary) }

  func append(_ record: JSONValue) throws(ToolError) {
    idleSince = nil
    _ = try spool.append(record.raw)
    lengths.append(Int32(clamping: record.raw.count))
  }

  /// Milliseconds to wait for more; `nil` when they have waited long enough. It is asked while no record comes.
  func wait() -> Int32? {
    let now = MonotonicClock.milliseconds
    let since = idleSince ?? now
    idleSince = since
    let left = min(since + Self.pause, begin + Self.patience) - now
    return left > 0 ? Int32(clamping: left) : nil
  }

  /// Hands out all records, in their order.
  func handOut(_ body: (JSONValue) throws(ToolError) -> Void) throws(ToolError) {
    try spool.finish()
    var (offset, first) = (0, 0)
    while first < lengths.count {
      var (end, size) = (first, 0)
      repeat {
        size += Int(lengths[end])
        end += 1
      } while end < lengths.count && size + Int(lengths[end]) <= Self.block
      let block = try spool.read(at: offset, count: size)
      var start = 0
      for length in lengths[first..<end] {
        let record: JSONDocument
        do { record = try JSONDocument(Array(block[start..<(start + Int(length))])) } catch {
          throw .bug("a record that was read before cannot be read again")
        }
        try record.read { (record) throws(ToolError) in try body(record) }
        start += Int(length)
      }
      (offset, first) = (offset + size, end)
    }
  }
}
