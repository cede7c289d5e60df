/// An error as X tells it: RFC 7807's members, and X's own beside them.
struct Problem: Error {
  var status: Int
  private var members: JSON.Members
  /// Whether it is in v1.1's form.
  let isV1: Bool

  init(_ status: Int, _ members: JSON.Members, isV1: Bool = false) {
    self.status = status
    self.members = members
    self.isV1 = isV1
  }

  var response: HTTPResponse {
    // Faults in parameters are plain JSON on X, all others problem+json.
    let type = status == 400 || isV1 ? "application/json" : "application/problem+json"
    return HTTPResponse(status: status, type: "\(type); charset=utf-8", body: JSON.object(members).bytes)
  }

  /// The address of a kind of problem, as X names them.
  static func type(_ name: String) -> JSON { .string("https://api.twitter.com/2/problems/\(name)") }

  private static func plain(_ status: Int, _ title: String, _ detail: String) -> Problem {
    Problem(
      status,
      [
        ("title", .string(title)), ("detail", .string(detail)), ("type", .string("about:blank")),
        ("status", .number(status)),
      ])
  }

  static var unauthorized: Problem { plain(401, "Unauthorized", "Unauthorized") }
  static var tooManyRequests: Problem { plain(429, "Too Many Requests", "Too Many Requests") }
  static var noSuchPage: Problem { plain(404, "Not Found", "Not Found") }
  static var wrongMethod: Problem { plain(405, "Method Not Allowed", "Method Not Allowed") }
  static func forbidden(_ detail: String) -> Problem { plain(403, "Forbidden", detail) }
  static func storeFailed(_ detail: String) -> Problem { plain(503, "Service Unavailable", detail) }

  /// A parameter that is wrong, or several messages about one.
  static func invalid(_ parameter: String, _ value: String, _ message: String) -> Problem {
    invalid([(parameter, [value], message)])
  }

  static func invalid(_ faults: [(parameter: String, values: [String], message: String)]) -> Problem {
    let errors = faults.map { fault in
      JSON.object([
        ("parameters", .object([(fault.parameter, .array(fault.values.map { .string($0) }))])),
        ("message", .string(fault.message)),
      ])
    }
    return Problem(
      400,
      [
        ("errors", .array(errors)), ("title", .string("Invalid Request")),
        ("detail", .string("One or more parameters to your request was invalid.")), ("type", type("invalid-request")),
      ])
  }

  static var tooManyConnections: Problem {
    Problem(
      429,
      [
        ("title", .string("ConnectionException")),
        ("detail", .string("This stream is currently at the maximum allowed connection limit.")),
        ("connection_issue", .string("TooManyConnections")), ("type", type("streaming-connection")),
      ])
  }

  /// What a stream is told before it is ended from outside.
  static var forcedDisconnect: JSON {
    .object([
      ("title", .string("operational-disconnect")), ("disconnect_type", .string("ForceDisconnect")),
      ("detail", .string("This stream has been disconnected upon request.")), ("type", type("operational-disconnect")),
    ])
  }

  static var noRules: Problem {
    let advice = "You must define rules using the POST /2/tweets/search/stream/rules endpoint before connecting to "
    return Problem(
      409,
      [
        ("title", .string("ConnectionException")), ("detail", .string(advice + "filtered stream.")),
        ("connection_issue", .string("RuleConfigurationIssue")), ("type", type("streaming-connection")),
      ])
  }

  /// One of the `errors` that come with 200 beside what was found.
  static func notFound(_ kind: String, parameter: String, value: String) -> JSON {
    .object([
      ("value", .string(value)),
      ("detail", .string("Could not find \(kind) with \(parameter): [\(value)].")),
      ("title", .string("Not Found Error")), ("resource_type", .string(kind)), ("parameter", .string(parameter)),
      ("resource_id", .string(value)), ("type", type("resource-not-found")),
    ])
  }
}
