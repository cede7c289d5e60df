import Services
import TweetCore
import TweetServices

/// The posts of a replayed stream in its order, while their authors are looked up: a post waits a moment for that, and
/// those after it wait for it. One whose author is found later is written once more, as an update; or, if it should not
/// have been shown, as a deletion.
struct ReplayedOrder {
  private struct Entry {
    let line: [UInt8]
    let feed: String
    let isPost: Bool
    /// `nil` for what waits for nobody.
    let author: String?
    let dueAt: Int
    /// The place before it.
    let before: StreamPlace?
  }

  /// Milliseconds that a post waits for its author.
  private static let patience = 500
  /// Bytes that wait at most, and bytes kept for updates.
  private static let mostHeld = 8 << 20
  private static let mostLate = 4 << 20

  private var held: [Entry] = []
  private var first = 0
  private var heldBytes = 0
  private var late: [String: [Entry]] = [:]
  private var lateBytes = 0
  /// The place that was reached, events that nobody wants included.
  private var place: StreamPlace?
  /// That of the last checkpoint.
  private var saved: StreamPlace?
  /// Whether posts were written since the last checkpoint.
  private(set) var hasNewPosts = false

  mutating func reach(_ place: StreamPlace) { self.place = place }

  /// All up to this place is written.
  var delivered: StreamPlace? { first < held.count ? held[first].before : place }

  /// Whether more is written than the last checkpoint says.
  var hasMoved: Bool { delivered != saved }

  var wakesAt: Int? { first < held.count ? held[first].dueAt : nil }
  var isFull: Bool { heldBytes >= Self.mostHeld }

  mutating func markSaved() { (saved, hasNewPosts) = (delivered, false) }

  /// Adds a line. ``reach(_:)`` is to be called after it.
  mutating func append(_ line: ByteView, of feed: String, isPost: Bool, by author: String?) {
    let dueAt = author == nil ? 0 : MonotonicClock.milliseconds + Self.patience
    held.append(
      Entry(line: Array(line), feed: feed, isPost: isPost, author: author, dueAt: dueAt, before: place))
    heldBytes += line.count
  }

  /// Writes what need not wait any longer. What waits at the end of a run is left: its author may be one who is not to
  /// be shown, and the checkpoint is before it.
  mutating func write(
    _ api: any ReplayedStream, _ authors: inout AuthorLookups, to writer: inout FeedWriter
  ) throws(ToolError) {
    let now = MonotonicClock.milliseconds
    while first < held.count, writer.remaining != 0 {
      let entry = held[first]
      var profile = AuthorLookups.Profile.none
      if let author = entry.author { profile = authors.profile(of: author) }
      if profile.isUnknown, entry.dueAt > now, !isFull { break }
      if profile.isUnknown, let author = entry.author { keep(entry, of: author, authors) }
      try write(entry, profile.json, posts: entry.isPost ? 1 : 0, api, to: &writer)
      heldBytes -= entry.line.count
      first += 1
    }
    guard first == held.count || first > 1024 else { return }
    held.removeFirst(first)
    first = 0
  }

  private mutating func keep(_ entry: Entry, of author: String, _ authors: AuthorLookups) {
    guard authors.awaits(author), lateBytes < Self.mostLate else { return }
    late[author, default: []].append(entry)
    lateBytes += entry.line.count
  }

  /// Writes the posts once more whose authors were found late, or that they are taken back.
  mutating func writeLate(
    of ids: [String], _ api: any ReplayedStream, _ authors: inout AuthorLookups, to writer: inout FeedWriter
  ) throws(ToolError) {
    for id in ids {
      guard let entries = late.removeValue(forKey: id) else { continue }
      lateBytes -= entries.reduce(0) { $0 + $1.line.count }
      guard let profile = authors.profile(of: id).json else { continue }
      for entry in entries {
        if try write(entry, profile, posts: 0, api, to: &writer) { continue }
        guard let deletion = entry.line.withBytes({ api.deletion(of: $0) }) else { continue }
        hasNewPosts = true
        try deletion.withBytes { (line) throws(ToolError) in try writer.write(line, of: entry.feed, posts: 0) }
      }
    }
  }

  /// - Returns: whether it may be shown.
  @discardableResult
  private mutating func write(
    _ entry: Entry, _ profile: [UInt8]?, posts: Int, _ api: any ReplayedStream, to writer: inout FeedWriter
  ) throws(ToolError) -> Bool {
    let line: [UInt8]? =
      entry.author == nil ? entry.line : entry.line.withBytes { api.line($0, by: profile) }
    guard let line else { return false }
    hasNewPosts = true
    try line.withBytes { (line) throws(ToolError) in
      try writer.write(line, of: entry.feed, posts: posts)
    }
    return true
  }
}
