import Services
import TweetCore
import TweetServices

/// When the lines of a capture are due: as far apart as they were recorded, or this many times closer.
struct ReplayClock {
  private let speed: Double
  /// The recorded time of the line before, and when that was due.
  private var last: (time: Int64, due: Double)?

  /// The longest pause, in milliseconds: one wrong time in a capture must not delay the rest for years.
  private static let longestPause = 3_600_000.0

  /// - Parameter speed: how many seconds of the capture pass in one; infinity for all at once.
  init(speed: Double) { self.speed = speed }

  /// When a line is due, in milliseconds of the monotonic clock. A line that is older than the one before it, or has no
  /// time, is due with that one.
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

  /// The time of a line: of the kit's own records when they were written, of a post when it was posted, since a post
  /// does not say when it was received.
  static func time(of line: JSONValue) -> Timestamp? {
    if let record = line["tw"]?.string, record != "tweet" { return parse(line["at"]) }
    if let sent = parse(line["timestamp_ms"] ?? line["delete"]?["timestamp_ms"] ?? line["limit"]?["timestamp_ms"]) {
      return sent
    }
    // The newest post of a page comes first.
    var post = LineContents.page(line) ?? line["data"] ?? line
    if post.isArray {
      var elements = post.elements
      guard let first = elements.next() else { return nil }
      post = first
    }
    return time(ofPost: post)
  }

  private static func time(ofPost post: JSONValue) -> Timestamp? {
    let created = parse(post["created_at"]) ?? parse(post["timestamp_ms"])
    let id = (post["id_str"] ?? post["id"])?.looseInteger
    // X's ids hold the millisecond; its times are cut to the second.
    if let id, let exact = exactTime(ofPost: id),
      created.map({ abs($0.milliseconds - exact.milliseconds) < 2_000 }) ?? true
    {
      return exact
    }
    return created ?? parse(post["retrieved_at"])
  }

  /// The time in an id of the usual service, whose lines name no service; older ids and ids of other services hold
  /// none.
  private static func exactTime(ofPost id: Int) -> Timestamp? {
    // X's ids up to 29 700 859 247 were counted. The bound is far above, so that no other service's number passes for a
    // time.
    id > 1 << 50 ? Services.usual.time(ofPost: id) : nil
  }

  /// A time as text, or milliseconds since 1970 as X's streams have them.
  private static func parse(_ value: JSONValue?) -> Timestamp? {
    guard let value else { return nil }
    if let milliseconds = value.looseInteger, milliseconds > 100_000_000_000 {
      return Timestamp(milliseconds: Int64(milliseconds))
    }
    return value.string.flatMap { Timestamp(parsing: $0) }
  }
}
