import TweetCore

/// The open streams of both versions of the API.
extension Service {
  struct OpenStream {
    enum Kind {
      /// v2's filtered stream: posts that match the rules.
      case filtered(PostView)
      /// v2's sample stream: here, every post.
      case sample(PostView)
      case v1(V1Subscription)
    }

    /// The account's id; for a program, what ``Caller/id`` says.
    let owner: String
    let endpoint: String
    let kind: Kind
    let queue: StreamQueue
    let keepAlives: Task<Void, any Error>
    /// When the client was last warned that it reads too slowly.
    var warnedAt = Timestamp(milliseconds: 0)
  }

  static let lineEnd: [UInt8] = [0x0D, 0x0A]
  private static let keepAliveChunk = StreamChunk(lineEnd)
  /// Most streams of all accounts together.
  private static let maxStreams = 2000

  /// Starts a stream and returns the answer, which is sent for as long as the client reads it.
  /// - Parameter interval: time between keep-alives where the service has no setting for it.
  func startStream(
    _ kind: OpenStream.Kind, for call: Call, keepAliveEvery interval: Duration
  ) throws(Problem) -> ServerResponse {
    guard streams.count < Self.maxStreams else { throw .storeFailed("The service has too many open streams.") }
    lastStream += 1
    let queue = StreamQueue(id: lastStream)
    let interval = keepAlive ?? interval
    let keepAlives = Task {
      while true {
        try await Task.sleep(for: interval)
        queue.append(Self.keepAliveChunk)
      }
    }
    streams[queue.id] = OpenStream(
      owner: call.streamOwner, endpoint: call.endpoint.name, kind: kind, queue: queue, keepAlives: keepAlives)
    return ServerResponse(status: 200, headers: [("content-type", ServerResponse.jsonType)], body: .stream(queue))
  }

  /// Removes a stream whose connection has ended, so that the account may open another.
  func removeStream(_ queue: StreamQueue) {
    streams.removeValue(forKey: queue.id)?.keepAlives.cancel()
  }

  /// Whether the connection of some stream is still open.
  var hasStreams: Bool { !streams.isEmpty }

  /// Finishes all streams: each client gets what waits for it, then the last chunk.
  func finishStreams() {
    for stream in streams.values { finish(stream) }
  }

  func finish(_ stream: OpenStream) {
    stream.keepAlives.cancel()
    stream.queue.finish()
  }

  // MARK: Messages

  /// Sends a new post to every open stream that wants it. Streams that ask for the same get the same bytes, which are made
  /// once: a thousand streams cost little more than one.
  func deliver(_ post: Post) throws {
    if streams.isEmpty { return }
    let searchable = try searchable(post, retweetsHaveWords: true)
    let matchingRules = matchingRules(searchable)
    var filtered: [Selection: StreamChunk] = [:]
    var sampled: [Selection: StreamChunk] = [:]
    var v1: JSON?
    for (id, stream) in streams {
      switch stream.kind {
      case .filtered(let view):
        guard let matchingRules else { continue }
        let chunk = try filtered[view.selection] ?? StreamChunk(line(for: post, view, matchingRules))
        filtered[view.selection] = chunk
        stream.queue.append(chunk)
      case .sample(let view):
        let chunk = try sampled[view.selection] ?? StreamChunk(line(for: post, view, nil))
        sampled[view.selection] = chunk
        stream.queue.append(chunk)
      case .v1(let subscription):
        guard subscription.wants(searchable) else { continue }
        let message = try v1 ?? JSON.object(subscription.view.streamedMembers(of: post))
        v1 = message
        send(message, to: id)
      }
    }
  }

  private func line(for post: Post, _ view: PostView, _ matchingRules: JSON?) throws -> [UInt8] {
    var members: JSON.Members = [("data", try view.object(post))]
    members += try view.includes(for: [post])
    if let matchingRules { members.append(("matching_rules", matchingRules)) }
    return JSON.object(members).bytes + Self.lineEnd
  }

  /// Deletes a post and its retweets, and sends the deletions to v1.1's streams. v2's streams have no such message.
  func delete(_ post: Post) throws {
    let deleted = try [post] + store.retweets(of: post.id)
    try store.write { () throws(ToolError) in try store.remove(post) }
    for (id, stream) in streams {
      guard case .v1 = stream.kind else { continue }
      for post in deleted { send(V1Message.delete(post), to: id) }
    }
  }

  /// Least time between two warnings of one stream, in milliseconds.
  private static let warningInterval: Int64 = 300_000

  /// Sends a message to a v1.1 stream, and after it a warning if the client reads too slowly.
  private func send(_ message: JSON, to id: Int) {
    guard let stream = streams[id], case .v1(let subscription) = stream.kind else { return }
    let percentFull = stream.queue.append(StreamChunk(subscription.framed(message)))
    let now = Timestamp.now
    guard subscription.hasStallWarnings, percentFull >= V1Message.warningLevel,
      now.milliseconds - stream.warnedAt.milliseconds >= Self.warningInterval
    else { return }
    streams[id]?.warnedAt = now
    stream.queue.append(StreamChunk(subscription.framed(V1Message.warning(percentFull: percentFull))))
  }
}
