package import TweetCore
package import TweetNet

/// What a service says is wrong: an answer that is not 2xx, or an error object inside a stream.
///
/// It is read in the forms that several services have: `application/problem+json` (RFC 9457), a list `errors` beside or
/// in place of it, one text. An edge may answer with plain text or HTML, so every member may be missing.
package struct ServiceProblem: Error, Sendable, Equatable {
  /// The HTTP status; 200 inside a stream.
  package let status: Int
  package private(set) var title = ""
  package private(set) var detail = ""
  /// The last component of the problem's type: `usage-capped`, `streaming-connection`, `operational-disconnect`, …
  package private(set) var kind = ""
  /// Of a refused stream connection: `TooManyConnections`, `RuleConfigurationIssue`, …
  package private(set) var connectionIssue = ""
  /// Of a 403: `client-not-enrolled`, …
  package private(set) var reason = ""
  /// Where a redirect leads, as the service spells it.
  package private(set) var location: String?
  /// The code of the first entry of `errors`, as X API v1.1 numbers them.
  package private(set) var code: Int?
  /// The messages of the first entries of `errors`, without repetitions: a thousand entries mostly say one thing.
  package private(set) var messages: [String] = []
  /// Of a 401: that this machine's clock is wrong, which makes signatures fail.
  package private(set) var clockFault: String?
  /// What was sent and must not be shown.
  package private(set) var secrets: [Secret] = []

  package init(_ response: HTTPResponse) {
    status = response.status
    secrets = response.secrets
    if status == 401 { clockFault = ClockDifference(response)?.text }
    if (300...399).contains(status), let target = response.headers["location"] {
      location = target
    }
    guard let document = try? JSONDocument(response.body) else { return }
    document.read { read($0) }
  }

  /// An error object, if the message is one: it has errors, or a problem's title and type, and no data.
  package init?(message: JSONValue) {
    guard message["data"] == nil else { return nil }
    let signs = [message["errors"], message["error"], message["title"], message["type"]]
    guard signs.contains(where: { $0 != nil }) else { return nil }
    status = 200
    read(message)
  }

  private mutating func read(_ object: JSONValue) {
    title = object["title"]?.string ?? ""
    detail = object["detail"]?.string ?? ""
    kind = Self.lastComponent(object["type"]?.string)
    connectionIssue = object["connection_issue"]?.string ?? ""
    reason = object["reason"]?.string ?? ""
    code = object.list("errors").first?["code"]?.integer
    // v1.1 sometimes sends one string.
    for text in [object["error"]?.nonEmptyString, object["errors"]?.nonEmptyString].compactMap({ $0 }) {
      messages.append(text)
    }
    for error in object.list("errors") {
      if kind.isEmpty || kind == "about:blank" { kind = Self.lastComponent(error["type"]?.string) }
      if title.isEmpty { title = error["title"]?.string ?? "" }
      if connectionIssue.isEmpty { connectionIssue = error["connection_issue"]?.string ?? "" }
      if messages.count == Self.mostMessages { break }
      guard let text = error["message"]?.string ?? error["detail"]?.string ?? error["title"]?.string else { continue }
      if text != detail, text != title, !messages.contains(text) { messages.append(text) }
    }
  }

  private static let mostMessages = 3

  private static func lastComponent(_ type: String?) -> String {
    String(type?.split(separator: "/").last ?? "")
  }

  /// What the service says, for people; never empty.
  package var text: String {
    let parts = ([detail] + messages).filter { !$0.isEmpty }
    let text = secrets.hidden(in: parts.isEmpty ? title : parts.joined(separator: "; "))
    if text.isEmpty { return "HTTP \(status)" }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}

extension JSONValue {
  /// The elements of an array member; none when there is no such array.
  package func list(_ key: StaticString) -> [JSONValue] { self[key].map { Array($0.elements) } ?? [] }
}

/// What an endpoint of OAuth says is wrong (RFC 6749 §5.2), or X in its own forms.
package struct OAuthProblem: Sendable {
  /// `invalid_grant`, `access_denied`, …; empty if there is none.
  package let code: String
  /// For people; never empty.
  package let text: String

  package init(_ response: HTTPResponse) {
    guard let document = try? JSONDocument(response.body), let code = document["error"]?.nonEmptyString else {
      self.code = ""
      text = ServiceProblem(response).text
      return
    }
    self.code = code
    let detail = document["error_description"]?.nonEmptyString ?? document["message"]?.nonEmptyString
    text = response.secrets.hidden(in: detail.map { "\($0) (\(code))" } ?? code)
  }
}
