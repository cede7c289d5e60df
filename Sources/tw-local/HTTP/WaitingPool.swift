import FlyingSocks

/// What waits for sockets: epoll on Linux, kqueue elsewhere.
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

  /// Closes a socket that nobody waits for any more.
  ///
  /// FlyingSocks 0.27.1 wakes a waiter before it takes the socket off its list. If the socket is closed in between, the
  /// entry stays, and the next socket of the same number is never watched. Being an actor's method, this runs after that.
  func close(_ socket: Socket) {
    // It fails only for a descriptor that is not open.
    try? socket.close()
  }
}
