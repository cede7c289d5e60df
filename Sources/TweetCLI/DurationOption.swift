import ArgumentParser

/// Durations as options take them: `500ms`, `0.5s`, `90s`, `15m`, `1h30m`, `2h`, `7d`, `1w`.
package enum DurationOption {
  private static let units: [(suffix: String, milliseconds: Double)] = [
    ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000), ("w", 7 * 86_400_000),
  ]

  /// - Returns: milliseconds, more than 0.
  /// - Throws: `ValidationError` for anything else. A number without a unit is refused too.
  package static func parse(_ text: String) throws -> Int {
    var (rest, milliseconds) = (text[...], 0.0)
    repeat {
      let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
      let suffix = rest.dropFirst(digits.count).prefix { $0.isLetter }
      guard let unit = units.first(where: { $0.suffix == suffix }), let number = Double(digits) else {
        throw ValidationError("'\(text)' is not a duration (500ms, 0.5s, 90s, 15m, 1h30m, 2h, 7d)")
      }
      milliseconds += (number * unit.milliseconds).rounded()
      rest = rest.dropFirst(digits.count + suffix.count)
    } while !rest.isEmpty
    // A duration of more than ten years is a mistake.
    guard milliseconds >= 1, milliseconds <= 3650 * 86_400_000 else {
      throw ValidationError("duration '\(text)' is out of range (1ms to 3650d)")
    }
    return Int(milliseconds)
  }

  /// As ``parse(_:)``, but `0s` and `0` are allowed too.
  package static func parseOrZero(_ text: String) throws -> Int {
    text == "0s" || text == "0" ? 0 : try parse(text)
  }
}
