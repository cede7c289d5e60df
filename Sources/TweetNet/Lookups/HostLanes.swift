import TweetCore

/// Whose request starts next: a queue for each host, the hosts in turn, with at most this many requests at once in all
/// and to one host, some time between two requests to one host, and as each host takes them (``HostPace``). Times are
/// milliseconds of the caller's monotonic clock.
package struct HostLanes {
  private struct Lane {
    var running = 0
    var queue = Queue<String>()
    /// Whether the host is in `turns`: a key waits in its queue, and it may have another request.
    var isInTurn = false
    /// Whether the host is in `resting`: its last request started a short time ago, or it refused one.
    var isResting = false
    var pace = HostPace()
    /// When the request started that goes first after a rest; `nil` if none is under way.
    var probeStart: Int?

    /// Whether another request may start, of this many at once.
    func hasRoom(_ perHost: Int) -> Bool { running < perHost && !(pace.isProbing && probeStart != nil) }
  }

  private let total: Int
  private let perHost: Int
  private let interval: Int
  private var lanes: [String: Lane] = [:]
  private var turns = Queue<String>()
  /// The hosts that get no request for a while, the first to be ready at the end.
  private var resting: [(until: Int, host: String)] = []
  private var running = 0
  private var refused: [String] = []

  /// - Parameters:
  ///   - total: how many requests may run at once.
  ///   - perHost: how many of them may go to one host.
  ///   - interval: how much time lies between the starts of two requests to one host, at least.
  package init(total: Int, perHost: Int, interval: Int = 0) {
    self.total = max(1, total)
    self.perHost = max(1, perHost)
    self.interval = max(0, interval)
  }

  /// Whether no request runs and no key waits.
  package var isEmpty: Bool { running == 0 && lanes.values.allSatisfy(\.queue.isEmpty) }

  /// Puts `key` into the queue of `host`.
  package mutating func enqueue(_ key: String, host: String, atFront: Bool = false) {
    var lane = lanes.removeValue(forKey: host) ?? Lane()
    if atFront { lane.queue.prepend(key) } else { lane.queue.append(key) }
    enqueueTurn(&lane, of: host)
    lanes[host] = lane
  }

  /// Removes the key whose request starts now from its queue. It counts as running until ``finish(host:_:began:at:)``.
  /// - Returns: `nil` when no more requests may run now, or no key waits.
  package mutating func startNext(at now: Int = 0) -> String? {
    endRests(at: now)
    while running < total, let host = turns.popFirst(), var lane = lanes.removeValue(forKey: host) {
      lane.isInTurn = false
      guard !lane.isResting, lane.hasRoom(perHost), let key = lane.queue.popFirst() else {
        store(lane, of: host)
        continue
      }
      lane.running += 1
      running += 1
      lane.pace.begin(at: now)
      if lane.pace.isProbing { lane.probeStart = now }
      let gap = max(interval, Int(lane.pace.interval.rounded(.up)))
      if gap > 0 { rest(&lane, host, until: now + gap) }
      enqueueTurn(&lane, of: host)
      lanes[host] = lane
      return key
    }
    return nil
  }

  /// When the next of the hosts that get no request for a while may have one; `nil` if there are none.
  package var nextReady: Int? { resting.last?.until }

  /// A request to `host` that started at the time `began` has ended.
  package mutating func finish(host: String, _ end: HostPace.End = .failed, began: Int = 0, at now: Int = 0) {
    guard var lane = lanes.removeValue(forKey: host) else { return }
    lane.running -= 1
    running -= 1
    lane.pace.finish(end, began: began, at: now)
    if let start = lane.probeStart, began >= start { lane.probeStart = nil }
    if let end = lane.pace.restEnd {
      if !lane.isResting { rest(&lane, host, until: end) }
      if lane.pace.isClosed { refused += lane.queue.extract { _ in true } }
    }
    enqueueTurn(&lane, of: host)
    store(lane, of: host)
  }

  /// When a host may be asked again that wants a longer rest than look-ups wait for; `nil` for others.
  package func closedUntil(_ host: String) -> Int? { lanes[host].flatMap { $0.pace.isClosed ? $0.pace.restEnd : nil } }

  /// Removes the keys that waited for hosts which were closed, and returns them.
  package mutating func drainRefused() -> [String] {
    defer { refused.removeAll() }
    return refused
  }

  /// Removes the waiting keys that meet `condition`, and returns them.
  package mutating func withdraw(where condition: (String) -> Bool) -> [String] {
    var withdrawn: [String] = []
    for host in Array(lanes.keys) {
      guard var lane = lanes.removeValue(forKey: host) else { continue }
      withdrawn += lane.queue.extract(where: condition)
      // An empty lane that is in `turns` stays until its turn comes: a second lane of the host would get two turns.
      lanes[host] = lane
    }
    return withdrawn
  }

  private mutating func enqueueTurn(_ lane: inout Lane, of host: String) {
    guard !lane.isInTurn, !lane.isResting, !lane.queue.isEmpty, lane.hasRoom(perHost) else { return }
    lane.isInTurn = true
    turns.append(host)
  }

  private mutating func rest(_ lane: inout Lane, _ host: String, until end: Int) {
    lane.isResting = true
    var (low, high) = (0, resting.count)
    while low < high {
      let middle = (low + high) / 2
      if resting[middle].until > end { low = middle + 1 } else { high = middle }
    }
    resting.insert((end, host), at: low)
  }

  private mutating func endRests(at now: Int) {
    while let last = resting.last, last.until <= now {
      resting.removeLast()
      guard var lane = lanes.removeValue(forKey: last.host) else { continue }
      lane.isResting = false
      if lane.pace.isResting(at: now, perHost: perHost), let end = lane.pace.restEnd {
        rest(&lane, last.host, until: end)
      }
      enqueueTurn(&lane, of: last.host)
      store(lane, of: last.host)
    }
  }

  /// Keeps a lane that is still in use, or whose host has asked for fewer requests.
  private mutating func store(_ lane: Lane, of host: String) {
    let isUsed = lane.running > 0 || lane.isInTurn || lane.isResting || !lane.queue.isEmpty
    if isUsed || !lane.pace.isUsual { lanes[host] = lane }
  }
}
