import FlyingSocks
import Libc

/// The connection of one client: reads requests up to a fixed size, sends answers, notices when the client leaves.
struct ClientConnection: Sendable {
  let socket: Socket
  /// The IP address of the client.
  let address: String
  let pool: WaitingPool
  let clients: Clients
  /// How long a client may be silent between two requests, how long a request may take to come, and how long what we
  /// send may be left unread.
  let patience: Duration

  private static let readSize = 4096

  private enum Failure: Error { case clientLeft, clientStalled, cut }

  /// Answers requests until the client or an error ends the connection, then closes the socket.
  /// - Parameter streamEnded: called when the connection of a stream has ended.
  func serve(
    answer: (ServerRequest) async -> ServerResponse, streamEnded: (StreamQueue) async -> Void
  ) async {
    var received: [UInt8] = []
    do {
      while let request = try await nextRequest(&received) {
        guard clients.begin(socket.file.rawValue) else { break }
        var response = await answer(request)
        if case .bytes(let bytes) = response.body, bytes.count > ServerRequest.maxBody,
          !clients.beginLarge(socket.file.rawValue)
        {
          response = ServerResponse(status: RequestFault.busy.status)
        }
        if case .webSocket(let queue) = response.body {
          try await serve(queue, head: response.head(closing: false), received, streamEnded: streamEnded)
          break
        }
        try await send(response, to: request, streamEnded: streamEnded)
        if !request.keepsAlive { break }
        clients.end(socket.file.rawValue)
      }
    } catch let fault as RequestFault {
      let refusal = ServerResponse(status: fault.status, type: "text/plain; charset=utf-8", body: [])
      // If the client does not read it, only the client loses by that.
      try? await write(refusal.head(closing: true))
      await discardInput()
    } catch {
      // The client left or stalled, the service ends, or the answer is cut on purpose: nothing more is sent.
    }
    clients.remove(socket.file.rawValue)
    await pool.close(socket)
  }

  // MARK: Requests

  /// Reads the next request; `nil` when the client has closed the connection between two requests.
  /// - Parameter received: bytes that were read and not yet used.
  private func nextRequest(_ received: inout [UInt8]) async throws -> ServerRequest? {
    var searched = 0
    var deadline: ContinuousClock.Instant?
    while true {
      let empty = Self.emptyLines(received)
      received.removeFirst(empty)
      searched = max(0, searched - empty)
      deadline = received.isEmpty ? nil : deadline ?? .now + patience
      let end = Self.headEnd(received, from: searched)
      guard end?.head ?? received.count <= ServerRequest.maxHead else { throw RequestFault.headTooLarge }
      if let end {
        var request = try ServerRequest(head: Array(received[..<end.head]))
        request.address = address
        received.removeFirst(end.body)
        let length = try request.bodyLength()
        if length > received.count, request.headers["expect"]?.lowercased() == "100-continue" {
          try await write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        if length > ServerRequest.maxBody, !clients.beginLarge(socket.file.rawValue) { throw RequestFault.busy }
        while received.count < length { received += try await readRequest(by: deadline) }
        request.body = Array(received[..<length])
        received.removeFirst(length)
        return request
      }
      searched = received.count
      do {
        received += try await readRequest(by: deadline)
      } catch Failure.clientLeft where received.isEmpty {
        return nil
      }
    }
  }

  /// - Parameter deadline: when a request must be there that has begun to come.
  private func readRequest(by deadline: ContinuousClock.Instant?) async throws -> [UInt8] {
    let limit = deadline.map { $0 - .now } ?? patience
    guard limit > .zero else { throw Failure.clientStalled }
    let bytes = try await read(within: limit)
    clients.hear(socket.file.rawValue)
    return bytes
  }

  /// Bytes of empty lines at the beginning, which mean nothing before a request (RFC 9112 §2.2).
  private static func emptyLines(_ bytes: [UInt8]) -> Int {
    var end = 0
    for (at, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "\n") { end = at + 1 } else if byte != UInt8(ascii: "\r") || at > end { break }
    }
    return end
  }

  /// Where the head ends and where the body begins; `nil` while the empty line is still to come. Lines may end in LF
  /// alone.
  private static func headEnd(_ bytes: [UInt8], from start: Int) -> (head: Int, body: Int)? {
    func withoutReturn(_ end: Int) -> Int { end > 0 && bytes[end - 1] == UInt8(ascii: "\r") ? end - 1 : end }
    for at in start..<bytes.count where bytes[at] == UInt8(ascii: "\n") {
      let line = withoutReturn(at)
      if line > 0, bytes[line - 1] == UInt8(ascii: "\n") { return (withoutReturn(line - 1), at + 1) }
    }
    return nil
  }

  // MARK: Answers

