import TweetCore

/// The filtered stream and the sample stream.
extension Endpoint {
  static let streams = [
    Endpoint("GET", path: "/2/tweets/search/stream", limit: 50) { service, call in
      let view = try service.streamView(call)
      if service.rulesInForce.isEmpty { throw Problem.noRules }
      return try service.startStream(.filtered(view), for: call)
    },
    Endpoint("GET", path: "/2/tweets/sample/stream", limit: 50) { service, call in
      try service.startStream(.sample(service.streamView(call)), for: call)
    },
  ]
}

extension Service {
  /// Time between keep-alives on X.
  private static let keepAliveInterval: Duration = .seconds(20)

  fileprivate func streamView(_ call: Call) throws -> PostView {
    try call.request.allowOnly(["backfill_minutes"] + Selection.postParameters)
    return view(try Selection(call.request, of: .posts))
  }

  /// Starts a stream, unless the account has one of the same endpoint.
  fileprivate func startStream(_ kind: OpenStream.Kind, for call: Call) throws -> ServerResponse {
    if streams.values.contains(where: { $0.owner == call.streamOwner && $0.endpoint == call.endpoint.name }) {
      throw Problem.tooManyConnections
    }
    return try startStream(kind, for: call, keepAliveEvery: Self.keepAliveInterval)
  }

  /// The rules that a post matches, as a message has them; `nil` where it matches none.
  func matchingRules(_ post: SearchablePost) -> JSON? {
    let matching = rulesInForce.filter { $0.query.matches(post) }
    if matching.isEmpty { return nil }
    return .array(
      matching.map { match in .object([("id", .id(match.rule.id)), ("tag", .string(match.rule.tag ?? ""))]) })
  }
}
