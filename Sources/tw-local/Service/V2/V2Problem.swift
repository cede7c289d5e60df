/// Problems in API v2's form: the members of RFC 7807 and X's own.
extension Problem {
  var v2Response: ServerResponse {
    switch self {
    case .unauthorized: Self.titled(401, "Unauthorized")
    case .userNeeded: Self.problem(403, Self.unsupportedAuthentication)
    case .scopeMissing(let scopes): Self.titled(403, "Forbidden", "Your token lacks the scope \(scopes).")
    case .tooManyRequests: Self.titled(429, "Too Many Requests")
    case .noSuchPage: Self.titled(404, "Not Found")
    case .wrongMethod: Self.titled(405, "Method Not Allowed")
    case .forbidden(let detail): Self.titled(403, "Forbidden", detail)
    case .storeFailed(let detail): Self.titled(503, "Service Unavailable", detail)
    case .invalid(let faults): ServerResponse(status: 400, json: .object(Self.invalidRequest(faults.map(Self.object))))
    case .post(let fault): fault.v2.v2Response
    case .upload(let fault): Self.invalid("media", "", fault.message).v2Response
    case .fault(let status): Self.titled(status, ServerResponse.phrase(status))
    case .v2(let status, let members): Self.problem(status, members)
    case .v1(let status, _, let message), .mastodon(let status, let message), .bluesky(let status, _, let message):
      Self.titled(status, message)
    case .plainText(let status, let message): Self.plainText(status, message)
    }
  }

  /// The address that names a kind of problem on X.
  static func type(_ name: String) -> JSON { .string("https://api.twitter.com/2/problems/\(name)") }

  /// X sends faults in parameters as plain JSON and all other problems in this form.
  private static func problem(_ status: Int, _ members: JSON.Members) -> ServerResponse {
    ServerResponse(status: status, type: "application/problem+json; charset=utf-8", body: JSON.object(members).bytes)
  }

  private static func titled(_ status: Int, _ title: String, _ detail: String? = nil) -> ServerResponse {
    problem(
      status,
      [
        ("title", .string(title)), ("detail", .string(detail ?? title)), ("type", .string("about:blank")),
        ("status", .number(status)),
      ])
  }

  private static var unsupportedAuthentication: JSON.Members {
    [
      ("title", .string("Unsupported Authentication")),
      (
        "detail",
        .string(
          "Authenticating with OAuth 2.0 Application-Only is forbidden for this endpoint.  Supported authentication "
            + "types are [OAuth 1.0a User Context, OAuth 2.0 User Context].")
      ),
      ("type", type("unsupported-authentication")), ("status", .number(403)),
    ]
  }

  /// The account has a stream of this kind already.
  static var tooManyConnections: Problem {
    refusedStream(429, "This stream is currently at the maximum allowed connection limit.", issue: "TooManyConnections")
  }

  /// No rule of the filtered stream is in force.
  static var noRules: Problem {
    refusedStream(
      409,
      "You must define rules using the POST /2/tweets/search/stream/rules endpoint before connecting to "
        + "filtered stream.", issue: "RuleConfigurationIssue")
  }

  private static func refusedStream(_ status: Int, _ detail: String, issue: String) -> Problem {
    .v2(
      status: status,
      members: [
        ("title", .string("ConnectionException")), ("detail", .string(detail)), ("connection_issue", .string(issue)),
        ("type", type("streaming-connection")),
      ])
  }

  /// The members of a refusal that lists what is wrong.
  static func invalidRequest(_ errors: [JSON]) -> JSON.Members {
    [
      ("errors", .array(errors)), ("title", .string("Invalid Request")),
      ("detail", .string("One or more parameters to your request was invalid.")), ("type", type("invalid-request")),
    ]
  }

  private static func object(_ fault: ParameterFault) -> JSON {
    ["parameters": [fault.parameter: .array(fault.values.map { .string($0) })], "message": .string(fault.message)]
  }

  /// One of the `errors` that an answer with status 200 has beside what was found.
  static func notFound(_ kind: String, parameter: String, value: String) -> JSON {
    [
      "value": .string(value), "detail": .string("Could not find \(kind) with \(parameter): [\(value)]."),
      "title": "Not Found Error", "resource_type": .string(kind), "parameter": .string(parameter),
      "resource_id": .string(value), "type": type("resource-not-found"),
    ]
  }
}
