import TweetCore

/// The look-ups that wait for the addresses of their hosts. They have no place among the requests yet: a name server
/// that is silent holds up nobody else. Times are milliseconds of the caller's monotonic clock.
struct NameQueue {
  private struct Name {
    /// The look-ups, and when their time ends; before the name is begun, how much they have.
    var keys: [(key: String, time: Int)] = []
    /// When its addresses were first asked for; `nil` before.
    var start: Int?
  }

  /// Name servers of small networks refuse too many questions at once. So few names are begun at a time, but one that
  /// has not been found for so long does not count any more.
  private static let usualTime = 300

  private let atOnce: Int
  private var names: [String: Name] = [:]
  private var waiting = Queue<String>()
  private var started: Set<String> = []

  /// - Parameter atOnce: how many names are begun at a time.
  init(atOnce: Int) { self.atOnce = max(1, atOnce) }

  var isEmpty: Bool { names.isEmpty }

  /// The names that are being looked up, and since when.
  var running: [(name: String, start: Int)] {
    started.compactMap { name in names[name]?.start.map { (name, $0) } }
  }

  /// Puts `key`, which has this much time left, among those that wait for a name.
  mutating func enqueue(_ key: String, name: String, left: Int, at now: Int) {
    if names[name] == nil { waiting.append(name) }
    let start = names[name]?.start
    names[name, default: Name()].keys.append((key, start == nil ? left : now + left))
  }

  /// The next name to look up, until ``finish(_:at:)``.
  mutating func startNext(at now: Int) -> String? {
    guard !waiting.isEmpty, running.count(where: { now - $0.start < Self.usualTime }) < atOnce else { return nil }
    while let name = waiting.popFirst() {
      // Those who waited for it may have been withdrawn.
      guard var entry = names[name], entry.start == nil else { continue }
      entry.start = now
      for index in entry.keys.indices { entry.keys[index].time += now }
      names[name] = entry
      started.insert(name)
      return name
    }
    return nil
  }

  /// When the next look-up's time ends, or another name may be begun although none was found.
  func nextTime(at now: Int) -> Int? {
    var next: Int?
    for name in started {
      guard let entry = names[name], let start = entry.start else { continue }
      let times = entry.keys.map(\.time) + (waiting.isEmpty ? [] : [start + Self.usualTime].filter { $0 > now })
      next = (times + [next].compactMap { $0 }).min()
    }
    return next
  }

  /// Removes a name.
  /// - Returns: the look-ups that waited for it, and what is left of their time.
  mutating func finish(_ name: String, at now: Int) -> [(key: String, left: Int)] {
    started.remove(name)
    guard let entry = names.removeValue(forKey: name) else { return [] }
    return entry.keys.map { ($0.key, max(0, entry.start == nil ? $0.time : $0.time - now)) }
  }

  /// Removes the look-ups whose time has ended.
  mutating func expire(at now: Int) -> [(key: String, name: String)] {
    var expired: [(String, String)] = []
    for name in started {
      guard let keys = names[name]?.keys, keys.contains(where: { $0.time <= now }) else { continue }
      names[name]?.keys.removeAll { $0.time <= now }
      expired += keys.filter { $0.time <= now }.map { ($0.key, name) }
    }
    return expired
  }

  /// Removes the look-ups whose key meets `condition`.
  mutating func withdraw(where condition: (String) -> Bool) -> [(key: String, name: String)] {
    var withdrawn: [(String, String)] = []
    for (name, entry) in names {
      let keys = entry.keys.filter { condition($0.key) }
      guard !keys.isEmpty else { continue }
      names[name]?.keys.removeAll { condition($0.key) }
      withdrawn += keys.map { ($0.key, name) }
    }
    return withdrawn
  }

  /// Whether somebody waits for a name.
  func isWanted(_ name: String) -> Bool { names[name]?.keys.isEmpty == false }
}
