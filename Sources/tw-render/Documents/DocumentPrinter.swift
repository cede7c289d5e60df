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

  init(_ format: consuming Format, _ filter: PostFilter) {
    self.format = format
    self.filter = filter
  }

  /// Writes what stands before the records, so that a reader of a pipe sees the document begin.
  mutating func begin(_ writer: inout RecordWriter) throws(ToolError) {
    format.begin(&writer.buffer)
    try writer.flushIfLarge()
  }

  /// Writes one record, or leaves it out.
  /// - Returns: what is wrong with it; `nil` for nothing.
  mutating func print(_ record: Record, to writer: inout RecordWriter) throws(ToolError) -> String? {
    guard record.fault == nil, let type = record.type else { return record.fault }
    let root = record.root
    if type.equals("tweet") {
      guard let id = root["id"], id.isString else { return "a tweet without an id" }
      if filter.leavesOut(root) || filter.isMarked(root) || filter.isCopy(root) { return nil }
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
    }
    try writer.flushIfLarge()
    return nil
  }

  mutating func finish(_ writer: inout RecordWriter) { format.finish(&writer.buffer) }
}
