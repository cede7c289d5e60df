package import TweetCore
package import TweetNet

/// What an answer says of the limit that counts such requests: how many a window allows, how many are left, and when it
/// ends.
package struct RateWindow: Sendable, Equatable {
  private let limit: Int
  private let remaining: Int
  private let resetsAt: Timestamp

  /// - Parameter limit: 1 or more.
  package init(limit: Int, remaining: Int, resetsAt: Timestamp) {
    (self.limit, self.remaining, self.resetsAt) = (max(1, limit), max(0, remaining), resetsAt)
  }

  /// Milliseconds until the next request, so that the window is not used up before its end. The more of it is used, the
  /// longer: the first requests may follow at once.
  package func pause(at now: Timestamp) -> Int {
    let left = timeLeft(at: now)
    guard left > 0, remaining > 0 else { return left }
    return (left - Self.roundedOff) / remaining * max(0, limit - remaining) / limit
  }

  /// Whether it takes no further request.
  package var isUsedUp: Bool { remaining == 0 }

  /// Milliseconds until the next window has surely begun; 0 if it has.
  package func timeLeft(at now: Timestamp) -> Int {
    let left = Int(resetsAt.milliseconds - now.milliseconds)
    return (1...Self.longest).contains(left) ? left + Self.roundedOff : 0
  }

  /// The header does not show the part of a second.
  private static let roundedOff = 1000

  /// A day: a longer window is a clock that is wrong.
  private static let longest = 86_400_000
}

extension HTTPHeaders {
  /// The value of a field that holds a time as the seconds since 1970; after the year 9999 it is none.
  package func time(_ name: String) -> Timestamp? {
    guard let seconds = integer(name), (1...253_402_300_799).contains(seconds) else { return nil }
    return Timestamp(milliseconds: Int64(seconds) * 1000)
  }
}

extension HTTPResponse {
  /// Its JSON; `nil` if it is none, or not whole.
  package var document: JSONDocument? { truncated ? nil : try? JSONDocument(body) }
}
