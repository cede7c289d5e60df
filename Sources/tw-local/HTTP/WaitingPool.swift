import FlyingSocks

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
