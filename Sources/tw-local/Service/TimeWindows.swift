import TweetCore

/// Counts what happens in windows of time, by a key: of requests and of passwords. As on X, a window begins with the
/// first. Clients choose some of the keys, so it is bounded: where there are too many windows, the oldest go.
struct TimeWindows<Key: Hashable & Sendable>: Sendable {
  struct Window {
    let end: Timestamp
    var used = 0
  }

  /// A window is some hundred bytes.
  private let capacity = 10_000
  /// Length of a window in milliseconds.
  private let length: Int64
  private var windows: [Key: Window] = [:]

  init(length: Int64) { self.length = length }

  /// Counts once more, up to a limit.
  mutating func count(_ key: Key, limit: Int, now: Timestamp) -> (window: Window, isExceeded: Bool) {
    var window = windows[key] ?? newWindow(now)
    if window.end <= now { window = newWindow(now) }
    let isExceeded = window.used >= limit
    if !isExceeded { window.used += 1 }
    windows[key] = window
    return (window, isExceeded)
  }

  private mutating func newWindow(_ now: Timestamp) -> Window {
    if windows.count >= capacity { windows = windows.filter { $0.value.end > now } }
    if windows.count >= capacity {
      // Half of them, so that they are seldom sorted.
      for (key, _) in windows.sorted(by: { $0.value.end < $1.value.end }).prefix(capacity / 2) { windows[key] = nil }
    }
    return Window(end: Timestamp(milliseconds: now.milliseconds + length))
  }

  /// Takes back what was counted last.
  mutating func uncount(_ key: Key) {
    windows[key]?.used -= 1
    if windows[key]?.used == 0 { windows[key] = nil }
  }

  mutating func forget(_ key: Key) { windows[key] = nil }
}
