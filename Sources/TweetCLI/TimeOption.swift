import ArgumentParser
package import TweetCore

/// Times as options take them: how long ago (`2h`, `7d`), RFC 3339, or a date, which means its beginning in UTC.
package enum TimeOption {
  /// - Throws: `ValidationError` for anything else.
  package static func parse(_ text: String) throws -> Timestamp {
    if let moment = Timestamp(parsing: text) ?? Timestamp(parsing: text + "T00:00:00Z"), text.contains("-") {
      return moment
    }
    guard let ago = try? DurationOption.parse(text) else {
      throw ValidationError("'\(text)' is not a time (2h, 7d, 2021-11-03, 2021-11-03T21:30:00Z)")
    }
    return Timestamp(milliseconds: Timestamp.shown.milliseconds - Int64(ago))
  }
}
