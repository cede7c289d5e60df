import FlyingSocks
import Libc
import TweetCore

/// The listening socket, on 127.0.0.1 only.
struct Listener: Sendable {
  private let socket: Socket
  /// The port in use, also where any free one was asked for.
  let port: Int

  /// How long to wait after accept(2) has failed.
  private static let acceptRetryDelay: Duration = .milliseconds(20)
  /// How often a place is looked for before a client is refused.
  private static let mostTries = 50

  /// Binds and listens, so that clients may connect from now on; ``run(ready:answer:streamEnded:)`` serves them.
  /// - Parameter port: 0 for any free one.
  init(port: UInt16) throws(ToolError) {
    do {
      let socket = try Socket(domain: AF_INET)
      try socket.setValue(true, for: .localAddressReuse)
      try socket.bind(to: .inet(ip4: "127.0.0.1", port: port))
      try socket.listen()
      try socket.setFlags(.nonBlocking)
      guard case .ip4(_, let bound) = try socket.sockname() else { throw SocketError.unsupportedAddress }
      self.socket = socket
      self.port = Int(bound)
    } catch SocketError.failed(_, let number, _) {
      throw .cannotCreate("cannot listen on 127.0.0.1:\(port)", number)
    } catch {
      throw .cannotCreate("cannot listen on 127.0.0.1:\(port)")
    }
    Self.configure(socket)
  }

  /// Accepts and serves clients until cancelled; then all connections are closed.
  /// - Parameters:
  ///   - limit: most clients at a time, without those that read a stream.
  ///   - patience: as for ``ClientConnection/patience``.
  ///   - ready: called when all descriptors that serving needs are open.
  ///   - streamEnded: called when the connection of a stream has ended.
  func run(
    limit: Int, patience: Duration = .seconds(60), ready: () -> Void,
    answer: @escaping @Sendable (ServerRequest) async -> ServerResponse,
    streamEnded: @escaping @Sendable (StreamQueue) async -> Void
  ) async throws {
    let pool = try await WaitingPool.open()
    ready()
    let clients = Clients(limit: limit)
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { try await pool.run() }
      while true {
        try Task.checkCancellation()
        do {
          let accepted = try socket.accept()
          let client = Socket(file: accepted.file)
          var address = ""
          if case .ip4(let text, _) = try? Socket.makeAddress(from: accepted.addr) { address = text }
          Self.configure(client)
          try client.setFlags(.nonBlocking)
          // All may be busy for a moment. Then others wait too, which the kernel holds meanwhile.
          var tries = 1
          while !clients.add(client.file.rawValue), tries < Self.mostTries {
            tries += 1
            try await Task.sleep(for: Self.acceptRetryDelay)
          }
          guard tries < Self.mostTries else {
            try client.close()
            continue
          }
          group.addTask {
            await ClientConnection(
              socket: client, address: address, pool: pool, clients: clients, patience: patience
            ).serve(answer: answer, streamEnded: streamEnded)
          }
        } catch SocketError.blocked {
          try await pool.suspendSocket(socket, untilReadyFor: .connection)
        } catch SocketError.failed(_, let number, _) {
          // The client left before it was accepted, or there is no free descriptor for the moment.
          if number == EMFILE || number == ENFILE { clients.dismissIdlest() }
          try await Task.sleep(for: Self.acceptRetryDelay)
        }
      }
    }
  }

  /// The command must not inherit the socket, and small messages are sent without delay.
  private static func configure(_ socket: Socket) {
    var on: Int32 = 1
    _ = fcntl(socket.file.rawValue, F_SETFD, FD_CLOEXEC)
    setsockopt(socket.file.rawValue, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }
}

/// Waits until sockets are ready: by epoll on Linux, by kqueue elsewhere.
#if os(Linux)
  typealias WaitingPool = SocketPool<ePoll>
#else
  typealias WaitingPool = SocketPool<kQueue>
#endif

extension WaitingPool {
  static func open() async throws -> WaitingPool {
    #if os(Linux)
      let pool = WaitingPool.ePoll()
    #else
      let pool = WaitingPool.kQueue()
    #endif
    try await pool.prepare()
    return pool
  }

  /// Closes a socket that no task waits for any more.
  ///
  /// FlyingSocks 0.27.1 wakes a waiting task before it removes the socket from its list. A socket closed between the
  /// two would leave its entry there, and the next socket with the same number would never be watched. A method of the
  /// actor runs after both.
  func close(_ socket: Socket) {
    // It fails only for a descriptor that is not open.
    try? socket.close()
  }
}
