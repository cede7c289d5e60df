package import TweetCore
package import TweetNet
package import TweetServices

/// What X means by its problems.
extension ServiceProblem {
  /// Whether the account's reads are used up: by plan (`usage-capped`) or by credit (402). Waiting does not help.
  package var isUsedUp: Bool { status == 402 || kind == "usage-capped" }

  /// The token is not accepted. Version 1.1 also answers so for an account whose posts are protected.
  package var isUnauthenticated: Bool { status == 401 && !messages.contains("Not authorized.") }

  package var isTooManyConnections: Bool { connectionIssue == "TooManyConnections" }

  /// No rules are in force; also sent if ours was added a moment ago.
  package var isWithoutRules: Bool {
    status == 409 && (connectionIssue == "RuleConfigurationIssue" || connectionIssue.isEmpty)
  }

  /// `since_id` is of a post older than the search reaches back.
  package var isTooFarBack: Bool {
    status == 400 && (messages + [detail]).contains { $0.hasPrefix("'since_id' must be") }
  }

  /// The account or its app may not use this: it is in no project, or its plan does not include it.
  package var isNotEnrolled: Bool {
    status == 403 && (reason == "client-not-enrolled" || kind == "client-forbidden" || code == Self.limitedAccess)
  }

  /// "You currently have access to a subset of X API V2 endpoints".
  private static let limitedAccess = 453

  /// Characters of an address that are shown.
  private static let mostShown = 300

  /// The error that ends a tool which does not try again.
  package var toolError: ToolError {
    if isUsedUp {
      return .refused("the account's reads are used up: \(text); waiting does not help, add credit at the service")
    }
    if isTooManyConnections {
      return .tryLater("another program holds the account's stream connection: \(text)")
    }
    if isNotEnrolled {
      return .notAllowed("the account's plan does not include this: \(text); see the service's developer pages")
    }
    switch status {
    case 300...399:
      let target = location.map { "to '\(secrets.hidden(in: $0).prefix(Self.mostShown))'" } ?? "without saying where to"
      return .refused("the service redirects \(target), and tokens go only to the address in TW_ENDPOINT")
    case 400, 422: return .refused("the service does not accept the request: \(text)")
    case 413, 414:
      return .refused("the request is too long for the service: \(text); shorten the query, or ask for less")
    case 401:
      let advice = clockFault ?? ServiceAccess.signInAdvice()
      return .notAllowed("the service does not accept the token: \(text); \(advice)")
    case 403:
      return .notAllowed("the service does not allow this: \(text); use the token of an account that may")
    case 404, 410: return .refused("not there: \(text); is the address in TW_ENDPOINT the service's?")
    case 406, 416:
      return .refused("the service does not answer such a request: \(text); another version of tw may work")
    case 408, 409, 420, 425, 429, 500...599: return .tryLater("the service is not ready: \(text); try again later")
    default:
      if kind.hasPrefix("not-authorized") { return .notAllowed("the service does not allow this: \(text)") }
      return .refused("the service refused: \(text)")
    }
  }
}

extension RateWindow {
  /// What X says in each answer; `nil` where it does not.
  init?(_ response: HTTPResponse) {
    let fields = response.headers
    guard let limit = fields.integer("x-rate-limit-limit"), let reset = fields.time("x-rate-limit-reset"),
      let remaining = fields.integer("x-rate-limit-remaining")
    else { return nil }
    self.init(limit: limit, remaining: remaining, resetsAt: reset)
  }
}

extension Refusal {
  /// What an answer that is not 2xx means.
  package init(_ response: HTTPResponse) {
    self.init(ServiceProblem(response))
    retryAfter = response.retryAfter
    // If requests of the window are left, another limit than the window's was reached.
    guard meaning == .rateLimit, response.headers.integer("x-rate-limit-remaining") ?? 0 == 0 else { return }
    resetsAt = response.headers.time("x-rate-limit-reset")
  }

  /// What a problem inside a stream means.
  package init(_ problem: ServiceProblem) {
    self.init(Self.meaning(of: problem), problem.text, error: problem.toolError)
    if problem.isUsedUp || problem.isUnauthenticated {
      scope = .account
    } else if meaning == .rateLimit || meaning == .noStream {
      scope = .endpoint
    }
  }

  private static func meaning(of problem: ServiceProblem) -> Meaning {
    if problem.isUsedUp { return .final }
    if problem.isTooManyConnections { return .connectionHeld }
    if problem.isNotEnrolled { return .noStream }
    if problem.isTooFarBack { return .tooFarBack }
    switch problem.status {
    // An error inside a stream.
    case 200...299: return .trouble
    case 409 where problem.isWithoutRules: return .notReady
    case 420, 429: return .rateLimit
    case 408, 425, 500...599: return .trouble
    default: return .final
    }
  }
}
