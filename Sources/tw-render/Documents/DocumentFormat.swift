import TweetCore

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
