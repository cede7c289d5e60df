import TweetCore

/// The open streams of both versions of the API: who holds which, and what each of them is sent.
struct OpenStreams {
  enum Kind {
    /// v2's filtered stream: posts that match the rules.
    case filtered(PostView)
    /// v2's sample stream: here, every post.
    case sample(PostView)
    case v1(V1Subscription)
    case mastodon(MastodonSubscription)
    /// Bluesky's Jetstream, over a WebSocket.
    case jetstream(JetstreamSubscription)
  }

  private struct Stream {
    /// As ``Caller/owner`` says.
    let owner: String
    let endpoint: String
    let kind: Kind
    let queue: StreamQueue
    let keepAlives: Task<Void, any Error>
    /// When the client was last warned that it reads too slowly.
    var warnedAt = Timestamp(milliseconds: 0)

    func finish() {
      keepAlives.cancel()
      // Going away.
      if case .jetstream = kind { queue.append(WebSocket.Frame.close(1001).chunk) }
      queue.finish()
    }
  }

  static let lineEnd: [UInt8] = [0x0D, 0x0A]
  static let keepAliveChunk = StreamChunk(lineEnd)
  /// Most streams of all accounts together, where there are descriptors enough.
  static let most = 2000
  /// Least time between two warnings of one stream, in milliseconds.
  private static let warningInterval: Int64 = 300_000

  /// Time between two keep-alives; `nil` means X's.
  private let keepAlive: Duration?
  private let most: Int
  /// By their numbers.
  private var streams: [Int: Stream] = [:]
  private var lastNumber = 0

  init(keepAlive: Duration?, most: Int = most) { (self.keepAlive, self.most) = (keepAlive, most) }

  /// Whether no connection of a stream is open any more.
  var isEmpty: Bool { streams.isEmpty }

  /// Whether somebody has a stream of an endpoint.
  func has(_ endpoint: String, of owner: String) -> Bool {
    streams.values.contains { $0.owner == owner && $0.endpoint == endpoint }
  }

  /// Opens a stream.
  /// - Parameters:
  ///   - owner: whose stream it is; see ``Caller/owner``.
  ///   - interval: time between keep-alives on X.
  ///   - chunk: what a keep-alive is.
  /// - Returns: what the connection sends for as long as the client reads it.
  mutating func open(
    _ kind: Kind, _ endpoint: String, of owner: String, keepAliveEvery interval: Duration,
    keepAlive chunk: StreamChunk = keepAliveChunk
  ) throws(Problem) -> StreamQueue {
    // Nobody holds more than is left for others, and all who are not signed in are one: so there is always some left.
    guard streams.values.count(where: { $0.owner == owner }) < most - streams.count else {
      throw .storeFailed("The service has too many open streams.")
    }
    lastNumber += 1
    let queue = StreamQueue(id: lastNumber)
    let interval = keepAlive ?? interval
    let keepAlives = Task {
      while true {
        try await Task.sleep(for: interval)
        queue.append(chunk)
      }
    }
    streams[queue.id] = Stream(owner: owner, endpoint: endpoint, kind: kind, queue: queue, keepAlives: keepAlives)
    return queue
  }

  /// Removes a stream whose connection has ended, so that its owner may open another.
  mutating func remove(_ queue: StreamQueue) {
    streams.removeValue(forKey: queue.id)?.keepAlives.cancel()
  }

  /// Finishes all streams: each client gets what waits for it, then the last chunk.
  func finish() {
    for stream in streams.values { stream.finish() }
  }

  /// Ends the v1.1 streams of somebody who opens another.
  /// - Parameter name: what they are called in the message that says so.
  func replaceV1(of owner: String, name: String) {
    for stream in streams.values where stream.owner == owner {
      guard case .v1(let subscription) = stream.kind else { continue }
      stream.queue.append(StreamChunk(subscription.framed(V1Message.replaced(streamName: name))))
      stream.finish()
    }
  }

  // MARK: Messages

  /// Sends a new post to every stream that wants it. Streams that ask for the same get the same bytes, which are made
  /// once: a thousand streams cost little more than one.
  /// - Parameter rules: those in force that it matches, of all owners.
  mutating func send(_ searchable: SearchablePost, matching rules: [LocalStore.Rule]) throws {
    let post = searchable.post
    var sampled: [Selection: StreamChunk] = [:]
    var v1: JSON?
    for (id, stream) in streams {
      switch stream.kind {
      case .filtered(let view):
        let own = rules.filter { $0.owner == stream.owner }
        if !own.isEmpty { stream.queue.append(try view.chunk(of: post, matching: own)) }
      case .sample(let view):
        let chunk = try sampled[view.selection] ?? view.chunk(of: post, matching: [])
        sampled[view.selection] = chunk
        stream.queue.append(chunk)
      case .v1(let subscription):
        guard subscription.wants(searchable) else { continue }
        let message = try v1 ?? JSON.object(subscription.view.streamedMembers(of: post))
        v1 = message
        send(message, to: id)
      // The service sends to these itself.
      case .mastodon, .jetstream: break
      }
    }
  }

