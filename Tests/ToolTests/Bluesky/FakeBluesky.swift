// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import Synchronization
import TestSupport

/// A Bluesky on loopback: an AppView with a few accounts and posts, and a Jetstream of both versions that goes on from
/// any of its events, and whose connections end as a test says.
final class FakeBluesky: Sendable {
  /// How a connection to the stream goes.
  enum Connection: Sendable {
    /// All events after the cursor, then nothing more.
    case all
    /// That many of them, then this.
    case some(Int, End)
    /// Another answer than a stream.
    case answer(Int, String)
  }

  enum End: String, Sendable, CaseIterable {
    case close, reset, halfFrame, endFrame, tooSlow, garbage
    /// The connection stays open, and nothing comes any more: after a message, or within one.
    case silent, halfOpen

    /// Those that the client need not wait for.
    static var quick: [End] { allCases.filter { $0 != .silent && $0 != .halfOpen } }
  }

  struct Event: Sendable {
    let number: Int
    let operation: String
    let did: String
    let key: String
    let text: String
    var cid: String { "bafy\(number)" }
  }

  private struct State {
    var events: [Event] = []
    var connections: [Connection] = []
    /// What messages are compressed with, if somebody asks for that.
    var dictionary: [UInt8] = []
    /// Frames that come first on the next connection.
    var notes: [[UInt8]] = []
    /// What this server's numbers are above those of others.
    var offset = 0
    var hasFirstVersionAlone = false
    /// Earlier events are not sent to those that connect.
    var firstNumber = 0
    var profileDelay = 0.0
    var begun = 0
    var splitsFrames = false
  }

  private let state = Mutex(State())
  private let box = Box()

  private final class Box: Sendable {
    let server = Mutex<LoopbackServer?>(nil)
  }

  init(_ connections: [Connection] = [.all]) throws {
    state.withLock { $0.connections = connections }
    let server = try LoopbackServer { [weak self] request, connection in
      guard let self else { return connection.close() }
      serve(request, connection)
    }
    box.server.withLock { $0 = server }
  }

  var server: LoopbackServer { box.server.withLock { $0! } }
  var base: String { server.base }
  var environment: [String: String] { ["TW_ENDPOINT_BLUESKY": base] }
  var streams: [LoopbackServer.Request] { server.requests.filter { $0["Upgrade"] != nil } }

  /// - Returns: the addresses of the posts.
  @discardableResult
  func add(_ texts: [String], operation: String = "create", did: String = "did:plc:alice", key: String? = nil)
    -> [String]
  {
    state.withLock { state in
      texts.map { text in
        let number = 1000 + state.events.count
        state.events.append(
          Event(number: number, operation: operation, did: did, key: key ?? "3k\(number)abcdefg", text: text))
        return "at://\(did)/app.bsky.feed.post/\(key ?? "3k\(number)abcdefg")"
      }
    }
  }

  func plan(_ connections: [Connection]) { state.withLock { $0.connections = connections } }
  func delayProfiles(_ seconds: Double) { state.withLock { $0.profileDelay = seconds } }
  /// Has frames come byte by byte.
  func splitFrames() { state.withLock { $0.splitsFrames = true } }
  /// Compresses messages for those who ask for it, with a dictionary.
  func compress(with dictionary: [UInt8]) { state.withLock { $0.dictionary = dictionary } }
  /// Sends frames at the beginning of the next connection.
  func note(_ frames: [[UInt8]]) { state.withLock { $0.notes = frames } }
  /// Numbers its events in another way than other servers.
  func number(from offset: Int) { state.withLock { $0.offset = offset } }
  /// Has only the events from a number on, as a server that keeps them for a while.
  func keep(from number: Int) { state.withLock { $0.firstNumber = number } }
  /// How many streams were opened.
  var openedStreams: Int { state.withLock(\.begun) }
  func speakFirstVersion() { state.withLock { $0.hasFirstVersionAlone = true } }

  /// Waits until the stream has been opened that often: what is added then is new to it.
  func waitForStreams(_ count: Int) throws {
    try waitUntil { state.withLock { $0.begun >= count } }
  }

  // MARK: Answers

