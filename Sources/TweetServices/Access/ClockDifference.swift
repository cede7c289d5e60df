import TweetCore
package import TweetNet

/// How far this machine's clock is from a service's, where that is far enough to make signatures fail.
struct ClockDifference {
  /// For people.
  let text: String

  /// X refuses signatures that are more than five minutes old; a minute is more than any request takes.
  private static let least: Int64 = 60_000

  /// - Returns: `nil` if the answer has no time, or the clocks agree.
  init?(_ response: HTTPResponse) {
    guard let difference = response.clockDifference, abs(difference) >= Self.least else { return nil }
    let seconds = abs(difference) / 1000
    let amount =
      seconds < 7200 ? "\(seconds / 60) min" : seconds < 172_800 ? "\(seconds / 3600) h" : "\(seconds / 86_400) days"
    text = "the clock of this machine is \(amount) \(difference > 0 ? "ahead of" : "behind") the service's: set it"
  }
}

extension HTTPResponse {
  /// By how many milliseconds this machine's clock is ahead of the server's, which tells whole seconds; `nil` if the
  /// answer has no time.
  package var clockDifference: Int64? {
    guard let date = headers["date"], let theirs = Timestamp(parsing: date.replacing("GMT", with: "+0000")) else {
      return nil
    }
    return Timestamp.now.milliseconds - theirs.milliseconds
  }
}
