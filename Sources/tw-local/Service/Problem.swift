/// Why the API refuses a request. Each version of the API has its own form for it.
enum Problem: Error {
  case unauthorized
  /// A program has asked for what only a user may do.
  case userNeeded
  /// The user has not allowed the program to do this.
  case scopeMissing(String)
  case tooManyRequests
  case noSuchPage
  case wrongMethod
  case forbidden(String)
  case storeFailed(String)
  case invalid([ParameterFault])
  case post(PostFault)
  case upload(Service.UploadFault)
  /// One that `--fault` asks for.
  case fault(Int)
  /// A problem that only v2 has, with its members.
  case v2(status: Int, members: JSON.Members)
  /// A problem that only v1.1 has, with its code.
  case v1(status: Int, code: Int, message: String)
  /// A problem that only Mastodon has.
  case mastodon(status: Int, message: String)
  /// A problem that only Bluesky has, with its name.
  case bluesky(status: Int, error: String, message: String)
  /// v1.1's streams refuse in plain text.
  case plainText(status: Int, message: String)

  /// What is wrong with a parameter or with a member of the body.
  struct ParameterFault: Sendable {
    let parameter: String
    let values: [String]
    let message: String
  }

  static func invalid(_ parameter: String, _ value: String, _ message: String) -> Problem {
    .invalid([ParameterFault(parameter: parameter, values: [value], message: message)])
  }

  /// A parameter whose value is not in a closed list.
  static func invalid(
    _ parameter: String, _ text: String, value: some StringProtocol, isNotOneOf known: [String]
  ) -> Problem {
    invalid(
      parameter, text,
      "The `\(parameter)` query parameter value [\(value)] is not one of [\(known.joined(separator: ","))]")
  }

  static func plainText(_ status: Int, _ message: String) -> ServerResponse {
    ServerResponse(status: status, type: "text/plain; charset=utf-8", body: Array("\(message)\r\n".utf8))
  }

  func response(in version: APIVersion) -> ServerResponse {
    switch version {
    case .v2: v2Response
    case .v1: v1Response
    case .mastodon: mastodonResponse
    case .bluesky: blueskyResponse
    }
  }
}

/// The interfaces that this service speaks: the two versions of X's API, Mastodon's, and that of Bluesky.
enum APIVersion {
  case v2, v1, mastodon, bluesky

  /// - Returns: `nil` for an address of the web site.
  init?(of request: ServerRequest) {
    switch request.path.first {
    case "2": self = .v2
    case "1.1": self = .v1
    case "api", ".well-known", "nodeinfo": self = .mastodon
    case "xrpc": self = .bluesky
    // The first version of Jetstream, and the documents of a directory of DIDs.
    case "subscribe"?: self = .bluesky
    case let name? where name.hasPrefix("did:"): self = .bluesky
    default: return nil
    }
  }
}