  /// The streams of Mastodon's API.
  var mastodon: [(subscription: MastodonSubscription, queue: StreamQueue)] {
    streams.values.compactMap {
      if case .mastodon(let subscription) = $0.kind { (subscription, $0.queue) } else { nil }
    }
  }

  /// The streams of Jetstream.
  var jetstream: [(subscription: JetstreamSubscription, queue: StreamQueue)] {
    streams.values.compactMap {
      if case .jetstream(let subscription) = $0.kind { (subscription, $0.queue) } else { nil }
    }
  }

  /// Sends deletions to v1.1's streams and to those of Mastodon. v2's streams have no such message.
  mutating func sendDeletions(of posts: [Post]) {
    for post in posts {
      let chunk = MastodonSubscription.event("delete", Array(TimedID.mastodon(post.id).utf8))
      for (_, queue) in mastodon { queue.append(chunk) }
    }
    for (id, stream) in streams {
      guard case .v1 = stream.kind else { continue }
      for post in posts { send(V1Message.delete(post), to: id) }
    }
  }

  /// Sends a message to a v1.1 stream, and after it a warning if the client reads too slowly.
  private mutating func send(_ message: JSON, to id: Int) {
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

extension PostView {
  /// A post as a message of v2's streams.
  /// - Parameter rules: those that it matches; empty for the sample.
  fileprivate func chunk(of post: Post, matching rules: [LocalStore.Rule]) throws -> StreamChunk {
    var members: JSON.Members = [("data", try object(post))]
    members += try includes(for: [post])
    if !rules.isEmpty {
      let matching = rules.map { JSON.object([("id", .id($0.id)), ("tag", .string($0.tag ?? ""))]) }
      members.append(("matching_rules", .array(matching)))
    }
    return StreamChunk(JSON.object(members).bytes + OpenStreams.lineEnd)
  }
}

/// A message of a stream as it is sent: in a chunk of its own (RFC 9112 §7.1), or in a frame of a WebSocket. Any number
/// of streams share it.
struct StreamChunk: Sendable {
  let bytes: [UInt8]

  /// A frame of a WebSocket, whose connection is no HTTP any more.
  init(frame: [UInt8]) { bytes = frame }

  init(_ message: [UInt8]) {
    bytes = Array("\(String(message.count, radix: 16))\r\n".utf8) + message + [0x0D, 0x0A]
  }
}

/// The messages that wait to be sent on one open stream, in order.
///
/// The service appends, the connection sends. A client that reads too slowly is disconnected, as X does it, so that its
/// messages are not held for ever.
struct StreamQueue: Sendable {
  /// The stream's number in this service.
  let id: Int
  let chunks: AsyncStream<StreamChunk>
  private let continuation: AsyncStream<StreamChunk>.Continuation

  /// Most messages held for a client that does not read: 16 seconds of 250 posts a second, which is X's limit.
  private static let capacity = 4096

  init(id: Int) {
    self.id = id
    (chunks, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity))
  }

  /// Appends a message. A full queue is finished instead.
  /// - Returns: how full the queue is now, in per cent.
  @discardableResult
  func append(_ chunk: StreamChunk) -> Int {
    switch continuation.yield(chunk) {
    case .enqueued(let remaining): return 100 - remaining * 100 / Self.capacity
    case .dropped:
      continuation.finish()
      return 100
    default: return 0
    }
  }

  /// Ends the queue: the connection sends what it holds, then the last chunk.
  func finish() { continuation.finish() }
}

/// The messages of v1.1's streams that are not posts.
enum V1Message {
  /// A client gets a warning when its queue is as full as this, in per cent.
  static let warningLevel = 60

  static func delete(_ post: Post) -> JSON {
    let status: JSON.Members = [
      ("id", .number(post.id)), ("id_str", .id(post.id)), ("user_id", .number(post.authorID)),
      ("user_id_str", .id(post.authorID)),
    ]
    return ["delete": ["status": .object(status), "timestamp_ms": .string("\(Timestamp.now.milliseconds)")]]
  }

  static func warning(percentFull: Int) -> JSON {
    let message =
      "Your connection is falling behind and messages are being queued for delivery to you. Your queue is now over "
      + "\(warningLevel)% full. You will be disconnected when the queue is full."
    return ["warning": ["code": "FALLING_BEHIND", "message": .string(message), "percent_full": .number(percentFull)]]
  }

  /// The account has opened another stream, which replaces this one.
  static func replaced(streamName: String) -> JSON {
    ["disconnect": ["code": 7, "stream_name": .string(streamName), "reason": "admin logout"]]
  }
}
