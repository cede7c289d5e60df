/// Problems in Mastodon's form: one sentence.
extension Problem {
  static var noRecord: Problem { .mastodon(status: 404, message: "Record not found") }

  /// A value that cannot be.
  static func notValid(_ what: String) -> Problem { .mastodon(status: 422, message: "Validation failed: \(what)") }

  var mastodonResponse: ServerResponse {
    switch self {
    case .unauthorized: Self.sentence(401, "The access token is invalid")
    case .userNeeded: Self.sentence(422, "This method requires an authenticated user")
    case .scopeMissing: Self.sentence(403, "This action is outside the authorized scopes")
    case .tooManyRequests: Self.sentence(429, "Too many requests")
    case .noSuchPage, .wrongMethod: Self.sentence(404, "Not Found")
    case .forbidden(let detail): Self.sentence(403, detail)
    case .storeFailed(let detail): Self.sentence(503, detail)
    case .invalid(let faults): Self.sentence(422, faults.first.map(\.message) ?? "Validation failed")
    case .post(let fault): fault.mastodon.mastodonResponse
    case .upload(let fault): Self.sentence(422, "Validation failed: File \(fault.message)")
    case .fault(let status): Self.sentence(status, ServerResponse.phrase(status))
    case .v2(let status, _): Self.sentence(status, ServerResponse.phrase(status))
    case .mastodon(let status, let message), .v1(let status, _, let message), .bluesky(let status, _, let message),
      .plainText(let status, let message):
      Self.sentence(status, message)
    }
  }

  private static func sentence(_ status: Int, _ text: String) -> ServerResponse {
    ServerResponse(status: status, json: ["error": .string(text)])
  }
}

extension PostFault {
  var mastodon: Problem {
    switch self {
    case .empty: .notValid("Text can't be blank")
    case .tooLong: .notValid("Text character limit of \(Service.longestStatus) exceeded")
    case .duplicate: .notValid("Text has been posted already")
    case .badMedia: .notValid("Media is not there, or not yours")
    case .noSuchPost, .notYours, .notLiked: .noRecord
    case .targetGone(let action):
      .mastodon(status: 404, message: "The post you are trying to \(action) does not appear to exist.")
    case .alreadyLiked, .alreadyRetweeted: .notValid("Done already")
    }
  }
}
