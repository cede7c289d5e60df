import TweetCore

/// The filtered stream and the sample stream.
extension Endpoint {
  static let streams = [
    Endpoint("GET", path: "/2/tweets/search/stream", limit: 50) { service, call in
      let view = try service.streamView(call)
      if !service.rules.areInForce(of: call.caller.owner) { throw Problem.noRules }
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

  /// Starts a stream, unless its owner has one of the same endpoint.
  fileprivate func startStream(_ kind: OpenStreams.Kind, for call: Call) throws(Problem) -> ServerResponse {
    if streams.has(call.endpoint.name, of: call.caller.owner) { throw Problem.tooManyConnections }
    return ServerResponse(
      stream: try streams.open(
        kind, call.endpoint.name, of: call.caller.owner, keepAliveEvery: Self.keepAliveInterval))
  }
}
