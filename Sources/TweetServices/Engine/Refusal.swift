package import TweetCore

/// That a service refused a request or a stream, or closes one: as much of it as going on depends on.
package struct Refusal: Error, Sendable, Equatable {
  package enum Meaning: Sendable {
    /// Too many requests: waiting helps.
    case rateLimit
    /// The account's connections are all in use, perhaps by our own old one, which the service has not yet given up.
    case connectionHeld
    /// What was set up a moment ago is not yet in force.
    case notReady
    /// The service's own trouble.
    case trouble
    /// This account has no live stream; there may be other ways.
    case noStream
    /// What is asked for is older than the service's search reaches back.
    case tooFarBack
    /// It will not answer otherwise.
    case final
  }

  package var meaning: Meaning
  /// What the service says, for people; never empty.
  package var text: String
  /// Seconds the service asks to wait.
  package var retryAfter: Int?
  /// When the rate window that is used up ends.
  package var resetsAt: Timestamp?
  /// What a tool that does not go on ends with.
  package var error: ToolError

  package init(_ meaning: Meaning, _ text: String, error: ToolError) {
    self.meaning = meaning
    self.text = text
    self.error = error
  }
}
