import TweetCore

/// Whose request starts next: a queue for each host, the hosts in turn, with at most so many requests at once in all
/// and to one host.
package struct HostLanes {
  private struct Lane {
    var running = 0
    var queue = Queue<String>()
    /// Whether the host is in `turns`: a key waits in its queue, and it may have another request.
    var isInTurn = false
  }

  private let total: Int
  private let perHost: Int
  private var lanes: [String: Lane] = [:]
  private var turns = Queue<String>()
  private var running = 0

  /// - Parameters:
  ///   - total: how many requests may run at once.
  ///   - perHost: how many of them may go to one host.
  package init(total: Int, perHost: Int) {
    self.total = max(1, total)
    self.perHost = max(1, perHost)
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
  /// - Returns: `nil` when no more requests may run, or no key waits.
  package mutating func startNext() -> String? {
    while running < total, let host = turns.popFirst(), var lane = lanes.removeValue(forKey: host) {
      lane.isInTurn = false
      guard let key = lane.queue.popFirst() else {
        store(lane, of: host)
        continue
      }
      lane.running += 1
      running += 1
      enqueueTurn(&lane, of: host)
      lanes[host] = lane
      return key
    }
    return nil
  }

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
    guard !lane.isInTurn, !lane.queue.isEmpty, lane.running < perHost else { return }
    lane.isInTurn = true
    turns.append(host)
  }

  /// Keeps a lane that is still in use.
  private mutating func store(_ lane: Lane, of host: String) {
    if lane.running > 0 || lane.isInTurn || !lane.queue.isEmpty { lanes[host] = lane }
  }
}
