/// What has changed about a tweet since it was shown.
package struct TweetChange: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Verdicts or targets of its links.
  package static let links = Self(rawValue: 1)
  /// Its counts.
  package static let counts = Self(rawValue: 2)
  /// Its words.
  package static let text = Self(rawValue: 4)
}
