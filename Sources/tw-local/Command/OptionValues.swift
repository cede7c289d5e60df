import ArgumentParser

/// How often the demo posts: `20`, `20/s`, `30/m`, `100/h`.
struct Rate: ExpressibleByArgument, CustomStringConvertible {
  /// Time between two posts; `nil` for none at all.
  let interval: Duration?
  let description: String

  static let slow = Rate(interval: .seconds(1), description: "1/s")
  /// More than can be stored in time on any disk that keeps its promises.
  private static let fastest = 1000.0

  private init(interval: Duration?, description: String) {
    self.interval = interval
    self.description = description
  }

  init?(argument: String) {
    let halves = argument.split(separator: "/", omittingEmptySubsequences: false)
    let unit = halves.count == 2 ? halves[1] : "s"
    guard halves.count <= 2, let number = plainNumber(halves[0]),
      let seconds = ["s": 1.0, "m": 60, "h": 3600][unit]
    else { return nil }
    let perSecond = number / seconds
    guard perSecond <= Self.fastest else { return nil }
    self.init(interval: perSecond > 0 ? .seconds(1 / perSecond) : nil, description: argument)
  }
}

/// Digits with at most one point: no sign, no exponent, no `inf`.
private func plainNumber(_ text: Substring) -> Double? {
  guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }) else { return nil }
  return Double(text)
}
