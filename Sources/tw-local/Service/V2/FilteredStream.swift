import TweetCore

/// The filtered stream and its rules.
extension Service {
  /// A stream that is being sent.
  struct OpenStream {
    let account: Int
    let feed: StreamFeed
    let view: PostView
    let heartbeat: Task<Void, any Error>
  }

  static let lineEnd: [UInt8] = [0x0D, 0x0A]

  func openStream(_ call: Call) throws -> HTTPResponse {
    try call.request.allowOnly(Selection.postParameters)
    let view = view(try Selection(call.request, of: .posts))
    if rules.isEmpty { throw Problem.noRules }
    if streams.values.contains(where: { $0.account == call.account.id }) { throw Problem.tooManyConnections }
    lastStream += 1
    let feed = StreamFeed(id: lastStream)
    let interval = keepAlive
    let heartbeat = Task {
      while true {
        try await Task.sleep(for: interval)
        feed.send(Self.lineEnd)
      }
    }
    streams[feed.id] = OpenStream(account: call.account.id, feed: feed, view: view, heartbeat: heartbeat)
    return HTTPResponse(
      status: 200, headers: [("content-type", "application/json; charset=utf-8")], body: .feed(feed))
  }

  /// The connection of a stream has ended: the account may open another.
  func close(_ feed: StreamFeed) {
    streams.removeValue(forKey: feed.id)?.heartbeat.cancel()
  }

  /// Whether some stream's connection has not ended yet.
  var hasStreams: Bool { !streams.isEmpty }

  /// Ends all streams in good order.
  func closeStreams() {
    for stream in streams.values {
      stream.heartbeat.cancel()
      stream.feed.finish()
    }
  }

  /// Sends a new post to every open stream, if a rule fits it.
  func deliver(_ post: Post) throws {
    if streams.isEmpty { return }
    let searchable = try searchable(post, retweetsHaveWords: true)
    let fitting = rules.filter { $0.query.matches(searchable) }
    if fitting.isEmpty { return }
    let matches = fitting.map { fit in
      JSON.object([("id", .id(fit.rule.id)), ("tag", .string(fit.rule.tag ?? ""))])
    }
    for stream in streams.values {
      var members: JSON.Members = [("data", try stream.view.object(post))]
      members += try stream.view.surroundings(of: [post])
      members.append(("matching_rules", .array(matches)))
      stream.feed.send(JSON.object(members).bytes + Self.lineEnd)
    }
  }
}
