/// Whose turn it is to be requested: so many at once in all, and no more than so many of one host, the hosts in turn.
///
/// A link that has to go elsewhere (a redirect) leaves its place and gets in line at the front of the other host, so
/// that what was begun is finished before something new is begun.
package struct HostLanes {
  private struct Lane {
    var running = 0
    var queue = Queue<String>()
    /// Whether the host is in `turns`: it has somebody waiting and a free place.
    var isInTurn = false
  }

  private let total: Int
  private let perHost: Int
  private var lanes: [String: Lane] = [:]
  private var turns = Queue<String>()
  private var running = 0

  /// - Parameters:
  ///   - total: How many may run at once.
  ///   - perHost: How many of them may be of one host.
  package init(total: Int, perHost: Int) {
    self.total = max(1, total)
    self.perHost = max(1, perHost)
  }

  /// Whether nothing runs and nobody waits.
  package var isEmpty: Bool { lanes.isEmpty }

  /// Puts `key` in line at `host`.
  package mutating func enqueue(_ key: String, host: String, atFront: Bool = false) {
    var lane = lanes.removeValue(forKey: host) ?? Lane()
    if atFront { lane.queue.prepend(key) } else { lane.queue.append(key) }
    take(turn: &lane, of: host)
    lanes[host] = lane
  }

  /// Who may start now: it has its place until `leave(host:)`. `nil` when all places are taken or nobody waits.
  package mutating func next() -> String? {
    while running < total, let host = turns.popFirst(), var lane = lanes.removeValue(forKey: host) {
      lane.isInTurn = false
      guard let key = lane.queue.popFirst() else {
        keep(lane, of: host)
        continue
      }
      lane.running += 1
      running += 1
      take(turn: &lane, of: host)
      lanes[host] = lane
      return key
    }
    return nil
  }

  /// A request to `host` has ended.
  package mutating func leave(host: String) {
    guard var lane = lanes.removeValue(forKey: host) else { return }
    lane.running -= 1
    running -= 1
    take(turn: &lane, of: host)
    keep(lane, of: host)
  }

  /// Takes those out of the lines that fit `condition`, and returns them.
  package mutating func withdraw(where condition: (String) -> Bool) -> [String] {
    var withdrawn: [String] = []
    for host in Array(lanes.keys) {
      guard var lane = lanes.removeValue(forKey: host) else { continue }
      withdrawn += lane.queue.extract(where: condition)
      // A lane in `turns` stays known until its turn comes, or `next` would take it for another one's.
      lanes[host] = lane
    }
    return withdrawn
  }

  private mutating func take(turn lane: inout Lane, of host: String) {
    guard !lane.isInTurn, !lane.queue.isEmpty, lane.running < perHost else { return }
    lane.isInTurn = true
    turns.append(host)
  }

  private mutating func keep(_ lane: Lane, of host: String) {
    if lane.running > 0 || lane.isInTurn || !lane.queue.isEmpty { lanes[host] = lane }
  }
}
