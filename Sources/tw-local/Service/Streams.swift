import TweetCore

/// The streams that are open, whichever version of the API they speak.
extension Service {
  /// A stream that is being sent.
  struct OpenStream {
    enum Kind {
      /// X v2's filtered stream: what fits the rules.
      case filtered(PostView)
      /// X v2's sample: here, all there is.
      case sample(PostView)
      case v1(V1Subscription)
    }

    let account: Int
    let endpoint: Endpoint
    let kind: Kind
    let feed: StreamFeed
    let heartbeat: Task<Void, any Error>
    let connectedAt: Timestamp
    /// When it was last told that it reads too slowly.
    var warnedAt = Timestamp(milliseconds: 0)
  }

  static let lineEnd: [UInt8] = [0x0D, 0x0A]

  /// Begins a stream: the answer is sent as long as the client reads it.
  /// - Parameter interval: time between bare line ends, unless the service was told another.
  func open(_ kind: OpenStream.Kind, _ call: Call, interval: Duration) -> HTTPResponse {
    lastStream += 1
    let feed = StreamFeed(id: lastStream)
    let interval = keepAlive ?? interval
    let heartbeat = Task {
      while true {
        try await Task.sleep(for: interval)
        feed.send(Self.lineEnd)
      }
    }
    streams[feed.id] = OpenStream(
      account: call.account.id, endpoint: call.endpoint, kind: kind, feed: feed, heartbeat: heartbeat,
      connectedAt: .now)
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
    for stream in streams.values { end(stream) }
  }

  func end(_ stream: OpenStream) {
    stream.heartbeat.cancel()
    stream.feed.finish()
  }

  // MARK: What is sent

  /// Sends a new post to every open stream that wants it.
  func deliver(_ post: Post) throws {
    if streams.isEmpty { return }
    let searchable = try searchable(post, retweetsHaveWords: true)
    let matches = matches(of: searchable)
    for (id, stream) in streams {
      switch stream.kind {
      case .filtered(let view):
        guard let matches else { continue }
        stream.feed.send(try line(post, view, rules: matches))
      case .sample(let view): stream.feed.send(try line(post, view, rules: nil))
      case .v1(let subscription):
        guard subscription.wants(searchable) else { continue }
        send(JSON.object(try subscription.view.streamed(post)), to: id)
      }
      usage.add([post], at: .now)
    }
  }

  private func line(_ post: Post, _ view: PostView, rules: JSON?) throws -> [UInt8] {
    var members: JSON.Members = [("data", try view.object(post))]
    members += try view.surroundings(of: [post])
    if let rules { members.append(("matching_rules", rules)) }
    return JSON.object(members).bytes + Self.lineEnd
  }

  /// Takes a post back, its retweets with it, and tells the streams that are told of such things: v1.1's.
  func remove(_ post: Post) throws {
    let gone = try [post] + store.retweets(of: post.id)
    try store.write { () throws(ToolError) in try store.remove(post) }
    for (id, stream) in streams {
      guard case .v1 = stream.kind else { continue }
      for post in gone { send(V1Message.delete(post), to: id) }
    }
  }

  /// Least time between two warnings of one stream, in milliseconds.
  private static let warningInterval: Int64 = 300_000

  /// Sends a message to a v1.1 stream, and a warning behind it where the client reads too slowly.
  private func send(_ message: JSON, to id: Int) {
    guard let stream = streams[id], case .v1(let subscription) = stream.kind else { return }
    let full = stream.feed.send(subscription.framed(message))
    let now = Timestamp.now
    guard subscription.warnsOfStalls, full >= V1Message.fallingBehind,
      now.milliseconds - stream.warnedAt.milliseconds >= Self.warningInterval
    else { return }
    streams[id]?.warnedAt = now
    stream.feed.send(subscription.framed(V1Message.warning(percentFull: full)))
  }
}
