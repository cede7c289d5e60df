/// Problems in the form of XRPC: a name and a sentence.
extension Problem {
  static func invalidRequest(_ message: String) -> Problem {
    .bluesky(status: 400, error: "InvalidRequest", message: message)
  }

  /// A token that is not there, that has ended, or that is none of a session.
  static func session(_ token: String?) -> Problem {
    guard let token else {
      return .bluesky(status: 401, error: "AuthMissing", message: "Authentication Required")
    }
    return token.split(separator: ".").count == 3
      ? .bluesky(status: 400, error: "ExpiredToken", message: "Token has expired")
      : .bluesky(status: 400, error: "InvalidToken", message: "Token could not be verified")
  }

  var blueskyResponse: ServerResponse {
    switch self {
    case .unauthorized, .userNeeded: Self.session(nil).blueskyResponse
    case .scopeMissing: Self.named(403, "InsufficientScope", "The token does not allow this")
    case .tooManyRequests: Self.named(429, "RateLimitExceeded", "Rate Limit Exceeded")
    case .noSuchPage: Self.named(501, "MethodNotImplemented", "Method Not Implemented")
    case .wrongMethod: Self.named(400, "InvalidRequest", "Incorrect HTTP method")
    case .forbidden(let detail): Self.named(403, "Forbidden", detail)
    case .storeFailed(let detail): Self.named(503, "NotEnoughResources", detail)
    case .invalid(let faults): Self.named(400, "InvalidRequest", faults.first.map(\.message) ?? "")
    case .post(let fault):
      switch fault {
      case .empty: Self.named(400, "InvalidRequest", "Invalid app.bsky.feed.post record: no text and no embed")
      case .tooLong:
        Self.named(
          400, "InvalidRequest", "Invalid app.bsky.feed.post record: Record/text must not be longer than 300 graphemes")
      case .badMedia: Self.named(400, "InvalidRequest", "Could not find blob")
      default: Self.named(400, "InvalidRequest", "There is no such post")
      }
    case .upload(let fault): Self.named(400, "InvalidRequest", fault.message)
    case .fault(let status): Self.named(status, "Fault", ServerResponse.phrase(status))
    case .v2(let status, _): Self.named(status, "InternalServerError", ServerResponse.phrase(status))
    case .bluesky(let status, let error, let message): Self.named(status, error, message)
    case .mastodon(let status, let message), .v1(let status, _, let message), .plainText(let status, let message):
      Self.named(status, "InvalidRequest", message)
    }
  }

  private static func named(_ status: Int, _ error: String, _ message: String) -> ServerResponse {
    ServerResponse(status: status, json: ["error": .string(error), "message": .string(message)])
  }
}
