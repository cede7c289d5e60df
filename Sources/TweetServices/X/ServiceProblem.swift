package import TweetCore
package import TweetNet

/// What a service says is wrong: an answer that is not 2xx, or an error object inside a stream.
///
/// X answers with `application/problem+json` (RFC 9457), sometimes with a list `errors` beside or in place of it, and its
/// edge with plain text or HTML, so nothing is taken for granted.
package struct ServiceProblem: Error, Sendable, Equatable {
  /// The HTTP status; 200 inside a stream.
  package let status: Int
  package private(set) var title = ""
  package private(set) var detail = ""
  /// The last component of the problem's type: `usage-capped`, `streaming-connection`, `operational-disconnect`, …
  package private(set) var kind = ""
  /// Of a refused stream connection: `TooManyConnections`, `RuleConfigurationIssue`, …
  package private(set) var connectionIssue = ""
  /// What the first entries of `errors` say, without repetitions: a service that has a thousand says one thing.
  package private(set) var messages: [String] = []

  package init(_ response: HTTPResponse) {
    status = response.status
    guard let document = try? JSONDocument(response.body) else { return }
    read(document.root)
  }

  /// An error object, if the message is one: it has errors, or a problem's title and type, and no data.
  package init?(message: JSONValue) {
    guard message["data"] == nil, message["errors"] != nil || message["title"] != nil || message["type"] != nil else {
      return nil
    }
    status = 200
    read(message)
  }

  private mutating func read(_ object: JSONValue) {
    title = object["title"]?.string ?? ""
    detail = object["detail"]?.string ?? ""
    kind = Self.lastComponent(object["type"]?.string)
    connectionIssue = object["connection_issue"]?.string ?? ""
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
    let text = parts.isEmpty ? title : parts.joined(separator: "; ")
    if text.isEmpty { return "HTTP \(status)" }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }

  /// Whether the account's reads are used up: by plan (`usage-capped`) or by credit (402). Waiting does not help.
  package var isUsedUp: Bool { status == 402 || kind == "usage-capped" }

  package var isTooManyConnections: Bool { connectionIssue == "TooManyConnections" }

  /// No rules are in force: sent also when ours was added a moment ago.
  package var isWithoutRules: Bool {
    status == 409 && (connectionIssue == "RuleConfigurationIssue" || connectionIssue.isEmpty)
  }

  /// The error that ends a tool which does not try again.
  package var toolError: ToolError {
    if isUsedUp {
      return .refused("the account's reads are used up: \(text); waiting does not help, see the developer console")
    }
    if isTooManyConnections {
      return .tryLater("another program holds the account's stream connection: \(text)")
    }
    switch status {
    case 400, 413, 414: return .usage("the service does not accept the request: \(text)")
    case 401: return .notAllowed("the service does not accept the token: \(text); sign in with 'tw-auth login'")
    case 403: return .notAllowed("the service does not allow this: \(text)")
    case 404, 410: return .refused("not there: \(text)")
    case 408, 409, 420, 425, 429, 500...599: return .tryLater("the service is not ready: \(text); try again later")
    default:
      if kind.hasPrefix("not-authorized") { return .notAllowed("the service does not allow this: \(text)") }
      return .refused("the service refused: \(text)")
    }
  }
}

extension JSONValue {
  /// The elements of an array member; none when there is no such array.
  func list(_ key: StaticString) -> [JSONValue] { self[key].map { Array($0.elements) } ?? [] }
}
