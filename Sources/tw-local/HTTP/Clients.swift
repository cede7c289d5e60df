import Libc
import Synchronization

/// The clients that are connected, without those that read a stream: as many as the service serves at a time. Where one
/// more comes, the one goes that has been silent for longest: that has sent nothing, or has left its answer unread.
final class Clients: Sendable {
  private enum Client {
    /// It is to send or to read something. The number grows with the time at which its last byte came or went.
    case silent(since: Int)
    case answered
  }

  private struct State {
    /// By their sockets.
    var clients: [Int32: Client] = [:]
    /// Those that send or are sent a large body.
    var large: Set<Int32> = []
    /// Those that had to go, and whose sockets are not closed yet.
    var leaving: Set<Int32> = []
    var now = 0

    mutating func wait(_ socket: Int32) {
      now += 1
      clients[socket] = .silent(since: now)
    }

    /// Parts from the client that has been silent for longest, of all or of those with a large body.
    /// - Returns: false where all are being answered.
    mutating func dismissIdlest(ofLarge: Bool = false) -> Bool {
      var idlest: (socket: Int32, since: Int)?
      for case (let socket, .silent(let since)) in clients where since < idlest?.since ?? .max {
        if !ofLarge || large.contains(socket) { idlest = (socket, since) }
      }
      guard let idlest else { return false }
      clients[idlest.socket] = nil
      large.remove(idlest.socket)
      leaving.insert(idlest.socket)
      // Its task finds that the client has left, and closes the socket. Before that it calls `remove`, so the number
      // is still that of this socket.
      shutdown(idlest.socket, Int32(SHUT_RDWR))
      return true
    }
  }

  /// Large bodies are up to 8 MiB of a request, and a whole video of an answer, and any client can have one.
  private static let mostLarge = 16

  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int) { self.limit = limit }

  /// Adds a client, of which a request is awaited.
  /// - Returns: false where there are too many, and all of them are being answered.
  func add(_ socket: Int32) -> Bool {
    state.withLock { state in
      if state.clients.count >= limit, !state.dismissIdlest() { return false }
      state.wait(socket)
      return true
    }
  }

  /// Makes room where descriptors have run out: one descriptor at a time, since accept(2) goes on failing until it is
  /// closed.
  func dismissIdlest() { state.withLock { if $0.leaving.isEmpty { _ = $0.dismissIdlest() } } }

  /// A client sends a large body, or is sent one.
  /// - Returns: false where there are too many, and all of those are being answered.
  func beginLarge(_ socket: Int32) -> Bool {
    state.withLock { state in
      if state.large.count >= Self.mostLarge, !state.dismissIdlest(ofLarge: true) { return false }
      state.large.insert(socket)
      return true
    }
  }

  /// Its answer has been sent.
  func end(_ socket: Int32) {
    state.withLock { _ = $0.large.remove(socket) }
    hear(socket)
  }

  /// Something has come of a client, or some of its answer has been sent.
  func hear(_ socket: Int32) {
    state.withLock { state in if state.clients[socket] != nil { state.wait(socket) } }
  }

  /// A request is there as a whole.
  /// - Returns: false if the client had to go: nothing may be done for it, since it would not hear of that.
  func begin(_ socket: Int32) -> Bool {
    state.withLock { state in
      guard state.clients[socket] != nil else { return false }
      state.clients[socket] = .answered
      return true
    }
  }

  /// The client leaves, or begins to read a stream. Streams have a limit of their own, since who opens one is known.
  func remove(_ socket: Int32) {
    state.withLock { state in
      state.clients[socket] = nil
      state.large.remove(socket)
      state.leaving.remove(socket)
    }
  }

  /// Takes a client back whose stream has ended, also where there are too many.
  func takeBack(_ socket: Int32) { state.withLock { $0.clients[socket] = .answered } }
}
