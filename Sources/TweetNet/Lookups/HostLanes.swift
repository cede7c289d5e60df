import TweetCore

/// Whose request starts next: a queue for each host, the hosts in turn, with at most so many requests at once in all
/// and to one host, and some time between two requests to one host. Times are milliseconds of the caller's monotonic
/// clock.
package struct HostLanes {
  private struct Lane {
    var running = 0
    var queue = Queue<String>()
    /// Whether the host is in `turns`: a key waits in its queue, and it may have another request.
    var isInTurn = false
    /// Whether the host is in `resting`: its last request started a short time ago.
    var isResting = false
  }

  private let total: Int
  private let perHost: Int
  private let interval: Int
  private var lanes: [String: Lane] = [:]
  private var turns = Queue<String>()
  /// The hosts that get no request for a while, the first to be ready at the front.
  private var resting = Queue<(until: Int, host: String)>()
  private var running = 0

  /// - Parameters:
  ///   - total: how many requests may run at once.
  ///   - perHost: how many of them may go to one host.
  ///   - interval: how much time lies between the starts of two requests to one host.
  package init(total: Int, perHost: Int, interval: Int = 0) {
    self.total = max(1, total)
    self.perHost = max(1, perHost)
    self.interval = max(0, interval)
  }

  /// Whether no request runs and no key waits.
  package var isEmpty: Bool { lanes.isEmpty }

  /// Puts `key` into the queue of `host`.
  package mutating func enqueue(_ key: String, host: String, atFront: Bool = false) {
    var lane = lanes.removeValue(forKey: host) ?? Lane()
    if atFront { lane.queue.prepend(key) } else { lane.queue.append(key) }
    enqueueTurn(&lane, of: host)
    lanes[host] = lane
  }

  /// Removes the key whose request starts now from its queue. It counts as running until ``finish(host:)``.
  /// - Returns: `nil` when no more requests may run now, or no key waits.
  package mutating func startNext(at now: Int = 0) -> String? {
    endRests(at: now)
    while running < total, let host = turns.popFirst(), var lane = lanes.removeValue(forKey: host) {
      lane.isInTurn = false
      guard let key = lane.queue.popFirst() else {
        store(lane, of: host)
        continue
      }
      lane.running += 1
      running += 1
      if interval > 0 {
        lane.isResting = true
        resting.append((now + interval, host))
      }
      enqueueTurn(&lane, of: host)
      lanes[host] = lane
      return key
    }
    return nil
  }

  /// When the next of the hosts that get no request for a while may have one; `nil` if there are none.
  package var nextReady: Int? { resting.first?.until }

  /// A request to `host` has ended.
  package mutating func finish(host: String) {
    guard var lane = lanes.removeValue(forKey: host) else { return }
    lane.running -= 1
    running -= 1
    enqueueTurn(&lane, of: host)
    store(lane, of: host)
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
    guard !lane.isInTurn, !lane.isResting, !lane.queue.isEmpty, lane.running < perHost else { return }
    lane.isInTurn = true
    turns.append(host)
  }

  private mutating func endRests(at now: Int) {
    while let rest = resting.first, rest.until <= now {
      _ = resting.popFirst()
      guard var lane = lanes.removeValue(forKey: rest.host) else { continue }
      lane.isResting = false
      enqueueTurn(&lane, of: rest.host)
      store(lane, of: rest.host)
    }
  }

  /// Keeps a lane that is still in use.
  private mutating func store(_ lane: Lane, of host: String) {
    if lane.running > 0 || lane.isInTurn || lane.isResting || !lane.queue.isEmpty { lanes[host] = lane }
  }
}
