import TweetCore

/// Counts the requests of each token at each endpoint in windows of time. As on X, a window begins with its first
/// request.
struct RateLimits {
  /// A window after a request, as the headers of the answer describe it.
  struct State: Sendable {
    let limit: Int
    let remaining: Int
    /// When the window ends, in seconds since 1970.
    let reset: Int64

    func headers(in version: APIVersion) -> [(name: String, value: String)] {
      let (prefix, end) =
        switch version {
        case .v2, .v1: ("x-rate-limit-", String(reset))
        case .mastodon: ("x-ratelimit-", Timestamp(milliseconds: reset * 1000).rfc3339)
        case .bluesky: ("ratelimit-", String(reset))
        }
      return [
        (prefix + "limit", String(limit)), (prefix + "remaining", String(remaining)), (prefix + "reset", end),
      ]
    }
  }

  private struct Key: Hashable {
    let token: String
    let endpoint: String
  }

  /// Requests in a window at any endpoint; `nil` means the endpoints' own limits.
  private let limit: Int?
  private var windows: TimeWindows<Key>

  /// - Parameter window: length in milliseconds; on X 15 minutes.
  init(window: Int64, limit: Int?) {
    windows = TimeWindows(length: window)
    self.limit = limit
  }

  /// Counts one request. One that exceeds the limit is not counted.
  mutating func count(
    token: String, endpoint: Endpoint, now: Timestamp
  ) -> (state: State, isExceeded: Bool) {
    let limit = self.limit ?? endpoint.limit
    let (window, isExceeded) = windows.count(Key(token: token, endpoint: endpoint.name), limit: limit, now: now)
    let state = State(
      limit: limit, remaining: limit - window.used, reset: (window.end.milliseconds + 999) / 1000)
    return (state, isExceeded)
  }
}

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
