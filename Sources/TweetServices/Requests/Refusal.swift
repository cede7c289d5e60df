package import TweetCore
package import TweetNet

/// That a service refused a request or a stream, or closes a stream: as much of it as trying again depends on.
package struct Refusal: Error, Sendable, Equatable {
  package enum Meaning: Sendable {
    /// Too many requests: waiting helps.
    case rateLimit
    /// All connections of the account are in use, perhaps by our own lost one that the service still counts.
    case connectionHeld
    /// What was set up a moment ago is not yet in force.
    case notReady
    /// The service does not work at the moment.
    case trouble
    /// This account has no live stream; other ways may work.
    case noStream
    /// What is asked for is older than the service's search reaches back.
    case tooFarBack
    /// The same request is always refused.
    case final
  }

  /// What else would be refused in the same way.
  package enum Scope: Sendable {
    /// Perhaps nothing.
    case request
    /// All requests to the same endpoint.
    case endpoint
    /// All requests of the account.
    case account
  }

  package var meaning: Meaning
  package var scope = Scope.request
  /// What the service says, for people; never empty.
  package var text: String
  /// Seconds the service asks to wait.
  package var retryAfter: Int?
  /// When the rate window that is used up ends.
  package var resetsAt: Timestamp?
  /// The error of a tool that does not try again.
  package var error: ToolError

  package init(_ meaning: Meaning, _ text: String, error: ToolError) {
    self.meaning = meaning
    self.text = text
    self.error = error
  }
}

extension Refusal {
  /// That a 2xx answer is not what was asked for, and asking again at once does not help. A later run may get more
  /// where something stands in place of the service or cuts its answers off.
  package static func unreadable(_ answer: HTTPResponse) -> Refusal {
    func later(_ text: String) -> Refusal { Refusal(.final, text, error: .tryLater(text)) }
    if answer.isWebPage || answer.body.starts(with: "<".utf8) {
      return later("a web page came in place of the service's answer, such as a network's sign-in page")
    }
    if answer.body.isEmpty { return later("the service's answer is empty") }
    if !answer.truncated, (try? JSONDocument(answer.body)) == nil {
      return later("the service's answer is cut off, or is no JSON")
    }
    let text = answer.truncated ? "the service's answer is too large" : "the service's answer is not what was asked for"
    return Refusal(.final, text, error: .refused("\(text); is the address in TW_ENDPOINT the service's?"))
  }
}
