import FlyingSocks
import Libc

/// One client's connection: reads bounded requests, writes answers, notices when the client leaves.
struct Connection: Sendable {
  let socket: Socket
  let pool: WaitingPool

  /// Longest silence of a client in the middle of a request or between two, and longest wait for it to take what is sent.
  static let patience: Duration = .seconds(60)

  private enum Broken: Error { case gone, silent }

  /// Answers requests until the client or an error ends it, then closes the socket.
  func serve(_ answer: (HTTPRequest) async -> HTTPResponse, ended: (StreamFeed) async -> Void) async {
    var pending: [UInt8] = []
    do {
      while let request = try await nextRequest(&pending) {
        let response = await answer(request)
        try await send(response, to: request, ended: ended)
        if !request.keepsAlive { break }
      }
    } catch let fault as HTTPFault {
      let refusal = HTTPResponse(status: fault.status, type: "text/plain; charset=utf-8", body: [])
      // Whether the refusal arrives is the client's loss only.
      try? await write(refusal.head(closing: true))
      await drain()
    } catch {
      // The client left or stalled, or the service ends: nobody is there to be told.
    }
    await pool.close(socket)
  }

  // MARK: Requests

  /// The next request; `nil` when the client is done.
  private func nextRequest(_ pending: inout [UInt8]) async throws -> HTTPRequest? {
    var searched = 0
    while true {
      let end = headEnd(pending, from: searched)
      guard end?.head ?? pending.count <= HTTPRequest.maxHead else { throw HTTPFault.headTooLarge }
      if let end {
        var request = try HTTPRequest(head: Array(pending[..<end.head]))
        pending.removeFirst(end.body)
        let length = try request.bodyLength()
        if length > pending.count, request.headers["expect"]?.lowercased() == "100-continue" {
          try await write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        while pending.count < length { pending += try await read() }
        request.body = Array(pending[..<length])
        pending.removeFirst(length)
        return request
      }
      searched = max(0, pending.count - 3)
      do {
        pending += try await read()
      } catch Broken.gone where pending.isEmpty {
        return nil
      }
    }
  }

  /// Where the head ends and where the body begins.
  private func headEnd(_ bytes: [UInt8], from start: Int) -> (head: Int, body: Int)? {
    guard bytes.count >= 2 else { return nil }
    for at in start..<bytes.count where bytes[at] == UInt8(ascii: "\n") {
      if at >= 3, bytes[at - 1] == UInt8(ascii: "\r"), bytes[at - 2] == UInt8(ascii: "\n"),
        bytes[at - 3] == UInt8(ascii: "\r")
      {
        return (at - 3, at + 1)
      }
      if at >= 1, bytes[at - 1] == UInt8(ascii: "\n") { return (at - 1, at + 1) }
    }
    return nil
  }

  // MARK: Answers

  private func send(
    _ response: HTTPResponse, to request: HTTPRequest, ended: (StreamFeed) async -> Void
  ) async throws {
    let head = response.head(closing: !request.keepsAlive)
    switch response.body {
    case .bytes(let bytes):
      try await write(request.method == "HEAD" ? head : head + bytes)
    case .feed(let feed):
      do {
        try await write(head)
        try await relay(feed)
      } catch {
        await ended(feed)
        throw error
      }
      await ended(feed)
    }
  }

  /// Sends the feed's pieces until it ends; throws as soon as the client has left.
  private func relay(_ feed: StreamFeed) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for await piece in feed.pieces {
          try await write(Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [0x0D, 0x0A])
        }
        try Task.checkCancellation()
        try await write(Array("0\r\n\r\n".utf8))
      }
      group.addTask {
        // A streaming client has nothing more to say, so what it sends is dropped; its end is what is waited for.
        while true { _ = try await read(within: nil) }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  // MARK: Bytes

  private func read(within limit: Duration? = patience) async throws -> [UInt8] {
    while true {
      try Task.checkCancellation()
      do {
        return try socket.read(atMost: 4096)
      } catch SocketError.blocked {
        try await wait(for: .read, within: limit)
      } catch {
        throw Broken.gone
      }
    }
  }

  private func write(_ bytes: [UInt8]) async throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { rest in
        transmit(socket.file.rawValue, rest[sent...])
      }
      if count > 0 {
        sent += count
      } else if errno == EAGAIN || errno == EWOULDBLOCK {
        try await wait(for: .write, within: Self.patience)
      } else if errno != EINTR {
        throw Broken.gone
      }
    }
  }

  private func wait(for events: Socket.Events, within limit: Duration?) async throws {
    guard let limit else { return try await pool.suspendSocket(socket, untilReadyFor: events) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await pool.suspendSocket(socket, untilReadyFor: events) }
      group.addTask {
        try await Task.sleep(for: limit)
        throw Broken.silent
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Takes what the client is still sending, so that closing does not reset the connection under the refusal.
  private func drain() async {
    shutdown(socket.file.rawValue, Int32(SHUT_WR))
    var left = HTTPRequest.maxBody
    while left > 0, let bytes = try? await read(within: .seconds(1)) { left -= bytes.count }
  }
}

/// One send(2). SIGPIPE is ignored by every tool of the kit, so a client that has left is an error here.
private func transmit(_ descriptor: Int32, _ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
  let bytes = UnsafeRawBufferPointer(rebasing: bytes)
  return send(descriptor, bytes.baseAddress, bytes.count, 0)
}
