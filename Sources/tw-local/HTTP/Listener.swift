import FlyingSocks
import Libc
import Synchronization
import TweetCore

/// The listening socket, on 127.0.0.1 and nowhere else.
struct Listener: Sendable {
  private let socket: Socket
  /// The port it got.
  let port: Int

  /// Most clients at a time: below the usual limit of 1024 open files, far above what a pipeline opens.
  private static let maxConnections = 256

  /// Binds and listens at once, so that clients may connect before it runs.
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
      throw .cannotCreate("cannot listen on 127.0.0.1:\(port): \(describe(errno: number))")
    } catch {
      throw .cannotCreate("cannot listen on 127.0.0.1:\(port)")
    }
    Self.prepare(socket)
  }

  /// Accepts and serves clients until cancelled; then all connections are closed.
  /// - Parameters:
  ///   - ready: called when nothing more has to be opened to serve.
  ///   - ended: called when a stream's connection has ended.
  func run(
    ready: () -> Void, answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse,
    ended: @escaping @Sendable (StreamFeed) async -> Void
  ) async throws {
    let pool = try await WaitingPool.open()
    ready()
    let open = ConnectionCount()
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { try await pool.run() }
      while true {
        try Task.checkCancellation()
        do {
          let client = Socket(file: try socket.accept().file)
          Self.prepare(client)
          try client.setFlags(.nonBlocking)
          guard open.enter(max: Self.maxConnections) else {
            try client.close()
            continue
          }
          group.addTask {
            await Connection(socket: client, pool: pool).serve(answer, ended: ended)
            open.leave()
          }
        } catch SocketError.blocked {
          try await pool.suspendSocket(socket, untilReadyFor: .connection)
        } catch SocketError.failed {
          // A client that left again before it was accepted, or no descriptors left for the moment.
          try await Task.sleep(for: .milliseconds(20))
        }
      }
    }
  }

  /// Not inherited by the command that is run, and no waiting to fill packets: a post is to arrive at once.
  private static func prepare(_ socket: Socket) {
    var on: Int32 = 1
    _ = fcntl(socket.file.rawValue, F_SETFD, FD_CLOEXEC)
    setsockopt(socket.file.rawValue, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }
}

/// How many clients are connected.
private final class ConnectionCount: Sendable {
  private let count = Atomic<Int>(0)

  /// Counts one more, unless there are `max` already.
  func enter(max: Int) -> Bool {
    if count.add(1, ordering: .relaxed).newValue <= max { return true }
    leave()
    return false
  }

  func leave() { count.subtract(1, ordering: .relaxed) }
}
