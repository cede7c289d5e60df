import ArgumentParser
import TweetCore

/// How often the demo posts: `20`, `20/s`, `30/m`, `100/h`.
struct Rate: ExpressibleByArgument, CustomStringConvertible {
  private let perSecond: Double
  let description: String

  static let slow = Rate(perSecond: 1, description: "1/s")
  /// One post in a hundred hours. A clock cannot wait for the inverse of any number.
  private static let slowest = 0.01 / 3600
  /// As many as have been seen to arrive at ten streams without loss.
  private static let fastest = 2000.0
  /// The rates that are possible, for messages.
  static let bounds = "0, or from 0.01/h to 2000/s"

  private init(perSecond: Double, description: String) {
    self.perSecond = perSecond
    self.description = description
  }

  /// Whether the demo can post at this rate.
  var isPossible: Bool { perSecond == 0 || (Self.slowest...Self.fastest).contains(perSecond) }

  /// Time between two posts; `nil` for a demo without new posts.
  var interval: Duration? { perSecond > 0 && isPossible ? .seconds(1 / perSecond) : nil }

  init?(argument: String) {
    let halves = argument.split(separator: "/", omittingEmptySubsequences: false)
    let unit = halves.count == 2 ? halves[1] : "s"
    guard halves.count <= 2, let number = plainNumber(halves[0]),
      let seconds = ["s": 1.0, "m": 60, "h": 3600][unit]
    else { return nil }
    let perSecond = number / seconds
    // A number too small for a `Double` has become 0, which means something else.
    let isTiny = perSecond == 0 && halves[0].contains { ("1"..."9").contains($0) }
    self.init(perSecond: isTiny ? .leastNonzeroMagnitude : perSecond, description: argument)
  }
}

/// Parses digits with at most one point: no sign, no exponent, no `inf`.
private func plainNumber(_ text: Substring) -> Double? {
  guard text.utf8.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: ".") }) else { return nil }
  return Double(text)
}
