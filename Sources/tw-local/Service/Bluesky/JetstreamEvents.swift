import TweetCore

/// Jetstream, the stream of all posts, in both versions: over a WebSocket, for everybody, from any event on.
extension Endpoint {
  static let jetstream = [
    Endpoint("GET", path: "/xrpc/network.bsky.jetstream.subscribeEvents", limit: 3000, access: .open) {
      try $0.openJetstream(isSecond: true, $1)
    },
    Endpoint("GET", path: "/subscribe", limit: 3000, access: .open) { try $0.openJetstream(isSecond: false, $1) },
  ]
}

/// Which events a stream of Jetstream gets, and in which form.
struct JetstreamSubscription: Sendable {
  let isSecond: Bool
  /// Names of collections, or beginnings of such names; empty for all.
  let collections: [String]
  /// Empty for all.
  let dids: Set<String>

  func wants(_ event: JetstreamEvent) -> Bool {
    (dids.isEmpty || dids.contains(event.did)) && (collections.isEmpty || collections.contains(where: event.isOf))
  }
}

/// A record that was made, or that is gone.
struct JetstreamEvent {
  enum Change {
    case post(Post)
    case deleted(Post)
  }

  let number: Int
  let time: Timestamp
  /// In the second version's order of members; the first one has them in another place.
  let did: String
  let collection: String
  fileprivate let key: String
  /// `nil` for one that is gone.
  fileprivate let record: JSON?
  fileprivate let cid: String

  fileprivate func isOf(_ wanted: String) -> Bool {
    wanted.hasSuffix(".*") ? collection.hasPrefix(wanted.dropLast()) : collection == wanted
  }

  /// The message in the form of a version.
  func frame(isSecond: Bool) -> StreamChunk {
    var commit: JSON.Members = [
      ("rev", .string(key)), ("operation", .string(record == nil ? "delete" : "create")),
      ("collection", .string(collection)), ("rkey", .string(key)),
    ]
    if let record { commit += [("record", record), ("cid", .string(cid))] }
    let message: JSON.Members
    if isSecond {
      let head: JSON.Members = [
        ("$type", "network.bsky.jetstream.subscribeEvents#commit"), ("seq", .number(number)),
        ("did", .string(did)), ("time", .string(time.rfc3339)),
      ]
      message = [("$type", "message"), ("payload", .object(head + commit))]
    } else {
      message = [
        ("did", .string(did)), ("time_us", .number(Int(time.milliseconds) * 1000)), ("kind", "commit"),
        ("commit", .object(commit)),
      ]
    }
    return WebSocket.Frame.text(JSON.object(message).bytes).chunk
  }
}

extension Service {
  /// Events that a connection is sent of the past. Who wants more is told to come again, as a reader that is too slow
  /// is.
  private static let mostReplayed = 2048
  /// A cursor from here on is a time, in microseconds since 1970.
  private static let firstTime = 1_000_000_000_000_000
  /// Time between pings at Bluesky's servers.
  private static let pingInterval: Duration = .seconds(30)

  fileprivate func openJetstream(isSecond: Bool, _ call: Call) throws -> ServerResponse {
    let request = call.request
    if let id = request.parameter("zstdDictionary") {
      throw Problem.bluesky(status: 400, error: "UnknownZstdDictionary", message: "There is no dictionary \(id)")
    }
    var first = Int.max
    if let text = request.parameter("cursor") {
      guard let cursor = Int(text), cursor >= 0 else { throw Problem.invalidRequest("cursor must be an integer") }
      first =
        isSecond && cursor < Self.firstTime
        ? TimedID.firstID(sequence: cursor) : Snowflake.first(at: Timestamp(milliseconds: Int64(cursor / 1000)))
    }
    let subscription = JetstreamSubscription(
      isSecond: isSecond, collections: request.values(isSecond ? "collections" : "wantedCollections"),
      dids: Set(request.values(isSecond ? "dids" : "wantedDids")))
    return try WebSocket.answer(request, protocols: ["xrpc.v1.json"]) {
      let queue = try streams.open(
        .jetstream(subscription), call.endpoint.name, of: call.caller.owner, keepAliveEvery: Self.pingInterval,
        keepAlive: WebSocket.Frame.ping.chunk)
      try replay(from: first, subscription, to: queue)
      return queue
    }
  }

  /// Sends what was posted from an id on. What is deleted is not told of again.
  private func replay(from first: Int, _ subscription: JetstreamSubscription, to queue: StreamQueue) throws {
    guard first < .max else { return }
    let posts = try store.oldestPosts(after: first - 1, before: .max, limit: Self.mostReplayed + 1)
    for post in posts.prefix(Self.mostReplayed) {
      let event = try jetstreamEvent(.post(post))
      if subscription.wants(event) { queue.append(event.frame(isSecond: subscription.isSecond)) }
    }
    guard posts.count > Self.mostReplayed, let next = posts.last else { return }
    if subscription.isSecond {
      let words = "reconnect with cursor=\(TimedID.sequence(next.id))"
      let error: JSON = ["$type": "error", "error": "ConsumerTooSlow", "message": .string(words)]
      queue.append(WebSocket.Frame.text(error.bytes).chunk)
    }
    queue.append(WebSocket.Frame.close(1008).chunk)
    queue.finish()
  }

  func jetstreamEvent(_ change: JetstreamEvent.Change) throws -> JetstreamEvent {
    let view = BlueskyView(reader: reader)
    switch change {
    case .post(let post):
      return JetstreamEvent(
        number: TimedID.sequence(post.id), time: post.createdAt, did: BlueskyName.did(post.authorID),
        collection: view.collection(of: post), key: try view.key(of: post), record: try view.record(of: post),
        cid: try BlueskyName.cid(view.uri(of: post)))
    case .deleted(let post):
      return JetstreamEvent(
        number: TimedID.sequence(store.newID(at: .now)), time: .now, did: BlueskyName.did(post.authorID),
        collection: view.collection(of: post), key: try view.key(of: post), record: nil, cid: "")
    }
  }

  func sendToJetstream(_ change: JetstreamEvent.Change) throws {
    guard !streams.jetstream.isEmpty else { return }
    sendToJetstream(try jetstreamEvent(change))
  }

  /// Sends an event to the streams that want it. Its bytes are made once for each version.
  func sendToJetstream(_ event: JetstreamEvent) {
    var frames: [Bool: StreamChunk] = [:]
    for (subscription, queue) in streams.jetstream where subscription.wants(event) {
      let frame = frames[subscription.isSecond] ?? event.frame(isSecond: subscription.isSecond)
      frames[subscription.isSecond] = frame
      queue.append(frame)
    }
  }
}
