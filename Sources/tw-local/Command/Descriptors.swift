import Libc
import TweetCore

/// The descriptors of this process.
enum Descriptors {
  /// Descriptors from here on are not looked at; those that a shell passes on are far below.
  private static let limit: Int32 = 1024

  /// Enough for all streams and clients that the service has at a time.
  private static let needed: rlim_t = 4096

  /// Lets this process open enough descriptors. Commands keep the limit that it was started with.
  /// - Returns: that limit.
  @discardableResult
  static func raiseLimit() -> rlimit {
    var limit = rlimit()
    guard getrlimit(openFilesLimit, &limit) == 0 else { return limit }
    var raised = limit
    raised.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, needed))
    // Where it fails, fewer streams can be open.
    _ = setrlimit(openFilesLimit, &raised)
    return limit
  }

  /// - Throws: ``ToolError/tryLater(_:)`` where there are too few to begin with: the system's libraries end a process
  ///   that has none left for them.
  static func requireEnough() throws(ToolError) {
    let limit = raiseLimit()
    let free = Int(clamping: limit.rlim_max) - 3 - open().count
    guard free < least else { return }
    throw .tryLater("the service needs \(least) open files, and may have \(max(0, free)) (ulimit -n)")
  }

  /// What the libraries, the listener, the store and a command need at a time: libdispatch ends a process that has none
  /// left for its epoll(7).
  private static let least = 17

  /// Runs `body` with another limit.
  static func withLimit<Result>(
    _ limit: rlimit, _ body: () throws(ToolError) -> Result
  ) throws(ToolError) -> Result {
    var limit = limit
    _ = setrlimit(openFilesLimit, &limit)
    defer { raiseLimit() }
    return try body()
  }

  /// How many clients and streams have room at a time, where the service has opened all that it needs for itself.
  ///
  /// Far more clients than a pipeline opens. Some descriptors are left for SQLite's files, and for a command.
  static var places: (clients: Int, streams: Int) {
    var limit = rlimit()
    guard getrlimit(openFilesLimit, &limit) == 0 else { return (256, OpenStreams.most) }
    let free = max(2, Int(clamping: limit.rlim_cur) - 3 - open().count - spare)
    let clients = min(256, max(1, free / 4))
    return (clients, min(OpenStreams.most, free - clients))
  }

  private static let spare = 24

  /// Those that are open, without 0 to 2.
  static func open() -> Set<Int32> {
    Set((3..<limit).filter { fcntl($0, F_GETFD) >= 0 })
  }

  /// Marks those that this process has opened, also in libraries, so that commands do not inherit them.
  /// - Parameter inherited: those that were open when this process started.
  static func closeOnExec(except inherited: Set<Int32>) {
    for descriptor in open().subtracting(inherited) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
  }
}
