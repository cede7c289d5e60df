import TweetCore

/// v1.1's streams.
extension Endpoint {
  static let v1Streams = [
    Endpoint("GET", "POST", path: "/1.1/statuses/filter.json", limit: 50) { service, call in
      let filter = try TrackFilter(call.request) { try service.store.account($0)?.username }
      return try service.startV1Stream(call, filter)
    },
    Endpoint("GET", path: "/1.1/statuses/sample.json", limit: 50) { try $0.startV1Stream($1, nil) },
  ]
}

extension Service {
  /// Time between keep-alives on X.
  private static let keepAliveInterval: Duration = .seconds(30)

  fileprivate func startV1Stream(_ call: Call, _ filter: TrackFilter?) throws -> ServerResponse {
    // An account has one v1.1 stream: a new one ends the old one.
    streams.replaceV1(of: call.caller.owner, name: "\(call.viewer?.username ?? "app")-statuses")
    let request = call.request
    let subscription = V1Subscription(
      view: V1PostView(reader: reader, mode: .streaming, viewer: nil), filter: filter,
      isDelimited: request.parameter("delimited") == "length",
      hasStallWarnings: request.parameter("stall_warnings") == "true")
    return ServerResponse(
      stream: try streams.open(
        .v1(subscription), call.endpoint.name, of: call.caller.owner, keepAliveEvery: Self.keepAliveInterval))
  }
}

/// Which posts a v1.1 stream gets, and how its messages are framed.
struct V1Subscription {
  let view: V1PostView
  /// `nil` for the sample stream: here, every post.
  let filter: TrackFilter?
  /// Whether each message has its length before it.
  let isDelimited: Bool
  let hasStallWarnings: Bool

  func wants(_ post: SearchablePost) -> Bool { filter?.matches(post) ?? true }

  /// A message with its line end, and with its length in bytes before it if that was asked for. The length includes the
  /// line end.
  func framed(_ message: JSON) -> [UInt8] {
    let bytes = message.bytes + OpenStreams.lineEnd
    return isDelimited ? Array("\(bytes.count)\r\n".utf8) + bytes : bytes
  }
}
