/// Errors as X v1.1 tells them: a code of its own and a sentence.
extension Problem {
  static func v1(_ status: Int, _ code: Int, _ message: String) -> Problem {
    let error = JSON.object([("code", .number(code)), ("message", .string(message))])
    return Problem(status, [("errors", .array([error]))], isV1: true)
  }

  static var v1NoSuchPage: Problem { v1(404, 34, "Sorry, that page does not exist.") }

  /// The same in v1.1's form, where it was found before anyone looked at the version.
  var asV1: Problem {
    if isV1 { return self }
    switch status {
    case 401: return .v1(401, 89, "Invalid or expired token.")
    case 404: return .v1NoSuchPage
    case 405: return .v1(405, 86, "This method is not allowed for this page.")
    case 429: return .v1(429, 88, "Rate limit exceeded")
    case 503: return .v1(503, 130, "Over capacity")
    default: return .v1(status, 131, "Internal error")
    }
  }
}
