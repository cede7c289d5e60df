/// Problems in v1.1's form: a code and a sentence.
extension Problem {
  static var v1NoSuchPage: Problem { .v1(status: 404, code: 34, message: "Sorry, that page does not exist.") }

  var v1Response: ServerResponse {
    switch self {
    case .unauthorized: Self.coded(401, 89, "Invalid or expired token.")
    case .userNeeded: Self.coded(403, 220, "Your credentials do not allow access to this resource")
    case .scopeMissing(let scopes): Self.coded(403, 220, "Your token lacks the scope \(scopes).")
    case .tooManyRequests: Self.coded(429, 88, "Rate limit exceeded")
    case .noSuchPage: Self.v1NoSuchPage.v1Response
    case .wrongMethod: Self.coded(405, 86, "This method is not allowed for this page.")
    case .forbidden(let detail): Self.coded(403, 200, detail)
    case .storeFailed: Self.coded(503, 130, "Over capacity")
    case .invalid(let faults): Self.coded(400, 44, "\(faults.first?.parameter ?? "") parameter is invalid.")
    case .post(let fault): fault.v1.v1Response
    case .upload(let fault): Self.coded(400, 324, fault.message)
    case .fault(let status): Self.coded(status, status == 429 ? 88 : 131, ServerResponse.phrase(status))
    case .v2(let status, _): Self.coded(status, 131, "Internal error")
    case .v1(let status, let code, let message): Self.coded(status, code, message)
    case .mastodon(let status, let message), .bluesky(let status, _, let message): Self.coded(status, 131, message)
    case .plainText(let status, let message): Self.plainText(status, message)
    }
  }

  private static func coded(_ status: Int, _ code: Int, _ message: String) -> ServerResponse {
    let error: JSON = ["code": .number(code), "message": .string(message)]
    return ServerResponse(status: status, json: ["errors": [error]])
  }
}
