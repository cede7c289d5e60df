import TweetCore

/// The thread of the tweet under the cursor, beside the list.
extension Browser {
  /// Milliseconds for which the cursor rests on a tweet before its thread is read.
  private static let resting = 150

  /// Where the cursor is, since when, and whether that thread was asked for.
  struct Rest {
    var key: Int?
    var since = 0
    var isAsked = true
  }

  /// Notes where the cursor is, and asks for the thread when it has rested.
  func noteRest(_ now: Int) {
    let key = showsThread ? screen.list.selected : nil
    if key != rest.key { rest = Rest(key: key, since: now, isAsked: key == nil) }
    guard !rest.isAsked, now - rest.since >= Self.resting, let key, let name = threadName(of: key) else { return }
    rest.isAsked = true
    reader.ask(.beside(entry: key, name))
  }

  /// Milliseconds until the cursor has rested; `nil` if nothing waits for that.
  func untilRest(_ now: Int) -> Int? {
    let left = rest.since + Self.resting - now
    return rest.isAsked || left <= 0 ? nil : left
  }

  /// The thread may have changed.
  func outdateThread() { if rest.key != nil { (rest.since, rest.isAsked) = (MonotonicClock.milliseconds, false) } }

  /// Whether there is room for it. A list that is a thread shows it already.
  private var showsThread: Bool {
    if case .thread = screen.list.source { return false }
    return screen.place == .list && layout.hasPane
  }

  /// `service:id` of the tweet whose thread belongs to an entry: of a retweet it is that of what it repeats.
  func threadName(of key: Int) -> String? {
    guard let entry = records.entry(key), let document = entry.document else { return nil }
    guard let id = document.read({ $0.retweeted?["id"]?.string }), let service = entry.service else {
      return entry.name
    }
    return "\(service):\(id)"
  }
}
