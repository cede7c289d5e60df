import TweetCore
import TweetServices

/// When the lines of a capture are due: as far apart as they were, or so many times closer.
struct ReplayClock {
  private let speed: Double
  /// The capture's time of the line before, and when that was due.
  private var last: (time: Int64, due: Double)?

  /// A pause is never longer, in milliseconds: one wrong time in a capture shall not hold up the rest for years.
  private static let longestPause = 3_600_000.0

  /// - Parameter speed: how many seconds of the capture pass in one; infinity for all at once.
  init(speed: Double) { self.speed = speed }

  /// When a line is due, in milliseconds of the monotonic clock. Times never go backwards: a line that is older than the
  /// one before it, or has no time, comes with it.
  ///
  /// - Parameter now: when the first line is due.
  mutating func due(_ line: JSONValue, now: Int) -> Int {
    if speed.isInfinite { return now }
    guard let time = Self.time(of: line)?.milliseconds else { return last.map { Int($0.due.rounded()) } ?? now }
    guard let before = last else {
      last = (time, Double(now))
      return now
    }
    if time > before.time {
      last = (time, before.due + min(Self.longestPause, Double(time - before.time) / speed))
    }
    return last.map { Int($0.due.rounded()) } ?? now
  }

  /// The kit's own records say when they were written; a post was written when it was posted, since the time it came in
  /// is not in it.
  static func time(of line: JSONValue) -> Timestamp? {
    if let record = line["tw"]?.string, record != "tweet" { return moment(line["at"]) }
    if let sent = moment(line["timestamp_ms"] ?? line["delete"]?["timestamp_ms"] ?? line["limit"]?["timestamp_ms"]) {
      return sent
    }
    // The newest of a page stands first.
    var post = LineContents.page(line) ?? line["data"] ?? line
    if post.isArray {
      var elements = post.elements
      guard let first = elements.next() else { return nil }
      post = first
    }
    return time(ofPost: post)
  }

  private static func time(ofPost post: JSONValue) -> Timestamp? {
    let created = moment(post["created_at"]) ?? moment(post["timestamp_ms"])
    let id = (post["id_str"] ?? post["id"])?.looseInteger
    // X's ids hold the millisecond, where its times are cut to the second.
    if let id, let exact = exactTime(ofPost: id),
      created.map({ abs($0.milliseconds - exact.milliseconds) < 2_000 }) ?? true
    {
      return exact
    }
    return created ?? moment(post["retrieved_at"])
  }

  /// The time in an id of X; older ids, and other services', hold none.
  private static func exactTime(ofPost id: Int) -> Timestamp? {
    // Ids were counted up to 29 700 859 247; with some days' worth of bits no other service's number is taken for a time.
    id > 1 << 50 ? Snowflake.time(of: id) : nil
  }

  /// A time as text, or milliseconds since 1970 as X's streams have them.
  private static func moment(_ value: JSONValue?) -> Timestamp? {
    guard let value else { return nil }
    if let milliseconds = value.looseInteger, milliseconds > 100_000_000_000 {
      return Timestamp(milliseconds: Int64(milliseconds))
    }
    return value.string.flatMap { Timestamp(parsing: $0) }
  }
}