  private func send(
    _ response: ServerResponse, to request: ServerRequest, streamEnded: (StreamQueue) async -> Void
  ) async throws {
    let head = response.head(closing: !request.keepsAlive)
    switch response.body {
    case .bytes(let bytes):
      try await write(request.method == "HEAD" ? head : head + bytes)
    case .half(let bytes):
      try await write(head + bytes.prefix(bytes.count / 2))
      throw Failure.cut
    case .nothing, .webSocket: throw Failure.cut
    case .silence:
      while true { _ = try await read(within: patience) }
    case .stream(let queue):
      clients.remove(socket.file.rawValue)
      defer { clients.takeBack(socket.file.rawValue) }
      do {
        try await write(head)
        try await sendChunks(of: queue)
      } catch {
        await streamEnded(queue)
        throw error
      }
      await streamEnded(queue)
    }
  }

  /// Sends the messages of a stream until its queue is finished. Throws as soon as the client has left.
  private func sendChunks(of queue: StreamQueue) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for await chunk in queue.chunks { try await write(chunk.bytes) }
        try Task.checkCancellation()
        try await write(Array("0\r\n\r\n".utf8))
      }
      group.addTask {
        // The client has nothing more to say; reading is how we notice that it has left.
        while true { _ = try await read(within: nil) }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  // MARK: WebSockets

  /// Serves a WebSocket until one side has closed it.
  /// - Parameter received: what the client has sent after its request.
  private func serve(
    _ queue: StreamQueue, head: [UInt8], _ received: [UInt8], streamEnded: (StreamQueue) async -> Void
  ) async throws {
    clients.remove(socket.file.rawValue)
    defer { clients.takeBack(socket.file.rawValue) }
    do {
      try await write(head)
      try await exchangeFrames(queue, received)
    } catch {
      await streamEnded(queue)
      throw error
    }
    await streamEnded(queue)
  }

  private func exchangeFrames(_ queue: StreamQueue, _ received: [UInt8]) async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await chunk in queue.chunks { try await write(chunk.bytes) }
        return true
      }
      group.addTask {
        var input = WebSocketInput()
        input.append(received)
        while true {
          while let event = input.next() {
            switch event {
            case .ping(let bytes): queue.append(WebSocket.Frame.pong(bytes).chunk)
            case .close(let code), .violation(let code):
              queue.append(WebSocket.Frame.close(code).chunk)
              queue.finish()
              return false
            }
          }
          input.append(try await read(within: nil))
        }
      }
      defer { group.cancelAll() }
      // After the client's last word, ours is still to be sent.
      if try await group.next() == false { _ = try await group.next() }
    }
    await discardInput()
  }

  // MARK: Bytes

  /// Reads what has arrived, at least one byte.
  /// - Parameter limit: how long to wait for it; `nil` means without end.
  private func read(within limit: Duration?) async throws -> [UInt8] {
    while true {
      try Task.checkCancellation()
      do {
        return try socket.read(atMost: Self.readSize)
      } catch SocketError.blocked {
        try await wait(for: .read, within: limit)
      } catch {
        throw Failure.clientLeft
      }
    }
  }

  /// Sends all bytes.
  private func write(_ bytes: [UInt8]) async throws {
    var sent = 0
    while sent < bytes.count {
      // SIGPIPE is ignored by every tool of the kit, so a client that has left is an error here.
      let count = bytes.withUnsafeBytes { all in
        Libc.send(socket.file.rawValue, all.baseAddress.map { $0 + sent }, all.count - sent, 0)
      }
      if count > 0 {
        sent += count
      } else if errno == EAGAIN || errno == EWOULDBLOCK {
        // One that does not read is as silent as one that does not ask, and goes like that.
        clients.hear(socket.file.rawValue)
        try await wait(for: .write, within: patience)
      } else if errno != EINTR {
        throw Failure.clientLeft
      }
    }
  }

  private func wait(for events: Socket.Events, within limit: Duration?) async throws {
    guard let limit else { return try await waitUntilReady(for: events) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await waitUntilReady(for: events) }
      group.addTask {
        try await Task.sleep(for: limit)
        throw Failure.clientStalled
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Returns also where the pool says that the client has left: FlyingSocks 0.27.1 may say so of a closed socket that
  /// had the same number a moment ago. If it is true, the next read or write fails.
  private func waitUntilReady(for events: Socket.Events) async throws {
    do {
      try await pool.suspendSocket(socket, untilReadyFor: events)
    } catch SocketError.disconnected {}
  }

  /// Reads and discards what the client still sends, for a second at most, so that closing does not reset the
  /// connection before the client has read the refusal.
  private func discardInput() async {
    shutdown(socket.file.rawValue, Int32(SHUT_WR))
    var remaining = ServerRequest.maxBody
    let end = ContinuousClock.now + .seconds(1)
    while remaining > 0, end > .now, let bytes = try? await read(within: end - .now) { remaining -= bytes.count }
  }
}
