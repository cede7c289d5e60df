import TweetCore

/// Counts requests per token and endpoint in windows, as X does: a window starts with its first request.
struct RateLimits {
  /// What the headers of every answer say.
  struct State: Sendable {
    let limit: Int
    let remaining: Int
    /// Seconds since 1970.
    let reset: Int64

    var headers: [(name: String, value: String)] {
      [
        ("x-rate-limit-limit", String(limit)), ("x-rate-limit-remaining", String(remaining)),
        ("x-rate-limit-reset", String(reset)),
      ]
    }
  }

  private struct Key: Hashable {
    let token: String
    let endpoint: Endpoint
  }

  private struct Window {
    var ends: Timestamp
    var used: Int
  }

  /// Length of a window in milliseconds.
  private let length: Int64
  private var windows: [Key: Window] = [:]

  /// Requests in a window, whatever the endpoint; `nil` for the endpoints' own numbers.
  private let limit: Int?

  /// - Parameter window: its length in milliseconds; on X 15 minutes.
  init(window: Int64, limit: Int?) {
    length = window
    self.limit = limit
  }

  /// Counts one request. `isExceeded` when it was one too many.
  mutating func count(token: String, endpoint: Endpoint, now: Timestamp) -> (state: State, isExceeded: Bool) {
    let key = Key(token: token, endpoint: endpoint)
    var window = windows[key] ?? Window(ends: now, used: 0)
    if window.ends <= now { window = Window(ends: Timestamp(milliseconds: now.milliseconds + length), used: 0) }
    let limit = self.limit ?? endpoint.limit
    let isExceeded = window.used >= limit
    if !isExceeded { window.used += 1 }
    windows[key] = window
    let state = State(
      limit: limit, remaining: limit - window.used, reset: (window.ends.milliseconds + 999) / 1000)
    return (state, isExceeded)
  }
}
