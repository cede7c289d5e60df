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
    Diagnostics.warn("\(lateCount) post\(lateCount == 1 ? " was" : "s were") deleted after being written here")
  }
}
