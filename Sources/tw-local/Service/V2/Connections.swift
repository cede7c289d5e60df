import TweetCore

/// An account's own streams, seen and ended from outside.
extension Service {
  private static let streamNames = ["filtered_stream", "sample_stream"]

  private static func name(_ endpoint: Endpoint) -> String? {
    switch endpoint {
    case .stream: "filtered_stream"
    case .sample: "sample_stream"
    default: nil
    }
  }

  private func ownStreams(_ call: Call) -> [OpenStream] {
    streams.values.filter { $0.account == call.account.id && Self.name($0.endpoint) != nil }
      .sorted { $0.feed.id < $1.feed.id }
  }

  /// Those that are open; a client of v1.1's has no name here.
  func listConnections(_ call: Call) throws -> HTTPResponse {
    try call.request.allowOnly(["status", "endpoints", "max_results", "pagination_token", "connection.fields"])
    let wanted = try Selection.choice(call.request, "endpoints", of: Self.streamNames)
    let shown = ownStreams(call).filter { wanted.isEmpty || wanted.contains(Self.name($0.endpoint) ?? "") }
    let objects = shown.map { stream in
      JSON.object([
        ("endpoint_name", .string(Self.name(stream.endpoint) ?? "")),
        ("connected_at", .string(stream.connectedAt.rfc3339)), ("client_ip", .string("127.0.0.1")),
      ])
    }
    let members = body(objects, asList: true, surroundings: [], missing: [])
    return reply(members + [("meta", .object([("result_count", .number(objects.count))]))])
  }

  /// Ends all of them, or those of one kind: each is told why.
  func endConnections(_ call: Call) throws -> HTTPResponse {
    try call.request.allowOnly([])
    let name = call.endpoint == .endStreamsOfKind ? call.parts[0] : nil
    if let name, !Self.streamNames.contains(name) {
      throw Problem.invalid(
        "endpoint_id", name,
        "The `endpoint_id` query parameter value [\(name)] is not one of [\(Self.streamNames.joined(separator: ","))]")
    }
    let ended = ownStreams(call).filter { name == nil || Self.name($0.endpoint) == name }
    for stream in ended {
      // Whoever is told that it ended may open another.
      close(stream.feed)
      stream.feed.send(JSON.object([("errors", .array([Problem.forcedDisconnect]))]).bytes + Self.lineEnd)
      end(stream)
    }
    return reply([
      ("data", .object([("successful_kills", .number(ended.count)), ("failed_kills", .number(0))]))
    ])
  }
}