  private func serve(_ request: LoopbackServer.Request, _ connection: TestSupport.Connection) {
    let path = request.path.prefix { $0 != "?" }
    switch path {
    case "/xrpc/network.bsky.jetstream.subscribeEvents", "/subscribe":
      if path != "/subscribe", state.withLock(\.hasFirstVersionAlone) {
        return connection.answer(404, "404 page not found\n")
      }
      stream(request, connection, isSecond: path != "/subscribe")
    case "/xrpc/app.bsky.actor.getProfiles":
      connection.pause(state.withLock(\.profileDelay))
      let dids = request.path.split(separator: "?").last?.split(separator: "&") ?? []
      let profiles = dids.map { did in
        let name = did.dropFirst("actors=".count).removingPercentEncoding ?? ""
        let label =
          name.hasSuffix("shy")
          ? #","labels":[{"val":"!no-unauthenticated","src":"\#(name)","uri":"at://x","cts":"2026-01-01T00:00:00Z"}]"#
          : ""
        return
          #"{"did":"\#(name)","handle":"\#(name.split(separator: ":").last ?? "").example","displayName":"A"\#(label)}"#
      }
      connection.answer(200, #"{"profiles":[\#(profiles.joined(separator: ","))]}"#)
    case "/xrpc/network.bsky.jetstream.getZstdDictionary":
      let dictionary = state.withLock(\.dictionary)
      if dictionary.isEmpty { return connection.answer(404, #"{"error":"NotFound"}"#) }
      connection.answer(200, dictionary)
    case "/xrpc/com.atproto.identity.resolveHandle":
      guard let name = request.parameter("handle"), name.hasSuffix(".example") else {
        return connection.answer(400, #"{"error":"InvalidRequest","message":"Unable to resolve handle"}"#)
      }
      connection.answer(200, #"{"did":"did:plc:\#(name.dropLast(".example".count))"}"#)
    default: connection.answer(501, #"{"error":"MethodNotImplemented","message":"\#(path)"}"#)
    }
  }

  private func stream(_ request: LoopbackServer.Request, _ connection: TestSupport.Connection, isSecond: Bool) {
    let plan = state.withLock { $0.connections.count > 1 ? $0.connections.removeFirst() : $0.connections[0] }
    if case .answer(let code, let body) = plan {
      return connection.answer(code, body, headers: [429, 503].contains(code) ? ["Retry-After: 1"] : [])
    }
    let cursor = request.parameter("cursor").flatMap { Int($0) } ?? Int.max
    // Inclusive, as Jetstream is.
    var next = state.withLock { state in
      if cursor == .max { return state.events.count }
      return state.events.firstIndex {
        $0.number >= state.firstNumber
          && (cursor > 1_000_000_000_000_000 ? Self.time($0) >= cursor : $0.number + state.offset >= cursor)
      }
        ?? state.events.count
    }
    if state.withLock(\.splitsFrames) { connection.pieceSize = 1 }
    connection.upgrade(request)
    let (dictionary, offset) = state.withLock { state in
      state.begun += 1
      return (state.dictionary, state.offset)
    }
    let isCompressed = !dictionary.isEmpty && request.parameter("zstdDictionary") != nil
    for note in state.withLock({ state in (state.notes, state.notes = []).0 }) { connection.send(note) }
    var left = Int.max
    var end = End.close
    if case .some(let count, let kind) = plan { (left, end) = (count, kind) }
    while connection.isOpen, left > 0 {
      let events = state.withLock { Array($0.events[min(next, $0.events.count)...].prefix(left)) }
      for event in events {
        let text = Self.frame(event, isSecond: isSecond, offset: offset)
        connection.send(
          isCompressed
            ? TestSupport.Connection.frame(2, ZstdFrame.compressed(Array(text.utf8), dictionary))
            : TestSupport.Connection.text(text))
      }
      next += events.count
      left -= events.count
      if events.isEmpty {
        connection.send(TestSupport.Connection.frame(9, []))
        connection.pause(0.02)
      }
    }
    guard connection.isOpen else { return }
    switch end {
    case .close: connection.close()
    case .reset:
      connection.pause(0.05)
      connection.reset()
    case .halfFrame:
      connection.send(TestSupport.Connection.text("{\"$type\":\"message\"").dropLast(4).map { $0 })
      connection.close()
    case .endFrame:
      connection.send(TestSupport.Connection.closing(1001, "going away"))
      _ = connection.nextFrame()
    case .tooSlow:
      connection.send(
        TestSupport.Connection.text(#"{"$type":"error","error":"ConsumerTooSlow","message":"reconnect with cursor=1"}"#)
      )
      connection.send(TestSupport.Connection.closing(1008))
      _ = connection.nextFrame()
    case .garbage:
      connection.send([0xFF, 0xFF, 0xFF])
      _ = connection.nextFrame()
    case .silent: connection.hold()
    case .halfOpen:
      connection.send(TestSupport.Connection.text("{\"$type\":\"message\"").dropLast(4).map { $0 })
      connection.hold()
    }
    connection.close()
  }

  /// Microseconds: an event each second, up to now.
  static func time(_ event: Event) -> Int { 1_790_000_000_000_000 + event.number * 1_000_000 }

  static func frame(_ event: Event, isSecond: Bool, offset: Int = 0) -> String {
    let record =
      event.operation == "delete"
      ? ""
      : #","record":{"$type":"app.bsky.feed.post","text":"\#(event.text)","createdAt":"2026-09-21T00:00:00.000Z","langs":["en"]},"cid":"\#(event.cid)""#
    let commit =
      #""rev":"r\#(event.number)","operation":"\#(event.operation)","collection":"app.bsky.feed.post","rkey":"\#(event.key)"\#(record)"#
    let time = time(event)
    guard isSecond else {
      return #"{"did":"\#(event.did)","time_us":\#(time),"kind":"commit","commit":{\#(commit)}}"#
    }
    let date = Date(timeIntervalSince1970: Double(time / 1_000_000))
    return
      #"{"$type":"message","payload":{"$type":"network.bsky.jetstream.subscribeEvents#commit","seq":\#(event.number + offset),"did":"\#(event.did)","time":"\#(date.ISO8601Format().dropLast()).000000Z",\#(commit)}}"#
  }
}
