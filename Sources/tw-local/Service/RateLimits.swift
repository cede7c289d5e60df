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
